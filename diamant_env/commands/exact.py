"""Command ``diamant exact [AGENT …] --players 2 3``: exact solutions of an expedition or a whole game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product
from typing import Any

from diamant_env import exact, opponents
from diamant_env.commands.terminal import LIST, add_edition, in_folder, new_parser, save_and_print
from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.arguments import checked_int
from diamant_env.evaluation.games import percent_bar
from diamant_env.evaluation.report import TextReport
from diamant_env.exact.induction import Progress
from diamant_env.opponents import Agent
from diamant_env.opponents.inputs import ExactView
from diamant_env.opponents.pools import check_able
from diamant_env.opponents.scripted.family import Scripted
from diamant_env.rewards import REWARDS, reward_code
from diamant_env.storage.results import save_json, versions

COMMAND = "diamant exact"
_ABOUT = """\
Solve one expedition exactly: the value of its equilibrium and the
exploitability of agents, which see the cards, the number inside, the bag and
the path. docs/exact.md explains the figures.

  diamant exact ev:0.75 champion --players 2 3
  diamant exact champion --players 3 --edition small-3 --reward win
  diamant exact champion --players 2 --reward win --whole-game

With --reward, a small whole game, or with --whole-game the two-player game."""


def measure(
    agents: Sequence[str],
    players: Sequence[int],
    edition: str | Edition,
    whole_game: bool = False,
    reward: str | None = None,
) -> list[dict[str, Any]]:
    """Return a row for the equilibrium and each agent, by number of players.

    `reward` alone solves small whole games, with `whole_game` the full game of two players for the win.
    """
    edition = find_edition(edition)
    if whole_game and reward is not None and (reward, *players) != ("win", 2):
        raise ValueError("--whole-game with --reward is solved for --reward win and --players 2")
    smallest = min(checked_int("players", number, 1, MAX_PLAYERS) for number in players)
    if reward is not None:
        reward_code(reward, smallest)
    members = [opponents.make_agent(spec) for spec in agents]
    for number, agent in product(players, members):  # reject agents that read chests before solving
        played = _played(agent, edition, whole_game or bool(reward))
        check_able(agent, number, played if reward else played.replace(hidden_rivals=True))
    rows, solution = [], None
    for number in players:
        began = time.perf_counter()
        game = None if reward is None or whole_game else exact.WholeGame(edition, number)
        for policy in (None, *members):
            name = str(policy or "equilibrium")
            with percent_bar(f"{name}, {edition.name}, {number} players") as progress:
                if whole_game and reward is not None:
                    solution = solution or exact.solve_two_player_win(edition, progress)
                    figures = _two_player_win(policy, solution, progress)
                elif game is not None and reward is not None:
                    figures = _small_game(policy, game, reward, progress)
                elif policy is not None:
                    figures = _response(policy, number, edition, whole_game, progress)
                else:
                    figures = _equilibrium(number, edition, whole_game, progress)
            row = {"edition": edition.name, "players": number, "agent": name, **figures}
            rows.append({**row, "seconds": time.perf_counter() - began})
            began = time.perf_counter()
    return rows


def _equilibrium(players: int, edition: Edition, whole_game: bool, progress: Progress) -> dict[str, Any]:
    solution = exact.solve_equilibrium(players, edition, progress=progress, whole_game=whole_game)
    size = {"decks": 1 + len(solution.later)} if whole_game else {"nodes": solution.tree.boxes.size}
    return {"all play it": solution.value, **size, "error": solution.error}


def _response(agent: Agent, players: int, edition: Edition, whole_game: bool, progress: Progress) -> dict[str, Any]:
    edition = _played(agent, edition, whole_game)
    start = exact.start_of_expedition(edition, players)
    # Scripted agents do not distinguish the kinds of trap; others may.
    tree = exact.build_tree(start, edition, merge_traps=isinstance(agent, Scripted))
    if whole_game:
        return _figures(exact.best_response(agent, tree, progress))
    nodes = exact.reachable(tree)
    policy = exact.policy_of(agent, tree, lambda done: progress(done / 2), nodes)
    response = exact.best_response(policy, tree, lambda done: progress(0.5 + done / 2))
    return {**_figures(response), "nodes": tree.boxes.size}


def _played(agent: Agent, edition: Edition, whole_game: bool) -> Edition:
    """Return the edition for an agent: that of one expedition for solved agents, which solve what they observe."""
    solved = isinstance(agent, tuple(opponents.SOLVED.values()))
    return edition.replace(expeditions=1) if solved and not whole_game else edition


def _small_game(agent: Agent | None, game: exact.WholeGame, reward: str, progress: Progress) -> dict[str, Any]:
    """Return the figures of an agent, or of the equilibrium, in a small whole game."""
    played = game.solve_equilibrium(reward) if agent is None else agent
    return {**_figures(game.best_response(played, reward, progress)), "nodes": len(game.graph.states)}


def _two_player_win(agent: Agent | None, solution: exact.TwoPlayerWin, progress: Progress) -> dict[str, Any]:
    if agent is None:
        return {"all play it": solution.value, "decks": len(solution.shares), "error": solution.error}
    result = exact.guaranteed_by(ExactView(agent), solution, progress=progress)
    bounds = {"at most": 0.5 - result.least.value, "against minimax": result.against_minimax.value}
    return {**_figures(exact.Response(1 - result.value, 0.5, 2)), **bounds}


def _figures(response: exact.Response) -> dict[str, Any]:
    return {
        "all play it": response.profile_value,
        "best response": response.value,
        "exploitability": response.exploitability,
        "NashConv": response.nash_conv,
    }


def rows_report(rows: list[dict[str, Any]], title: str) -> TextReport:
    figures = {"all play it": ".6f", "best response": ".6f", "exploitability": ".6f", "NashConv": ".6f"}
    figures |= {"at most": ".6f", "against minimax": ".6f", "nodes": ",", "decks": ","}
    shown = [name for name in figures if any(name in row for row in rows)]
    report = TextReport(title, ("players", "agent"), shown)
    for row in rows:
        numbers = [format(row[name], figures[name]) if name in row else "" for name in shown]
        report.add_row(str(row["players"]), row["agent"], *numbers)
    errors = [row["error"] for row in rows if "error" in row]
    notes = [f"Computed in {sum(row['seconds'] for row in rows):.1f} s."]
    if errors:
        notes.append(f"Equilibria: no deviation at any node gains more than {max(errors):.0e}.")
    if "at most" in shown:
        notes.append("At leads of more than 64 gems agents play as minimax; at most: the exploitability if they lose.")
    report.notes = "\n".join(notes)
    return report


def run(argv: Sequence[str]) -> int:
    parser = new_parser(COMMAND, _ABOUT, LIST, "[AGENT …]")
    add = parser.add_argument
    add("agents", nargs="*", metavar="AGENT", help="agents; a network takes minutes")
    add("--players", type=int, nargs="+", default=(2,), metavar="N", help="players at the table, 1 to 8 (2)")
    add_edition(parser, "iello-2016-fr")
    add("--reward", choices=list(REWARDS), metavar="REWARD", help="solve a small whole game for score, win or margin")
    add("--whole-game", action="store_true", help="count all expeditions; takes minutes")
    add("--out", type=in_folder, metavar="FILE.json", help="write the figures to this file")
    options = parser.parse_args(argv)
    edition = find_edition(options.edition)
    rows = measure(options.agents, options.players, edition, options.whole_game, options.reward)
    title = f"{'Whole games' if options.whole_game else 'One expedition'} in score: gems each, exact"
    if options.reward:
        title = f"{'Whole' if options.whole_game else 'Small whole'} game, {options.reward}, exact"
    report = rows_report(rows, f"{title}; {rows[0]['edition']}")
    content = {"command": COMMAND, "versions": versions(), "arguments": vars(options), "edition": edition, "rows": rows}
    save_and_print(report, lambda path: save_json(content, path), options.out)
    return 0
