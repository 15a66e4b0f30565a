"""Deviation gains and equilibria of the tasks in which they are exact."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from diamant_env import exact
from diamant_env.evaluation.games import AgentSpec, percent_bar
from diamant_env.opponents import make_agent
from diamant_env.opponents.exact_view import ExactView
from train.benchmarking.suite import VIEWED, BenchmarkTask


def exploitability(player: AgentSpec, task: BenchmarkTask) -> dict[str, float | str]:
    """Return an agent's exact deviation gain, NashConv and reward in self-play.

    In a full game of two players they are those of its joint decisions, and both play optimally when alone inside. For
    an agent that is not a function of its observations, return the reason as `refused`.
    """
    try:
        if task.family == "two-player":
            solution = exact.solve_two_player_win(task.game.evaluation_edition())
            with percent_bar(f"exact response, {task.name}") as progress:
                share = exact.guaranteed_by(ExactView(make_agent(player)), solution, progress=progress).value
            return {"exploitability": 0.5 - share, "nash_conv": 1 - 2 * share, "value": 0.5}
        if task.family != "expedition":
            with percent_bar(f"exact response, {task.name}") as progress:
                result = _whole_game(task).best_response(make_agent(player), task.game.reward, progress)
        else:
            tree, nodes = _tree(task)
            with percent_bar(f"exact policy, {task.name}") as progress:
                policy = exact.policy_of(ExactView(make_agent(player)), tree, progress, nodes)
            with percent_bar(f"exact response, {task.name}") as progress:
                result = exact.best_response(policy, tree, progress)
    except ValueError as error:
        return {"refused": str(error)}
    return {"exploitability": result.exploitability, "nash_conv": result.nash_conv, "value": result.profile_value}


def equilibrium(task: BenchmarkTask) -> AgentSpec:
    """Return an agent that plays an equilibrium of a task whose deviation gains are exact."""
    if task.family in VIEWED:
        return "equilibrium" if task.family == "expedition" else "minimax"
    game = _whole_game(task)
    return game.agent(game.solve_equilibrium(task.game.reward), "equilibrium")


@lru_cache(maxsize=1)
def _whole_game(task: BenchmarkTask) -> exact.WholeGame:
    return exact.WholeGame(task.game.evaluation_edition(), task.players)


@lru_cache(maxsize=1)
def _tree(task: BenchmarkTask) -> tuple[exact.ExpeditionTree, NDArray[np.bool_]]:
    """Return the tree of the expedition with kinds of trap merged, and its reachable nodes."""
    edition = task.game.evaluation_edition()
    tree = exact.build_tree(exact.start_of_expedition(edition, task.players), edition, merge_traps=True)
    return tree, exact.reachable(tree)
