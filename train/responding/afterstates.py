"""Afterstates of the decision problem of one seat among copies of an agent, and their values.

An afterstate follows all decisions of a turn and precedes its card (Sutton and Barto: Reinforcement Learning, 2018,
section 6.8): the value of an action is the mean over the rivals' decisions, that of an afterstate the mean over cards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from diamant_env.agent import answer_deciding, answer_of
from diamant_env.editions import find_edition
from diamant_env.engine.edition_params import edition_params_array
from diamant_env.engine.loops import decide, final_rewards, reveal_card
from diamant_env.engine.records import as_bytes, observe_records, rebuilt
from diamant_env.exact.moves import start_of_expedition
from diamant_env.observation import Observations
from diamant_env.opponents.inputs import CANONICAL, INPUTS
from diamant_env.opponents.layers import Layers, hidden, one_blas_thread
from diamant_env.opponents.registry import make_agent
from diamant_env.rewards import reward_code
from diamant_env.state import CONTINUE, DECIDE, LEAVE, OVER
from train.responding.gains import ResponseGame
from train.responding.search import reward_scale

_LIKELY = 0.99  # probability of the rivals' joint decisions that are considered, the most likely first
_TOGETHER = 2_048  # games


class Afterstates:
    """Afterstates of a game with open chests, records of type `GAME` whose seat 0 deviates, and their values.

    `networks`: by expedition and by whether seat 0 is inside, transposed layers whose output is the expected further
    payoff, in win shares or multiples of 16 gems; 0 where there is no network.
    """

    def __init__(self, game: ResponseGame) -> None:
        self.edition = find_edition(game.edition).replace(hidden_chests=False)
        self.networks: dict[tuple[int, int], Layers] = {}
        self._players, self._reward, self._scale = game.players, game.reward, reward_scale(game.reward)
        self._edition_params = edition_params_array([self.edition])
        self._edition_memory = as_bytes(self._edition_params)
        self._agent = make_agent(game.agent)

    def starts(self, games: int) -> NDArray:
        """Return games before their first card."""
        return np.repeat(np.array(start_of_expedition(self.edition, self._players))[None], games)

    def after_cards(self, games: NDArray, cards: NDArray[np.int64]) -> NDArray:
        """Return copies of afterstates after one card each."""
        after = games.copy()
        reveal_card(as_bytes(after), self._edition_memory, cards)
        return after

    def after_decisions(self, games: NDArray, leave: NDArray[np.bool_]) -> NDArray:
        """Return the afterstates of decisions, bool (N, players)."""
        after = games.copy()
        decide(as_bytes(after), self._edition_memory, leave.astype(np.int8))
        return after

    def leave_probabilities(self, games: NDArray, first: int = 1) -> NDArray[np.float64]:
        """Return the agent's P(LEAVE) in the seats from `first` on, float64 (N, players), else and in camp 0."""
        rows = observe_records(games, self._edition_params, self._players)
        asked = rows[..., 0] > 0
        asked[:, :first] = False
        leave = np.zeros(asked.shape)
        if asked.any():
            obs = Observations(rows[asked], self.edition)
            leave[asked] = answer_of(self._agent, obs, np.zeros(len(obs.flat), np.bool_))
        return leave

    def payoffs(self, games: NDArray) -> NDArray[np.float64]:
        """Return the payoff of seat 0 in finished games, float64 (N,): win share, score or margin."""
        rewards = np.zeros((len(games), 1), np.float32)
        final_rewards(as_bytes(games), self._edition_memory, reward_code(self._reward, self._players), rewards)
        return rewards[:, 0].astype(float)

    def remainders(self, games: NDArray, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs of the networks at which afterstates have these values, float64 (N,)."""
        return (values - self._secure(games)) * self._scale

    def _secure(self, games: NDArray) -> NDArray[np.float64]:
        """Return the gems in the chest of seat 0 if they count, float64 (N,)."""
        return games["chest"][:, 0] * float(self._reward != "win")

    def inputs(self, games: NDArray) -> NDArray[np.float32]:
        """Return the inputs of the networks."""
        return INPUTS[CANONICAL](observe_records(games, self._edition_params)[:, 0])

    def values(self, games: NDArray) -> NDArray[np.float64]:
        """Return the values of afterstates and of finished games, float64 (N,)."""
        over = games["phase"] == OVER
        secure = self._secure(games)
        secure[over] = self.payoffs(games[over])
        part = 2 * games["expedition"].astype(int) + games["inside"][:, 0]
        for chosen in np.unique(part[~over]):
            network = self.networks.get(divmod(int(chosen), 2))
            if network is None:
                continue
            rows, (*layers, (weight, bias)) = np.flatnonzero(~over & (part == chosen)), network
            secure[rows] += (hidden(self.inputs(games[rows]), layers, "relu") @ weight + bias)[:, 0] / self._scale
        return secure

    def action_values(self, games: NDArray, leave: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Q(CONTINUE) and Q(LEAVE) of seat 0, float64 (N, 2); in camp both are of CONTINUE."""
        values = np.zeros((len(games), 2))
        for first in range(0, len(games), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            values[part] = self._action_values(games[part], leave[part])
        return values

    def _action_values(self, games: NDArray, leave: NDArray[np.float64]) -> NDArray[np.float64]:
        game, decisions, chance = likely_decisions(games, leave[:, 1:])
        means = np.zeros((len(games), 2))
        inside = games["inside"][:, 0] > 0
        for action in (CONTINUE, LEAVE):
            chosen = inside[game] | (action == CONTINUE)
            joint = np.column_stack([np.full(chosen.sum(), action == LEAVE), decisions[chosen]])
            values = self.values(self.after_decisions(games[game[chosen]], joint))
            means[:, action] = np.bincount(game[chosen], chance[chosen] * values, len(games))
        return np.where(inside[:, None], means, means[:, :1])

    def card_means(self, games: NDArray) -> NDArray[np.float64]:
        """Return the means over the next card of the values of afterstates, float64 (N,)."""
        means = np.zeros(len(games))
        for first in range(0, len(games), _TOGETHER):
            part = games[first : first + _TOGETHER]
            game, card = np.nonzero(part["deck"])
            chance = part["deck"][game, card] / part["deck_size"][game]
            values = self.state_values(self.after_cards(part[game], card))
            means[first : first + _TOGETHER] = np.bincount(game, chance * values, len(part))
        return means

    def state_values(self, games: NDArray) -> NDArray[np.float64]:
        """Return the values of games after a card, float64 (N,): the greater action value where seat 0 decides."""
        values, deciding = np.zeros(len(games)), games["phase"] == DECIDE
        values[~deciding] = self.values(games[~deciding])
        chosen = games[deciding]
        values[deciding] = self.action_values(chosen, self.leave_probabilities(chosen)).max(axis=1)
        return values


class GreedyAgent:
    """Agent that takes the action with the greater value."""

    stateless = True

    def __init__(self, afterstates: Afterstates, name: str = "value iteration") -> None:
        self.afterstates, self.name = afterstates, name

    def __str__(self) -> str:
        return self.name

    def act(self, obs: Observations, episode_start: NDArray[np.bool_]) -> NDArray[np.float32]:
        return answer_deciding(obs, lambda rows: self._leave(obs.flat[rows]))

    def _leave(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        games = rebuilt(flat, np.zeros(len(flat), np.uint64))
        with one_blas_thread(len(flat)):
            values = self.afterstates.action_values(games, self.afterstates.leave_probabilities(games))
        return (values[:, LEAVE] > values[:, CONTINUE]).astype(np.float32)


def likely_decisions(
    games: NDArray, leave: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    """Return the likely joint decisions of the rivals of seat 0 with these P(LEAVE), float64 (N, rivals).

    That is the game of each, int64 (K,), whether each rival leaves, bool (K, rivals), and their probabilities, float64
    (K,), which sum to 1 in each game. Rivals with equal chests, relics and P(LEAVE) are interchangeable: of their
    decisions with as many leavers only that counts, with the probability of all, in which the first of them leave.
    """
    rivals = leave.shape[1]
    previous, ways = _interchangeable(games, leave)
    joint = (np.arange(2**rivals)[:, None] >> np.arange(rivals) & 1).astype(np.bool_)
    may_leave = np.vstack([joint.T, np.ones(len(joint), np.bool_)])  # after a rival that leaves, or without one (-1)
    chance = np.ones((len(leave), len(joint)))
    for rival in range(rivals):
        leaves = (leave[:, rival] * ways[:, rival])[:, None] * may_leave[previous[:, rival]]
        chance *= np.where(joint[:, rival], leaves, 1 - leave[:, rival, None])
    order = np.argsort(-chance, axis=1, kind="stable")
    ordered = np.take_along_axis(chance, order, axis=1)
    ordered[ordered.cumsum(axis=1) - ordered >= _LIKELY] = 0
    game, place = np.nonzero(ordered)
    chosen = ordered[game, place] / ordered.sum(axis=1)[game]
    return game, joint[order[game, place]], chosen


def _interchangeable(games: NDArray, leave: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return two figures of each rival (N, rivals), from its place among those that are interchangeable with it.

    They are the previous one, -1 if there is none, and the factor of its leaving in the number of equivalent decisions:
    the product over the first k of n is the binomial coefficient.
    """
    rivals = leave.shape[1]
    alike = np.ones((len(leave), rivals, rivals), np.bool_)
    for key in (games["chest"][:, 1 : rivals + 1], games["relics"][:, 1 : rivals + 1], leave):
        alike &= key[:, :, None] == key[:, None, :]
    earlier = np.tril(alike, -1)
    before = earlier.sum(axis=2)
    return np.where(earlier, np.arange(rivals), -1).max(axis=2), (alike.sum(axis=2) - before) / (before + 1)
