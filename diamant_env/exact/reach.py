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
    for number in range(sets.size):
        read_digits(sets, number, digits)
        cards = cards_left(sets, digits)
        for at in nodes_of(boxes, number):
            here = reach[at]
            if here == 0.0:
                continue
            inside, gone, bag, path = coordinates(boxes, number, at)
            if must_reveal and number == 0:
                reach[at] = 0.0  # no decision before the first card
                _propagate(sets, boxes, moves, digits, cards, reach, number, inside, gone, bag, path, here)
                continue
            decisions += here * inside
            chance = 0.5
            if values.shape[0]:
                compare(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path, leave, stay)
                chance = choose(EQUILIBRIUM, leave, stay, inside - 1)
            ways = 1.0  # binomial coefficient
            for leavers in range(inside):
                left, missing = path, gone
                if leavers:
                    ways *= (inside - leavers + 1) / leavers
                    left = moves.path_rest[leavers, path]
                    missing = boxes.relics[number] if moves.takes_relics[leavers] else gone
                going = here * ways * chance**leavers * (1.0 - chance) ** (inside - leavers)
                remaining = inside - leavers
                if going > 0.0:
                    _propagate(sets, boxes, moves, digits, cards, reach, number, remaining, missing, bag, left, going)
    return decisions


@jit
def _propagate(sets, boxes, moves, digits, cards, reach, number, inside, gone, bag, path, chance):
    """Add probability `chance` to the successors by the next card; a bust has none."""
    for digit in range(digits.shape[0]):
        rising = sets.rising[digit, digits[digit]]
        if rising == 0:
            continue
        after, card = number + sets.stride[digit], sets.card[digit]
        more, rest = bag, path
        if 0 <= card < FIRST_TRAP:
            more, rest = bag + moves.gain[inside, card], path + moves.rest[inside, card]
        reach[node(boxes, after, inside, gone, more, rest)] += chance * rising / cards
