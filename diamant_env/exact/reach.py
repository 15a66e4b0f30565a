"""Reachable nodes of one expedition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP
from diamant_env.exact.cards import read_set
from diamant_env.exact.tree import ExpeditionTree, Node, node_at, nodes_of, position_of


def reachable(tree: ExpeditionTree) -> NDArray[np.bool_]:
    """Return the mask of reachable decision nodes, bool (nodes,); a tree's boxes include unreachable ones.

    Args:
        tree: A tree from `build_tree`.
    """
    reached = np.zeros(tree.boxes.size, np.bool_)
    _reach(tree.layout, reached)
    return reached


@jit(cached=True)
def _reach(layout, reached):
    """Fill `reached`, bool (nodes,)."""
    sets, boxes, moves, must_reveal = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    reached[boxes.first[0, boxes.players]] = True
    for index in range(sets.size):
        drawn = read_set(sets, index, digits)
        for at in nodes_of(boxes, index):
            if not reached[at]:
                continue
            node = node_at(boxes, index, at)
            inside, taken, bag, path = node
            if must_reveal and index == 0:
                reached[at] = False  # no decision before the first card
                _reach_next(sets, boxes, moves, drawn, node, reached)
                continue
            for leavers in range(inside):
                new_path = moves.path_rest[leavers, path]
                new_taken = np.int64(boxes.relics[index]) if moves.takes_relics[leavers] else taken
                _reach_next(sets, boxes, moves, drawn, Node(inside - leavers, new_taken, bag, new_path), reached)


@jit
def _reach_next(sets, boxes, moves, drawn, node, reached):
    """Mark the successors of a node by the next card, except a bust."""
    inside, taken, bag, path = node
    for digit in range(drawn.digits.shape[0]):
        if sets.safe[digit, drawn.digits[digit]] == 0:
            continue
        after, card = drawn.number + sets.stride[digit], sets.card[digit]
        more, rest = bag, path
        if 0 <= card < FIRST_TRAP:
            more, rest = bag + moves.gain[inside, card], path + moves.rest[inside, card]
        reached[position_of(boxes, after, inside, taken, more, rest)] = True
