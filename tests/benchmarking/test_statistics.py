"""Statistics over tasks against values by hand and the library's definitions."""

import numpy as np
import pytest
from scipy import stats

from tests.benchmarking.test_tables_of_tasks import solved
from train.benchmarking.reporting.aggregate import exact_scores, score_table
from train.benchmarking.reporting.statistics import estimate, improvement, iqm, ratio

RNG = np.random.default_rng(0)
OURS = [RNG.normal(0.9, 0.05, 10), RNG.normal(0.7, 0.1, 7)]
THEIRS = [RNG.normal(0.88, 0.05, 10), RNG.normal(0.75, 0.1, 5)]


def test_interquartile_mean_trims_a_quarter_of_all_runs_at_both_ends():
    assert iqm(OURS) == pytest.approx(stats.trim_mean(np.concatenate(OURS), 0.25))
    assert iqm([np.array([0.0, 1.0]), np.array([5.0, 100.0])]) == 3


def test_probability_of_improvement_is_the_mann_whitney_statistic_of_each_task():
    each = [stats.mannwhitneyu(a, b).statistic / (len(a) * len(b)) for a, b in zip(OURS, THEIRS, strict=True)]
    assert improvement(OURS, THEIRS) == pytest.approx(np.mean(each))
    assert improvement(OURS, OURS) == 0.5  # ties count one half


def test_ratio_is_the_geometric_mean_of_distances():
    assert ratio([np.array([0.5, 0.7]), np.array([0.8])], [np.array([0.9]), np.array([0.2])]) == pytest.approx(1)
    assert np.isfinite(ratio([np.array([1.0, 1 + 1e-12])], [np.array([0.5])]))


def test_bootstrap_resamples_within_tasks():
    found = estimate(iqm, [np.full(5, 0.2), np.full(5, 0.8)])
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert np.isnan(estimate(iqm, [np.full(5, 0.2), np.full(4, 0.8)]).low)  # too few runs for an interval
    runs = RNG.normal(size=400)
    found = estimate(lambda scores: scores[0].mean(axis=-1), [runs])
    half = 1.96 * runs.std() / 20
    assert (found.low, found.high) == pytest.approx((runs.mean() - half, runs.mean() + half), abs=0.1 * half)


def test_scores_are_relative_to_the_reference_and_of_all_exact_tasks():
    rows = [
        *(solved("random:0.2", conv, task, kind="scripted") for conv, task in ((10.0, "expedition-2"), (2.0, "small"))),
        *(solved("ppo", conv, task) for conv, task in ((1.0, "expedition-2"), (1.0, "small"))),
        *(solved("psro", conv, task) for conv, task in ((5.0, "expedition-2"), (0.5, "small"))),
        solved("lacks one", 0.1),
    ]
    assert {name: [each.tolist() for each in scores] for name, scores in exact_scores(rows).items()} == {
        "ppo": [[0.9], [0.5]],
        "psro": [[0.5], [0.75]],
    }
    # The geometric mean of 5 and 0.5 is 1.58.
    assert "| `psro` | 2 | 0.625 (–) | 1.58 (–) | 0.50 (–) |" in score_table(rows)
