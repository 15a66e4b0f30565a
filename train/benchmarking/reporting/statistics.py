"""Statistics over the runs of several tasks: interquartile mean, ratios of distances with two intervals.

Agarwal et al.: Deep reinforcement learning at the edge of the statistical precipice (NeurIPS 2021). Their library
`rliable` does not import beside today's pandas. Intervals are 95 % percentile bootstraps, stratified: the runs of each
task are resampled on their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from diamant_env.evaluation.intervals import Estimate

RESAMPLES = 10_000
FEWEST = 5
"""Runs of a task from which on an interval is given: a bootstrap of fewer is too narrow."""
_SOLVED = 1e-9  # distance from which on a task is solved, so that ratios are finite

Scores = Sequence[NDArray[np.float64]]
"""An algorithm's scores: for each task those of its runs, float64 (..., runs)."""


def iqm(scores: Scores) -> NDArray[np.float64]:
    """Return the interquartile mean over all runs of all tasks, float64 (...,): a quarter is cut at both ends."""
    ordered = np.sort(np.concatenate(scores, axis=-1))
    cut = ordered.shape[-1] // 4
    return ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1)


def ratio(theirs: Scores, ours: Scores) -> NDArray[np.float64]:
    """Return the geometric mean over tasks of the ratio of mean distances to a score of 1, float64 (...,)."""
    logs = ([np.log(np.maximum(1 - runs.mean(axis=-1), _SOLVED)) for runs in scores] for scores in (theirs, ours))
    return np.exp(np.mean([a - b for a, b in zip(*logs, strict=True)], axis=0))


class Comparison(NamedTuple):
    """Ratio of an algorithm's distance to that of the baseline, below 1 if it is better."""

    fixed: Estimate  # interval with these tasks, over their runs
    resampled: Estimate  # interval with tasks resampled too
    p_value: float  # two-sided, with these tasks

    @property
    def excludes_one(self) -> bool:
        """Whether both intervals exclude equality."""
        return all(each.low > 1 or each.high < 1 for each in (self.fixed, self.resampled))


def compare(theirs: Scores, ours: Scores, seed: int = 0) -> Comparison:
    """Return the comparison of two algorithms' runs in the same tasks; bounds are NaN below `FEWEST` runs of a task."""
    random, value = np.random.default_rng(seed), float(ratio(theirs, ours))
    if min(len(runs) for runs in (*theirs, *ours)) < FEWEST:
        unknown = Estimate(value, math.nan, math.nan)
        return Comparison(unknown, unknown, 1.0)
    logs = [
        np.log(np.maximum(1 - runs[random.integers(0, len(runs), (RESAMPLES, len(runs)))].mean(axis=-1), _SOLVED))
        for runs in (*theirs, *ours)
    ]
    differences = np.subtract(logs[: len(theirs)], logs[len(theirs) :])  # (tasks, RESAMPLES)
    chosen = random.integers(0, len(theirs), differences.shape)
    means = differences.mean(axis=0), np.take_along_axis(differences, chosen, axis=0).mean(axis=0)
    fixed, resampled = (Estimate(value, *np.exp(np.quantile(each, [0.025, 0.975])).tolist()) for each in means)
    tail = min(np.count_nonzero(means[0] >= 0), np.count_nonzero(means[0] <= 0))
    return Comparison(fixed, resampled, min(1.0, 2 * (tail + 1) / (RESAMPLES + 1)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979)."""
    order, adjusted, largest = np.argsort(p_values), [math.nan] * len(p_values), 0.0
    for rank, number in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[number]))
        adjusted[number] = largest
    return adjusted
