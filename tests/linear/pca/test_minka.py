"""Minka's evidence."""

import numpy as np
import pytest

from lowdim import PCA
from lowdim.linear.pca.minka import minka_evidence, minka_rank


@pytest.mark.parametrize("d", [2, 5, 10])
def test_evidence_is_scikit_learns(rng, d):
    from sklearn.decomposition._pca import _assess_dimension

    spectrum = np.sort(rng.random(d) + 0.1)[::-1]
    for k in range(1, d):
        ours, theirs = minka_evidence(spectrum, k, 100), _assess_dimension(spectrum, k, 100)
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_the_planted_number_is_chosen(rng):
    X = rng.normal(size=(2000, 4)) @ (3 * rng.normal(size=(4, 12))) + rng.normal(size=(2000, 12))
    assert minka_rank(np.linalg.eigvalsh(np.cov(X.T))[::-1], 2000) == 4


def test_a_spectrum_that_ends_in_zero_has_a_choice():
    assert minka_rank(np.array([2.0, 1.0, 0.0]), 50) == 1
    assert minka_rank(np.array([1.0]), 50) == 1
    assert minka_rank(np.zeros(4), 50) == 1


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_variances_of_rounding_are_no_axes(rank, rng):
    from sklearn.decomposition._pca import _infer_dimension

    spectrum = np.array([4.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    spectrum[rank:] = np.sort(1e-16 * rng.random(6 - rank))[::-1]
    assert minka_rank(spectrum, 50, 1e-14) == rank == _infer_dimension(spectrum, 50)
    for unit in (1e-100, 1e100):
        assert minka_rank(unit * spectrum, 50, 1e-14) == rank


def test_equal_variances_are_kept_together():
    assert minka_rank(np.array([2.0, 2.0, 2.0, 1e-3, 1e-3, 1e-3]), 100) == 3
    assert minka_rank(np.array([9.0, 1.0, 1.0, 1.0]), 100) == 1


@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "auto"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_redundant_columns_add_no_components(solver, dtype, rng):
    Z = rng.normal(size=(100, 2)) * [5.0, 1.0]
    X = Z[:, rng.integers(0, 2, size=20)]  # columns again and again
    X[:, 0], X[:, 1] = Z @ [1.0, 2.0], Z @ [3.0, -1.0]  # and some that follow from them
    pca = PCA("mle", svd_solver=solver).fit(X.astype(dtype))
    assert pca.n_components_ == 2
    assert PCA("mle").partial_fit(X.astype(dtype)).n_components_ == 2
