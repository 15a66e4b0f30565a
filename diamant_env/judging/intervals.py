"""Means with intervals from games that come in groups: the games of one table share who sits there.

Tables are drawn independently of each other, games at one table are not independent draws of a line-up. So the table
is the unit of every interval here: what is uncertain because few line-ups were drawn is in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval; the bounds are NaN where one table alone was played."""

    mean: float
    low: float
    high: float


def mean_of_tables(totals: ArrayLike, games: ArrayLike, among: int = 1) -> Estimate:
    """Return the mean per game of a value such as the score, or of a difference, by Student's t over tables.

    Args:
        totals: float (tables,), the sum of the value over the games of each table.
        games: int (tables,), the number of games of each table; tables of none are left out.
        among: Of so many intervals all hold together with 95 % (Bonferroni), as the largest of several needs.
    """
    mean, variance, _, tables = _ratio(totals, games)
    if tables < 2:
        return Estimate(mean, math.nan, math.nan)
    half = _quantile(tables, among) * math.sqrt(variance)
    return Estimate(mean, mean - half, mean + half)


def share_of_tables(totals: ArrayLike, games: ArrayLike, among: int = 1) -> Estimate:
    """Return the mean per game of a share between 0 and 1, by Wilson's interval over tables.

    Wilson's interval (1927) stays inside 0 to 1 and has a width even where no game or every game was won. It takes
    the effective number of games: so many independent games would be as uncertain as these tables are.

    Args:
        totals: float (tables,), the sum of the share over the games of each table.
        games: See `mean_of_tables`.
        among: See `mean_of_tables`.
    """
    mean, effective, tables = _effective_games(totals, games)
    if tables < 2:
        return Estimate(mean, math.nan, math.nan)
    weight = _quantile(tables, among) ** 2 / effective
    centre = (mean + weight / 2) / (1 + weight)
    half = math.sqrt(weight * mean * (1 - mean) + weight**2 / 4) / (1 + weight)
    return Estimate(mean, centre - half, centre + half)


def p_value_of_share(totals: ArrayLike, games: ArrayLike, fair: float) -> float:
    """Return the two-sided p-value of "the mean share is `fair`": below 0.05 where Wilson's interval excludes it."""
    mean, effective, tables = _effective_games(totals, games)
    if tables < 2 or not 0 < fair < 1:
        return 1.0
    deviation = abs(mean - fair) / math.sqrt(fair * (1 - fair) / effective)
    return float(2 * special.stdtr(tables - 1, -deviation))


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Return p-values corrected for their number (Holm 1979).

    Calling all below 0.05 significant makes a false claim in at most 5 % of such families, however they depend.
    """
    given = np.asarray(p_values, float)
    order = np.argsort(given)
    steps = given[order] * np.arange(len(given), 0, -1)
    corrected = np.empty_like(given)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def _ratio(totals: ArrayLike, games: ArrayLike) -> tuple[float, float, int, int]:
    """Return the mean per game, the variance of that mean, the games and the tables."""
    games = np.asarray(games)
    totals, games = np.asarray(totals, float)[games > 0], games[games > 0]
    tables, count = len(games), int(games.sum())
    mean = float(totals.sum() / count)
    if tables < 2:
        return mean, math.nan, count, tables
    spread = ((totals - mean * games) ** 2).sum() * tables / (tables - 1)
    return mean, float(spread / count**2), count, tables


def _effective_games(totals: ArrayLike, games: ArrayLike) -> tuple[float, float, int]:
    mean, variance, count, tables = _ratio(totals, games)
    return mean, mean * (1 - mean) / variance if variance > 0 else float(count), tables


def _quantile(tables: int, among: int) -> float:
    return float(-special.stdtrit(tables - 1, (1 - CONFIDENCE) / (2 * among)))
