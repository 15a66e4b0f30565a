"""Turns that Python follows, where a reward is a function of one's own or a history is kept: microseconds a game.

The record of a game holds nothing of its history: the rules don't need it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, NO_CARD
from diamant_env.engine.core import ALL_GAMES, NO_ROWS, Core
from diamant_env.observation import HISTORY, HISTORY_EXPEDITIONS, NUM_HISTORY
from diamant_env.rewards import own_rewards
from diamant_env.state import LEAVE, OVER


class History:
    """Follows the games of a batch.

    Args:
        num_players: int (N,), players at each table.

    All arrays have the running expedition first, then those before it.
    """

    def __init__(self, num_players: NDArray[np.int64]) -> None:
        games = len(num_players)
        self._players = num_players
        self._left_turn = np.zeros((games, MAX_PLAYERS, HISTORY_EXPEDITIONS), np.int8)
        self._banked = np.zeros((games, MAX_PLAYERS, HISTORY_EXPEDITIONS), np.int16)
        self._turns = np.zeros((games, HISTORY_EXPEDITIONS), np.int8)
        self._bust = np.zeros((games, HISTORY_EXPEDITIONS), np.bool_)
        self._expedition = np.zeros(games, np.int8)
        self._all: tuple[NDArray, ...] = (self._left_turn, self._banked, self._turns, self._bust)

    def begin(self, games: NDArray, chosen: NDArray[np.bool_]) -> None:
        """Forget what was in the chosen games, bool (N,): they begin, or are others."""
        for array in self._all:
            array[chosen] = 0
        self._turns[chosen, 0] = games["turn"][chosen]
        self._expedition[chosen] = games["expedition"][chosen]

    def follow(self, games: NDArray, played: NDArray[np.bool_]) -> None:
        """Take note of the turn that the games which `played`, bool (N,), have just played."""
        leaves = (games["decision"] == LEAVE) & played[:, None]
        turn = np.broadcast_to(self._turns[:, :1], leaves.shape)
        self._left_turn[:, :, 0][leaves] = turn[leaves]
        self._banked[:, :, 0][leaves] = games["banked"][leaves]
        bust = played & (games["bust_card"] != NO_CARD)
        over = games["phase"] == OVER
        self._bust[bust, 0] = True
        self._turns[bust, 0] += 1  # the trap's card
        goes_on = played & ~over & (games["expedition"] == self._expedition)
        self._turns[goes_on, 0] = games["turn"][goes_on]
        begins = played & ~over & ~goes_on
        for array in self._all:
            array[begins] = np.roll(array[begins], 1, axis=-1)
            array[begins, ..., 0] = 0
        self._turns[begins, 0] = games["turn"][begins]
        self._expedition[begins] = games["expedition"][begins]

    def saved(self) -> tuple[NDArray, ...]:
        """Return all that is known, as a value for `restore`."""
        return tuple(array.copy() for array in (*self._all, self._expedition))

    def restore(self, saved: tuple[NDArray, ...]) -> None:
        """Go on from a value of `saved`; `check_saved` says what is refused."""
        check_saved(saved, len(self._players))
        for array, value in zip((*self._all, self._expedition), saved, strict=True):
            array[...] = value

    def rows(self, seats: int) -> NDArray[np.float32]:
        """Return what each seat sees, float32 (N, seats, NUM_HISTORY); 0 for seats that a table does not have."""
        games = len(self._players)
        players = self._players[:, None, None]
        offset, seat = np.arange(MAX_PLAYERS), np.arange(seats)[:, None]
        who = (seat + offset) % players
        present = (offset < players) & (seat < players)
        at = np.arange(games)[:, None, None]
        everyone = (games, seats, HISTORY_EXPEDITIONS)
        parts = (
            self._left_turn[at, who] * present[..., None],
            self._banked[at, who] * present[..., None],
            np.broadcast_to(self._turns[:, None], everyone),
            np.broadcast_to(self._bust[:, None], everyone),
        )
        rows = np.empty((games, seats, NUM_HISTORY), np.float32)
        first = 0
        for field, part in zip(HISTORY, parts, strict=True):
            rows[..., first : first + field.size] = part.reshape(games, seats, field.size) / field.scale
            first += field.size
        return rows * (np.arange(seats) < self._players[:, None])[..., None]


def check_saved(saved: Any, games: int) -> None:
    """Refuse what is no value of `History.saved` for so many games.

    Raises:
        ValueError: If it is none.
    """
    fresh = History(np.ones(games, np.int64)).saved()
    shapes = [(like.shape, like.dtype) for like in fresh]
    if not isinstance(saved, tuple) or [(np.shape(one), getattr(one, "dtype", None)) for one in saved] != shapes:
        raise ValueError("the state has no history; it comes from an environment without observation='history'")


class Follower:
    """Plays the turns of a batch and follows them.

    Args:
        core: The games.
        num_players: int64 (N,), players at each table.
        absent: bool (N, seats), the seats that a table does not have.
        reward: A function of one's own, see `diamant_env.rewards.own_rewards`, or None.
        history: Whether to keep one.

    Attributes:
        history: What was decided, or None.
        final_rows: float32 (N, seats, NUM_HISTORY): the rows of `history` at the end of each game that ended last.
    """

    def __init__(
        self,
        core: Core,
        num_players: NDArray[np.int64],
        absent: NDArray[np.bool_],
        reward: Callable | None,
        history: bool,
    ) -> None:
        self._core, self._reward, self._absent = core, reward, absent
        self.history = History(num_players) if history else None
        self.final_rows = None if self.history is None else self.history.rows(absent.shape[1])

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
        chosen: NDArray[np.bool_] = ALL_GAMES,
    ) -> None:
        """Play one turn, see `diamant_env.Batch.step`; nothing was played if the reward's function fails."""
        before = self._core.copy()
        self._core.step(actions, None, rewards, done, chosen=chosen)
        self.turn(before, rewards, chosen)
        if observations is not None:
            self._core.observe(observations)
        ended = done & chosen if chosen.size else done
        if auto_reset and ended.any():
            if observations is not None and len(final_observations):
                final_observations[ended] = observations[ended]
            if self.history is not None and self.final_rows is not None:
                self.final_rows[ended] = self.history.rows(self._absent.shape[1])[ended]
            self._core.reset(ended, None)
            self.begin(ended)
            if observations is not None:
                self._core.observe(observations)

    def turn(self, before: NDArray, rewards: NDArray[np.float32], chosen: NDArray[np.bool_] = ALL_GAMES) -> None:
        """Follow a turn that was just played from the records `before`, which come back if the reward's function fails.

        Write what is paid for it into `rewards`, float32 (N, seats).
        """
        played = before["phase"] != OVER
        if chosen.size:
            played &= chosen
        if self._reward is not None:
            try:
                rewards[...] = own_rewards(self._reward, self._core.records, played, self._absent)
            except BaseException:
                self._core.replace(before)
                raise
        if self.history is not None:
            self.history.follow(self._core.records, played)
