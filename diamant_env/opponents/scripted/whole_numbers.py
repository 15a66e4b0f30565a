"""Comparisons in whole numbers: where an agent promises to leave at a tie, no rounding decides.

All that an observation shows is whole but two quotients, whose numerators and denominator the deck's counts give. A
parameter is the decimal number that its text shows: 0.1 is a tenth, which no float is.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import FIELDS, NUM_FEATURES, SLICES, Observations

_LARGEST_IN_FLOAT64 = 10**9  # of parameters: gems, cards and players multiply them by less than 2^23
_CLOSE = np.float32(1e-4)  # far beyond what float32 rounds off, and rarely met but in a tie
_COUNTS = ("treasures_left", "traps_left", "relics_left")  # side by side
_DECK = slice(SLICES[_COUNTS[0]].start, SLICES[_COUNTS[-1]].stop)
_CARDS = np.concatenate([np.full(field.size, field.scale, np.float32) for field in FIELDS if field.name in _COUNTS])


def decimal(parameter: float) -> Fraction:
    """Return the number that the text of a parameter shows."""
    return Fraction(repr(float(parameter)))


@functools.lru_cache
def in_whole_numbers(*numbers: Fraction | float) -> tuple[int, ...]:
    """Return whole numbers in the ratios of 1 and these: of 0.75 and 2 they are (4, 3, 8)."""
    fractions = [number if isinstance(number, Fraction) else decimal(number) for number in numbers]
    one = math.lcm(*(fraction.denominator for fraction in fractions))
    return one, *(int(fraction * one) for fraction in fractions)


class WholeNumbers(Observations):
    """Observations as whole numbers: float64 while that holds all products exactly, else Python's (dtype object).

    Args:
        obs: The observations.
        largest: The largest number that they are multiplied by.
    """

    def __init__(self, obs: Observations, largest: int) -> None:
        super().__init__(obs.flat)
        self._fits = largest <= _LARGEST_IN_FLOAT64

    def __getitem__(self, name: str) -> NDArray:
        return self._whole(super().__getitem__(name))

    def next_card(self) -> tuple[NDArray, NDArray, NDArray]:
        """Return the cards of the deck, those that bust, and what all bring each player inside, each (rows,).

        `bust_chance` is the second and `expected_share` the third, by the first.
        """
        cards, rounded = self.flat[..., _DECK] @ _CARDS, Observations(self.flat)
        fatal, shared = (np.rint(rounded[name] * cards) for name in ("bust_chance", "expected_share"))
        return self._whole(cards), self._whole(fatal), self._whole(shared)

    def _whole(self, numbers: NDArray[np.float32]) -> NDArray:
        return numbers.astype(np.float64) if self._fits else numbers.astype(np.int64).astype(object)


def at_least(
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    obs: Observations,
    exactly: Callable[[Observations], NDArray[np.bool_]],
) -> NDArray[np.bool_]:
    """Return bool (rows,): where `left` >= `right`, two rounded sums of what is never negative.

    `exactly` answers for the rows in which they are close, without rounding.
    """
    result = np.asarray(left >= right)
    close = np.flatnonzero(np.abs(left - right) < _CLOSE * right)
    if len(close):
        result.reshape(-1)[close] = exactly(Observations(obs.flat.reshape(-1, NUM_FEATURES)[close]))
    return result
