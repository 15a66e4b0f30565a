"""Values of leaving and of continuing at the nodes of an expedition, from those of their successors.

The expectations over the next card are computed for all nodes of a set of cards at once: if others leave, the player
continues at another node of the same set. Compiled functions read the arrays of a tuple outside their inner loops,
since Numba counts references at each access.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP, MAX_PLAYERS
from diamant_env.exact.cards import read_set
from diamant_env.exact.tree import ExpeditionTree, node_at, position_of


class Block(NamedTuple):
    """Nodes that differ only in the gems in each bag and on the path, bags first; all fields are int64."""

    index: Any  # the set of cards
    inside: Any  # players inside
    taken: Any  # relics taken
    bag: Any  # gems in each bag at the first node
    path: Any  # gems on the path at the first node
    first: Any  # index of the first node
    bags: Any  # number of values of the bag
    paths: Any  # number of values of the gems on the path


class Memory(NamedTuple):
    """Working memory of the compiled functions."""

    digits: NDArray[np.int64]  # (digits,), those of the set
    inside_ahead: NDArray[np.float64]  # (nodes of a set,), expectations over the next card of the values inside
    camp_ahead: NDArray[np.float64]  # (nodes of a set,), those of the values in camp
    leave: NDArray[np.float64]  # (nodes of a block, players), value of leaving by the number of others who leave
    stay: NDArray[np.float64]  # (nodes of a block, players), value of continuing by the number of others who leave
    camp: NDArray[np.float64]  # (nodes of a block, players + 1), value in camp by the number of players who leave


def memory_of(tree: ExpeditionTree) -> Memory:
    """Return memory for one thread."""
    boxes = tree.boxes
    largest = int(np.diff(boxes.first[:, boxes.players], append=boxes.size).max())
    block = int((boxes.bags.astype(np.int64) * boxes.paths).max())
    inside_ahead, camp_ahead = np.zeros((2, largest))
    leave, stay, camp = np.zeros((3, block, MAX_PLAYERS + 1))
    return Memory(np.zeros(len(tree.sets.radix), np.int64), inside_ahead, camp_ahead, leave, stay, camp)


@jit
def look_ahead(layout, index, values, memory):
    """Write the expectations over the next card at all nodes of a set into `memory`, if all inside continue."""
    deck_size = read_set(layout.sets, index, memory.digits).deck_size
    _expect(layout, index, memory.digits, deck_size, values.inside, values.bust, memory.inside_ahead)
    if values.camp.shape[0]:
        _expect(layout, index, memory.digits, deck_size, values.camp, values.bust, memory.camp_ahead)


@jit
def blocks_of(boxes, index, inside):
    """Return the number of blocks of a box, by relics taken."""
    return 1 if inside == boxes.players else boxes.relics[index] + 1


@jit
def block_of(boxes, index, inside, taken):
    """Return a block of a box."""
    bags, paths = np.int64(boxes.bags[index, inside]), np.int64(boxes.paths[index, inside])
    path = np.int64(boxes.full_path[index]) if inside == boxes.players else np.int64(0)
    first = boxes.first[index, inside] + taken * bags * paths
    return Block(index, inside, taken, np.int64(boxes.least_bag[index]), path, first, bags, paths)


@jit
def block_at(boxes, index, at):
    """Return the block of a single node."""
    node = node_at(boxes, index, at)
    return Block(index, node.inside, node.taken, node.bag, node.path, at, np.int64(1), np.int64(1))


@jit
def write_payoffs(layout, block, values, memory):
    """Write `leave`, `stay` and `camp` of the nodes of a block, after `look_ahead` of its set."""
    _, boxes, moves, _ = layout
    index, inside, taken, _, path, _, bags, paths = block
    rests, shares = moves.path_rest, moves.path_share
    _, ahead, camp_ahead, leave, stay, camp = memory
    relics = np.int64(boxes.relics[index])
    for leavers in range(inside + 1):
        staying, new_taken = inside - leavers, relics if moves.takes_relics[leavers] else taken
        if staying == 0:
            camp[: bags * paths, leavers] = values.left[relics, new_taken]
        else:
            start = position_of(boxes, index, staying, new_taken, block.bag, 0) - boxes.first[index, boxes.players]
            step = np.int64(boxes.paths[index, staying])
            one_node = staying == boxes.players  # all stay inside: bag and path are implied by the set
            for bag in range(bags):
                for row in range(paths):
                    at = start + bag * step + (0 if one_node else rests[leavers, path + row])
                    stay[bag * paths + row, leavers], camp[bag * paths + row, leavers] = ahead[at], camp_ahead[at]
        if leavers:
            worth = block.bag + boxes.relic_worth[new_taken] - boxes.relic_worth[taken]
            for bag in range(bags):
                for row in range(paths):
                    at = bag * paths + row
                    leave[at, leavers - 1] = worth + bag + shares[leavers, path + row] + camp[at, leavers]


@jit
def mean(payoffs, row, others, q):
    """Return the binomial mean of a row of `payoffs` if each other leaves with probability `q`; overwrite the row."""
    # De Casteljau's algorithm in place: the mean is a polynomial in Bernstein form.
    for length in range(others, 0, -1):
        for j in range(length):
            payoffs[row, j] += q * (payoffs[row, j + 1] - payoffs[row, j])
    return payoffs[row, 0]


@jit
def _expect(layout, index, digits, deck_size, value, bust, ahead):
    """Write the expectations of `value` over the next card at the nodes of a set into `ahead`."""
    sets, boxes, moves, _ = layout
    begin = np.int64(0)
    for inside in range(boxes.players, 0, -1):
        bags, paths = np.int64(boxes.bags[index, inside]), np.int64(boxes.paths[index, inside])
        for taken in range(blocks_of(boxes, index, inside)):
            end = begin + bags * paths
            ahead[begin:end] = bust[index, taken]
            for digit in range(digits.shape[0]):
                safe = sets.safe[digit, digits[digit]]
                if safe:
                    after, card = index + sets.stride[digit], sets.card[digit]
                    bag, path = np.int64(boxes.least_bag[index]), np.int64(0)
                    if 0 <= card < FIRST_TRAP:
                        bag, path = bag + moves.gain[inside, card], path + moves.rest[inside, card]
                    source = position_of(boxes, after, inside, taken, bag, path)
                    step = np.int64(boxes.paths[after, inside])
                    _add_box(np.float64(safe), value, source, step, ahead, begin, bags, paths)
            for at in range(begin, end):
                ahead[at] /= max(deck_size, 1)
            begin = end


@jit
def _add_box(weight, value, source, step, ahead, target, bags, paths):
    """Add weighted values of a box of successors, (bags, paths), to the expectations."""
    for bag in range(bags):
        for path in range(paths):
            ahead[target + bag * paths + path] += weight * value[source + bag * step + path]
