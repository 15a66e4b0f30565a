"""stable-baselines3 through SuperSuit: PPO on the PettingZoo environment, one network for every seat.

Install: pip install -c constraints.txt -e ".[train,examples]"
Run:     python -m examples.sb3_supersuit --steps 20000

Mask: none; mask="none" also keeps it out of the infos. Idle seats: rows whose action is ignored.
Mind: all seats end together, so `black_death_v3` isn't needed, and with it the end comes one step late. SuperSuit's
vector ignores seeds: copies start where the process left off. `examples/sb3_vec_env.py` is many times faster.
"""

import argparse

import supersuit
from stable_baselines3 import PPO

from diamant_env import diamant_v0
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20_000)
steps = parser.parse_args().steps

game = diamant_v0.parallel_env(num_players=4, reward="win", mask="none")
env = supersuit.pettingzoo_env_to_vec_env_v1(game)
env = supersuit.concat_vec_envs_v1(env, num_vec_envs=8, num_cpus=1, base_class="stable_baselines3")  # 32 rows
model = PPO("MlpPolicy", env, n_steps=32, batch_size=1024, gamma=1.0, device="cpu")
model.learn(steps)

report("supersuit", model.num_timesteps, lambda observations: model.predict(observations)[0])
