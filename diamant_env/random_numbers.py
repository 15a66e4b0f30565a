"""Counter-based random numbers of a game: the SplitMix64 finalizer of key and counter.

A turn's card depends on (key, expedition, turn) only. Source: Steele, Lea, Flood: Fast splittable pseudorandom number
generators, OOPSLA 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from diamant_env.compilation import jit, uncompiled

DECK = 0
"""The stream of the deck; seat i has stream i + 1."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_LINE_UP = np.uint64(1 << 20)  # above the counters of all seats
_NEXT_GAME = np.uint64(0xD1B54A32D192ED03)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_HALF = np.uint64(32)


@jit(inline=True)
def mix(key: Any, counter: Any) -> Any:
    """Return 64 random bits (uint64) for this counter under this key."""
    bits = key + _GAMMA * (counter + np.uint64(1))
    bits = (bits ^ (bits >> _SHIFTS[0])) * _MULTIPLIER_1
    bits = (bits ^ (bits >> _SHIFTS[1])) * _MULTIPLIER_2
    return bits ^ (bits >> _SHIFTS[2])


@jit(inline=True)
def random_bits(key: Any, expedition: int, turn: int, stream: int) -> Any:
    """Return 32 random bits as an int for a turn and stream."""
    counter = np.uint64((np.int64(stream) * 128 + expedition) * 128 + turn)
    return np.int64(mix(key, counter) >> _HALF)


@jit(inline=True)
def random_below(key: Any, expedition: int, turn: int, limit: int) -> Any:
    """Return the deck's random integer in [0, limit) for a turn."""
    return (random_bits(key, expedition, turn, DECK) * limit) >> 32


def keys_of_seeds(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the keys, uint64 (N,), of games from their seeds, uint64 (N,)."""
    zeros = np.zeros_like(seeds)
    return uncompiled(mix)(uncompiled(mix)(seeds, zeros), zeros)


def keys_of_next_games(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the keys, uint64 (N,), of the next games in the sequences of `keys`."""
    return uncompiled(mix)(keys ^ _NEXT_GAME, np.zeros_like(keys))


def first_draw_below(keys: NDArray[np.uint64], limit: int) -> NDArray[np.int64]:
    """Return a random integer in [0, limit) per key, int64 (N,), from the reserved counter 0."""
    bits = uncompiled(mix)(keys, np.zeros_like(keys)) >> _HALF
    return (bits.astype(np.int64) * limit) >> np.int64(32)


def matchup_bits(keys: NDArray[np.uint64], number: int) -> NDArray[np.uint64]:
    """Return random bits for the opponents of the games of `keys` (N,), uint64 (N, number)."""
    return uncompiled(mix)(keys[:, None], _LINE_UP + np.arange(number, dtype=np.uint64))


@jit
def key_of_next_game(key: Any) -> Any:
    """Return the key of the next game in a sequence."""
    return mix(key ^ _NEXT_GAME, np.uint64(0))
