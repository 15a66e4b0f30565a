"""What is known exactly of one expedition in score: ``python -m train.exact [AGENT …] --players 2 3``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.table import Table
from tqdm import tqdm
from tyro.conf import Positional, arg

import agents
from diamant_env import exact
from diamant_env.editions import find_edition
from diamant_env.opponents.family import Scripted
from train.commands import clear_errors
from train.files import save_json
from train.report import console, versions

COMMAND = "python -m train.exact"


@dataclass(frozen=True)
class Arguments:
    """Solve one expedition in score exactly, and say how far agents are from the solution.

    For each number of players: the value of the symmetric equilibrium with the lowest probabilities of leaving, in
    gems. For each agent: what everyone banks when all play it, what the best response to it banks, and the difference,
    its exploitability. Chests are hidden and the rivals' seats blank: an agent decides by the cards, the number
    inside, the bag and the path.

    For instance:

    python -m train.exact --players 1 2 3 4 5

    python -m train.exact ev:0.75 runs/mine --players 2 3
    """

    agents: Annotated[tuple[str, ...], arg(metavar="AGENT …"), Positional] = ()
    """Agents: a text such as bag:18, a trained policy's file or the folder of its run."""
    players: tuple[int, ...] = (2,)
    """Numbers of players at the table, 1 to 8. An agent takes seconds with 2, minutes with 3 if it is a network."""
    edition: str = "iello-2016-fr"
    """Edition of the game; one fresh expedition of it is played."""
    out: Annotated[Path | None, arg(metavar="FILE.json")] = None
    """File for the results."""


def measure(arguments: Arguments) -> list[dict[str, Any]]:
    """Return a row for each number of players and agent: its figures in gems, nodes and seconds.

    Raises:
        ValueError: If there is no such agent or edition, or an expedition is too large to be solved.
    """
    edition = find_edition(arguments.edition)
    made = [agents.make(text) for text in arguments.agents]
    rows = []
    for players in arguments.players:
        rows.append(_equilibrium(players, edition))
        rows += [_agent(agent, players, edition) for agent in made]
    return rows


def _equilibrium(players: int, edition: Any) -> dict[str, Any]:
    began = time.perf_counter()
    with _bar(f"equilibrium, {players} players") as progress:
        solution = exact.solve_equilibrium(players, edition, progress=progress)
    seconds = time.perf_counter() - began
    nodes = solution.expedition.boxes.size
    row = {"players": players, "agent": "equilibrium", "all play it": solution.value, "seconds": seconds}
    return {**row, "nodes": nodes, "error": solution.error}


def _agent(agent: Any, players: int, edition: Any) -> dict[str, Any]:
    began = time.perf_counter()
    # Scripted agents count traps; a network may tell one kind from another.
    merge = isinstance(agent, Scripted)
    expedition = exact.lay_out(exact.start_of_expedition(edition, players), edition, merge_traps=merge)
    with _bar(f"{agent}, {players} players") as progress:
        policy = exact.policy_of(agent, expedition, lambda done: progress(done / 2))
        response = exact.best_response(policy, expedition, lambda done: progress(0.5 + done / 2))
    return {
        "players": players,
        "agent": str(agent),
        "all play it": response.profile_value,
        "best response": response.value,
        "exploitability": response.exploitability,
        "NashConv": response.nash_conv,
        "seconds": time.perf_counter() - began,
        "nodes": expedition.boxes.size,
    }


@contextmanager
def _bar(text: str) -> Iterator[Callable[[float], None]]:
    with tqdm(total=100, desc=text, leave=False, disable=None, bar_format="{l_bar}{bar}| {elapsed}") as bar:

        def progress(done: float) -> None:
            bar.update(round(100 * done) - bar.n)

        yield progress


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print the rows as a table."""
    errors = [row["error"] for row in rows if "error" in row]
    caption = f"In the equilibria no other choice at any node brings more than {max(errors):.0e} gems."
    table = Table(title="One expedition in score: gems each, exact", caption=caption)
    figures = ("all play it", "best response", "exploitability", "NashConv")
    for name in ("players", "agent", *figures, "nodes", "seconds"):
        table.add_column(name, justify="left" if name == "agent" else "right")
    for row in rows:
        gems = [f"{row[name]:.6f}" if name in row else "" for name in figures]
        table.add_row(str(row["players"]), row["agent"], *gems, f"{row['nodes']:,}", f"{row['seconds']:.1f}")
    console().print(table)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    arguments = tyro.cli(Arguments, prog=COMMAND, args=argv)
    with clear_errors(COMMAND):
        rows = measure(arguments)
        print_rows(rows)
        if arguments.out is not None:
            result = {"command": COMMAND, "edition": arguments.edition, "rows": rows, "versions": versions()}
            save_json(result, arguments.out)
            print(f"saved: {arguments.out}")


if __name__ == "__main__":
    main()
