"""Exact best response to any policy of (cards drawn, players inside, relics taken, bag, path).

One player deviates against n - 1 others who play the policy, in score, in one expedition or a whole game. The gain over
playing the policy is its exploitability; NashConv is the sum over the seats (Lanctot et al.: A unified game-theoretic
approach to multiagent reinforcement learning, NeurIPS 2017).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import Agent, answer_of
from diamant_env.compilation import jit
from diamant_env.editions import FIRST_TRAP, MAX_PLAYERS, MAX_TRAPS, Edition
from diamant_env.engine.arguments import BOOL, checked_array
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.records import observe_records
from diamant_env.exact.cards import read_set
from diamant_env.exact.expeditions import ExpeditionStart, deck_of, expeditions_after, values_of_ends
from diamant_env.exact.induction import EVALUATE, RESPONSE, Progress, solve
from diamant_env.exact.solution import root_value
from diamant_env.exact.tree import (
    Ends,
    ExpeditionTree,
    build_tree,
    node_at,
    reachable,
    sets_of,
    values_with,
)
from diamant_env.observation import OWN, Observations
from diamant_env.state import DECIDE, GAME

_IN_NODES = ("must_decide", "left_turn", "lead")  # own fields that a node determines, or that are hidden
_RICHER = 20  # draws of the other own fields, to detect agents that read them
_ROWS = 16_000  # nodes per batch of observations: a few megabytes
_ROUNDING = 1e-5  # of P(LEAVE) in a batch of another order
_TESTED = 64  # approximate number of rows per batch in `require_stateless`

PolicyAt = Callable[[ExpeditionTree], NDArray[np.float64]]


class Response(NamedTuple):
    """The best response to a policy.

    Attributes:
        value: Expected gems of the best response when all others play the policy; in a `WholeGame` the expected
            reward, float64 (num_players,) by seat where the seats have different policies.
        profile_value: Expected gems or reward of each player when all play the policy.
        num_players: Number of players.
    """

    value: Any
    profile_value: Any
    num_players: int

    @property
    def exploitability(self) -> Any:
        """Maximum gain of a unilateral deviation, in gems or reward; by seat as `value`."""
        return self.value - self.profile_value

    @property
    def nash_conv(self) -> float:
        """Sum over the seats of the maximum gains of unilateral deviations, in gems or reward."""
        return self.num_players * float(np.mean(self.exploitability))


def best_response(
    policy: NDArray[np.float64] | Agent,
    tree: ExpeditionTree,
    progress: Progress | None = None,
) -> Response:
    """Solve the best response to a policy in one expedition, or to an agent in the whole game.

    Args:
        policy: float64 (nodes,), the probability of leaving at each node of `tree`, see `policy_of`; or an agent, whose
            policy is computed in each expedition.
        tree: The tree of the expedition, from `build_tree`.
        progress: Called with the fraction done, 0 to 1.

    Returns:
        The values of the best response and of the policy, in gems.

    Raises:
        ValueError: If shape, dtype or a value of the policy is wrong, or if an agent reads its own chest or relics.
    """
    if isinstance(policy, np.ndarray):
        return Response(*_respond(policy, tree, [None, None], progress), tree.boxes.players)
    if not hasattr(policy, "act"):
        raise ValueError(f"policy of type {type(policy).__name__}; a float64 array (nodes,) or an agent is expected")
    return whole_response(partial(_policy_without_chest, policy), tree, progress)


def whole_response(policy_at: PolicyAt, tree: ExpeditionTree, progress: Progress | None = None) -> Response:
    """Solve the best response in a whole game; `policy_at` returns the policy for a tree, float64 (nodes,)."""
    solved: dict[ExpeditionStart, tuple[float, float]] = {}

    def values_in(tree: ExpeditionTree) -> tuple[float, float]:
        edition, merge = tree.edition, tree.merge_traps
        ends = values_of_ends(tree.start, edition, tree.sets, lambda game: solved[deck_of(game, edition, merge)])
        return _respond(policy_at(tree), tree, ends or [None, None])

    games = expeditions_after(tree.start, tree.edition, tree.merge_traps)
    for deck, game in games.items():
        solved[deck] = values_in(build_tree(game, tree.edition, tree.merge_traps))
        if progress:
            progress(len(solved) / (len(games) + 1))
    return Response(*values_in(tree), tree.boxes.players)


def _respond(
    policy: NDArray[np.float64],
    tree: ExpeditionTree,
    ends: Sequence[Ends | None],
    progress: Progress | None = None,
) -> tuple[float, float]:
    """Return the expected gems from the root of the best response to the policy and of the policy itself."""
    size = tree.boxes.size
    check_policy(policy, (size,))
    policy = np.require(policy, requirements=["C", "W"])  # read-only arrays are another type to compiled code
    best, profile = (values_with(tree, np.zeros(size), np.zeros(0 if end is None else size), end) for end in ends)
    solve(tree, RESPONSE, best, progress and (lambda done: progress(done / 2)), policy)
    solve(tree, EVALUATE, profile, progress and (lambda done: progress(0.5 + done / 2)), policy)
    return root_value(tree, best.inside), root_value(tree, profile.inside)


def check_policy(policy: NDArray, shape: tuple[int, ...]) -> None:
    """Raise a ValueError if shape, dtype or a value of a policy is wrong; compiled code does not check them."""
    if policy.shape != shape or policy.dtype != np.float64:
        raise ValueError(f"policy {policy.dtype} {policy.shape}; expected float64 {shape}")
    if not (policy.min() >= 0 and policy.max() <= 1):
        raise ValueError("a value of the policy is not between 0 and 1")


def _policy_without_chest(agent: Agent, tree: ExpeditionTree) -> NDArray[np.float64]:
    """Return `policy_of`; raise a ValueError if the agent reads its chest or relics, which nodes do not contain."""
    nodes = reachable(tree)
    at = np.flatnonzero(nodes)
    flat = observations_at(games_at(tree, at[:: max(1, -(-len(at) // _ROWS))]), tree.edition)
    random, first = np.random.default_rng(0), np.zeros(len(flat), np.bool_)
    expected = answer_of(agent, Observations(flat, tree.edition), first)
    for _ in range(_RICHER):
        richer = flat.copy()
        for field in (field for field in OWN if field.name not in _IN_NODES):
            numbers = np.exp(random.uniform(0, np.log(field.high + 1), len(flat))).astype(int)  # most are small
            richer[:, field.columns[0]] = numbers / field.scale
        if (answer_of(agent, Observations(richer, tree.edition), first) != expected).any():
            raise ValueError(
                f"{agent} reads its own chest or relics, which depend on more than the deck of an expedition"
            )
    return policy_of(agent, tree, None, nodes)


def policy_of(
    agent: Agent, tree: ExpeditionTree, progress: Progress | None = None, nodes: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return an agent's probability of leaving at each node, float64 (nodes,).

    Nodes contain neither chests nor rivals: the agent observes hidden chests and zeros for rivals. If `tree` merges
    traps, it observes one representative.

    Args:
        agent: The agent.
        tree: The tree of the expedition.
        progress: Called with the fraction done, 0 to 1.
        nodes: bool (nodes,), the nodes to evaluate, by default `reachable` of the tree; the policy is 0 elsewhere.

    Raises:
        ValueError: If the agent reads hidden features, is not a function of the observation, or returns values outside
            [0, 1].
    """
    policy = np.zeros(tree.boxes.size)
    evaluated = reachable(tree) if nodes is None else checked_array(nodes, "nodes", BOOL, policy.shape)
    for first in range(0, len(policy), _ROWS):
        at = first + np.flatnonzero(evaluated[first : first + _ROWS])
        if len(at):
            policy[at] = answers_to(observations_at(games_at(tree, at), tree.edition), agent, tree.edition)
        if progress:
            progress(min(first + _ROWS, len(policy)) / len(policy))
    return policy


