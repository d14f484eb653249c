"""Frechet distance: the closed form, from samples with these very moments."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from lowdim.selection.samples.frechet import frechet, frechet_of_gaussians


def with_moments(rng, n, mean, covariance):
    """Rows whose mean and covariance are exactly these."""
    X = rng.normal(size=(n, len(mean)))
    X -= X.mean(axis=0)
    X = X @ np.linalg.inv(np.linalg.cholesky(np.cov(X, rowvar=False))).T
    return mean + X @ np.linalg.cholesky(covariance).T


def test_distance_is_the_closed_form(rng):
    A, B = rng.normal(size=(2, 4, 4))
    C, D, mean = A @ A.T + np.eye(4), B @ B.T + np.eye(4), rng.normal(size=4)
    exact = mean @ mean + np.trace(C + D - 2 * sqrtm(sqrtm(C) @ D @ sqrtm(C)).real)
    assert frechet_of_gaussians(mean, C, D) == pytest.approx(exact, rel=1e-8)
    X, Y = with_moments(rng, 50, np.zeros(4), C), with_moments(rng, 70, mean, D)
    assert frechet(X, Y) == pytest.approx(exact, rel=1e-7)


def test_in_one_column_it_is_that_of_means_and_deviations(rng):
    X, Y = rng.normal(size=(40, 1)), rng.normal(2.0, 3.0, size=(30, 1))
    exact = (X.mean() - Y.mean()) ** 2 + (X.std(ddof=1) - Y.std(ddof=1)) ** 2
    assert frechet(X, Y) == pytest.approx(exact, rel=1e-9)
    assert frechet(X, X) == pytest.approx(0.0, abs=1e-12)


def test_many_columns_are_their_leading_components(rng):
    W = rng.normal(size=(5, 90)) * 3
    X = rng.normal(size=(80, 5)) @ W
    Y = (rng.normal(size=(70, 5)) + 1.0) @ W
    turn = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:64].T
    assert frechet(X, Y) == pytest.approx(frechet(X @ turn, Y @ turn), rel=1e-6)
