"""Train a PPO agent by self-play and judge it: ``python -m train.ppo --config configs/default.toml``.

`train.learning.training` has the run from top to bottom. A run that was killed goes on with ``--resume RUN_FOLDER`` and
ends with the same bytes as if nothing had happened.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from agents.command import run_command
from train.learning.training import train
from train.runs.command_line import run_experiment
from train.runs.config import Config

COMMAND = "python -m train.ppo"


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND, Config, Path("configs/default.toml"), train))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The `render_mode` attribute is not defined")
    sys.exit(main())
