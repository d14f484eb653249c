"""Mean and spread of columns: golden values, NumPy's, and digits far from zero."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.linalg.observed import column_sizes, observed_columns


def test_three_rows_worked_by_hand():
    X = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, np.nan]])
    columns = observed_columns(as_blocks(X))
    np.testing.assert_array_equal(columns.n_observed, [2, 2])
    np.testing.assert_array_equal(columns.mean, [2.0, 5.0])
    np.testing.assert_array_equal(columns.std, [1.0, 0.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_observed_entries_have_numpys_mean_and_spread(rng, dtype):
    X = rng.normal(3.0, [1.0, 10.0, 0.1], size=(200, 3)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = np.nan
    columns = observed_columns(ArrayBlocks(X, block_rows=30))
    wide = X.astype(np.float64)
    np.testing.assert_array_equal(columns.n_observed, (~np.isnan(X)).sum(axis=0))
    np.testing.assert_allclose(columns.mean, np.nanmean(wide, axis=0), rtol=1e-6)
    np.testing.assert_allclose(columns.std, np.nanstd(wide, axis=0), rtol=1e-5)


def test_a_weight_of_two_is_a_row_twice(rng):
    X = np.where(rng.random((50, 3)) < 0.2, np.nan, rng.normal(size=(50, 3)))
    weight = rng.integers(0, 3, size=50)
    weighted = observed_columns(as_blocks(X), weight.astype(float))
    repeated = observed_columns(as_blocks(np.repeat(X, weight, axis=0)))
    for left, right in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12)


def test_sparse_rows_have_the_columns_of_their_dense_form(rng):
    X = np.where(rng.random((80, 4)) < 0.7, 0.0, rng.normal(5.0, 1.0, size=(80, 4)))
    weight = rng.uniform(0.5, 2.0, size=80)
    sparse = observed_columns(as_blocks(sp.csr_array(X)), weight)
    for left, right in zip(sparse, observed_columns(as_blocks(X), weight), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-10)


def test_a_column_that_the_first_rows_do_not_show_keeps_its_digits(rng):
    """The pilot of such a column is 0, and its squares at 1e8 have no digits left."""
    X = rng.normal(size=(600, 4))
    X[:, 3] += 1e8
    X[:300, 3] = np.nan
    columns = observed_columns(as_blocks(X))
    np.testing.assert_allclose(columns.std, np.nanstd(X, axis=0), rtol=1e-6)
    # 1e-12 of the values at 1e8, 1e-12 of the spread near zero
    np.testing.assert_allclose(columns.mean, np.nanmean(X, axis=0), rtol=1e-12, atol=1e-12)


def test_a_column_that_varies_by_rounding_is_constant():
    X = np.where(np.arange(10) % 2, 0.3, 0.1 + 0.2)[:, None]
    assert np.ptp(X) > 0
    assert observed_columns(as_blocks(X)).std[0] == 0


def test_sizes_are_spreads_and_those_of_constant_columns_typical():
    np.testing.assert_allclose(column_sizes(np.array([3.0, 0.0, 4.0])), [3.0, 5 / 3**0.5, 4.0])
    np.testing.assert_allclose(column_sizes(np.array([3.0, 0.0, 4.0]), together=True), 5 / 3**0.5)
    np.testing.assert_array_equal(column_sizes(np.zeros(2)), [1.0, 1.0])
    np.testing.assert_allclose(column_sizes(np.array([1e200, 1e200]), together=True), 1e200)
