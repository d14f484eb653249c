"""The probability of documents by sampling, against integrals and sums over all assignments."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import integrate, stats
from scipy.special import gammaln, logsumexp

import lowdim
from lowdim.text.topics.lda.left_to_right import left_to_right


def by_quadrature(x, phi, alpha):
    """log of the integral over theta_1 in (0, 1), for two topics."""

    def integrand(theta):
        mix = theta * phi[:, 0] + (1 - theta) * phi[:, 1]
        return np.exp(x @ np.log(mix) - shift) * stats.beta.pdf(theta, *alpha)

    grid = np.linspace(0.001, 0.999, 999)[:, None]
    shift = (np.log(grid * phi[:, 0] + (1 - grid) * phi[:, 1]) @ x).max()
    value, _ = integrate.quad(integrand, 0, 1, epsabs=1e-12, epsrel=1e-10, limit=200)
    return np.log(value) + shift


def by_enumeration(x, phi, alpha):
    """log of the sum over the topics of all words."""
    words = np.repeat(np.arange(len(x)), x)
    k, total = len(alpha), []
    for z in product(range(k), repeat=len(words)):
        n = np.bincount(z, minlength=k)
        shares = (gammaln(n + alpha) - gammaln(alpha)).sum()
        shares += gammaln(alpha.sum()) - gammaln(len(words) + alpha.sum())
        total.append(shares + np.log(phi[words, list(z)]).sum())
    return logsumexp(total)


def topics(rng, v, k):
    return rng.dirichlet(np.full(v, 0.5), size=k).T + 1e-6


def unbiased(x, phi, alpha, exact, rng, n_samples, repeats):
    """Whether the mean of p / exact is 1, by its standard error; 5 of them are 6e-7."""
    X = sp.csr_array(x[None])
    seeds = rng.integers(2**63, size=repeats)
    ratio = np.exp([left_to_right(X, phi, alpha, n_samples, s)[0] - exact for s in seeds])
    error = ratio.std(ddof=1) / np.sqrt(repeats)
    return abs(ratio.mean() - 1.0) < 5 * error, error


def test_the_integral_and_the_sum_are_the_same(rng):
    phi, alpha, x = topics(rng, 4, 2), np.array([1.3, 2.4]), np.array([2, 1, 0, 3])
    sums = by_enumeration(x, phi, alpha)
    assert by_quadrature(x, phi, alpha) == pytest.approx(sums, rel=1e-6)


@pytest.mark.parametrize("n_samples", [1, 2, 20])
def test_the_estimate_is_unbiased_for_any_number_of_samples(rng, n_samples):
    phi, alpha, x = topics(rng, 5, 2), np.array([1.5, 2.5]), rng.integers(0, 4, size=5)
    exact = by_quadrature(x, phi, alpha)
    fine, error = unbiased(x, phi, alpha, exact, rng, n_samples, 1000)
    assert fine and error < 0.1


def test_three_topics_with_small_priors(rng):
    phi, alpha, x = topics(rng, 4, 3), np.array([0.1, 0.3, 0.05]), np.array([2, 1, 2, 1])
    exact = by_enumeration(x, phi, alpha)
    fine, error = unbiased(x, phi, alpha, exact, rng, 20, 400)
    assert fine and error < 0.05


def test_long_documents_whose_topics_take_turns(rng):
    """More words than are drawn anew at each of them."""
    phi, alpha = topics(rng, 20, 2), np.array([1.2, 1.7])
    x = rng.multinomial(300, phi @ [0.3, 0.7] / (phi @ [0.3, 0.7]).sum())
    exact = by_quadrature(x, phi, alpha)
    fine, error = unbiased(x, phi, alpha, exact, rng, 10, 100)
    assert fine and error < 0.1


def test_more_samples_come_closer(rng):
    phi, alpha, x = topics(rng, 6, 2), np.array([1.1, 1.2]), rng.integers(1, 5, size=6)
    X, exact = sp.csr_array(x[None]), by_quadrature(x, phi, alpha)

    def error(n_samples):
        found = [left_to_right(X, phi, alpha, n_samples, s)[0] for s in range(40)]
        return np.sqrt(np.mean((np.array(found) - exact) ** 2))

    assert error(200) < 0.5 * error(5)  # in the mean a sixth


def test_one_topic_and_one_word_are_exact(rng):
    phi, x = topics(rng, 5, 1), rng.integers(0, 4, size=5)
    found = left_to_right(sp.csr_array(x[None]), phi, np.array([0.3]), 3, 0)
    np.testing.assert_allclose(found, x @ np.log(phi[:, 0]))
    phi, alpha = topics(rng, 5, 3), np.array([0.3, 0.2, 1.0])
    found = left_to_right(sp.csr_array(np.eye(5, dtype=int)), phi, alpha, 1, 0)
    np.testing.assert_allclose(found, np.log(phi @ alpha / alpha.sum()))


def test_documents_do_not_depend_on_those_around_them(rng):
    X, phi = sp.csr_array(rng.poisson(3.0, size=(400, 8))), topics(rng, 8, 3)
    alpha = np.full(3, 0.3)
    with lowdim.config_context(threads=3):
        together = left_to_right(X, phi, alpha, 2, 7)
    with lowdim.config_context(threads=1):
        np.testing.assert_array_equal(left_to_right(X[50:60], phi, alpha, 2, 7), together[50:60])


def test_documents_without_words_are_certain_and_impossible_words_are_not(rng):
    phi = np.array([[0.5, 1.0], [0.5, 0.0], [0.0, 0.0]])
    X = sp.csr_array([[0, 0, 0], [0, 1, 1]])
    found = left_to_right(X, phi, np.ones(2), 4, 0)
    np.testing.assert_array_equal(found, [0.0, -np.inf])


def test_counts_must_be_whole(rng):
    with pytest.raises(ValueError, match="method='left-to-right' needs whole counts"):
        left_to_right(sp.csr_array([[0.5]]), np.ones((1, 1)), np.ones(1), 2, 0)
