"""Reach probabilities of the nodes of one expedition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP, MAX_PLAYERS
from diamant_env.exact.cards import cards_left, read_digits
from diamant_env.exact.induction import EQUILIBRIUM, choose, compare
from diamant_env.exact.tree import ExpeditionTree, coordinates, node, nodes_of


def reachable(tree: ExpeditionTree) -> NDArray[np.bool_]:
    """Return the reachable decision nodes, bool (nodes,); the boxes of the tree include unreachable ones."""
    return reach_probabilities(tree, np.zeros(0))[0] > 0


def reach_probabilities(tree: ExpeditionTree, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the reach probability of each decision node, float64 (nodes,), and the expected number of decisions.

    Args:
        tree: The tree of the expedition.
        values: float64 (nodes,), values of the equilibrium that all play; if empty, all leave with probability 0.5.
    """
    reach = np.zeros(tree.boxes.size)
    return reach, float(_reach(tree.sets, tree.boxes, tree.moves, tree.must_reveal, values, reach))


@jit(cached=True)
def _reach(sets, boxes, moves, must_reveal, values, reach):
    """Fill `reach`, float64 (nodes,); return the expected number of decisions."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, stay = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    decisions = 0.0
    reach[boxes.first[0, boxes.players]] = 1.0
    for index in range(sets.size):
        read_digits(sets, index, digits)
        cards = cards_left(sets, digits)
        for at in nodes_of(boxes, index):
            here = reach[at]
            if here == 0.0:
                continue
            inside, taken, bag, path = coordinates(boxes, index, at)
            if must_reveal and index == 0:
                reach[at] = 0.0  # no decision before the first card
                _propagate(sets, boxes, moves, digits, cards, reach, index, inside, taken, bag, path, here)
                continue
            decisions += here * inside
            q = 0.5
            if values.shape[0]:
                compare(sets, boxes, moves, digits, cards, values, index, inside, taken, bag, path, leave, stay)
                q = choose(EQUILIBRIUM, leave, stay, inside - 1)
            ways = 1.0  # binomial coefficient
            for leavers in range(inside):
                new_path, new_taken = path, taken
                if leavers:
                    ways *= (inside - leavers + 1) / leavers
                    new_path = moves.path_rest[leavers, path]
                    new_taken = boxes.relics[index] if moves.takes_relics[leavers] else taken
                p = here * ways * q**leavers * (1.0 - q) ** (inside - leavers)
                remaining = inside - leavers
                if p > 0.0:
                    _propagate(sets, boxes, moves, digits, cards, reach, index, remaining, new_taken, bag, new_path, p)
    return decisions


@jit
def _propagate(sets, boxes, moves, digits, cards, reach, index, inside, taken, bag, path, p):
    """Distribute probability `p` over the successors by the next card, less that of a bust."""
    for digit in range(digits.shape[0]):
        safe = sets.safe[digit, digits[digit]]
        if safe == 0:
            continue
        after, card = index + sets.stride[digit], sets.card[digit]
        more, rest = bag, path
        if 0 <= card < FIRST_TRAP:
            more, rest = bag + moves.gain[inside, card], path + moves.rest[inside, card]
        reach[node(boxes, after, inside, taken, more, rest)] += p * safe / cards
