"""Data set of action values at the states reached by the equilibrium of one expedition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.arguments import checked_int
from diamant_env.exact.reach import reach_probabilities
from diamant_env.exact.response import games_at, observations_at
from diamant_env.exact.solution import Solution
from diamant_env.exact.tree import ExpeditionTree

STATES, MOST_STATES = 100_000, 1_000_000  # default and maximum size of a data set, about 400 bytes per state

MEANINGS = {
    "observation": "what each player inside sees, scaled: chests hidden, rivals blank",
    "action_mask": "the legal actions, 0: CONTINUE, 1: LEAVE; at all these states both",
    "action_value": "mean gems that a player banks in the expedition by CONTINUE and LEAVE",
    "leave_probability": "probability of LEAVE in the equilibrium",
    "reach_probability": "probability that an expedition passes through the state",
    "depth": "number of cards revealed",
    "weight": "share of the decisions of an expedition that the row stands for",
    "draws": "how often the state was drawn from those of its depth, 0 where all of them are included",
}
"""Meaning of each array of `ActionValues`."""


class ActionValues(NamedTuple):
    """Decision states of one expedition under the equilibrium, in decreasing order of reach probability or by depth.

    Attributes:
        observation: float32 (states, NUM_FEATURES), observation of each player inside: chests hidden, rivals blank. A
            state represents all that differ only in interchangeable traps; the first kinds of trap are on the path.
        action_mask: int8 (states, 2), legal actions, always 1.
        action_value: float64 (states, 2), expected gems of CONTINUE and LEAVE in the expedition, in a whole game's
            solution until the end of the game; the others play the equilibrium, and so does the player from the next
            turn on.
        leave_probability: float64 (states,), the equilibrium's probability of LEAVE.
        reach_probability: float64 (states,), probability that an expedition passes through the state.
        depth: int16 (states,), number of cards revealed.
        weight: float64 (states,), share of the decisions of an expedition that the row stands for; 1 in all by depth.
        draws: int32 (states,), how often the state was drawn from those of its depth; 0 if it was not sampled.
        states: Number of reachable states, included or not.
        decisions: Expected number of decisions of all players per expedition, over all reachable states.
    """

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    action_value: NDArray[np.float64]
    leave_probability: NDArray[np.float64]
    reach_probability: NDArray[np.float64]
    depth: NDArray[np.int16]
    weight: NDArray[np.float64]
    draws: NDArray[np.int32]
    states: int
    decisions: float


def action_values(solution: Solution, most: int = STATES, per_depth: int | None = None) -> ActionValues:
    """Return the action values at the most likely states of an equilibrium, or at as many of each depth.

    Args:
        solution: Result of `solve_equilibrium`.
        most: Maximum number of states, up to 1,000,000.
        per_depth: Number of states by number of cards revealed: all where there are no more, else this number of draws
            in proportion to the decisions in them, with replacement, always the same; `most` is then ignored.

    Raises:
        ValueError: If `most` or `per_depth` is out of range.
    """
    x = solution.tree
    most = checked_int("most", most, 1, MOST_STATES)
    reach, decisions = reach_probabilities(x, solution.policy())
    reached = np.flatnonzero(reach)
    depth, inside = _depth_and_inside(x, reached)
    share = reach[reached] * inside / decisions
    if per_depth is None:
        rows = np.argsort(-reach[reached], kind="stable")[:most]
        weight, draws = share[rows], np.zeros(len(rows), np.int32)
    else:
        rows, weight, draws = _by_depth(depth, share, checked_int("per_depth", per_depth, 2, STATES))
    chosen = reached[rows]
    games = games_at(x, chosen)
    mask, values = np.ones((len(chosen), 2), np.int8), solution.look_up(games)
    return ActionValues(
        observations_at(games, x.edition), mask, values[:, :2], values[:, 2], reach[chosen],
        depth[rows], weight, draws, len(reached), decisions,
    )  # fmt: skip


def _depth_and_inside(tree: ExpeditionTree, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return the number of cards revealed and of players inside at nodes, each (nodes,)."""
    sets, players = tree.sets, tree.boxes.players
    cards = (np.arange(sets.size)[:, None] // sets.stride % sets.radix).sum(axis=1) + int(tree.start["turn"])
    box = np.searchsorted(tree.boxes.first[:, :0:-1].ravel(), nodes, "right") - 1  # all players inside come first
    return cards.astype(np.int16)[box // players], players - box % players


def _by_depth(
    depth: NDArray[np.int16], share: NDArray[np.float64], most: int
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.int32]]:
    """Return rows by depth, at most `most` of each, with their weights and draws."""
    random, parts = np.random.default_rng(0), []
    for each in np.unique(depth):
        rows = np.flatnonzero(depth == each)
        if len(rows) <= most:
            parts.append((rows, share[rows], np.zeros(len(rows), np.int64)))
            continue
        total = share[rows].sum()
        drawn, draws = np.unique(random.choice(rows, most, p=share[rows] / total), return_counts=True)
        parts.append((drawn, total * draws / most, draws))
    rows, weight, draws = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, weight, draws.astype(np.int32)
