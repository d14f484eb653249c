import numpy as np
import pytest
from scipy.special import kl_div

from lowdim.linear.nmf.divergence import divergence_by_row, exponent, pulls, size_by_row


def test_divergences_worked_by_hand():
    X, Y = np.array([[4.0, 1.0]]), np.array([[2.0, 1.0]])
    assert divergence_by_row(X, Y, 2.0) == [2.0]
    np.testing.assert_allclose(divergence_by_row(X, Y, 1.0), 4 * np.log(2) - 2)
    np.testing.assert_allclose(divergence_by_row(X, Y, 0.0), 1 - np.log(2))
    np.testing.assert_allclose(divergence_by_row(X, Y, 3.0), (64 + 2 * 8 - 3 * 4 * 4) / 6)


def test_kullback_leibler_is_that_of_scipy_zeros_included(rng):
    X, Y = rng.poisson(1.0, size=(5, 8)).astype(float), rng.random((5, 8)) + 0.1
    np.testing.assert_allclose(divergence_by_row(X, Y, 1.0), kl_div(X, Y).sum(axis=1))


@pytest.mark.parametrize("beta", [1.0, 0.0, 2.0])
def test_it_is_continuous_in_beta(beta, rng):
    X, Y = rng.random((3, 4)) + 0.1, rng.random((3, 4)) + 0.1
    near = divergence_by_row(X, Y, beta + 1e-6)
    np.testing.assert_allclose(divergence_by_row(X, Y, beta), near, atol=1e-5)


@pytest.mark.parametrize("beta", [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_the_difference_of_the_parts_is_the_slope(beta, rng):
    X, Y = rng.random((3, 4)) + 0.1, rng.random((3, 4)) + 0.1
    up, down = pulls(X, Y, beta)
    down = np.ones_like(Y) if down is None else down
    h = 1e-6
    slope = (divergence_by_row(X, Y + h, beta) - divergence_by_row(X, Y - h, beta)) / (2 * h)
    np.testing.assert_allclose((down - up).sum(axis=1), slope, rtol=1e-4, atol=1e-6)


def test_exponents_and_sizes():
    assert [exponent(beta) for beta in (0.0, 1.0, 1.5, 2.0, 3.0)] == [0.5, 1.0, 1.0, 1.0, 0.5]
    X = np.array([[0.0, 2.0, 3.0]])
    assert [size_by_row(X, beta)[0] for beta in (1.0, 2.0, 3.0, 0.0)] == [5.0, 6.5, 35.0, 3.0]
