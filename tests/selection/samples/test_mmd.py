"""Maximum mean discrepancy: the closed form of Gaussians."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import norm, qmc

from lowdim.selection.samples.mmd import median_distance, mmd


def mean_kernel(apart, covariance, h):
    """E exp(-|z|^2 / 2h^2) for z ~ N(apart, covariance)."""
    S = covariance + h**2 * np.eye(len(apart))
    return (
        h ** len(apart) / np.sqrt(np.linalg.det(S)) * np.exp(-apart @ np.linalg.solve(S, apart) / 2)
    )


def normal_rows(rng):
    """Rows of N(0, I) that are more even than chance makes them."""
    return norm.ppf(qmc.Sobol(2, seed=rng).random_base2(10))


@pytest.mark.parametrize("h", [0.7, 2.0])
def test_discrepancy_of_gaussians_is_the_closed_form(rng, h):
    apart, C, D = np.array([1.0, 0.5]), np.diag([1.0, 2.0]), np.array([[2.0, 0.8], [0.8, 1.0]])
    zero = np.zeros(2)
    exact = (
        mean_kernel(zero, 2 * C, h) + mean_kernel(zero, 2 * D, h) - 2 * mean_kernel(apart, C + D, h)
    )
    X = normal_rows(rng) @ np.linalg.cholesky(C).T
    Y = apart + normal_rows(rng) @ np.linalg.cholesky(D).T
    assert mmd(X, Y, h) == pytest.approx(exact, abs=0.006)
    assert exact > 0.05


def test_it_is_without_bias(rng):
    found = [mmd(*rng.normal(size=(2, 12, 2)), 1.0) for _ in range(150)]
    assert abs(np.mean(found)) < 5 * np.std(found) / np.sqrt(len(found))
    assert min(found) < 0 < max(found)


def test_bandwidth_is_the_median_distance(rng):
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(25, 3))
    assert median_distance(X, Y) == pytest.approx(np.median(pdist(np.vstack([X, Y]))))
    assert median_distance(np.ones((9, 2)), np.ones((9, 2))) == 1.0
