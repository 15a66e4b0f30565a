"""Confidence intervals over tables against closed forms."""

import math

import numpy as np
import pytest

from diamant_env.evaluation.intervals import holm, mean_of_tables, p_value_of_share, share_of_tables

TOTALS, GAMES = np.array([3.0, 5.0, 10.0]), np.array([2, 2, 4])
MEAN = 18 / 8
VARIANCE = ((3 - 2 * MEAN) ** 2 + (5 - 2 * MEAN) ** 2 + (10 - 4 * MEAN) ** 2) * 3 / 2 / 8**2
SHARES, SHARE = np.array([1.0, 2.0, 0.5]), 3.5 / 8
SHARE_VARIANCE = ((1 - 2 * SHARE) ** 2 + (2 - 2 * SHARE) ** 2 + (0.5 - 4 * SHARE) ** 2) * 3 / 2 / 8**2
EFFECTIVE = SHARE * (1 - SHARE) / SHARE_VARIANCE


def student(probability: float) -> float:
    """Return the quantile of Student's t with 2 degrees of freedom, which has a closed form."""
    return (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))


@pytest.mark.parametrize(("among", "probability"), [(1, 0.975), (5, 0.995)])
def test_intervals_equal_closed_form(among, probability):
    """Wilson-type bounds: the share found lies `quantile` standard errors of the bound away."""
    quantile = student(probability)
    found = mean_of_tables(TOTALS, GAMES, among)
    half = quantile * math.sqrt(VARIANCE)
    assert (found.mean, found.low, found.high) == pytest.approx((MEAN, MEAN - half, MEAN + half), rel=1e-12)
    found = share_of_tables(SHARES, GAMES, among)
    assert found.mean == SHARE
    assert found.low < SHARE < found.high
    for bound in (found.low, found.high):
        assert abs(bound - SHARE) == pytest.approx(quantile * math.sqrt(bound * (1 - bound) / EFFECTIVE), rel=1e-9)


def test_p_value_equals_closed_form():
    distance = abs(SHARE - 0.25) / math.sqrt(0.25 * 0.75 / EFFECTIVE)
    by_hand = 1 - distance / math.sqrt(2 + distance**2)  # 2 degrees of freedom
    assert p_value_of_share(SHARES, GAMES, 0.25) == pytest.approx(by_hand, rel=1e-9)
    assert p_value_of_share(SHARES, GAMES, SHARE) == 1
    assert p_value_of_share([1.0], [4], 0.1) == 1
    assert [p_value_of_share(SHARES, GAMES, fair) for fair in (0.0, 1.0)] == [1, 1]


@pytest.mark.parametrize("of_tables", [mean_of_tables, share_of_tables])
def test_empty_tables_are_left_out(of_tables):
    assert of_tables([*SHARES, 0.0], [*GAMES, 0]) == of_tables(SHARES, GAMES)
    alone = of_tables([0.5, 0.0], [2, 0])
    assert alone.mean == 0.25
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)


def test_interval_of_zero_or_all_wins():
    """With no or all of 200 games won, the bound is Wilson's: t² / (200 + t²) with 49 degrees of freedom."""
    none, every = share_of_tables(np.zeros(50), np.full(50, 4)), share_of_tables(np.full(50, 4), np.full(50, 4))
    bound = 2.0095752371**2 / (200 + 2.0095752371**2)
    assert (none.mean, none.low, none.high) == pytest.approx((0, 0, bound), abs=1e-9)
    assert (every.mean, every.low, every.high) == pytest.approx((1, 1 - bound, 1), abs=1e-9)


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.4, 0.9]).tolist() == pytest.approx([0.8, 0.9])
    assert holm([0.6, 0.7]).tolist() == [1, 1]
    assert holm([]).tolist() == []
