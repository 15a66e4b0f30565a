"""stable-baselines3: PPO or MaskablePPO on `DiamantVecEnv`, or PPO through SuperSuit; one network for all seats.

Install: pip install -c constraints.txt ".[sb3,evaluation]" sb3-contrib supersuit
Run:     python examples/sb3_vec_env.py --steps 300000
         python examples/sb3_vec_env.py --supersuit --steps 300000
         python examples/sb3_vec_env.py --maskable --steps 300000

Decisions counted: rows whose seat must decide; the library counts every row as a time step, about 5 for 4 decisions.
Mask: none in PPO. MaskablePPO of sb3-contrib gets it through `env_method("action_masks")`.
Idle seats: a seat in camp stays a row; feature 0 of its observation is 0 and its action is ignored. PPO treats them as
decisions. In MaskablePPO their only legal action has probability 1 and no policy gradient, but they still enter the
value loss and the normalisation of advantages.
Limits: neither can exclude rows. stable-baselines3 does not accept Gymnasium's VectorEnv, hence `DiamantVecEnv`.
SuperSuit's vector environment ignores seeds. All seats end together, so `black_death_v3` isn't needed; it would report
the end a step late.
"""

import argparse

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from diamant_env import diamant_v0
from diamant_env.evaluation import evaluate
from diamant_env.sb3 import DiamantVecEnv

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
parser.add_argument("--supersuit", action="store_true")
parser.add_argument("--maskable", action="store_true")
args = parser.parse_args()


class Decisions(BaseCallback):
    """Counts decisions."""

    count = 0

    def _on_step(self):
        self.count += int(self.locals["obs_tensor"][:, 0].sum())
        return True


torch.set_num_threads(1)
if args.supersuit:
    import supersuit

    game = diamant_v0.parallel_env(num_players=4, reward="win", mask="none")  # mask="none" keeps it out of the infos
    env = supersuit.pettingzoo_env_to_vec_env_v1(game)
    env = supersuit.concat_vec_envs_v1(env, num_vec_envs=32, num_cpus=1, base_class="stable_baselines3")
else:
    env = DiamantVecEnv(num_games=32, num_players=4, reward="win")  # 128 rows
    env.seed(0)
algorithm = PPO
if args.maskable:
    from sb3_contrib import MaskablePPO as algorithm
model = algorithm(
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
    seed=None if args.supersuit else 0,
    device="cpu",
)
decisions = Decisions()
while decisions.count < args.steps:
    model.learn(64 * env.num_envs, callback=decisions, reset_num_timesteps=False)  # one rollout

print(evaluate(model, against="held-out", games=args.games))
