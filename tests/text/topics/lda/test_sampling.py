"""New documents."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.text.topics.lda.sampling import checked_lengths, drawn_counts, drawn_shares


def test_shares_have_the_mean_and_the_variance_of_a_dirichlet_distribution(rng):
    alpha = np.array([0.5, 1.0, 2.5])
    shares = drawn_shares(20000, alpha, rng)
    mean = alpha / alpha.sum()
    np.testing.assert_allclose(shares.mean(axis=0), mean, atol=0.015)
    np.testing.assert_allclose(shares.var(axis=0), mean * (1 - mean) / 5.0, atol=0.005)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_with_hardly_any_prior_a_document_has_one_topic(rng):
    shares = drawn_shares(2000, np.array([1e-5, 3e-5]), rng)
    np.testing.assert_allclose(shares.max(axis=1), 1.0, atol=1e-3)
    assert shares[:, 1].mean() == pytest.approx(0.75, abs=0.06)
    np.testing.assert_allclose(drawn_shares(5000, np.zeros(2), rng).mean(axis=0), 0.5, atol=0.05)


def test_words_are_as_frequent_as_topics_say(rng):
    shares, phi = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]])
    counts = drawn_counts(shares, 7.0 * phi, np.array([50000, 20000]), rng)
    np.testing.assert_array_equal(counts.sum(axis=1), [50000, 20000])
    np.testing.assert_allclose(counts.toarray()[0] / 50000, shares[0] @ phi, atol=0.01)
    np.testing.assert_allclose(counts.toarray()[1] / 20000, phi[0], atol=0.015)
    assert counts.has_canonical_format


def test_lengths_are_whole_numbers():
    np.testing.assert_array_equal(checked_lengths(3, 2), [3, 3])
    np.testing.assert_array_equal(checked_lengths([3.0, 0.0], 2), [3, 0])
    for length in (-1, 0.5, [1, 2, 3], [[1, 2]]):
        with pytest.raises(ValueError, match=r"length=.*whole number of 0 or more, or 2 of them"):
            checked_lengths(length, 2)
