"""sb3-contrib: MaskablePPO on the project's VecEnv, one network for every seat.

Install: pip install -c constraints.txt -e ".[train,examples]"
Run:     python -m examples.sb3_maskable --steps 300000

Counted: rows whose seat must decide; the library counts every row as a time step, about five for four decisions.
Mask: asked for through `env_method("action_masks")`; feature 0 of an observation says whether LEAVE is legal.
Idle seats: rows with the mask [True, False]. With one legal action its probability is 1, so that these rows add
nothing to the policy's gradient.
What it can't do: leave rows out. Idle rows still enter the value loss and the mean that normalises advantages.
"""

import argparse
import time

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from diamant_env.sb3 import DiamantVecEnv
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
steps = parser.parse_args().steps


class Decisions(BaseCallback):
    """Counts decisions."""

    count = 0

    def _on_step(self):
        self.count += int(self.locals["obs_tensor"][:, 0].sum())
        return True


torch.set_num_threads(1)
env = DiamantVecEnv(num_games=32, num_players=4, reward="win")  # 128 rows
env.seed(0)
model = MaskablePPO(
    "MlpPolicy",
    env,
    n_steps=64,
    batch_size=1024,
    n_epochs=4,
    learning_rate=1e-3,
    gamma=1.0,
    gae_lambda=0.95,
    ent_coef=0.005,
    policy_kwargs={"net_arch": [64, 64]},
    seed=0,
    device="cpu",
)
decisions = Decisions()
start = time.perf_counter()
while decisions.count < steps:
    model.learn(64 * env.num_envs, callback=decisions, reset_num_timesteps=False)  # one rollout
seconds = time.perf_counter() - start

report("sb3-contrib", decisions.count, seconds, lambda observations: model.predict(observations)[0])
