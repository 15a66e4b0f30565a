"""Validation of arguments, given as one value or one per game."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diamant_env.editions import MAX_PLAYERS, Edition, find_edition
from diamant_env.engine.loops import are_legal

# Comparing dtypes with dtypes takes a quarter of the time of comparing them with types.
BOOL, INT8, FLOAT32 = np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.float32)
MAX_SEED = 2**64 - 1
_MOST_EDITIONS = 127  # the field `edition` is int8


def checked_int(name: str, value: Any, low: int, high: int | None = None, also_allowed: str = "") -> int:
    """Return an integer from `low` to `high`, else raise ValueError; `also_allowed`, "None or ", precedes the range."""
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        limits = f"at least {low}" if high is None else f"{low} to {'2**64 - 1' if high == MAX_SEED else high}"
        raise ValueError(f"{name}={value!r}; {also_allowed}a whole number, {limits}, is allowed")
    return number


def checked_array(array: ArrayLike, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray:
    """Return an array of this shape and dtype, C-contiguous and writeable; raise ValueError if a value would change.

    Read-only and strided arrays are other types to compiled code, which has one signature.
    """
    values = np.asarray(array)
    if values.shape != shape:
        raise ValueError(f"{name} of shape {values.shape}; expected {shape}")
    if values.dtype == dtype:
        return _plain(values)
    converted: NDArray | None = values.astype(dtype, casting="unsafe") if values.dtype.kind in "iub" else None
    if converted is None or not np.array_equal(converted, values):
        raise ValueError(f"{name} of dtype {values.dtype}; expected {dtype}")
    return _plain(converted)


def _plain(array: NDArray) -> NDArray:
    return array if array.flags.carray else np.array(array, order="C")


def checked_mask(mask: ArrayLike | None, default: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of games, bool (N,), or `default` (N,) if it is None."""
    return default if mask is None else checked_array(mask, "mask", BOOL, default.shape)


def output(array: NDArray | None, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray:
    """Return the caller's output array, or a new one; raise ValueError if shape, dtype or memory layout differ."""
    if array is None:
        return np.zeros(shape, dtype)
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        given = f"shape {array.shape} and dtype {array.dtype}" if isinstance(array, np.ndarray) else type(array)
        raise ValueError(f"{name}: {given}; expected an array of shape {shape} and dtype {dtype}")
    if not array.flags.carray:
        raise ValueError(f"{name} must be C-contiguous, aligned and writeable")
    return array


def players_per_game(num_players: int | ArrayLike, num_games: int) -> NDArray[np.int64]:
    """Return the number of players of each game, int64 (N,)."""
    array = np.asarray(num_players)
    if array.dtype.kind not in "iu" or array.shape not in ((), (num_games,)):
        raise ValueError(f"num_players={num_players!r}; give a whole number, or one per game ({num_games},)")
    if array.min() < 1 or array.max() > MAX_PLAYERS:
        raise ValueError(f"num_players={num_players!r}; 1 to {MAX_PLAYERS} players are allowed")
    array = np.broadcast_to(array.astype(np.int64), (num_games,)).copy()
    array.flags.writeable = False
    return array


def editions_per_game(edition: str | Edition | Sequence[str | Edition], num_games: int) -> list[Edition]:
    """Return the edition of each game."""
    edition = edition.tolist() if isinstance(edition, np.ndarray) else edition
    if not isinstance(edition, list | tuple):
        return [find_edition(edition)] * num_games  # type: ignore[arg-type]
    if len(edition) != num_games:
        raise ValueError(f"{len(edition)} editions for {num_games} games; give one, or one per game")
    return [find_edition(name) for name in edition]


def unique_editions(editions: list[Edition]) -> tuple[Edition, ...]:
    """Return the distinct editions; raise ValueError if there are more than 127."""
    distinct = tuple(dict.fromkeys(editions))
    if len(distinct) > _MOST_EDITIONS:
        raise ValueError(f"{len(distinct)} different editions; at most {_MOST_EDITIONS} are allowed in a batch")
    return distinct


def seeds_per_game(seed: int | ArrayLike | None, num_games: int) -> NDArray[np.uint64]:
    """Return the seed of each game, uint64 (N,): `seed + i` for game i, the given array, or system entropy for None."""
    if seed is None:
        return np.random.SeedSequence().generate_state(num_games, np.uint64).astype(np.uint64)
    seeds: NDArray[Any] = np.asarray(seed)
    if (
        seeds.dtype.kind == "f"
        and isinstance(seed, list | tuple)
        and all(isinstance(one, int | np.integer) for one in seed)
    ):
        # NumPy makes floats of integers below and above 2**63.
        seeds = np.array([checked_int("seed", one, 0, MAX_SEED) for one in seed], np.uint64)
    if seeds.dtype.kind not in "iu" or seeds.shape not in ((), (num_games,)) or seeds.min() < 0:
        raise ValueError(f"seed={seed!r}; give a whole number of at least 0, or one per game ({num_games},)")
    if not seeds.shape and int(seeds) + num_games - 1 > MAX_SEED:
        raise ValueError(f"seed={seed!r}; the seeds of {num_games} games would exceed 2**64 - 1")
    seeds = seeds.astype(np.uint64)
    return seeds if seeds.shape else seeds + np.arange(num_games, dtype=np.uint64)


def checked_actions(actions: ArrayLike, deciding: NDArray) -> NDArray[np.int8]:
    """Return the actions, 0 or 1 where `deciding`, as contiguous int8 of its shape; others are ignored."""
    array = np.asarray(actions)
    if array.shape != deciding.shape or array.dtype.kind not in "iub":
        raise ValueError(
            f"actions of shape {array.shape} and dtype {array.dtype}; integers of shape {deciding.shape}, "
            "0 (CONTINUE) or 1 (LEAVE), are allowed"
        )
    small = array if array.dtype == INT8 else np.where((array == 0) | (array == 1), array, 2).astype(INT8)
    checked = _plain(small)
    if not are_legal(checked.reshape(-1)) and (wrong := (checked >> 1 != 0) & (deciding != 0)).any():
        index = tuple(np.argwhere(wrong)[0].tolist())
        where = ", ".join(map(str, index))
        raise ValueError(f"actions[{where}] = {array[index]}; 0 (CONTINUE) and 1 (LEAVE) are allowed")
    return checked
