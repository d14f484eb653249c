"""Documents that the topics explain badly."""

import numpy as np
import scipy.sparse as sp

from lowdim.report.topics.odd import (
    SMOOTHING,
    below_the_median,
    log_probabilities,
    odd_documents,
)


def corpus(rng, n=120, v=40):
    topics = np.zeros((2, v))
    topics[0, :20], topics[1, 20:] = 1 / 20, 1 / 20
    shares = rng.dirichlet([0.3, 0.3], size=n)
    X = np.array([rng.multinomial(rng.integers(20, 80), s @ topics) for s in shares])
    return X.astype(float), shares, topics


def test_log_probabilities_are_those_of_the_mixture(rng):
    X, shares, topics = corpus(rng, n=5)
    S = sp.csr_array(X)
    p = (1 - SMOOTHING) * shares @ topics + SMOOTHING / X.shape[1]
    np.testing.assert_allclose(log_probabilities(S, shares, topics), np.log(p)[X > 0])


def test_a_document_that_repeats_a_word_is_odd_and_the_word_says_why(rng):
    X, shares, topics = corpus(rng)
    topics[0, :2] = 1e-4, 0.1 - 1e-4
    X[17] = 0
    X[17, 0] = 60  # a rare word
    shares[17] = [0.99, 0.01]
    terms = np.array([f"w{j}" for j in range(40)], dtype=object)
    found = odd_documents(sp.csr_array(X), shares, topics, terms)
    assert found.documents[0].document == 17 and found.documents[0].words[0] == "w0"
    assert found.n_odd == len(found.documents) <= 3
    assert found.documents[0].perplexity == np.exp(-found.fit[17])


def test_documents_are_held_against_those_as_long(rng):
    n_words = np.repeat([20, 200], 400)
    fit = np.where(n_words == 20, -5.0, -7.0) + 0.1 * rng.normal(size=800)
    fit[3] = -7.0  # usual for a long one
    deviations = below_the_median(fit, n_words)
    assert deviations.argmax() == 3 and deviations[3] > 10
    assert np.abs(np.median(deviations)) < 0.2


def test_few_or_short_documents_are_not_judged():
    assert np.isnan(below_the_median(np.full(10, -5.0), np.full(10, 50))).all()
    assert np.isnan(below_the_median(np.full(50, -5.0), np.full(50, 3))).all()


def test_documents_without_words_have_no_fit():
    X = sp.csr_array(np.vstack([np.zeros(3), np.ones((30, 3))]))
    shares, topics = np.ones((31, 1)), np.full((1, 3), 1 / 3)
    found = odd_documents(X, shares, topics, np.array(list("abc"), dtype=object))
    assert np.isnan(found.fit[0]) and np.isnan(found.deviations[0]) and found.n_odd == 0
