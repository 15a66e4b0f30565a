"""Measure the engine beside C, the PettingZoo view, growth and costs: ``python -m benchmarks.throughput``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from tyro.conf import arg

from agents.command import run_command
from benchmarks.against_c import compare_steps, units_side_by_side
from benchmarks.costs import measure_costs
from benchmarks.growth import BATCHES, draw_growth, growth_table, measure_growth
from benchmarks.many_games import compare_random_games, compare_threads
from benchmarks.measure import QUICK, Effort
from benchmarks.reference import PLAIN_FLAGS, TUNED_FLAGS, NoCompilerError, compiled_library, compiler_version
from benchmarks.results import Comparison, machine, publish
from benchmarks.views import compare_views
from train.runs.screen import say
from train.runs.tables import make_folder, new_table

COMMAND = "python -m benchmarks.throughput"
Part = Literal["steps", "games", "threads", "views", "growth", "costs"]
PARTS: tuple[Part, ...] = ("steps", "games", "threads", "views", "growth", "costs")


@dataclass(frozen=True)
class Arguments:
    """Measure the engine beside hand-written C, the PettingZoo view, growth and costs.

    Contenders take turns in the same run; the median counts. Leave the machine alone meanwhile. One core is used,
    except for the part threads.
    """

    parts: Annotated[tuple[Part, ...], arg(metavar="PART …")] = PARTS
    """What to measure: steps and random games beside the C, two threads and processes beside one, PettingZoo's parallel
    API beside rps, growth with players and batch, costs of import, first step and memory."""
    out: Annotated[Path, arg(metavar="FOLDER")] = Path("runs/benchmarks/throughput")
    """Folder for results.json and the plots; it is made if it is not there."""
    repeats: int = 7
    """Times that each contender plays."""
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
    facts, rows, notes, more = machine(), [], [], {}
    rows += _beside_c(arguments, batches, effort, facts, notes)
    if "threads" in arguments.parts:
        rows += compare_threads(batches, effort)
    if "views" in arguments.parts:
        rows += compare_views(effort)
    if "growth" in arguments.parts:
        sizes = (1, 4) if arguments.quick else BATCHES
        nanoseconds = measure_growth(effort if arguments.quick else Effort(min(arguments.repeats, 7), 0.05), sizes)
        draw_growth(nanoseconds, arguments.out / "growth.png", sizes)
        say(growth_table(nanoseconds, sizes))
        more["growth"] = {"batches": sizes, "nanoseconds": nanoseconds}
    if "costs" in arguments.parts:
        rows += measure_costs(1 if arguments.quick else arguments.repeats, _turns(arguments))
    publish(COMMAND, rows, arguments.out, facts, notes, arguments=arguments, **more)
    _print_units(rows)


def _beside_c(
    arguments: Arguments, batches: tuple[int, ...], effort: Effort, facts: dict[str, str], notes: list[str]
) -> list[Comparison]:
    """What needs a C compiler; without one a note says so."""
    if not {"steps", "games"} & set(arguments.parts):
        return []
    try:
        compiled_library()
    except NoCompilerError as error:
        notes.append(f"nothing was measured beside C: {error}")
        return []
    facts["C"] = f"{compiler_version()} {' '.join(PLAIN_FLAGS)}; tuned: {' '.join(TUNED_FLAGS)}"
    rows = compare_steps(batches, effort) if "steps" in arguments.parts else []
    if "games" in arguments.parts:
        rows += compare_random_games(effort, 64 if arguments.quick else 4096)
    return rows


def _turns(arguments: Arguments) -> int:
    """How many turns to watch the memory for."""
    if arguments.quick:
        return 10**4
    return 10**8 if arguments.long else 10**7


def _print_units(rows: list[Comparison]) -> None:
    lines = units_side_by_side(rows)
    if not lines:
        return
    table = new_table("the engine in each unit, in millions per second (decisions: idle seats excluded)")
    for name in ("section", "what", "turns", "agent-steps", "decisions", "deciding"):
        table.add_column(name, justify="left" if name in ("section", "what") else "right")
    for line in lines:
        table.add_row(*line)
    say(table)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""

    def run() -> None:
        measure(tyro.cli(Arguments, prog=COMMAND, args=argv))

    return run_command(COMMAND, run)


if __name__ == "__main__":
    sys.exit(main())
