"""Exploring starts: at a random turn of a game one seat tosses a coin, and only what follows is learned from.

Where a policy is nearly deterministic, self-play rarely sees what the other decision brings. After the toss all seats
follow the policy again, so the returns are still those of the policy. The toss itself is weighted by importance
sampling. See Sutton and Barto: Reinforcement learning, an introduction, 2nd edition 2018, sections 5.3 and 5.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from train.runs.checkpoint import State

COIN = np.float32(0.5)


class Exploration:
    """Says which decisions are coin tosses, and what each decision weighs in learning.

    Args:
        games_of_rows: int (rows,), the game of each learning seat.
        share: Chance of each of the games side by side, drawn once, to have a coin, as have the games that follow it.
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
        """Return the positions in `rows`, those that decide now, of who tosses a coin: at most one row of each game."""
        games = self.games_of_rows[rows]
        tossing = self._waiting & (self._random.random(len(self._waiting)) < self.chance)
        shuffled = self._random.permutation(len(rows))
        candidates = shuffled[tossing[games[shuffled]]]
        return candidates[np.unique(games[candidates], return_index=True)[1]]

    def weights(
        self, rows: NDArray[np.int64], coins: NDArray[np.int64], log_probs: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the weight of each decision, float32 (decisions,): 0 until the game's coin is tossed, then 1.

        A toss weighs the policy's probability of what was tossed, divided by 1/2.

        Args:
            rows: Those that decide now.
            coins: What `coins` gave for them.
            log_probs: float32 (decisions,), of what they decided, under the policy.
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

    def state(self) -> State:
        """Return what a checkpoint must hold."""
        return {"random": self._random.bit_generator.state, "waiting": self._waiting.copy()}

    def restore(self, state: State) -> None:
        """Continue from a value of `state`."""
        self._random.bit_generator.state = state["random"]
        self._waiting[:] = state["waiting"]
