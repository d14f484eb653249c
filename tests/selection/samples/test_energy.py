"""Energy distance: closed forms of Gaussians, and a p that is uniform without a difference."""

import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import energy_distance, kstest, norm

from lowdim.selection.samples.energy import energy


def mean_size(mean, sd):
    """E|z| of a Gaussian."""
    a = mean / sd
    return sd * (np.sqrt(2 / np.pi) * np.exp(-(a**2) / 2) + a * erf(a / np.sqrt(2)))


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (2.0, 1.0), (0.5, 3.0)])
def test_distance_of_gaussians_is_the_closed_form(mean, sd, rng):
    z = norm.ppf((np.arange(600) + 0.5) / 600)[:, None]  # as even as a sample can be
    exact = 2 * mean_size(mean, np.hypot(1, sd)) - (1 + sd) * mean_size(0, np.sqrt(2))
    assert energy(z, mean + sd * z, rng).distance == pytest.approx(exact, abs=0.015)


def test_distance_is_without_bias_that_of_scipy(rng):
    x, y = rng.normal(size=40), rng.normal(1.0, 2.0, size=30)
    with_itself = energy_distance(x, y) ** 2  # scipy: the root of half, pairs of equal rows count
    within = [np.abs(np.subtract.outer(z, z)).mean() / (len(z) - 1) for z in (x, y)]
    found = energy(x[:, None], y[:, None], rng).distance
    assert found == pytest.approx(with_itself - sum(within), rel=1e-9)


def test_distance_does_not_depend_on_rotation_or_offset(rng):
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(50, 3)) + 0.5
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    found = energy(X @ turn + 1e6, Y @ turn + 1e6, rng).distance
    assert found == pytest.approx(energy(X, Y, rng).distance, rel=1e-6)


def test_p_is_uniform_where_there_is_no_difference(rng):
    found = [energy(*rng.normal(size=(2, 15, 2)), rng).p for _ in range(60)]
    assert kstest(found, "uniform").pvalue > 1e-4


def test_p_is_least_where_the_difference_is_large(rng):
    assert energy(rng.normal(size=(30, 2)), rng.normal(size=(40, 2)) + 3, rng).p == 1 / 200


def test_p_of_equal_sides_is_one(rng):
    X = rng.normal(size=(20, 2))
    assert energy(X, X, rng).p > 0.9
    assert energy(np.ones((12, 2)), np.ones((12, 2)), rng) == (0.0, 1.0)
