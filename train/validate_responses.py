"""Hold the responders against the truth: ``python -m train.validate_responses``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from diamant_env.commands.command import run_command
from diamant_env.commands.terminal import say
from diamant_env.judging.tables import estimate_text, new_table
from diamant_env.opponents import make
from diamant_env.storage.results import save_json, versions
from train.benchmarking.validation import LEARNED, SCRIPTED, learned, validate
from train.responding.config import ResponseConfig
from train.runs.command_line import change_keys

COMMAND = "python -m train.validate_responses"
_STANDARD = ResponseConfig(seeds=1, pick_games=10_000, report_games=50_000)


@dataclass(frozen=True)
class Arguments:
    """Compare what responders gain with what a best response gains, where that is known: one expedition in score.

    They answer copies of scripted agents and of policies that learned by self-play, early and late.
    """

    players: tuple[int, ...] = (2, 3)
    """Table sizes, 2 to 5."""
    set: tuple[str, ...] = ("ppo.decisions=300_000", "search.full_games=1500")
    """Keys of configs/best_response.toml to change."""
    seed: int = 0
    """Of learning and games."""
    out: Path | None = None
    """Write the figures to this JSON file."""


def compare(arguments: Arguments) -> list[dict]:
    """Measure, print and save."""
    config = change_keys(_STANDARD, arguments.set).model_copy(update={"seed": arguments.seed})
    rows = []
    for players in arguments.players:
        rows += [validate(make(text), text, players, config) for text in SCRIPTED]
        for name, decisions in LEARNED.items():
            rows.append(validate(learned(decisions, players, arguments.seed), name, players, config))
    kinds = list(dict.fromkeys(kind for row in rows for kind in row["found"]))
    table = new_table("One expedition in score: gain in gems, exact and found")
    for column in ("players", "agent", "exact", *kinds):
        table.add_column(column)
    for row in rows:
        found = [estimate_text(row["found"][kind], 2) if kind in row["found"] else "" for kind in kinds]
        table.add_row(str(row["players"]), row["agent"], f"{row['exact']:.3f}", *found)
    say(table)
    if arguments.out is not None:
        save_json({"command": COMMAND, "versions": versions(), "rows": rows}, arguments.out)
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: compare(tyro.cli(Arguments, prog=COMMAND, args=argv)) and None)


if __name__ == "__main__":
    sys.exit(main())
