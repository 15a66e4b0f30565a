"""History of decisions for the ``"history"`` observation; not part of the game state."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.editions import MAX_PLAYERS, NO_CARD
from diamant_env.observation import HISTORY, HISTORY_EXPEDITIONS, SLICES
from diamant_env.state import LEAVE, OVER


class History:
    """Decisions of recent expeditions in each game of a batch, the current expedition first.

    Args:
        num_players: int (N,), players at each table.
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

    def clear(self, games: NDArray, chosen: NDArray[np.bool_]) -> None:
        """Clear the history of the chosen games, bool (N,)."""
        for array in self._all:
            array[chosen] = 0
        self._turns[chosen, 0] = games["turn"][chosen]
        self._expedition[chosen] = games["expedition"][chosen]

    def record(self, games: NDArray, played: NDArray[np.bool_]) -> None:
        """Record the last turn of the games that `played`, bool (N,)."""
        leaves = (games["decision"] == LEAVE) & played[:, None]
        turn = np.broadcast_to(self._turns[:, :1], leaves.shape)
        self._left_turn[:, :, 0][leaves] = turn[leaves]
        self._banked[:, :, 0][leaves] = games["banked"][leaves]
        bust = played & (games["bust_card"] != NO_CARD)
        over = games["phase"] == OVER
        self._bust[bust, 0] = True
        self._turns[bust, 0] += 1  # the second trap is a card too
        same_expedition = played & ~over & (games["expedition"] == self._expedition)
        self._turns[same_expedition, 0] = games["turn"][same_expedition]
        next_expedition = played & ~over & ~same_expedition
        for array in self._all:
            array[next_expedition] = np.roll(array[next_expedition], 1, axis=-1)
            array[next_expedition, ..., 0] = 0
        self._turns[next_expedition, 0] = games["turn"][next_expedition]
        self._expedition[next_expedition] = games["expedition"][next_expedition]

    def saved(self) -> tuple[NDArray, ...]:
        """Return copies of all arrays, for `restore`."""
        return tuple(array.copy() for array in (*self._all, self._expedition))

    def restore(self, saved: tuple[NDArray, ...]) -> None:
        """Restore arrays from `saved`; raise ValueError as `check_saved` does."""
        check_saved(saved, len(self._players))
        for array, value in zip((*self._all, self._expedition), saved, strict=True):
            array[...] = value

    def write(self, observations: NDArray[np.float32]) -> None:
        """Write the `HISTORY` fields into the last columns of float32 (N, seats, NUM_FEATURES + NUM_HISTORY)."""
        games, seats = observations.shape[:2]
        players = self._players[:, None, None]
        offset, seat = np.arange(MAX_PLAYERS), np.arange(seats)[:, None]
        target = (seat + offset) % players
        present = (offset < players) & (seat < players)
        at = np.arange(games)[:, None, None]
        shape = (games, seats, HISTORY_EXPEDITIONS)
        occupied = present.any(axis=2, keepdims=True)
        parts = (
            self._left_turn[at, target] * present[..., None],
            self._banked[at, target] * present[..., None],
            np.broadcast_to(self._turns[:, None], shape) * occupied,
            np.broadcast_to(self._bust[:, None], shape) * occupied,
        )
        for field, part in zip(HISTORY, parts, strict=True):
            observations[..., SLICES[field.name]] = part.reshape(games, seats, field.size) / field.scale


def check_saved(saved: Any, games: int) -> None:
    """Raise ValueError unless `saved` is a value of `History.saved` for this number of games."""
    fresh = History(np.ones(games, np.int64)).saved()
    shapes = [(like.shape, like.dtype) for like in fresh]
    if not isinstance(saved, tuple) or [(np.shape(one), getattr(one, "dtype", None)) for one in saved] != shapes:
        raise ValueError("the state has no history; it comes from an environment without observation='history'")
