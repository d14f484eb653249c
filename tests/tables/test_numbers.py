"""Sums over columns of numbers: exact against NumPy and SciPy, and the same in any cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import skew

from lowdim.tables import numbers
from lowdim.tables.numbers import MOST_DIGITS, merged, number_sums, sums_of_counts


def columns(rng, n=400):
    """Normal, skewed positive, with zeros, whole, with missing values."""
    X = np.column_stack(
        [
            rng.normal(3.0, 2.0, size=n),
            rng.lognormal(size=n),
            rng.poisson(1.0, size=n),
            rng.integers(-5, 5, size=n),
            np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        ]
    )
    return X


def test_moments_are_those_of_numpy_and_scipy(rng):
    X = columns(rng)
    sums = number_sums(X)
    np.testing.assert_array_equal(sums.values.count, (~np.isnan(X)).sum(axis=0))
    np.testing.assert_allclose(sums.mean, np.nanmean(X, axis=0), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(sums.deviation, np.nanstd(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        sums.values.skewness, skew(X, nan_policy="omit"), rtol=1e-9, atol=1e-12
    )


def test_logarithms_are_summed_over_positive_values(rng):
    X = columns(rng)
    logs = number_sums(X).logs
    assert logs.count[[0, 3, 4]].tolist() == [0, 0, 0]  # there are negative values
    for f in (1, 2):
        y = np.log(X[X[:, f] > 0, f])
        np.testing.assert_allclose(
            [logs.mean[f], logs.variance[f], logs.skewness[f]], [y.mean(), y.var(), skew(y)], 1e-9
        )


def test_any_cut_gives_the_same_sums(rng, monkeypatch):
    X = columns(rng)
    monkeypatch.setattr(numbers, "BLOCK_BYTES", 2000)
    whole = number_sums(X)
    cuts = sorted(rng.integers(0, len(X), size=3).tolist())
    parts = [number_sums(part) for part in np.split(X, cuts) if len(part)]
    total = parts[0]
    for part in parts[1:]:
        total = merged(total, part)
    for name in ("low", "high", "least_positive", "zeros", "infinite", "whole"):
        np.testing.assert_array_equal(getattr(total, name), getattr(whole, name), err_msg=name)
    # n u of rounding: n = 400 additions
    np.testing.assert_allclose(total.mean, whole.mean, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(total.deviation, whole.deviation, rtol=1e-13)
    np.testing.assert_allclose(total.values.cube, whole.values.cube, rtol=1e-9, atol=1e-9)


def test_a_part_without_values_changes_nothing(rng):
    X = columns(rng, 50) + 1e6
    empty = number_sums(np.full((3, X.shape[1]), np.nan))
    both, whole = merged(empty, number_sums(X)), number_sums(X)
    np.testing.assert_array_equal(both.mean, whole.mean)
    np.testing.assert_array_equal(both.deviation, whole.deviation)
    np.testing.assert_array_equal(merged(number_sums(X), empty).mean, whole.mean)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_scale_does_not_matter(rng, size):
    x = rng.normal(size=(100, 1))
    sums = number_sums(x * size)
    np.testing.assert_allclose(sums.deviation, x.std() * size, rtol=1e-12)
    np.testing.assert_allclose(sums.values.skewness, skew(x), rtol=1e-9)


def test_parts_of_very_different_size_are_merged(rng):
    small, large = rng.normal(size=(50, 1)), 1e200 * rng.normal(size=(50, 1))
    both = merged(number_sums(small), number_sums(large))
    np.testing.assert_allclose(both.mean, np.concatenate([small, large]).mean(), rtol=1e-12)


def test_data_far_from_zero_keep_their_digits(rng):
    x = 1e8 + rng.normal(size=(1000, 1))
    np.testing.assert_allclose(number_sums(x).deviation, x.std(), rtol=1e-7)


def test_infinite_values_are_counted_and_left_out():
    sums = number_sums(np.array([[1.0], [np.inf], [-np.inf], [3.0]]))
    assert sums.infinite.tolist() == [2]
    assert (sums.mean.tolist(), sums.low.tolist(), sums.high.tolist()) == ([2.0], [1.0], [3.0])


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 9)), min_size=1, max_size=20))
def test_counts_of_values_stand_for_the_values(pairs):
    values = np.array([value / 4 for value, _ in pairs])
    counts = np.array([count for _, count in pairs])
    weighted, plain = (
        sums_of_counts(values, counts),
        number_sums(np.repeat(values, counts)[:, None]),
    )
    assert weighted.values.count == plain.values.count
    assert weighted.zeros == plain.zeros
    np.testing.assert_allclose(weighted.mean, plain.mean, atol=1e-12)
    np.testing.assert_allclose(weighted.deviation, plain.deviation, atol=1e-9)
    np.testing.assert_allclose(weighted.logs.mean, plain.logs.mean, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "digits"),
    [
        ([1.0, 20.0, np.nan], 0),
        ([18.7, 3.0], 1),
        ([0.125, 100.25], 3),
        ([1 / 3], MOST_DIGITS + 1),
        ([123456.78], 2),
        ([0.1 + 0.2, 1.0], 1),
        ([8.302044618, 1.5], 9),
        ([500123.1234567], 7),
        ([0.123456789012345], 15),
        ([3e-14, 5e-14], 14),
        ([5e12, 0.25], 2),
        ([1e308, 0.5], MOST_DIGITS + 1),
        ([1 / 3, 2 / 3, 1 / 7], MOST_DIGITS + 1),
    ],
)
def test_decimals_are_those_that_the_values_need(values, digits):
    assert number_sums(np.array(values)[:, None]).digits.tolist() == [digits]
