"""Means with confidence intervals from games clustered by table.

Tables are independent draws of opponents; games at the same table are not. The table is therefore the sampling unit of
every interval, which includes the variance between tables.
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
    """A mean with its 95 % interval; the bounds are NaN for a single table."""

    mean: float
    low: float
    high: float

    @property
    def longer_side(self) -> float:
        """The longer side of the interval."""
        return max(self.high - self.mean, self.mean - self.low)


def mean_of_tables(totals: ArrayLike, games: ArrayLike, among: int = 1) -> Estimate:
    """Return the mean per game of a value such as the score, or of a difference, by Student's t over tables.

    `totals` and `games`, (tables,), are sums and numbers of games; `among` intervals hold jointly (Bonferroni).
    """
    mean, variance, _, tables = _ratio(totals, games)
    if tables < 2:
        return Estimate(mean, math.nan, math.nan)
    half = _quantile(tables, among) * math.sqrt(variance)
    return Estimate(mean, mean - half, mean + half)


def share_of_tables(totals: ArrayLike, games: ArrayLike, among: int = 1) -> Estimate:
    """Return the mean per game of a share between 0 and 1, by Wilson's interval (1927); see `mean_of_tables`.

    It uses the effective sample size: the number of independent games with the same variance.
    """
    mean, effective, tables = _effective_games(totals, games)
    if tables < 2:
        return Estimate(mean, math.nan, math.nan)
    weight = _quantile(tables, among) ** 2 / effective
    centre = (mean + weight / 2) / (1 + weight)
    half = math.sqrt(weight * mean * (1 - mean) + weight**2 / 4) / (1 + weight)
    return Estimate(mean, centre - half, centre + half)


def p_value_of_share(totals: ArrayLike, games: ArrayLike, fair: float) -> float:
    """Return the two-sided p-value of mean share = `fair`: below 0.05 where Wilson's interval excludes `fair`."""
    mean, effective, tables = _effective_games(totals, games)
    if tables < 2 or not 0 < fair < 1:
        return 1.0
    deviation = abs(mean - fair) / math.sqrt(fair * (1 - fair) / effective)
    return float(2 * special.stdtr(tables - 1, -deviation))


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Return p-values with Holm's correction (1979), which bounds the family-wise error rate under any dependence."""
    raw = np.asarray(p_values, float)
    order = np.argsort(raw)
    steps = raw[order] * np.arange(len(raw), 0, -1)
    corrected = np.empty_like(raw)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def _ratio(totals: ArrayLike, games: ArrayLike) -> tuple[float, float, int, int]:
    """Return the mean per game, its variance, the number of games and the number of tables."""
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
