"""Exploring starts: at a random turn of a game one seat tosses a coin, and only what follows is learned from.

A nearly deterministic policy rarely sees what the other decision brings. After the toss all seats follow the policy
again, so the returns are still those of the policy; the toss itself is weighted by importance sampling (Sutton and
Barto: Reinforcement learning, an introduction, 2nd edition 2018, sections 5.3 and 5.5).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from train.learning.decisions import Samples

COIN = np.float32(0.5)


class Exploration:
    """Choice of exploratory decisions, and the weight of each decision in learning.

    Args:
        games_of_rows: int (rows,), the game of each learning seat.
        share: Share of the games, drawn once, that have a coin.
        chance: Chance of each turn of such a game that the coin is tossed, until it is.
        seed: Of all three draws: games, turns, seats.
    """

    def __init__(
        self, games_of_rows: NDArray[np.int64], share: float, chance: float, seed: np.random.SeedSequence
    ) -> None:
        self.games_of_rows = games_of_rows
        self.chance = chance
        self._random = np.random.default_rng(seed)
        self._explores = self._random.random(games_of_rows.max() + 1) < share
        self._waiting = self._explores.copy()

    def coins(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions in `rows`, those that decide now, that toss a coin: at most one row of each game."""
        games = self.games_of_rows[rows]
        tossing = self._waiting & (self._random.random(len(self._waiting)) < self.chance)
        shuffled = self._random.permutation(len(rows))
        candidates = shuffled[tossing[games[shuffled]]]
        return candidates[np.unique(games[candidates], return_index=True)[1]]

    def weights(
        self, rows: NDArray[np.int64], coins: NDArray[np.int64], log_probs: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the weight of each decision, float32 (decisions,): 0 until the game's coin is tossed, then 1.

        A toss weighs the policy's probability of what was tossed, divided by 1/2. `log_probs`, float32 (decisions,),
        are those of what was decided.
        """
        games = self.games_of_rows[rows]
        weights = np.where(self._waiting[games], np.float32(0), np.float32(1))
        weights[coins] = np.exp(log_probs[coins]) / COIN
        self._waiting[games[coins]] = False
        return weights

    def end_games(self, done: NDArray[np.bool_]) -> None:
        """Wait for a coin again in the games of the rows, bool (rows,), that are done."""
        ended = self.games_of_rows[done]
        self._waiting[ended] = self._explores[ended]

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold."""
        return {"random": self._random.bit_generator.state, "waiting": self._waiting.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a value of `state`."""
        self._random.bit_generator.state = state["random"]
        self._waiting[:] = state["waiting"]


def weighted(samples: Samples, weights: NDArray[np.float32]) -> Samples:
    """Return samples with standardised advantages times `weights`, float32 (decisions,).

    A toss has no value loss, since its outcome is not one of the policy: the target is the value itself.
    """
    tossed = weights != 1  # a toss weighs exactly 1 only where the policy itself was at 0.5
    advantages = samples.advantages
    decided = advantages[~tossed]
    if len(decided) > 1:
        advantages = (advantages - decided.mean()) / (decided.std() + np.float32(1e-8))
    return samples._replace(advantages=advantages * weights, returns=np.where(tossed, samples.values, samples.returns))
