"""stable-baselines3: PPO on the project's own VecEnv, one network for every seat.

Install: pip install -c constraints.txt -e ".[train]"
Run:     python -m examples.sb3_vec_env --steps 200000

Mask: none. Idle seats: a seat in camp stays a row; feature 0 of its observation is 0 and what it sends is ignored.
Mind: stable-baselines3 refuses Gymnasium's VectorEnv; `DiamantVecEnv` is a VecEnv of its own kind.
"""

import argparse

from stable_baselines3 import PPO

from diamant_env.sb3 import DiamantVecEnv
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200_000)
steps = parser.parse_args().steps

env = DiamantVecEnv(num_games=16, num_players=4, reward="win")  # 64 rows
env.seed(0)
model = PPO("MlpPolicy", env, n_steps=32, batch_size=2048, gamma=1.0, seed=0, device="cpu")
model.learn(steps)

report("stable-baselines3", model.num_timesteps, lambda observations: model.predict(observations)[0])
