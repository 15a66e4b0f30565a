"""Decision nodes of one expedition, indexed in a flat array.

All players inside hold the same bag. While all of them are inside, bag and path are determined by the cards drawn;
afterwards a node is (cards, players inside, relics taken, bag, path). For each set of cards and number of players
inside these nodes form a box (relics taken, bag, path). It is bounded because shares of treasures decrease with the
number of players, and leavers leave fewer gems on the path than their number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, Edition
from diamant_env.engine.records import check_game
from diamant_env.exact.cards import CardSets, card_sets, read_set
from diamant_env.exact.moves import Moves, relic_worth, tabulate_moves
from diamant_env.state import OVER, REVEAL, GameState

MAX_NODES = 980_000_000  # 7.84 GB of float64
_NOTHING = np.zeros(0)


class Boxes(NamedTuple):
    """Index layout of the nodes; axes of length players + 1 are the number of players inside."""

    first: NDArray[np.int64]  # (sets, players + 1), index of the first node of a box
    bags: NDArray[np.int16]  # (sets, players + 1), number of values of the bag
    paths: NDArray[np.int16]  # (sets, players + 1), number of values of the gems on the path
    least_bag: NDArray[np.int16]  # (sets,), minimum bag in gems
    full_path: NDArray[np.int16]  # (sets,), gems on the path while all are inside
    relics: NDArray[np.int16]  # (sets,), relics drawn
    relic_worth: NDArray[np.int64]  # (relics + 1,), cumulative value of the relics in gems
    relic_digit: int  # the relics' digit in a set, -1 for a deck without relics
    players: int  # players inside at the start
    size: int  # number of nodes


class Node(NamedTuple):
    """A decision node among those of a set of cards; all fields are int64."""

    inside: Any  # players inside
    taken: Any  # relics taken
    bag: Any  # gems in each bag
    path: Any  # gems on the path


class NodeValues(NamedTuple):
    """Expected gems from a node on, including later expeditions."""

    inside: NDArray[np.float64]  # (nodes,), of a player inside
    camp: NDArray[np.float64]  # (nodes,), of a player in camp; (0,) if later expeditions do not count
    left: NDArray[np.float64]  # (relics + 1, relics + 1), after all have left, by relics drawn and taken
    bust: NDArray[np.float64]  # (sets, relics + 1), sum over the fatal cards of those after a bust, by relics taken


class Layout(NamedTuple):
    """The part of an `ExpeditionTree` that compiled functions take."""

    sets: CardSets
    boxes: Boxes
    moves: Moves
    must_reveal: bool


class ExpeditionTree(NamedTuple):
    """Game tree of an expedition from a state.

    Attributes:
        start: The state, a record of type `GAME`.
        edition: The edition of the game.
        sets: The sets of cards that can be drawn.
        boxes: The index layout of the nodes.
        moves: The effects of cards and decisions.
        must_reveal: Whether the root is a chance node.
        merge_traps: Whether interchangeable traps are merged.
    """

    start: GameState
    edition: Edition
    sets: CardSets
    boxes: Boxes
    moves: Moves
    must_reveal: bool
    merge_traps: bool

    @property
    def layout(self) -> Layout:
        """The fields that compiled functions take."""
        return Layout(self.sets, self.boxes, self.moves, self.must_reveal)


def build_tree(start: GameState, edition: Edition, merge_traps: bool = True) -> ExpeditionTree:
    """Return the game tree of a state's expedition.

    Args:
        start: The state, a record of type `GAME`.
        edition: The edition of the game.
        merge_traps: Whether kinds of trap with equal numbers of copies are interchangeable.

    Raises:
        ValueError: If the state is invalid or terminal, if relics of different printed values can be drawn (nodes store
            only their number), or if there are more than `MAX_NODES` nodes.
    """
    check_game(start, edition)
    start = start.copy()
    if start["phase"] == OVER:
        raise ValueError("the game is over; there is nothing to solve")
    sets = card_sets(start, edition, merge_traps)
    relic_digit = relic_digit_of(sets, edition)
    moves = tabulate_moves(start, edition)
    players, before = int(start["num_inside"]), int(start["path_relics"])
    worth = np.zeros(before + 1, np.int64)
    worth[before] = start["path_relic_value"]
    if relic_digit >= 0:
        worth = np.concatenate([worth[:before], relic_worth(start, edition, int(sets.card[relic_digit]))])
    if sets.size * players > MAX_NODES:
        raise ValueError(f"{players} players in {edition.name!r} have more than {MAX_NODES:,} nodes, the most solved")
    first = np.zeros((sets.size, players + 1), np.int64)
    bags, paths = np.zeros((2, sets.size, players + 1), np.int16)
    least_bag, full_path, relics = np.zeros((3, sets.size), np.int16)
    boxes = Boxes(first, bags, paths, least_bag, full_path, relics, worth, relic_digit, players, 0)
    size = _allocate(sets, boxes, moves, int(start["bag"]), int(start["path_gems"]), before)
    if size > MAX_NODES:
        raise ValueError(
            f"{size:,} nodes with {players} players in {edition.name!r}; at most {MAX_NODES:,} are solved (8 GB)"
        )
    boxes, must_reveal = boxes._replace(size=int(size)), bool(start["phase"] == REVEAL)
    return ExpeditionTree(start, edition, sets, boxes, moves, must_reveal, merge_traps)


def sets_of(tree: ExpeditionTree, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sets of cards of nodes, int64 (k,)."""
    return np.searchsorted(tree.boxes.first[:, tree.boxes.players], nodes, "right") - 1


