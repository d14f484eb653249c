"""Normal scores: the normal quantile of the place of a number, there and back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri
from scipy.stats import kstest

from lowdim.tables.ranks import ranks_of, steps_of
from lowdim.tables.scores import scores_of
from tests.tables.test_ranks import COLUMNS


def made(x):
    return scores_of(steps_of(ranks_of(np.asarray(x, dtype=float))))


def raw(scores, y):
    """Not yet minus their mean, over their deviation."""
    return scores.of(np.asarray(y, dtype=float)) * scores.scale + scores.center


def test_scores_worked_by_hand():
    """Of rows 1, 2, 2, 4 shares are 1/8, 3/8 to 5/8, 7/8; 3 is midway from 5/8 to 7/8."""
    scores = made([1.0, 2.0, 2.0, 4.0])
    assert_allclose(raw(scores, [1, 2, 3, 4]), ndtri([1 / 8, 1 / 2, 3 / 4, 7 / 8]), atol=1e-12)
    a = ndtri(7 / 8)
    assert scores.center == pytest.approx(0.0, abs=1e-12)
    assert scores.scale == pytest.approx(np.sqrt(a**2 / 2))
    # the least number and the first that is a score above it: 1 and 2, a apart
    assert_allclose(raw(scores, [0.5]), [-a - 0.5 * a], atol=1e-12)


def test_any_score_of_a_frequent_number_is_this_number():
    scores = made([0.0] * 60 + list(range(1, 41)))
    z = (ndtri(np.linspace(0.006, 0.594, 50)) - scores.center) / scores.scale
    assert_array_equal(scores.back(z), np.zeros(50))


@pytest.mark.parametrize("column", COLUMNS)
def test_numbers_come_back_and_scores_rise_with_them(column, rng):
    x = COLUMNS[column](rng, 20_000)
    unit = np.abs(x).max()
    scores = scores_of(steps_of(ranks_of(x))._replace(values=steps_of(ranks_of(x)).values / unit))
    y = np.sort(np.concatenate([x / unit, rng.uniform(-1.5, 1.5, 500)]))
    z = scores.of(y)
    assert np.all(np.diff(z) >= 0) and np.isfinite(z).all()
    # a share is known to 1e-16, and the line to shares has a slope of about n / range
    assert_allclose(scores.back(scores.of(x / unit)), x / unit, atol=1e-11)


@pytest.mark.parametrize("column", ["normal", "far from zero", "heavy tail", "huge", "tiny"])
def test_scores_of_different_numbers_are_normal_and_normal_draws_are_such_numbers(column, rng):
    x = COLUMNS[column](rng, 20_000)
    unit = np.abs(x).max()
    steps = steps_of(ranks_of(x))
    scores = scores_of(steps._replace(values=steps.values / unit))
    z = scores.of(x / unit)
    assert kstest(z, "norm").statistic < 0.005  # ranks are exact but between kept numbers
    assert abs(z.mean()) < 0.005 and abs(z.std() - 1) < 0.005
    drawn = scores.back(rng.normal(size=20_000)) * unit
    assert kstest(drawn, x).statistic < 2.2 * np.sqrt(2 / 20_000)  # 1 in 8000


def test_few_numbers_are_drawn_as_often_as_they_are(rng):
    x = rng.choice([1.0, 2.0, 5.0, 9.0], p=[0.6, 0.25, 0.1, 0.05], size=3000)
    scores = made(x)
    z = scores.of(x)
    assert abs(z.mean()) < 1e-9 and abs(z.std() - 1) < 1e-9
    normal = (rng.normal(size=20_000) - scores.center) / scores.scale
    drawn = scores.back(normal)
    for value in (1.0, 2.0, 5.0, 9.0):  # but for draws in the gap between two of them
        assert abs((drawn == value).mean() - (x == value).mean()) < 0.015


def test_numbers_beyond_the_ends_go_on_straight_and_come_back(rng):
    scores = made(rng.normal(size=500))
    y = np.array([-40.0, -5.0, 5.0, 1e6])
    assert_allclose(scores.back(scores.of(y)), y, rtol=1e-9)
    assert 0.5 < scores.above < 2 and 0.5 < scores.below < 2  # 1 for a normal column
    assert np.all(np.diff(scores.of(y)) > 0)


def test_missing_numbers_stay_missing(rng):
    scores = made(rng.normal(size=20))
    assert np.isnan(scores.of(np.array([np.nan, 0.0]))).tolist() == [True, False]
    assert np.isnan(scores.back(np.array([np.nan, 0.0]))).tolist() == [True, False]


def test_one_number_or_none_has_no_scores():
    assert made([3.0, 3.0]) is None
    assert made([np.nan]) is None
