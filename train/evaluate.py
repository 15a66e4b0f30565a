"""Judge an agent: ``python -m train.evaluate AGENT --against LINE-UP …``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.table import Table
from tyro.conf import Positional, arg

from agents.command import run_command
from diamant_env.editions import find_edition
from diamant_env.judging.evaluation import compare
from diamant_env.judging.games import name_of
from diamant_env.judging.lineups import parse_line_ups
from train.runs.lock import held
from train.runs.pictures import draw_win_shares
from train.runs.screen import say
from train.runs.tables import result_tables, save_results

COMMAND = "python -m train.evaluate"


@dataclass(frozen=True)
class Arguments:
    """Judge an agent: its win share and mean score in each line-up, with 95 % intervals.

    An agent is a text such as bag:18, the file of a trained policy (.safetensors), or the folder of its run.
    Each table plays a fixed quota of games, the agent's seat rotates evenly, and the same seed gives the same numbers.

    For instance:

    python -m train.evaluate runs/mine --against pool held-out intruder:pool --out runs/mine/judged

    python -m train.evaluate bag:18 --against traps:3,cards:6,continue --compare bag:12 bag:15
    """

    agent: Annotated[str, arg(metavar="AGENT"), Positional]
    """The agent."""
    against: Annotated[tuple[str, ...], arg(metavar="LINE-UP …")] = ("pool",)
    """Line-ups. pool, held-out or a path to a .toml: tables of distinct members, drawn anew for each table; so are
    agents separated by commas, such as bag:18,traps:3,cards:6. clones:NAME: copies of NAME take all other seats;
    intruder:NAME: one NAME among copies of the agent, and NAME's win share; for NAME a pool, each member in turn.
    self: copies of the agent."""
    compare: Annotated[tuple[str, ...], arg(metavar="AGENT …")] = ()
    """Other agents that take the same seats in the same games (common random numbers)."""
    games: int = 20_000
    """Games of each agent in each line-up."""
    players: int = 4
    """Players at each table, 2 to 8."""
    edition: str = "iello-2016"
    """Edition of the game."""
    seed: int = 0
    """Seed of everything."""
    out: Annotated[Path | None, arg(metavar="FOLDER")] = None
    """Folder for results.json and win_share.png; it is made if it is not there."""


def evaluate(arguments: Arguments) -> None:
    """Judge, save if asked, and print.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
        OSError: If another command writes into the folder.
    """
    find_edition(arguments.edition)
    out = arguments.out
    with held(out):
        agent = name_of(arguments.agent)
        line_ups = [line_up for text in arguments.against for line_up in parse_line_ups(text, agent)]
        results, differences = compare(
            [arguments.agent, *arguments.compare],
            line_ups,
            arguments.games,
            arguments.seed,
            arguments.players,
            arguments.edition,
            progress=True,
        )
        shown: list[Table | str] = [*result_tables(results, differences)]
        if out is not None:
            save_results(results, differences, out / "results.json", command=COMMAND, arguments=arguments)
            draw_win_shares(results, out / "win_share.png")
            shown.append(f"saved: {out / 'results.json'}, {out / 'win_share.png'}")
        say(*shown)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: evaluate(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
