"""Least squares from sums."""

import numpy as np
import pytest
import scipy.linalg

from lowdim import OnlineRegression
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.online_regression.sums import (
    by_age,
    mean_square,
    more_rows,
    shortest_solution,
)
from tests.linear.online_regression.examples import rows


def test_mean_square_is_that_of_the_rows(rng):
    X, Y, _ = rows(rng, q=2)
    sums = OnlineRegression()._no_sums(ArrayBlocks(X), Y)
    sums = more_rows(sums, ArrayBlocks(X), Y, None, 1.0)
    coef, intercept = rng.normal(size=(2, 4)), rng.normal(size=2)
    expected = np.mean(np.sum((Y - X @ coef.T - intercept) ** 2, axis=1))
    assert mean_square(sums, coef, intercept) == pytest.approx(expected, rel=1e-10)


def test_what_counts_of_a_row_shrinks_with_each_row_after_it():
    np.testing.assert_allclose(by_age(np.ones(4), 0.5), [0.125, 0.25, 0.5, 1.0])
    np.testing.assert_allclose(by_age(np.array([2.0, 0.0, 1.0]), 0.5), [0.75, 0.0, 1.0])


def test_the_shortest_solution_is_that_of_the_pseudoinverse(rng):
    F = rng.normal(size=(6, 3))
    A, B = F @ F.T, F @ rng.normal(size=(3, 2))
    np.testing.assert_allclose(
        shortest_solution(A, B), scipy.linalg.pinvh(A, rtol=1e-10) @ B, atol=1e-8
    )


def test_rows_whose_squares_are_no_numbers_are_refused(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    model = OnlineRegression().fit(X, y)
    with pytest.raises(ValueError, match="so much larger than those of the first rows"):
        model.partial_fit(X * 1e200, y)


def test_a_penalty_that_outweighs_the_rows_leaves_the_mean(rng):
    X, y = 1e-200 * rng.normal(size=(20, 3)), rng.normal(size=20)
    model = OnlineRegression(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(model.coef_, 0.0)
    np.testing.assert_allclose(model.predict(X), y.mean(), rtol=1e-12)
