"""What each choice is worth at the states that the equilibrium of one expedition passes through, as a data set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import MAX_PLAYERS
from diamant_env.engine.arguments import whole_number
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.observation_writer import LENGTHS
from diamant_env.exact.cards import cards_left, read_digits
from diamant_env.exact.equilibrium import Solution
from diamant_env.exact.induction import EQUILIBRIUM, choose, compare, mean
from diamant_env.exact.reach import reach_of
from diamant_env.exact.response import lay_cards, seen_from_inside, write_node
from diamant_env.exact.tree import coordinates
from diamant_env.observation import NUM_FEATURES
from diamant_env.state import DECIDE

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
    most = whole_number("most", most, 1, MOST_STATES)
    reach, decisions = reach_of(x, solution.values)
    reached = np.flatnonzero(reach)
    chosen = reached[np.argsort(-reach[reached], kind="stable")[:most]]
    rows, figures = np.zeros((len(chosen), 1, NUM_FEATURES), np.float32), np.zeros((len(chosen), 3))
    numbers = np.searchsorted(x.boxes.first[:, x.boxes.players], chosen, "right") - 1
    game, edition = seen_from_inside(x.start), numbers_of(x.edition)
    _tell(x.sets, x.boxes, x.moves, x.start, edition, game, chosen, numbers, solution.values, rows, figures, LENGTHS)
    mask = np.ones((len(chosen), 2), np.int8)
    return ActionValues(rows[:, 0], mask, figures[:, :2], figures[:, 2], reach[chosen], len(reached), decisions)


@jit(cached=True)
def _tell(sets, boxes, moves, start, edition, game, chosen, numbers, values, rows, figures, lengths):
    """Write what is seen at the chosen nodes into `rows`, and CONTINUE's value, LEAVE's, its chance into `figures`."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    public, ring = np.zeros(lengths[1], np.float32), np.zeros(2 * lengths[0], np.float32)
    game.phase = DECIDE
    for i in range(chosen.shape[0]):
        number, at = numbers[i], chosen[i]
        read_digits(sets, number, digits)
        lay_cards(sets, start, digits, game)
        write_node(boxes, start, edition, game, number, at, rows, i, public, ring, lengths)
        inside, gone, bag, path = coordinates(boxes, number, at)
        cards = cards_left(sets, digits)
        compare(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path, leave, stay)
        chance = choose(EQUILIBRIUM, leave, stay, inside - 1)
        figures[i, 0] = mean(stay, inside - 1, chance)
        figures[i, 1] = mean(leave, inside - 1, chance)
        figures[i, 2] = chance
