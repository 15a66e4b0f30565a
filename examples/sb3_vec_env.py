"""stable-baselines3: PPO, one network for every seat, on the project's own VecEnv or through SuperSuit.

Install: pip install -c constraints.txt -e ".[train,examples]"
Run:     python -m examples.sb3_vec_env --steps 200000
         python -m examples.sb3_vec_env --supersuit --steps 20000

Mask: none. Idle seats: a seat in camp stays a row; feature 0 of its observation is 0 and what it sends is ignored.
Mind: stable-baselines3 refuses Gymnasium's VectorEnv; `DiamantVecEnv` is a VecEnv of its own kind and many times faster
than SuperSuit. All seats end together, so `black_death_v3` isn't needed, and with it the end comes one step late.
SuperSuit's vector ignores seeds: copies start where the process left off.
"""

import argparse

from stable_baselines3 import PPO

from diamant_env import diamant_v0
from diamant_env.sb3 import DiamantVecEnv
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200_000)
parser.add_argument("--supersuit", action="store_true")
args = parser.parse_args()

if args.supersuit:
    import supersuit

    game = diamant_v0.parallel_env(num_players=4, reward="win", mask="none")  # mask="none" keeps it out of the infos
    env = supersuit.pettingzoo_env_to_vec_env_v1(game)
    env = supersuit.concat_vec_envs_v1(env, num_vec_envs=16, num_cpus=1, base_class="stable_baselines3")
else:
    env = DiamantVecEnv(num_games=16, num_players=4, reward="win")
    env.seed(0)
model = PPO("MlpPolicy", env, n_steps=32, batch_size=2048, gamma=1.0, seed=None if args.supersuit else 0, device="cpu")
model.learn(args.steps)

library = "supersuit" if args.supersuit else "stable-baselines3"
report(library, model.num_timesteps, lambda observations: model.predict(observations)[0])
