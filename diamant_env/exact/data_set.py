"""Data set of action values at the states reached by the equilibrium of one expedition."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.arguments import checked_int
from diamant_env.exact.induction import EQUILIBRIUM
from diamant_env.exact.reach import reach_probabilities
from diamant_env.exact.response import games_at, observations_at
from diamant_env.exact.solution import Solution

STATES, MOST_STATES = 100_000, 1_000_000  # default and maximum size of a data set, about 400 bytes per state


class ActionValues(NamedTuple):
    """Decision states of one expedition under the equilibrium, in decreasing order of reach probability.

    Attributes:
        observation: float32 (states, NUM_FEATURES), observation of each player inside: chests hidden, rivals blank. A
            state represents all that differ only in interchangeable traps; the first kinds of trap are on the path.
        action_mask: int8 (states, 2), legal actions, always 1.
        action_value: float64 (states, 2), expected gems of CONTINUE and LEAVE in the expedition; the others play the
            equilibrium, and so does the player from the next turn on.
        leave_probability: float64 (states,), the equilibrium's probability of LEAVE.
        reach_probability: float64 (states,), probability that an expedition passes through the state.
        states: Number of reachable states, included or not.
        decisions: Expected number of decisions of all players per expedition, over all reachable states;
            that of the included states is ``reach_probability @ Observations(observation)["num_inside"]``.
    """

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    action_value: NDArray[np.float64]
    leave_probability: NDArray[np.float64]
    reach_probability: NDArray[np.float64]
    states: int
    decisions: float


def action_values(solution: Solution, most: int = STATES) -> ActionValues:
    """Return the action values at the most likely states of an equilibrium.

    Args:
        solution: Result of `solve_equilibrium`.
        most: Maximum number of states, up to 1,000,000.

    Raises:
        ValueError: If the solution is one of `solve_difference`, or `most` is out of range.
    """
    x = solution.tree
    if solution.mode != EQUILIBRIUM:
        raise ValueError("a solution of solve_difference has no action values; use solve_equilibrium")
    most = checked_int("most", most, 1, MOST_STATES)
    reach, decisions = reach_probabilities(x, solution.policy())
    reached = np.flatnonzero(reach)
    chosen = reached[np.argsort(-reach[reached], kind="stable")[:most]]
    games = games_at(x, chosen)
    mask, values = np.ones((len(chosen), 2), np.int8), solution.look_up(games)
    return ActionValues(
        observations_at(games, x.edition), mask, values[:, :2], values[:, 2], reach[chosen], len(reached), decisions
    )
