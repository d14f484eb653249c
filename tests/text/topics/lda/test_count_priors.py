"""Minka's fixed point against the evidence itself."""

import numpy as np
import pytest
from scipy.special import gammaln

from lowdim.text.topics.lda.count_priors import learn_asymmetric, learn_symmetric, occurring


def evidence(counts, alpha):
    """log p(counts | alpha) of each row a document, up to what alpha does not change."""
    alpha = np.broadcast_to(alpha, counts.shape[1:])
    total = gammaln(alpha.sum()) - gammaln(counts.sum(axis=1) + alpha.sum())
    return (total + (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)).sum()


def drawn(rng, alpha, n, length):
    lengths = rng.poisson(length, size=n)
    return np.stack([rng.multinomial(m, rng.dirichlet(alpha)) for m in lengths])


def test_different_counts_and_how_often_they_occur():
    found = occurring([np.array([[1, 0], [1, 3]]), np.array([[1, 3]])])
    np.testing.assert_array_equal(found.group, [0, 1])
    np.testing.assert_array_equal(found.count, [1, 3])
    np.testing.assert_array_equal(found.times, [3, 2])


def test_no_other_prior_nearby_makes_the_counts_likelier(rng):
    counts = drawn(rng, np.array([0.2, 1.0, 3.0]), 300, 40)
    alpha = np.full(3, 1 / 3)
    for _ in range(5):  # each call goes on for up to 100 steps
        alpha = learn_asymmetric(alpha, occurring([counts]), counts.sum(axis=1))
    best = evidence(counts, alpha)
    for factor in (0.98, 1.02):
        for j in range(3):
            other = alpha.copy()
            other[j] *= factor
            assert evidence(counts, other) < best


def test_a_planted_prior_is_found(rng):
    """With 3000 documents of 100 words the standard error of log alpha is about 2%."""
    planted = np.array([0.1, 0.5, 2.0])
    counts = drawn(rng, planted, 3000, 100)
    alpha = learn_asymmetric(np.full(3, 1.0), occurring([counts]), counts.sum(axis=1))
    np.testing.assert_allclose(alpha, planted, rtol=0.15)


def test_one_number_for_all_words(rng):
    counts = drawn(rng, np.full(200, 0.05), 30, 500)
    beta = 1.0
    for _ in range(5):
        beta = learn_symmetric(beta, occurring([counts.reshape(-1, 1)]), counts.sum(axis=1), 200)
    assert beta == pytest.approx(0.05, rel=0.2)
    for factor in (0.97, 1.03):
        assert evidence(counts, beta * factor) < evidence(counts, beta)


def test_a_topic_without_tokens_keeps_a_little():
    counts = np.array([[5, 0], [3, 0]])
    alpha = learn_asymmetric(np.ones(2), occurring([counts]), counts.sum(axis=1))
    assert alpha[0] > 1e-3 and 0 < alpha[1] < 1e-3


def test_nothing_is_learned_from_nothing():
    empty = np.zeros((3, 2), dtype=int)
    alpha = learn_asymmetric(np.ones(2), occurring([empty]), empty.sum(axis=1))
    np.testing.assert_array_equal(alpha, 1.0)
    assert learn_symmetric(0.5, occurring([empty.reshape(-1, 1)]), np.zeros(2, int), 3) == 0.5
