"""JAX: self-play PPO of `train.jax_ppo`, rollout and update in one compiled function.

Install: pip install -c constraints.txt -e ".[train,jax]"
Run:     python -m examples.jax_ppo --steps 300000

Decisions counted: rows whose seat must decide.
Mask: not needed.
Idle seats: excluded from the loss.
Limits: no raw features; `train.jax_ppo` uses the inputs of the shipped networks. The seconds include compilation, the
larger part with few decisions.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from diamant_env.opponents import make
from examples.judge import report
from train.jax_ppo import train
from train.runs.config import Config
from train.runs.run_folder import POLICY

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
steps = parser.parse_args().steps

config = Config.model_validate(
    {
        "game": {"reward": "win", "num_players": (4,)},
        "ppo": {
            "decisions": steps, "games": 32, "turns": 64, "minibatch": 1024, "epochs": 4, "learning_rate": 1e-3,
            "final_learning_rate": 1e-3, "gae_lambda": 0.95, "entropy": 0.005, "final_entropy": 0.005,
        },
        "network": {"hidden": (64, 64)},
    }
)  # fmt: skip
with TemporaryDirectory() as folder:
    start = time.perf_counter()
    agent = train(config, Path(folder))
    seconds = time.perf_counter() - start
    decisions = make(f"{folder}/{POLICY}").metadata["decisions"]
report("jax", decisions, seconds, agent.leave_probability)
