"""Statistics over the runs of several tasks: interquartile mean, probability of improvement.

Agarwal et al.: Deep reinforcement learning at the edge of the statistical precipice (NeurIPS 2021). Their library
`rliable` does not import beside today's pandas. Intervals are 95 % percentile bootstraps, stratified: the runs of each
task are resampled on their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from diamant_env.evaluation.intervals import Estimate

RESAMPLES = 2_000
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


def improvement(ours: Scores, theirs: Scores) -> NDArray[np.float64]:
    """Return the probability that a run has a higher score than one of another algorithm, the mean over tasks.

    Ties count one half, as in the Mann-Whitney statistic.
    """
    pairs = ((a[..., :, None], b[..., None, :]) for a, b in zip(ours, theirs, strict=True))
    return np.mean([((a > b) + 0.5 * (a == b)).mean(axis=(-2, -1)) for a, b in pairs], axis=0)


def estimate(statistic: Callable[..., NDArray[np.float64]], *algorithms: Scores, seed: int = 0) -> Estimate:
    """Return a statistic of algorithms with its interval.

    `statistic` takes the `Scores` of each algorithm and keeps leading axes, over which they are resampled. The bounds
    are NaN if a task has less than `FEWEST` runs.
    """
    random, value = np.random.default_rng(seed), float(statistic(*algorithms))
    if min(len(runs) for scores in algorithms for runs in scores) < FEWEST:
        return Estimate(value, math.nan, math.nan)
    resampled = [
        [runs[random.integers(0, len(runs), (RESAMPLES, len(runs)))] for runs in scores] for scores in algorithms
    ]
    low, high = np.quantile(statistic(*resampled), [0.025, 0.975])
    return Estimate(value, float(low), float(high))
