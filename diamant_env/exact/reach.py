"""Reach probabilities of the nodes of one expedition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP
from diamant_env.exact.cards import read_set
from diamant_env.exact.tree import ExpeditionTree, Node, node_at, nodes_of, position_of


def reachable(tree: ExpeditionTree) -> NDArray[np.bool_]:
    """Return the reachable decision nodes, bool (nodes,); the boxes of the tree include unreachable ones."""
    return reach_probabilities(tree, np.zeros(0))[0] > 0


def reach_probabilities(tree: ExpeditionTree, policy: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the reach probability of each decision node, float64 (nodes,), and the expected number of decisions.

    Args:
        tree: The tree of the expedition.
        policy: float64 (nodes,), the probability of leaving of all players; if empty, 0.5.
    """
    reach = np.zeros(tree.boxes.size)
    return reach, float(_reach(tree.layout, policy, reach))


@jit(cached=True)
def _reach(layout, policy, reach):
    """Fill `reach`, float64 (nodes,); return the expected number of decisions."""
    sets, boxes, moves, must_reveal = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    decisions = 0.0
    reach[boxes.first[0, boxes.players]] = 1.0
    for index in range(sets.size):
        drawn = read_set(sets, index, digits)
        for at in nodes_of(boxes, index):
            here = reach[at]
            if here == 0.0:
                continue
            node = node_at(boxes, index, at)
            inside, taken, bag, path = node
            if must_reveal and index == 0:
                reach[at] = 0.0  # no decision before the first card
                _propagate(sets, boxes, moves, drawn, node, here, reach)
                continue
            decisions += here * inside
            q = policy[at] if policy.shape[0] else 0.5
            ways = 1.0  # binomial coefficient
            for leavers in range(inside):
                if leavers:
                    ways *= (inside - leavers + 1) / leavers
                new_path = moves.path_rest[leavers, path]
                new_taken = np.int64(boxes.relics[index]) if moves.takes_relics[leavers] else taken
                p = here * ways * q**leavers * (1.0 - q) ** (inside - leavers)
                if p > 0.0:
                    staying = Node(inside - leavers, new_taken, bag, new_path)
                    _propagate(sets, boxes, moves, drawn, staying, p, reach)
    return decisions


@jit
def _propagate(sets, boxes, moves, drawn, node, p, reach):
    """Distribute probability `p` over the successors by the next card, less that of a bust."""
    inside, taken, bag, path = node
    for digit in range(drawn.digits.shape[0]):
        safe = sets.safe[digit, drawn.digits[digit]]
        if safe == 0:
            continue
        after, card = drawn.number + sets.stride[digit], sets.card[digit]
        more, rest = bag, path
        if 0 <= card < FIRST_TRAP:
            more, rest = bag + moves.gain[inside, card], path + moves.rest[inside, card]
        reach[position_of(boxes, after, inside, taken, more, rest)] += p * safe / drawn.deck_size