class Ends(NamedTuple):
    """Values of the next expedition at the states in which an expedition can end, by relics drawn and taken."""

    left: NDArray[np.float64]  # (relics + 1, relics + 1), after all have left
    bust: NDArray[np.float64]  # (digits + 1, relics + 1, relics + 1), after a bust; [-1]: traps on the path


def values_with(
    tree: ExpeditionTree, inside: NDArray[np.float64], camp: NDArray[np.float64] = _NOTHING, ends: Ends | None = None
) -> NodeValues:
    """Return the node values of a tree, to be filled; without `ends`, later expeditions are worth 0."""
    relics = len(tree.boxes.relic_worth)
    left, bust = np.zeros((relics, relics)), np.zeros((tree.sets.size, relics))
    if ends is not None:
        left = ends.left
        _sum_busts(tree.layout, ends.bust, bust)
    return NodeValues(inside, camp, left, bust)


def relic_digit_of(sets: CardSets, edition: Edition) -> int:
    """Return the relics' digit in a set, -1 without relics; raise a ValueError if there are several."""
    digits = np.flatnonzero(sets.card >= FIRST_RELIC)
    if len(digits) > 1:
        raise ValueError(f"{edition.name!r} has relics of different printed values in its deck, which is not supported")
    return int(digits[0]) if len(digits) else -1


@jit
def position_of(boxes, index, inside, taken, bag, path):
    """Return the index of a node; with all players inside, the set implies relics taken, bag and path."""
    if inside == boxes.players:
        return boxes.first[index, inside]
    bags = np.int64(boxes.bags[index, inside])
    line = taken * bags + (bag - boxes.least_bag[index])
    return boxes.first[index, inside] + line * boxes.paths[index, inside] + path


@jit
def nodes_of(boxes, index):
    """Return the range of node indices of a set."""
    end = boxes.first[index + 1, boxes.players] if index + 1 < boxes.first.shape[0] else boxes.size
    return range(boxes.first[index, boxes.players], end)


@jit
def node_at(boxes, index, position):
    """Return the node at an index: the inverse of `position_of`."""
    inside = boxes.players
    if position == boxes.first[index, inside]:
        return Node(inside, np.int64(0), np.int64(boxes.least_bag[index]), np.int64(boxes.full_path[index]))
    inside -= 1
    while inside > 1 and position >= boxes.first[index, inside - 1]:
        inside -= 1
    line, path = divmod(position - boxes.first[index, inside], np.int64(boxes.paths[index, inside]))
    taken, more = divmod(line, np.int64(boxes.bags[index, inside]))
    return Node(inside, taken, boxes.least_bag[index] + more, path)


@jit(cached=True)
def _allocate(sets, boxes, moves, bag, path, relics):
    """Fill the arrays of `boxes`; return the number of nodes."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    everyone = boxes.players
    size = np.int64(0)
    for index in range(sets.size):
        read_set(sets, index, digits)
        boxes.relics[index] = relics + (digits[boxes.relic_digit] if boxes.relic_digit >= 0 else 0)
        for inside in range(everyone, 0, -1):
            most_bag, most_path = bag, path if inside == everyone else everyone - inside - 1
            for digit in range(digits.shape[0]):
                if 0 <= sets.card[digit] < FIRST_TRAP:
                    most_bag += digits[digit] * moves.gain[inside, sets.card[digit]]
                    most_path += digits[digit] * moves.rest[inside, sets.card[digit]]
            boxes.first[index, inside] = size
            if inside == everyone:
                boxes.least_bag[index], boxes.full_path[index] = most_bag, most_path
                boxes.bags[index, inside] = boxes.paths[index, inside] = 1
                size += 1
            else:
                boxes.bags[index, inside] = most_bag - boxes.least_bag[index] + 1
                boxes.paths[index, inside] = most_path + 1
                size += np.int64(boxes.relics[index] + 1) * boxes.bags[index, inside] * boxes.paths[index, inside]
    return size


@jit(cached=True)
def _sum_busts(layout, by_digit, bust):
    """Fill `NodeValues.bust` from `Ends.bust`."""
    sets, boxes, _, _ = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    for index in range(sets.size):
        read_set(sets, index, digits)
        relics = boxes.relics[index]
        for taken in range(bust.shape[1]):
            bust[index, taken] = sets.always_fatal * by_digit[-1, relics, taken]
            for digit in range(digits.shape[0]):
                bust[index, taken] += sets.fatal[digit, digits[digit]] * by_digit[digit, relics, taken]


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
