"""Measure how fast the engine is: ``python -m benchmarks.throughput``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import tyro
from tyro.conf import arg

from agents.command import run_command
from benchmarks.against_c import compare_steps
from benchmarks.contenders.reference import NoCompilerError, compiled_library, compiler_flags, compiler_version
from benchmarks.costs import measure_costs
from benchmarks.growth import BATCHES, PLAYERS, draw_growth, measure_growth
from benchmarks.measure import QUICK, Effort
from benchmarks.results import Comparison, machine, publish
from train.runs.tables import make_folder

COMMAND = "python -m benchmarks.throughput"
Part = Literal["steps", "growth", "costs"]


@dataclass(frozen=True)
class Arguments:
    """Measure how fast the engine is.

    Contenders take turns in the same run; the median counts. Leave the machine alone meanwhile.
    """

    parts: Annotated[tuple[Part, ...], arg(metavar="PART …")] = get_args(Part)
    """What to measure: steps beside C and with two threads, growth with players and batch, and seconds until the first
    step."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/throughput")
    """Folder for results.json and the plot; it is made if it is not there."""
    quick: bool = False
    """Only show that everything runs: tiny batches and short times; the figures mean nothing."""


def measure(arguments: Arguments) -> None:
    """Measure, print and save.

    Raises:
        ValueError: If an argument is wrong or the folder can't be written.
    """
    make_folder(arguments.out)
    effort = QUICK if arguments.quick else Effort()
    facts, notes, rows, more = machine(), list[str](), list[Comparison](), dict[str, Any]()
    if "steps" in arguments.parts:
        try:
            compiled_library()
            facts["C"] = f"{compiler_version()} {' '.join(compiler_flags())}"
            rows += compare_steps((16, 64) if arguments.quick else (1024, 16_384), effort)
        except NoCompilerError as error:
            notes.append(f"nothing was measured beside C: {error}")
    if "growth" in arguments.parts:
        sizes = (1, 4) if arguments.quick else BATCHES
        nanoseconds = measure_growth(QUICK if arguments.quick else Effort(seconds=0.05), sizes)
        draw_growth(nanoseconds, arguments.out / "growth.png", sizes)
        more["growth"] = {"players": PLAYERS, "batches": sizes, "nanoseconds": nanoseconds}
    if "costs" in arguments.parts:
        rows += measure_costs(1 if arguments.quick else effort.repeats)
    publish(COMMAND, rows, arguments.out, facts, notes, **more)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
