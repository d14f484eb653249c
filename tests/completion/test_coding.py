"""Codes and values of one block: by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.completion.coding import Coding, encode, errors_given, fill, values_at, with_zeros
from lowdim.linalg.ridge import Regression

COMPONENTS, MEAN, SCALE = np.array([[2.0, 4.0, 6.0]]), np.array([1.0, 0.0, 0.0]), np.full(3, 2.0)


def coding(penalty):
    F = (COMPONENTS / SCALE).T
    return Coding(Regression(F, np.zeros(3), np.array([penalty])), MEAN, SCALE)


def test_a_row_worked_by_hand():
    X = np.array([[5.0, np.nan, 6.0], [np.nan, np.nan, np.nan]])
    # y = 2, 3 on f = 1, 3: z = (2 + 9) / (1 + 9 + penalty)
    np.testing.assert_allclose(encode(X, coding(1.0)), [[1.0], [0.0]])
    filled = fill(X, COMPONENTS, MEAN, coding(1.0))
    np.testing.assert_allclose(filled, [[5.0, 4.0, 6.0], [1.0, 0.0, 0.0]])
    stored = sp.csr_array(([5.0, 6.0], ([0, 0], [0, 2])), shape=(2, 3))
    np.testing.assert_array_equal(fill(stored, COMPONENTS, MEAN, coding(1.0)), filled)


def test_errors_are_squared_in_the_given_unit():
    X, Z = np.array([[5.0, np.nan, 7.0]]), np.array([[1.0]])
    assert errors_given(X, COMPONENTS, MEAN, 2.0, Z) == (1.25, 2)  # errors 2 and 1
    huge = errors_given(X * 1e200, COMPONENTS, MEAN * 1e200, 1e200, Z * 1e200)
    assert huge == pytest.approx((5.0, 2))


def test_values_of_pairs_some_at_a_time():
    Z, W = np.random.default_rng(0).normal(size=(5, 1)), COMPONENTS
    i, j = np.repeat(np.arange(5), 3), np.tile(np.arange(3), 5)
    np.testing.assert_allclose(values_at(i, j, Z, W, MEAN), (Z @ W + MEAN).ravel())


def test_what_has_no_factors_gets_zeros():
    F = np.ones((2, 1))
    np.testing.assert_array_equal(with_zeros(F, np.array([0, 2]), 3), [[1.0], [0.0], [1.0]])
    assert with_zeros(F, np.array([0, 1]), 2) is F
