"""Mean and covariance in one pass."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.linalg.moments import (
    Frame,
    column_moments,
    column_sums,
    column_variances,
    covariance,
    frame_of,
    moments,
    unit_for,
)


def test_moments_of_two_rows_are_those_worked_out_by_hand():
    sums = moments(np.array([[1.0, 2.0], [3.0, 6.0]]), Frame(np.array([1.0, 1.0]), 1.0))
    assert sums.weight == 2.0
    np.testing.assert_array_equal(sums.sum_x, [2.0, 6.0])
    np.testing.assert_array_equal(sums.sum_xx, [[4.0, 10.0], [10.0, 26.0]])


def test_covariance_is_numpys(rng):
    X = rng.normal(size=(500, 6)) @ rng.normal(size=(6, 6)) + 3.0
    weight, mean, scatter, unit = covariance(ArrayBlocks(X, block_rows=37))
    assert (weight, unit) == (500.0, 1.0)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(scatter / 499, np.cov(X.T), rtol=1e-12, atol=1e-12)


def test_data_far_from_zero_keep_their_digits(rng):
    X = rng.normal(size=(2000, 3))
    far = X + 1e8  # float64 has 1e-8 left there: the rounding of the data, not of the sums
    _, _, scatter, _ = covariance(ArrayBlocks(far, block_rows=100))
    exact = far - 1e8
    np.testing.assert_allclose(scatter / 1999, np.cov(exact.T), atol=1e-12)


def test_a_weight_of_two_is_a_row_twice(rng):
    X, weight = rng.normal(size=(40, 4)), rng.integers(0, 4, size=40).astype(float)
    weighted = covariance(ArrayBlocks(X, block_rows=7), weight)
    repeated = covariance(ArrayBlocks(np.repeat(X, weight.astype(int), axis=0)))
    for left, right in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def test_sparse_rows_have_the_moments_of_their_dense_form(rng):
    S = sp.random_array((300, 20), density=0.1, rng=rng, format="csr")
    weight = rng.random(300)
    for w in (None, weight):
        sparse, dense = covariance(ArrayBlocks(S), w), covariance(ArrayBlocks(S.toarray()), w)
        for left, right in zip(sparse, dense, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-12)
        sparse, dense = (
            column_variances(ArrayBlocks(S), w),
            column_variances(ArrayBlocks(S.toarray()), w),
        )
        for left, right in zip(sparse, dense, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-12)


def test_column_moments_are_the_diagonal_of_the_moments(rng):
    X, weight = rng.normal(size=(50, 5)), rng.random(50)
    frame = Frame(X[0], 2.0)
    full, columns = moments(X, frame, weight), column_moments(X, frame, weight)
    np.testing.assert_allclose(columns.sum_x2, np.diag(full.sum_xx), rtol=1e-12)
    np.testing.assert_allclose(columns.sum_x, full.sum_x, rtol=1e-12)


@pytest.mark.parametrize("factor", [1e-200, 1e-150, 1.0, 1e150, 1e200])
def test_scale_changes_the_unit_and_nothing_else(factor, rng):
    X = rng.normal(size=(30, 3))
    _, mean, scatter, unit = covariance(ArrayBlocks(X * factor))
    np.testing.assert_allclose(scatter * (unit / factor) ** 2, covariance(ArrayBlocks(X)).scatter)
    np.testing.assert_allclose(mean / factor, X.mean(axis=0), rtol=1e-10)


def test_large_values_after_small_ones_are_found(rng):
    X = rng.normal(size=(1000, 3))
    X[600:] *= 1e180
    _, _, scatter, unit = covariance(ArrayBlocks(X))
    assert np.isfinite(scatter).all()
    np.testing.assert_allclose(
        scatter * (unit / 1e180) ** 2, 999 * np.cov((X / 1e180).T), rtol=1e-10
    )


def test_the_unit_is_one_for_ordinary_values_and_a_power_of_two_otherwise():
    assert unit_for(3.0, np.dtype(float)) == unit_for(0.0, np.dtype(float)) == 1.0
    unit = unit_for(1e200, np.dtype(float))
    assert np.log2(unit).is_integer()
    assert 0.5 <= 1e200 / unit <= 2


def test_the_pilot_leaves_out_what_is_not_finite():
    frame = frame_of(ArrayBlocks(np.array([[np.nan, 101.0], [504.0, np.inf], [506.0, 103.0]])))
    np.testing.assert_array_equal(frame.pilot, [505.0, 102.0])


def test_rows_near_zero_are_not_copied_to_be_centred():
    X = np.array([[1.0, -2.0], [3.0, 5.0]])
    frame = frame_of(ArrayBlocks(X))
    assert not frame.pilot.any()
    assert frame.deviations(X) is X


def test_nan_shows_in_the_sums():
    X = np.ones((10, 2))
    X[3, 1] = np.nan
    assert not np.isfinite(covariance(ArrayBlocks(X)).scatter).all()


@pytest.mark.parametrize("factor", [1.0, 1e200])
def test_column_sums_are_finite_in_their_frame(factor, rng):
    X = rng.normal(size=(1000, 3))
    X[600:] *= factor  # beyond the rows that the frame looks at first
    frame, sums = column_sums(ArrayBlocks(X))
    D = (X - frame.pilot) / frame.unit
    assert sums.weight == 1000.0
    np.testing.assert_allclose(sums.sum_x, D.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(sums.sum_x2, (D**2).sum(axis=0), rtol=1e-10)
    assert (frame.unit == 1.0) == (factor == 1.0)


def test_column_variances_are_numpys(rng):
    X, weight = rng.normal(1e3, 2.0, size=(60, 4)), rng.integers(1, 4, size=60)
    total, mean, squares, unit = column_variances(
        ArrayBlocks(X, block_rows=7), weight.astype(float)
    )
    repeated = np.repeat(X, weight, axis=0)
    np.testing.assert_allclose(mean, repeated.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(squares * unit**2 / total, repeated.var(axis=0), rtol=1e-8)


def test_sparse_rows_that_are_read_only_in_any_order_stay_as_they_are():
    data, indices = np.array([2.0, 1.0, 3.0, 4.0]), np.array([2, 0, 1, 1], dtype=np.int32)
    X = sp.csr_array((data, indices, np.array([0, 2, 4], dtype=np.int32)), shape=(2, 3))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    _, mean, scatter, _ = column_variances(ArrayBlocks(X))
    np.testing.assert_allclose(mean, [0.5, 3.5, 1.0])
    np.testing.assert_allclose(scatter, [0.5, 24.5, 2.0])
    assert X.indices.tolist() == [2, 0, 1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sparse_blocks_have_the_sums_of_small_ones(rng, dtype, monkeypatch):
    X = sp.random_array((300, 40), density=0.2, rng=rng, format="csr", dtype=dtype)
    weight, frame = rng.random(300), Frame(np.zeros(40), 2.0)
    for w in (None, weight):
        expected = column_moments(X, frame, w)
        with monkeypatch.context() as at_once:
            at_once.setattr("lowdim.linalg.moments.ENTRIES_FOR_KERNEL", 1)
            found = column_moments(X, frame, w)
        assert found.weight == expected.weight
        np.testing.assert_allclose(found.sum_x, expected.sum_x, rtol=1e-5)
        np.testing.assert_allclose(found.sum_x2, expected.sum_x2, rtol=1e-5)
