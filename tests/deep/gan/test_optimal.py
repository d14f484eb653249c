"""The best discriminator: Gaussians by quadrature, two ways to JS, and the door."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, uniform

from lowdim.deep import optimal_discriminator
from lowdim.linalg import js_divergence

PAIRS = [(norm(0, 1), norm(1.5, 1)), (norm(-1, 0.5), norm(2, 2)), (norm(), norm())]


def quantiles(p, q, n=4000):
    """n rows that stand for p and n for q."""
    at = (np.arange(n) + 0.5) / n
    return np.concatenate([p.ppf(at), q.ppf(at)])


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_loss_is_that_of_the_integral(p, q):
    found = optimal_discriminator(p.logpdf, q.logpdf, quantiles(p, q))

    def value(x):
        D = 1 / (1 + np.exp(q.logpdf(x) - p.logpdf(x)))
        return p.pdf(x) * np.log(D) + q.pdf(x) * np.log1p(-D)

    expected = quad(value, -8, 9, points=[-1, 0, 1, 2], epsabs=1e-10)[0]
    assert found.loss == pytest.approx(expected, abs=2e-4)
    assert found.loss == pytest.approx(2 * found.js - np.log(4), abs=1e-14)
    np.testing.assert_allclose(
        found.probability[:3], (p.pdf(x := quantiles(p, q)[:3])) / (p.pdf(x) + q.pdf(x)), rtol=1e-12
    )


def test_js_is_that_of_fine_bins():
    p, q = PAIRS[1]
    edges = np.linspace(-9, 11, 20001)
    bins = [np.diff(part.cdf(edges)) for part in (p, q)]
    found = optimal_discriminator(p.logpdf, q.logpdf, quantiles(p, q))
    assert found.js == pytest.approx(js_divergence(*(b / b.sum() for b in bins)), abs=1e-4)


def test_no_other_discriminator_does_better(rng):
    p, q = PAIRS[0]
    n = 4000
    X = quantiles(p, q, n)
    best = optimal_discriminator(p.logpdf, q.logpdf, X)
    logit = p.logpdf(X) - q.logpdf(X)
    for slope, shift in ((0.7, 0.0), (1.3, 0.0), (1.0, 0.4), (1.0, -0.4)):
        D = 1 / (1 + np.exp(-(slope * logit + shift)))
        other = np.mean(np.log(D[:n])) + np.mean(np.log1p(-D[n:]))
        assert other < best.loss - 1e-3


def test_densities_that_do_not_meet_are_told_apart_for_certain():
    p, q = uniform(0, 1), uniform(2, 1)
    found = optimal_discriminator(p.logpdf, q.logpdf, np.array([0.5, 2.5]))
    assert found.probability.tolist() == [1.0, 0.0]
    assert found.loss == 0.0
    assert found.js == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("log_p", "X", "message"),
    [
        (norm.logpdf, [], "X has no rows"),
        (lambda X: np.nan * X, [1.0, 2.0], r"log_p\(X\) is nan at row 0"),
        (lambda X: 0.0, [1.0, 2.0], r"log_p\(X\) has shape \(\); one number for each of the 2"),
        (uniform(5, 1).logpdf, [5.5, 9.0], "both -inf at row 1 of X"),
    ],
)
def test_what_is_no_density_is_refused(log_p, X, message):
    with pytest.raises(ValueError, match=message):
        optimal_discriminator(log_p, uniform(5, 2).logpdf, np.array(X))
