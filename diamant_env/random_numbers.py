"""A game's random numbers: its key and a counter go through the finalizer of SplitMix64.

So the card of a turn depends on (key, expedition, turn) alone. Source: Steele, Lea, Flood: Fast splittable pseudorandom
number generators, OOPSLA 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from diamant_env.native.compiled import jit

DECK = 0
"""The stream of the deck; seat i has stream i + 1."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_NEXT_GAME = np.uint64(0xD1B54A32D192ED03)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_HALF = np.uint64(32)


@jit
def mix(key: Any, counter: Any) -> Any:
    """Return 64 random bits (uint64) for this counter under this key."""
    bits = key + _GAMMA * (counter + np.uint64(1))
    bits = (bits ^ (bits >> _SHIFTS[0])) * _MULTIPLIER_1
    bits = (bits ^ (bits >> _SHIFTS[1])) * _MULTIPLIER_2
    return bits ^ (bits >> _SHIFTS[2])


@jit
def random_bits(key: Any, expedition: int, turn: int, stream: int) -> Any:
    """Return 32 random bits as an int for this turn of this expedition in this stream."""
    counter = np.uint64((np.int64(stream) * 128 + expedition) * 128 + turn)
    return np.int64(mix(key, counter) >> _HALF)


@jit
def random_below(key: Any, expedition: int, turn: int, limit: int) -> Any:
    """Return the deck's random integer in [0, limit) for this turn."""
    return (random_bits(key, expedition, turn, DECK) * limit) >> 32


@jit
def key_of_seed(seed: int) -> Any:
    """Return the key (uint64) of the game with this seed."""
    return mix(mix(np.uint64(seed), np.uint64(0)), np.uint64(0))


@jit
def key_of_next_game(key: Any) -> Any:
    """Return the key of the game that follows in the same place."""
    return mix(key ^ _NEXT_GAME, np.uint64(0))
