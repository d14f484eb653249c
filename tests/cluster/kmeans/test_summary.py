"""What k-means knows of the rows before its first step."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim import KMeans
from lowdim.cluster.kmeans.summary import summary_of
from lowdim.core.opening import as_blocks


def test_mean_and_variance_are_those_of_the_rows(rng):
    X, weight = rng.normal(size=(200, 3)) * [1.0, 5.0, 0.1] + 100.0, rng.random(200)
    summary = summary_of(KMeans(), as_blocks(X), weight)
    mean = np.average(X, axis=0, weights=weight)
    variance = np.average(np.square(X - mean), axis=0, weights=weight)
    np.testing.assert_allclose(summary.in_data(summary.fill), mean, rtol=1e-12)
    unit = summary.frame.unit
    assert summary.variance * unit**2 == pytest.approx(variance.mean(), rel=1e-10)
    assert not summary.has_missing
    np.testing.assert_allclose(summary.in_data(summary.in_frame(X)), X, rtol=1e-12)


def test_missing_values_leave_the_moments_of_what_is_observed(rng):
    X = rng.normal(size=(300, 2)) * [1.0, 3.0]
    X[rng.random(X.shape) < 0.3] = np.nan
    summary = summary_of(KMeans(), as_blocks(X), None)
    assert summary.has_missing
    np.testing.assert_allclose(summary.in_data(summary.fill), np.nanmean(X, axis=0), rtol=1e-10)
    expected = np.nanvar(X, axis=0).mean()
    assert summary.variance * summary.frame.unit**2 == pytest.approx(expected, rel=1e-10)


def test_values_whose_squares_overflow_have_a_frame_in_which_they_do_not(rng):
    X = rng.normal(size=(50, 2))
    X[40:] *= 1e200
    summary = summary_of(KMeans(), as_blocks(X), None)
    assert np.isfinite(summary.variance) and summary.variance > 0
    np.testing.assert_allclose(summary.in_data(summary.fill), X.mean(axis=0), rtol=1e-10)


def test_sparse_rows_and_empty_columns_with_nan_are_refused():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(ValueError, match="X is sparse and has NaN"):
        summary_of(KMeans(), as_blocks(sp.csr_array(X)), None)
    with pytest.raises(ValueError, match="1 of 2 columns"):
        summary_of(KMeans(), as_blocks(X), None)
