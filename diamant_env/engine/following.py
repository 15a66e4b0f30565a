"""Turns that Python follows, where a reward is a function of one's own or a history is kept: about ten times slower."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diamant_env.engine.core import NO_ROWS, Core
from diamant_env.engine.history import History
from diamant_env.rewards import own_rewards
from diamant_env.state import OVER


class Follower:
    """Plays the turns of a batch and follows them.

    Args:
        core: The games.
        num_players: int64 (N,), players at each table.
        seats: Length of the seat axis.
        reward: A function of one's own, see `diamant_env.rewards.own_rewards`, or None.
        history: Whether to keep one.

    Attributes:
        history: What was decided, or None.
        final_rows: float32 (N, seats, NUM_HISTORY): the rows of `history` at the end of each game that ended last.
    """

    def __init__(
        self, core: Core, num_players: NDArray[np.int64], seats: int, reward: Callable | None, history: bool
    ) -> None:
        self._core, self._reward, self._seats = core, reward, seats
        self._absent = np.arange(seats) >= num_players[:, None]
        self.history = History(num_players) if history else None
        self.final_rows = None if self.history is None else self.history.rows(seats)

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """Take note that the chosen games, by default all, are others now."""
        if self.history is not None:
            games = self._core.records
            self.history.begin(games, np.ones(len(games), bool) if chosen is None else chosen)

    def step(
        self,
        actions: NDArray[np.int8],
        observations: NDArray[np.float32] | None,
        rewards: NDArray[np.float32],
        done: NDArray[np.bool_],
        final_observations: NDArray[np.float32] = NO_ROWS,
        auto_reset: bool = False,
    ) -> None:
        """Play one turn, see `diamant_env.Batch.step`; nothing was played if the reward's function fails."""
        before = self._core.copy()
        self._core.step(actions, observations, rewards, done)
        self.turn(before, rewards)
        if auto_reset and done.any():
            if observations is not None and len(final_observations):
                final_observations[done] = observations[done]
            if self.history is not None and self.final_rows is not None:
                self.final_rows[done] = self.history.rows(self._seats)[done]
            self._core.reset(done, None)
            self.begin(done)
            if observations is not None:
                self._core.observe(observations)

    def turn(self, before: NDArray, rewards: NDArray[np.float32]) -> None:
        """Follow a turn that was just played from the records `before`, which come back if the reward's function fails.

        Write what is paid for it into `rewards`, float32 (N, seats).
        """
        played = before["phase"] != OVER
        if self._reward is not None:
            try:
                rewards[...] = own_rewards(self._reward, self._core.records, played, self._absent)
            except BaseException:
                self._core.replace(before)
                raise
        if self.history is not None:
            self.history.follow(self._core.records, played)
