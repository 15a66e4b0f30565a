"""JAX: self-play PPO of `train.jax_ppo`, rollout and update in one compiled function.

Install: pip install -c constraints.txt -e ".[train,jax]"
Run:     python examples/jax_ppo.py --steps 300000

Decisions counted: rows whose seat must decide.
Mask: not needed.
Idle seats: excluded from the loss.
Limits: no raw features; `train.jax_ppo` uses the inputs of the shipped networks. The seconds include compilation, the
larger part with few decisions.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from diamant_env.judging import evaluate
from train.jax_ppo import train
from train.runs.config import Config

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
args = parser.parse_args()

config = Config.model_validate(
    {
        "game": {"reward": "win", "num_players": (4,)},
        "ppo": {
            "decisions": args.steps, "games": 32, "turns": 64, "minibatch": 1024, "epochs": 4, "learning_rate": 1e-3,
            "final_learning_rate": 1e-3, "gae_lambda": 0.95, "entropy": 0.005, "final_entropy": 0.005,
        },
        "network": {"hidden": (64, 64)},
    }
)  # fmt: skip
with TemporaryDirectory() as folder:
    agent = train(config, Path(folder))
print(evaluate(("jax_ppo", agent), against="held-out", games=args.games))
