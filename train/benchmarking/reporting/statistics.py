"""Statistics over the runs of several tasks: interquartile mean, ratios of distances with two intervals.

The interquartile mean is that of Agarwal et al.: Deep reinforcement learning at the edge of the statistical precipice
(NeurIPS 2021), whose library `rliable` does not import beside today's pandas. Intervals are of Welch's t (1947) on
logarithms, with the delta method: a percentile bootstrap of five runs covers 91 %, of ten 94 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from diamant_env.evaluation.intervals import CONFIDENCE, Estimate, mean_of_tables

_SOLVED = 1e-9  # distance from which on a task is solved, so that ratios are finite

Scores = Sequence[NDArray[np.float64]]
"""An algorithm's scores: for each task those of its runs, float64 (runs,)."""


def iqm(scores: Scores) -> float:
    """Return the interquartile mean over all runs of all tasks: a quarter is cut at both ends."""
    ordered = np.sort(np.concatenate(scores))
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


class Comparison(NamedTuple):
    """Ratio of an algorithm's distance to that of the baseline, below 1 if it is better."""

    fixed: Estimate  # interval with these tasks, over their runs
    sampled: Estimate  # interval with tasks as a sample of more
    p_value: float  # two-sided, with these tasks

    @property
    def excludes_one(self) -> bool:
        """Whether both intervals exclude equality."""
        return all(each.low > 1 or each.high < 1 for each in (self.fixed, self.sampled))


def exponential(logarithm: Estimate) -> Estimate:
    """Return the estimate of a ratio from that of its logarithm."""
    return Estimate(*np.exp([logarithm.mean, logarithm.low, logarithm.high]).tolist())


def compare(theirs: Scores, ours: Scores) -> Comparison:
    """Return the geometric mean over tasks of the ratio of mean distances to a score of 1.

    Bounds are NaN if a task has one run, and over tasks if there is one task.
    """
    runs = [np.maximum(1 - scores, _SOLVED) for scores in (*theirs, *ours)]
    logs = np.log([each.mean() for each in runs])
    differences = logs[: len(theirs)] - logs[len(theirs) :]
    mean, tasks = float(differences.mean()), mean_of_tables(differences, np.ones(len(theirs)))
    numbers = np.array([len(each) for each in runs])
    if numbers.min() < 2:
        unknown = Estimate(math.exp(mean), math.nan, math.nan)
        return Comparison(unknown, unknown, 1.0)
    errors = np.array([each.var(ddof=1) / each.mean() ** 2 for each in runs]) / numbers  # variances of the logarithms
    freedom = errors.sum() ** 2 / (errors**2 / (numbers - 1)).sum()
    error = math.sqrt(errors.sum()) / len(theirs)
    half = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return Comparison(
        exponential(Estimate(mean, mean - half, mean + half)),
        exponential(tasks),
        float(2 * special.stdtr(freedom, -abs(mean) / error)),
    )