def games_at(tree: ExpeditionTree, nodes: NDArray[np.int64]) -> NDArray:
    """Return the states at nodes, int64 (k,), as records of type `GAME` (k,).

    Of merged traps the first kinds are on the path. Players inside have the first seats; seat 0 has the chest of the
    first player inside at the start.
    """
    games, first = np.full(len(nodes), tree.start, GAME), int(tree.start["inside"].argmax())
    games["phase"] = DECIDE
    for name in ("chest", "relics", "left_turn"):
        games[name][:, 0] = tree.start[name][first]
    _write_games(tree.layout, tree.start, nodes, sets_of(tree, nodes), games)
    return games


def observations_at(games: NDArray, edition: Edition) -> NDArray[np.float32]:
    """Return seat 0's observations, float32 (games, NUM_FEATURES): chests and rivals hidden."""
    return observe_records(games, edition_params_array([edition.replace(hidden_rivals=True)]))[:, 0]


def answers_to(flat: NDArray[np.float32], agent: Agent, edition: Edition) -> NDArray[np.float32]:
    """Return an agent's probabilities of leaving, float32 (rows,); raise ValueError as `require_stateless` does."""
    require_stateless(agent, Observations(flat[:: -(-len(flat) // _TESTED)], edition))
    return answer_of(agent, Observations(flat, edition), np.zeros(len(flat), np.bool_))


def require_stateless(agent: Agent, obs: Observations) -> None:
    """Raise ValueError if an agent is stateful or samples, and so is no function of `obs`, which is of one edition."""
    begins = np.ones(len(obs.flat), np.bool_)
    answers = [answer_of(agent, obs, first) for first in (begins, begins, ~begins, ~begins, ~begins)]
    changed = answer_of(agent, Observations(obs.flat[::-1].copy(), obs.edition), ~begins)[::-1]  # rows of other states
    if (
        any((answer != answers[0]).any() for answer in answers)
        or np.abs(changed - answers[0]).max(initial=0) > _ROUNDING
    ):
        raise ValueError(
            f"{agent} answers the same observations differently: it must return the probability of LEAVE as a "
            "function of the observation, without memory or sampled decisions"
        )


@jit(cached=True)
def _write_games(layout, start, nodes, indices, games):
    """Update `games`, copies of `start`, to the states at `nodes`, int64 (k,), of the sets `indices`."""
    sets, boxes, _, _ = layout
    digits = np.zeros(sets.radix.shape[0], np.int64)
    for i in range(games.shape[0]):
        game, index = games[i], indices[i]
        draw_cards(sets, read_set(sets, index, digits).digits, game)
        node = node_at(boxes, index, nodes[i])
        game.num_inside, game.bag, game.path_gems = node.inside, node.bag, node.path
        for seat in range(MAX_PLAYERS):
            game.inside[seat] = seat < node.inside
        game.relics_taken = start.relics_taken + node.taken
        game.path_relics = boxes.relics[index] - node.taken
        game.path_relic_value = boxes.relic_worth[boxes.relics[index]] - boxes.relic_worth[node.taken]


@jit
def draw_cards(sets, digits, game):
    """Move the cards of a set from the deck to the path, the first kinds of merged traps."""
    for digit in range(digits.shape[0]):
        drawn = digits[digit]
        game.turn += drawn
        game.deck_size -= drawn
        if sets.card[digit] >= 0:
            game.deck[sets.card[digit]] -= drawn
        for trap in range(MAX_TRAPS):
            if sets.digit_of_trap[trap] == digit and drawn > 0:
                game.on_path[trap] = 1
                game.deck[FIRST_TRAP + trap] -= 1
                drawn -= 1
