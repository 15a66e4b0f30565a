"""Hold a tournament: ``python -m train.tournament AGENT …``."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.table import Table
from tqdm import tqdm
from tyro.conf import Positional, arg

from agents.command import run_command
from diamant_env.editions import find_edition
from diamant_env.judging.games import name_of
from diamant_env.judging.tournament import RATED_GAMES, TournamentResult, hold_tournament
from diamant_env.opponents.pools import load_pool
from train.distributed.cluster import map_on_ray, require_ray
from train.runs.lock import held
from train.runs.pictures import draw_tournament
from train.runs.results import save_json
from train.runs.screen import say
from train.runs.tables import estimate_text, new_table, versions

COMMAND = "python -m train.tournament"


@dataclass(frozen=True)
class Arguments:
    """Hold a tournament: tables of distinct agents drawn at random, all seated equally often.

    It gives each agent's win share and mean score with 95 % intervals, a rating by the Plackett-Luce model of
    openskill, and a cross-table: how often the row's agent scores more than the column's when both sit at a table.

    For instance:

    python -m train.tournament --pool pool held-out --games 100000 --out runs/tournament

    python -m train.tournament runs/mine bag:18 --pool pool --players 6
    """

    agents: Annotated[tuple[str, ...], arg(metavar="AGENT …"), Positional] = ()
    """Agents: texts such as bag:18, files of trained policies (.safetensors), or the folders of their runs."""
    pool: Annotated[tuple[str, ...], arg(metavar="POOL …")] = ()
    """Pools whose members play as well: pool, held-out or a path to a .toml. pool if no agent is named either."""
    games: int = 20_000
    """Games in all."""
    players: int = 4
    """Players at each table, 2 to 8."""
    rated_games: int = RATED_GAMES
    """At most so many games go into the rating; the other figures are from all."""
    edition: str = "iello-2016"
    """Edition of the game."""
    seed: int = 0
    """Seed of everything."""
    ray: bool = False
    """Play on a Ray cluster (see docs/cluster.md); the result is the same."""
    out: Annotated[Path | None, arg(metavar="FOLDER")] = None
    """Folder for tournament.json and tournament.png; it is made if it is not there."""


def tournament(arguments: Arguments) -> None:
    """Play, save if asked, and print.

    Raises:
        ValueError: If an argument is wrong; the message says what is allowed.
        OSError: If another command writes into the folder.
    """
    find_edition(arguments.edition)
    if arguments.ray:
        require_ray()
    out = arguments.out
    with held(out):
        with tqdm(total=max(0, arguments.games), unit=" games", unit_scale=True, leave=False, disable=None) as bar:
            result = hold_tournament(
                entrants(arguments.agents, arguments.pool),
                arguments.games,
                arguments.seed,
                arguments.players,
                arguments.edition,
                arguments.rated_games,
                bar,
                map_on_ray if arguments.ray else map,
            )
        shown: list[Table | str] = [standings_table(result), beats_table(result)]
        if out is not None:
            content = {"command": COMMAND, "arguments": arguments, "versions": versions(), "tournament": result}
            save_json(content, out / "tournament.json")
            draw_tournament(result, out / "tournament.png")
            shown.append(f"saved: {out / 'tournament.json'}, {out / 'tournament.png'}")
        say(*shown)


def entrants(agents: Sequence[str], pools: Sequence[str]) -> list[str]:
    """Return who plays: the agents, then the members of the pools that are not among them yet.

    Raises:
        ValueError: If a text names no agent or no pool.
    """
    named = [name_of(agent) for agent in agents]
    pools = pools or (() if agents else ("pool",))
    files = [pool if pool.endswith(".toml") else pool.replace("-", "_") for pool in pools]
    members = [name_of(member) for file in files for member in load_pool(file)]
    return named + [name for name in dict.fromkeys(members) if name not in named]


def standings_table(found: TournamentResult) -> Table:
    """Return the standings as a table."""
    table = new_table(f"{found.games:,} games at {found.tables:,} tables of {found.players}")
    for name in ("", "agent", "games", "win share (95 %)", "mean score (95 %)", "rating"):
        table.add_column(name, justify="right" if name in ("", "games", "rating") else "left", overflow="fold")
    for place, row in enumerate(found.standings, start=1):
        rating = f"{row.rating:.1f} ± {row.rating_sigma:.1f}"
        shares, scores = estimate_text(row.win_share, 3), estimate_text(row.score, 2)
        table.add_row(str(place), row.agent, f"{row.games:,}", shares, scores, rating)
    table.caption = (
        f"The fair win share is {1 / found.players:.3f}; a tie of k players counts 1/k.\n"
        f"Rating: Plackett-Luce from the ranks of all players in {found.rated_games:,} games, not the winners alone;\n"
        "mean ± standard deviation of the model; everyone begins at 25 ± 8.3."
    )
    return table


def beats_table(found: TournamentResult) -> Table:
    """Return the cross-table, in percent."""
    table = new_table("How often the row scores more than the column when both sit at a table, in %; a tie is half")
    table.add_column("", justify="right")
    table.add_column("agent", overflow="fold")
    for place in range(1, len(found.standings) + 1):
        table.add_column(str(place), justify="right")
    for place, (row, standing) in enumerate(zip(found.beats, found.standings, strict=True), start=1):
        shares = ["–" if math.isnan(share) else f"{100 * share:.0f}" for share in row]
        table.add_row(str(place), standing.agent, *shares)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    return run_command(COMMAND, lambda: tournament(tyro.cli(Arguments, prog=COMMAND, args=argv)))


if __name__ == "__main__":
    sys.exit(main())
