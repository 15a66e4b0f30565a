"""The exact best response to any policy of (cards that have come up, players inside, relics gone, bag, path).

One player answers n - 1 others who all play the policy, in one expedition in score. What that player gains over
playing the policy itself is its exploitability; NashConv is the sum over the seats (Lanctot et al.: A unified
game-theoretic approach to multiagent reinforcement learning, NeurIPS 2017).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP, MAX_PLAYERS, MAX_TRAPS
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.observation_writer import LENGTHS, write_observations
from diamant_env.exact.cards import cards_left, read_digits
from diamant_env.exact.equilibrium import Progress, parts, root_value
from diamant_env.exact.induction import mean
from diamant_env.exact.reach import reachable
from diamant_env.exact.tree import ExpeditionTree, coordinates, node, nodes_of
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.state import DECIDE, Game

_ROWS = 4_000  # observations that an agent is shown at once: a few megabytes
_TESTED = 64  # of them, about, for a memory


class Response(NamedTuple):
    """The best response to a policy.

    Attributes:
        value: Mean gems of a player who answers others that all play the policy.
        profile_value: Mean gems of each player when all play it.
        num_players: How many play.
    """

    value: float
    profile_value: float
    num_players: int

    @property
    def exploitability(self) -> float:
        """What one deviator gains, in gems."""
        return self.value - self.profile_value

    @property
    def nash_conv(self) -> float:
        """The sum of what each seat could gain by deviating alone, in gems."""
        return self.num_players * self.exploitability


def best_response(
    policy: NDArray[np.float64],
    tree: ExpeditionTree,
    progress: Progress | None = None,
    nodes: NDArray[np.bool_] | None = None,
) -> Response:
    """Solve the best response to a policy.

    Args:
        policy: float64 (nodes,), the probability of leaving at each node of `tree`; see `policy_of`.
        tree: What is played; `build_tree` makes it.
        progress: Called with the part that is done, 0 to 1.
        nodes: bool (nodes,), those that play can reach, by default `reachable` of the tree; the others are left out.

    Raises:
        ValueError: If the policy or the nodes have another shape or type, or the policy holds what is no probability.
    """
    if policy.shape != (tree.boxes.size,) or policy.dtype != np.float64:
        raise ValueError(f"policy {policy.dtype} {policy.shape}; expected float64 ({tree.boxes.size},)")
    if not (policy.min() >= 0 and policy.max() <= 1):
        raise ValueError("the policy holds a number that is no probability")
    x, values = tree, np.zeros((tree.boxes.size, 2))
    nodes = reachable(x) if nodes is None else nodes
    if nodes.shape != policy.shape or nodes.dtype != np.bool_:
        raise ValueError(f"nodes {nodes.dtype} {nodes.shape}; expected bool {policy.shape}")
    for first, last in parts(x, progress):
        _respond_sets(x.sets, x.boxes, x.moves, x.must_reveal, first, last, policy, nodes, values)
    return Response(root_value(x, values[:, 0]), root_value(x, values[:, 1]), x.boxes.players)


@jit(cached=True)
def _respond_sets(sets, boxes, moves, must_reveal, first, last, policy, nodes, values):
    """Fill `values` at `nodes` of the sets from `last` - 1 down to `first`, float64 (nodes, 2).

    The mean gems that a player inside banks from a node on, all others leaving with the probabilities of
    `policy`: first for one who answers them best, then for one who plays it too.
    """
    digits = np.zeros(sets.radix.shape[0], np.int64)
    leave, best, alike = np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS), np.zeros(MAX_PLAYERS)
    for number in range(last - 1, first - 1, -1):
        read_digits(sets, number, digits)
        cards = cards_left(sets, digits)
        nobody_decides = must_reveal and number == 0
        for at in nodes_of(boxes, number):
            if not (nodes[at] or nobody_decides):
                continue
            inside, gone, bag, path = coordinates(boxes, number, at)
            if nobody_decides:
                values[at, 0], values[at, 1] = _both_going_on(
                    sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path
                )
                continue
            others, chance = inside - 1, policy[at]
            _compare_both(
                sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path, leave, best, alike
            )
            leaving = mean(leave, others, chance)
            values[at, 0] = max(leaving, mean(best, others, chance))
            values[at, 1] = chance * leaving + (1 - chance) * mean(alike, others, chance)


@jit
def _compare_both(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path, leave, best, alike):
    """Like `compare`, of both columns of `values`.

    Both this and `_both_going_on` write out what their models do: in parts that all call, Numba counts references to
    the tuples' arrays at every node, which takes four to eight times as long.
    """
    relics = boxes.relics[number]
    for others in range(inside):
        leavers = others + 1
        leave[others] = bag + moves.path_share[leavers, path]
        if moves.takes_relics[leavers]:
            leave[others] += boxes.relic_worth[relics] - boxes.relic_worth[gone]
        left, missing = path, gone
        if others:
            left = moves.path_rest[others, path]
            missing = relics if moves.takes_relics[others] else gone
        best[others], alike[others] = _both_going_on(
            sets, boxes, moves, digits, cards, values, number, inside - others, missing, bag, left
        )


@jit
def _both_going_on(sets, boxes, moves, digits, cards, values, number, inside, gone, bag, path):
    """Return `going_on` of both columns of `values`."""
    best = alike = 0.0
    for digit in range(digits.shape[0]):
        rising = sets.rising[digit, digits[digit]]
        if rising == 0:
            continue
        after, card = number + sets.stride[digit], sets.card[digit]
        if 0 <= card < FIRST_TRAP:
            position = node(boxes, after, inside, gone, bag + moves.gain[inside, card], path + moves.rest[inside, card])
        else:
            position = node(boxes, after, inside, gone, bag, path)
        best += rising * values[position, 0]
        alike += rising * values[position, 1]
    cards = max(cards, 1)
    return best / cards, alike / cards


def policy_of(
    agent: Agent, tree: ExpeditionTree, progress: Progress | None = None, nodes: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Ask an agent for its probability of leaving at each node, float64 (nodes,).

    The agent sees observations with hidden chests in which all about the rivals is 0, since neither who is inside nor
    when they left is part of a node. Where `tree` merges traps, it sees one of several that count as the same.

    Args:
        agent: Who is asked.
        tree: What is played.
        progress: Called with the part that is done, 0 to 1.
        nodes: bool (nodes,), where it is asked: at those that play can reach, by default `reachable` of the tree.
            Elsewhere the policy is 0.

    Raises:
        ValueError: If the agent looks at what such observations hide, decides by more than what it sees, or answers
            with what is no probability.
    """
    x = tree
    policy = np.zeros(x.boxes.size)
    asked = reachable(x) if nodes is None else nodes
    game = seen_from_inside(x.start)
    starts = np.append(x.boxes.first[:, x.boxes.players], x.boxes.size)
    first = 0
    while first < x.sets.size:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _ROWS, "right")) - 1)
        base, stop = int(starts[first]), int(starts[last])
        rows = np.zeros((np.count_nonzero(asked[base:stop]), 1, NUM_FEATURES), np.float32)
        _observe_nodes(x.sets, x.boxes, x.start, numbers_of(x.edition), game, first, last, asked, rows, LENGTHS)
        flat = rows[:, 0]
        if len(flat):
            require_no_memory(agent, flat[:: -(-len(flat) // _TESTED)])
            policy[base:stop][asked[base:stop]] = answer_of(agent, Observations(flat), np.zeros(len(flat), np.bool_))
        if progress:
            progress(last / x.sets.size)
        first = last
    return policy


def seen_from_inside(start: Game) -> Game:
    """Return a copy of a state in which seat 0, whose row is written, has what is the first player's inside."""
    game, first = start.copy(), int(start["inside"].argmax())
    for name in ("chest", "relics", "left_turn"):
        game[name][0] = start[name][first]
    return game


def require_no_memory(agent: Agent, flat: NDArray[np.float32]) -> None:
    """Refuse an agent that answers differently in another game, or draws its decisions: it is no policy of the node.

    Raises:
        ValueError: If it does, or answers with what is no probability.
    """
    begins = np.ones(len(flat), np.bool_)
    answers = [answer_of(agent, Observations(flat), begins) for _ in range(3)]
    if any((answer != answers[0]).any() for answer in answers):
        raise ValueError(
            f"{agent} answers the same observations differently: it decides by more than what it sees; return the "
            "probability of LEAVE, not a drawn decision"
        )


@jit(cached=True)
def _observe_nodes(sets, boxes, start, edition, game, first, last, asked, rows, lengths):
    """Write what a player sees at the nodes of the sets from `first` to `last` - 1 that are `asked` into `rows`."""
    digits = np.zeros(sets.radix.shape[0], np.int64)
    public, ring = np.zeros(lengths[1], np.float32), np.zeros(2 * lengths[0], np.float32)
    game.phase = DECIDE
    row = 0
    for number in range(first, last):
        read_digits(sets, number, digits)
        lay_cards(sets, start, digits, game)
        for at in nodes_of(boxes, number):
            if asked[at]:
                write_node(boxes, start, edition, game, number, at, rows, row, public, ring, lengths)
                row += 1


@jit
def write_node(boxes, start, edition, game, number, at, rows, row, public, ring, lengths):
    """Write what a player sees at a node of a set into `rows[row]`; `game` holds the cards, see `lay_cards`."""
    inside, gone, bag, path = coordinates(boxes, number, at)
    game.num_inside, game.bag, game.path_gems = inside, bag, path
    for seat in range(MAX_PLAYERS):
        game.inside[seat] = seat < inside
    game.relics_taken = start.relics_taken + gone
    game.path_relics = boxes.relics[number] - gone
    game.path_relic_value = boxes.relic_worth[boxes.relics[number]] - boxes.relic_worth[gone]
    write_observations(game, edition, True, True, rows, row, public, ring, lengths)


@jit
def lay_cards(sets, start, digits, game):
    """Put into `game` the deck and the path of `start` after the cards of a set; of equal traps the first ones."""
    game.turn = start.turn
    for card in range(game.deck.shape[0]):
        game.deck[card] = start.deck[card]
    for trap in range(MAX_TRAPS):
        game.on_path[trap] = start.on_path[trap]
    for digit in range(digits.shape[0]):
        drawn = digits[digit]
        game.turn += drawn
        if sets.card[digit] >= 0:
            game.deck[sets.card[digit]] -= drawn
        for trap in range(MAX_TRAPS):
            if sets.digit_of_trap[trap] == digit and drawn > 0:
                game.on_path[trap] = 1
                game.deck[FIRST_TRAP + trap] -= 1
                drawn -= 1
    game.deck_size = 0
    for card in range(game.deck.shape[0]):
        game.deck_size += game.deck[card]
