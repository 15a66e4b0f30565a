"""Measure how fast the engine, training and judging are: ``python -m benchmarks.throughput``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import tyro
from threadpoolctl import threadpool_limits
from tyro.conf import arg

from benchmarks.against_c import compare_random_games, compare_steps
from benchmarks.contenders.reference import NoCompilerError, compiled_library, compiler_flags, compiler_version
from benchmarks.contenders.views import compare_views
from benchmarks.costs import measure_costs
from benchmarks.growth import BATCHES, PLAYERS, draw_growth, measure_growth
from benchmarks.judging import compare_judging
from benchmarks.measure import QUICK, Effort
from benchmarks.results import Comparison, machine, publish
from benchmarks.threads import compare_threads
from benchmarks.training import compare_training
from diamant_env.commands.command import run_command
from train.runs.results import make_folder

COMMAND = "python -m benchmarks.throughput"
Part = Literal["steps", "games", "threads", "views", "growth", "costs", "training", "judging"]


@dataclass(frozen=True)
class Arguments:
    """Measure how fast the engine, training and judging are.

    Contenders take turns in the same run; the median counts. Leave the machine alone meanwhile. All parts but threads
    use one core.
    """

    parts: Annotated[tuple[Part, ...], arg(metavar="PART …")] = get_args(Part)
    """What to measure: steps and random games beside C, two threads beside one, PettingZoo's parallel API beside
    rock-paper-scissors, growth with players and batch, costs of import, first step and memory, the engine's share of
    PPO's time, and decisions per second of judging."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/throughput")
    """Folder for results.json and the plot; it is made if it is not there."""
    repeats: int = 7
    """How often each contender plays."""
    seconds: float = 0.3
    """About how long it plays each time."""
    quick: bool = False
    """Only show that everything runs: tiny batches and short times; the figures mean nothing."""
    long: bool = False
    """Watch the memory over 10^8 turns instead of 10^7."""


def measure(arguments: Arguments) -> None:
    """Measure, print and save.

    Raises:
        ValueError: If an argument is wrong or the folder can't be written.
    """
    make_folder(arguments.out)
    effort = QUICK if arguments.quick else Effort(arguments.repeats, arguments.seconds)
    batches = (16, 64) if arguments.quick else (1024, 16_384)
    facts, notes = machine(), list[str]()
    rows, more = _beside_c(arguments, batches, effort, facts, notes), dict[str, Any]()
    if "threads" in arguments.parts:
        rows += compare_threads(batches, effort)
    if "views" in arguments.parts:
        rows += compare_views(effort)
    if "growth" in arguments.parts:
        sizes = (1, 4) if arguments.quick else BATCHES
        nanoseconds = measure_growth(effort if arguments.quick else Effort(min(arguments.repeats, 7), 0.05), sizes)
        draw_growth(nanoseconds, arguments.out / "growth.png", sizes)
        more["growth"] = {"players": PLAYERS, "batches": sizes, "nanoseconds": nanoseconds}
    if "costs" in arguments.parts:
        turns = 10**4 if arguments.quick else 10**8 if arguments.long else 10**7
        rows += measure_costs(1 if arguments.quick else arguments.repeats, turns)
    with threadpool_limits(1):
        if "training" in arguments.parts:
            rows += compare_training(*((1, 1, 8, 8) if arguments.quick else (arguments.repeats, 6, 750)))
        if "judging" in arguments.parts:
            rows += compare_judging(effort, 64 if arguments.quick else 8192)
    publish(COMMAND, rows, arguments.out, facts, notes, **more)


def _beside_c(
    arguments: Arguments, batches: tuple[int, ...], effort: Effort, facts: dict[str, str], notes: list[str]
) -> list[Comparison]:
    """Measure what needs a C compiler; without one add a note."""
    if not {"steps", "games"} & set(arguments.parts):
        return []
    try:
        compiled_library()
    except NoCompilerError as error:
        notes.append(f"nothing was measured beside C: {error}")
        return []
    facts["C"] = f"{compiler_version()} {' '.join(compiler_flags())}"
    rows = compare_steps(batches, effort) if "steps" in arguments.parts else []
    if "games" in arguments.parts:
        rows += compare_random_games(effort, 64 if arguments.quick else 4096)
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
