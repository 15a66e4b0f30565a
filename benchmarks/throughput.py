"""Measure how fast the engine is: ``python -m benchmarks.throughput``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import arg

from benchmarks.against_c import compare_steps
from benchmarks.contenders.reference import NoCompilerError, compiled_library, compiler_flags, compiler_version
from benchmarks.costs import measure_costs
from benchmarks.measure import QUICK, Effort
from benchmarks.results import Comparison, machine, publish
from diamant_env.commands.command import run_command
from train.runs.run_folder import held

COMMAND = "python -m benchmarks.throughput"


@dataclass(frozen=True)
class Arguments:
    """Measure how fast the engine is: steps beside C and with two threads, and seconds until the first step.

    Contenders take turns in the same run; the median counts. Leave the machine alone meanwhile.
    """

    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/throughput")
    """Folder for results.json; it is made if it is not there."""
    quick: bool = False
    """Only show that everything runs: tiny batches and short times; the figures mean nothing."""


def measure(arguments: Arguments) -> None:
    """Measure, print and save."""
    effort = QUICK if arguments.quick else Effort()
    facts, notes, rows = machine(), list[str](), list[Comparison]()
    try:
        compiled_library()
        facts["C"] = f"{compiler_version()} {' '.join(compiler_flags())}"
        rows += compare_steps((16, 64) if arguments.quick else (1024, 16_384), effort)
    except NoCompilerError as error:
        notes.append(f"nothing was measured beside C: {error}")
    rows += measure_costs(1 if arguments.quick else effort.repeats)
    publish(COMMAND, rows, arguments.out, facts, notes)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
        with held(arguments.out):  # refuses a folder that can't be written before anything is measured
            measure(arguments)

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
