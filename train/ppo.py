"""Train a PPO agent by self-play and judge it: ``python -m train.ppo --config configs/default.toml``.

`train.learning.training` has the run from top to bottom. A run that was killed goes on with ``--resume RUN_FOLDER`` and
ends with the same bytes as if nothing had happened.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from diamant_env.commands.command import run_command
from train.learning.training import train
from train.runs.command_line import run_experiment
from train.runs.config import Config
from train.runs.networks import start_of
from train.runs.report import check_line_ups

COMMAND = "python -m train.ppo"


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""
    default = Path("configs/default.toml")
    return run_command(COMMAND, lambda: run_experiment(argv, COMMAND, Config, default, train, check))


def check(config: Config) -> None:
    """Raise a ValueError if the run can't be judged or can't start from its network."""
    check_line_ups(config)
    if config.start:
        start_of(config)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The `render_mode` attribute is not defined")
    sys.exit(main())
