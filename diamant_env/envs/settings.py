"""What a caller may set, checked: whole numbers, and how many expeditions a game has."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from diamant_env.editions import MAX_EXPEDITIONS, Edition

MAX_SEED = 2**64 - 1


def whole_number(name: str, value: Any, low: int, high: int | None = None, or_else: str = "") -> int:
    """Return a setting as an int.

    Raises:
        ValueError: If it is no whole number from `low` to `high`; the message says what is allowed, `or_else` too.
    """
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        limits = f"at least {low}" if high is None else f"{low} to {'2**64 - 1' if high == MAX_SEED else high}"
        raise ValueError(f"{name}={value!r}; {or_else}a whole number, {limits}, is allowed")
    return number


def with_expeditions(edition: Edition, expeditions: int) -> Edition:
    """Return an edition with another number of expeditions, which its name says.

    Raises:
        ValueError: If it can't be played so, with the reason.
    """
    number = whole_number("expeditions", expeditions, 1, MAX_EXPEDITIONS, "None or ")
    if number == edition.expeditions:
        return edition
    return dataclasses.replace(edition, name=f"{edition.name}, expeditions={number}", expeditions=number)
