"""What each choice is worth at the states that the equilibrium of one expedition passes through, as a data set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.arguments import checked_int
from diamant_env.exact.equilibrium import Solution
from diamant_env.exact.induction import EQUILIBRIUM
from diamant_env.exact.reach import reach_probabilities
from diamant_env.exact.response import games_at, observations_at

STATES, MOST_STATES = 100_000, 1_000_000  # in a data set: by default, and at most, of 360 bytes and some more each


class ActionValues(NamedTuple):
    """States of one expedition in which players must decide, when all play the equilibrium; the likeliest first.

    Attributes:
        observation: float32 (states, NUM_FEATURES), what each player inside sees: chests hidden, rivals blank. Of kinds
            of trap of which the deck holds equally many, the first ones lie on the path: a state stands for all that
            differ in nothing else.
        action_mask: int8 (states, 2), 1 for a legal action; both are.
        action_value: float64 (states, 2), gems that a player banks in the expedition, on average, by action: 0 goes on
            (CONTINUE), 1 leaves (LEAVE). The others play the equilibrium, and so does the player from the next turn on.
        leave_probability: float64 (states,), with which the equilibrium leaves.
        reach_probability: float64 (states,), of an expedition that passes through the state.
        states: How many states there are that can be reached, these or more.
        decisions: Decisions of all players together in an expedition, on average, at all states that can be reached;
            ``reach_probability @ num_inside`` is the part at these.
    """

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    action_value: NDArray[np.float64]
    leave_probability: NDArray[np.float64]
    reach_probability: NDArray[np.float64]
    states: int
    decisions: float


def action_values(solution: Solution, most: int = STATES) -> ActionValues:
    """Return what both choices are worth at the states that an equilibrium passes through.

    Args:
        solution: What `solve_equilibrium` found.
        most: How many states to return, the likeliest; up to 1,000,000.

    Raises:
        ValueError: If the solution is another one, or `most` is out of range.
    """
    x = solution.tree
    if solution.mode != EQUILIBRIUM:
        raise ValueError("the solution of two players' difference has no values by action; solve_equilibrium's has")
    most = checked_int("most", most, 1, MOST_STATES)
    reach, decisions = reach_probabilities(x, solution.values)
    reached = np.flatnonzero(reach)
    chosen = reached[np.argsort(-reach[reached], kind="stable")[:most]]
    games = games_at(x, chosen)
    mask, figures = np.ones((len(chosen), 2), np.int8), solution.look_up(games)
    return ActionValues(
        observations_at(games, x.edition), mask, figures[:, :2], figures[:, 2], reach[chosen], len(reached), decisions
    )
