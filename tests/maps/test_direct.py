"""Squared distances of chosen pairs: against differences, and the same bits for sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import config_context
from lowdim.maps import direct
from lowdim.maps.direct import squares_at


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 8, 20])
def test_the_kernel_gives_sums_of_squared_differences(rng, dtype, d):
    X, Y = rng.normal(size=(9, d)).astype(dtype), rng.normal(size=(12, d)).astype(dtype)
    index = rng.integers(0, 12, size=(9, 4))
    wide = X.astype(float)[:, None] - Y.astype(float)[index]
    assert_allclose(squares_at(X, Y, index), (wide**2).sum(axis=2), rtol=1e-14)
    twin = np.empty((9, 4))
    direct._dense_squares.python(X, Y, index, twin)
    assert_allclose(squares_at(X, Y, index), twin, rtol=1e-15)  # a power of 2 may round apart


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_the_same_bits(rng, dtype):
    X = rng.normal(size=(30, 19)).astype(dtype)
    X[rng.random(X.shape) < 0.6] = 0.0
    index = rng.integers(0, 30, size=(30, 6))
    S = sp.csr_array(X)
    assert_array_equal(squares_at(S, S, index), squares_at(X, X, index))
    back = sp.csr_array((S.data[::-1], S.indices[::-1], S.indptr[-1] - S.indptr[::-1]), S.shape)
    assert_array_equal(squares_at(back, back, index), squares_at(X[::-1], X[::-1], index))
    twin = np.empty((30, 6))
    direct._stored_squares.python(*direct._parts(S), *direct._parts(S), index, twin, np.zeros(8))
    assert_allclose(squares_at(S, S, index), twin, rtol=1e-15)


def test_near_rows_far_from_zero_keep_all_digits():
    X = np.array([[1e8, 1.0], [1e8 + 1e-6, 1.0]])
    step = X[1, 0] - X[0, 0]
    assert squares_at(X, X, np.array([[1], [0]]))[0, 0] == step**2


def test_a_missing_partner_is_infinitely_far():
    X, index = np.ones((2, 3)), np.array([[-1, 0], [1, -1]])
    for rows in (X, sp.csr_array(X)):
        assert_array_equal(squares_at(rows, rows, index), [[np.inf, 0.0], [0.0, np.inf]])


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(direct, "WORK_PER_CUT", 50)
    X, index = rng.normal(size=(40, 5)), rng.integers(0, 40, size=(40, 3))
    with config_context(threads=1):
        expected = squares_at(X, X, index)
    with config_context(threads=3):
        assert_array_equal(squares_at(X, X, index), expected)
