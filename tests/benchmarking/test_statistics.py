"""Statistics over tasks against values by hand and the library's definitions."""

import numpy as np
import pytest
from scipy import stats

from tests.benchmarking.test_tables_of_tasks import solved
from train.benchmarking.reporting.aggregate import budget_table, exact_scores, score_table
from train.benchmarking.reporting.statistics import compare, iqm

RNG = np.random.default_rng(0)
OURS = [RNG.normal(0.9, 0.05, 10), RNG.normal(0.7, 0.1, 7)]
THEIRS = [RNG.normal(0.88, 0.05, 10), RNG.normal(0.75, 0.1, 5)]


def test_interquartile_mean_trims_a_quarter_of_all_runs_at_both_ends():
    assert iqm(OURS) == pytest.approx(stats.trim_mean(np.concatenate(OURS), 0.25))
    assert iqm([np.array([0.0, 1.0]), np.array([5.0, 100.0])]) == 3


def test_ratio_is_the_geometric_mean_of_distances():
    single = compare([np.array([0.5, 0.7]), np.array([0.8])], [np.array([0.9]), np.array([0.2])])
    assert single.fixed.mean == pytest.approx(1)
    assert np.isfinite(compare([np.array([1.0, 1 + 1e-12])], [np.array([0.5])]).fixed.mean)


def test_comparison_has_intervals_of_runs_and_of_tasks():
    ours = [1 - np.exp(RNG.normal(-1, 0.1, 40)), 1 - np.exp(RNG.normal(-2, 0.1, 40))]
    same, worse = compare(ours, ours), compare([1 - 2 * (1 - ours[0]), 1 - 1.2 * (1 - ours[1])], ours)
    assert same.fixed.mean == 1
    assert same.p_value > 0.5
    assert worse.p_value < 0.001
    assert worse.fixed.mean == pytest.approx((2 * 1.2) ** 0.5)
    half = 1.96 * (2 * 0.1**2 / 40 / 2) ** 0.5  # of the mean over two tasks of differences of logarithms
    assert np.log(worse.fixed.high / worse.fixed.mean) == pytest.approx(half, rel=0.35)
    assert worse.sampled.low < 1 < 1.3 < worse.fixed.low  # two tasks, of which one has 2 and one 1.2
    assert worse.sampled.high > 1.9 > worse.fixed.high
    assert [each.excludes_one for each in (same, worse, compare([1 - 2 * (1 - ours[0])] * 4, [ours[0]] * 4))] == [
        False,
        False,
        True,
    ]
    assert np.isnan(compare([ours[0][:1]], [ours[0]]).fixed.low)  # no interval of one run


def test_interval_of_equal_tasks_is_that_of_welch():
    ours, theirs = 1 - np.exp(RNG.normal(0, 0.01, 8)), 1 - np.exp(RNG.normal(0, 0.03, 5))
    welch = stats.ttest_ind(np.log(1 - theirs), np.log(1 - ours), equal_var=False)
    comparison = compare([theirs], [ours])
    assert comparison.p_value == pytest.approx(welch.pvalue, rel=0.02)
    interval = np.log([comparison.fixed.low, comparison.fixed.high])
    assert interval == pytest.approx(list(welch.confidence_interval()), rel=0.02)


def test_intervals_cover_the_truth_with_few_runs():
    def covers():
        runs = [1 - np.exp(RNG.normal(0, 0.25, 5)) for _ in range(14)]
        interval = compare(runs[:7], runs[7:]).fixed
        return interval.low < 1 < interval.high

    assert 0.92 < np.mean([covers() for _ in range(1_000)]) < 0.98


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
    assert "| `psro` | 1.58 (–) | 1.58 (–) |  |  |" in score_table(rows)


def test_algorithms_are_compared_at_each_budget_in_the_tasks_of_all():
    def content(budget, **nash_convs):
        runs = [
            *(solved("random:0.2", 10.0, task, kind="scripted") for task in ("expedition-2", "small")),
            *(solved(name, conv) for name, conv in nash_convs.items()),
        ]
        return {"config": {"decisions": budget}, "runs": runs}

    long = content(1_000_000, ppo=1.0, a2c=1.5)
    long["runs"] += [solved("ppo", 1.0, "small"), solved("a2c", 9.0, "small")]
    table = budget_table([long, content(200_000, ppo=2.0, a2c=1.0, psro=3.0)])
    assert table.splitlines()[0] == "| algorithm | 200,000 decisions | 1,000,000 decisions |"
    assert "| `a2c` | 0.50 (–) | 1.50 (–) |" in table
    assert "| `psro` | 1.50 (–) |  |" in table


def test_differences_from_the_baseline_are_bold():
    runs = [solved("random:0.2", 10.0, kind="scripted")]
    for name, mean in (("ppo", 1.0), ("a2c", 5.0), ("psro", 1.03)):
        runs += [solved(name, mean * factor) for factor in (0.9, 1, 1.1)]
    table = budget_table([{"config": {"decisions": 200_000}, "runs": runs}])
    assert "| `a2c` | **5.00 (" in table
    assert "| `psro` | 1.03 (" in table
