"""Figures of many tasks and seeds as one, with an interval.

The interquartile mean over all runs of an algorithm, and a bootstrap stratified by task: what Agarwal et al. (Deep
reinforcement learning at the edge of the statistical precipice, NeurIPS 2021) ask for, by `scipy.stats`. Their own
library rliable does the same and brings ten packages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from diamant_env.judging.intervals import CONFIDENCE, Estimate

REFERENCES = ("random:0.2", "ev:0.75")
"""Whose points are 0 and 1 of a normalised score, in each task."""
RESAMPLES = 2000


def interquartile_mean(values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Return the mean of the middle half."""
    return stats.trim_mean(values, 0.25, axis=axis)


def normalised(results: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """Return the normalised scores of all runs, by algorithm and task.

    Args:
        results: What `BenchmarkRun.play` returns, of the `REFERENCES` too: tasks without them are left out, and so is
            one in which the second is no better than the first.
    """
    scale = {}
    points = {(row["task"], row["algorithm"]): row["points"] for row in results if row["algorithm"] in REFERENCES}
    for task in {row["task"] for row in results}:
        low, high = (points.get((task, reference)) for reference in REFERENCES)
        if low is not None and high is not None and high > low:
            scale[task] = low, high
    scores: dict[str, dict[str, list[float]]] = {}
    for row in results:
        if row["task"] in scale:
            low, high = scale[row["task"]]
            by_task = scores.setdefault(row["algorithm"], {}).setdefault(row["task"], [])
            by_task.append((row["points"] - low) / (high - low))
    return scores


def aggregate(by_task: Mapping[str, Sequence[float]], seed: int = 0) -> Estimate:
    """Return the interquartile mean of normalised scores with its 95 % interval over seeds.

    Args:
        by_task: The scores of the runs of one algorithm, by task.
        seed: Of the bootstrap.

    The interval is NaN where a task has one run alone: nothing is known about another seed.
    """
    runs = [np.asarray(scores, float) for scores in by_task.values()]
    mean = float(interquartile_mean(np.concatenate(runs)))
    if min(map(len, runs)) < 2:
        return Estimate(mean, np.nan, np.nan)

    def statistic(*samples: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        return interquartile_mean(np.concatenate(samples, axis=axis), axis)

    # Several samples are resampled each by itself: the tasks are the strata.
    found = stats.bootstrap(
        runs,
        statistic,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    )
    return Estimate(mean, float(found.confidence_interval.low), float(found.confidence_interval.high))
