"""Figures of many tasks and seeds as one: against means worked out by hand."""

import numpy as np
import pytest

from train.benchmarking.aggregate import REFERENCES, aggregate, interquartile_mean, normalised
from train.benchmarking.page import aggregates

LOW, HIGH = REFERENCES


def row(task, algorithm, points, family="win"):
    return {"task": task, "family": family, "algorithm": algorithm, "points": points}


def test_the_middle_half_is_averaged():
    assert interquartile_mean(np.array([-100.0, 1, 2, 3, 4, 5, 6, 900])) == 3.5
    squares = np.arange(200.0) ** 2
    assert interquartile_mean(np.stack([squares, -squares], axis=1), axis=0).tolist() == [
        squares[50:150].mean(),
        -squares[50:150].mean(),
    ]


def test_the_references_are_0_and_1():
    results = [row("a", LOW, 2.0), row("a", HIGH, 6.0), row("a", "x", 5.0), row("a", "x", 8.0), row("b", "x", 1.0)]
    results += [row("c", LOW, 2.0), row("c", HIGH, 1.0), row("c", "x", 1.0)]
    results += [row("d", LOW, 2.0), row("d", HIGH, 2.0), row("d", "x", 1.0)]
    scores = normalised(results)
    assert scores[LOW] == {"a": [0.0]}
    assert scores[HIGH] == {"a": [1.0]}
    assert scores["x"] == {"a": [0.75, 1.5]}  # b has no references, c's stand the wrong way round, d's are equal


def test_the_interval_is_over_seeds_within_tasks():
    """Tasks differ widely and seeds don't: a bootstrap over all runs alike would be wide."""
    random = np.random.default_rng(0)
    by_task = {task: 10 * task + random.normal(0, 0.1, 5) for task in range(8)}
    found = aggregate(by_task)
    assert found.low < found.mean < found.high
    assert found.high - found.low < 0.5
    assert found == aggregate(by_task)
    same = aggregate({"a": [1.0, 1.0], "b": [3.0, 3.0]})
    assert (same.mean, same.low, same.high) == (2.0, 2.0, 2.0)


def test_the_interval_is_that_of_a_bootstrap_by_tasks():
    """Against resampling by hand: 2.5 % and 97.5 % of the means of the middle half."""
    random = np.random.default_rng(1)
    by_task = {task: random.normal(task, 1 + task, 6) for task in range(5)}
    draws = np.concatenate([runs[random.integers(6, size=(40_000, 6))] for runs in by_task.values()], axis=1)
    means = np.sort(draws, axis=1)[:, 7:23].mean(axis=1)  # of 30, the lowest and the highest 7 are cut off
    low, high = np.quantile(means, [0.025, 0.975])
    found = aggregate(by_task)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.06 * (high - low))


def test_one_seed_has_no_interval():
    found = aggregate({"a": [1.0, 2.0], "b": [3.0]})
    assert found.mean == pytest.approx(2)
    assert np.isnan(found.low)
    assert np.isnan(found.high)


def test_only_who_has_played_all_tasks_is_in_a_group():
    results = [row(task, name, points) for task in "ab" for name, points in ((LOW, 0.0), (HIGH, 1.0), ("x", 0.5))]
    results += [row("c", LOW, 0.0, "score"), row("c", HIGH, 1.0, "score"), row("c", "y", 0.7, "score")]
    found = aggregates(results)
    assert set(found["win"]) == {LOW, HIGH, "x"}
    assert set(found["score"]) == {LOW, HIGH, "y"}
    assert set(found["all"]) == {LOW, HIGH}
    assert aggregates([row("a", "x", 1.0)]) == {}
