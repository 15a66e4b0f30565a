"""Measure the engine's share of training, and evaluation: ``python -m benchmarks.learning``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from threadpoolctl import threadpool_limits
from tyro.conf import arg

from agents.command import run_command
from benchmarks.judging import compare_judging
from benchmarks.measure import QUICK, Effort
from benchmarks.results import machine, publish
from benchmarks.training import compare_training, notes_on_spread
from train.runs.tables import make_folder

COMMAND = "python -m benchmarks.learning"
Part = Literal["training", "evaluation"]


@dataclass(frozen=True)
class Arguments:
    """Measure which share of PPO's wall time the engine takes, and how fast agents are evaluated.

    Everything runs on one thread.
    """

    parts: Annotated[tuple[Part, ...], arg(metavar="PART …")] = ("training", "evaluation")
    """What to measure."""
    games: int = 750
    """Games side by side in training."""
    rollouts: int = 6
    """Rollouts of 64 turns in each training."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/learning")
    """Folder for results.json and the plot; it is made if it is not there."""
    repeats: int = 7
    """Times that everything runs."""
    quick: bool = False
    """Only show that everything runs; the figures mean nothing."""


def measure(arguments: Arguments) -> None:
    """Measure, print and save.

    Raises:
        ValueError: If the folder can't be written.
    """
    make_folder(arguments.out)
    rows = []
    with threadpool_limits(1):
        if "training" in arguments.parts:
            size = (1, 1, 8, 8) if arguments.quick else (arguments.repeats, arguments.rollouts, arguments.games)
            rows += compare_training(*size)
        if "evaluation" in arguments.parts:
            effort = QUICK if arguments.quick else Effort(arguments.repeats, 0.5)
            rows += compare_judging(effort, 64 if arguments.quick else 8192)
    publish(COMMAND, rows, arguments.out, machine(), notes_on_spread(rows), arguments=arguments)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
