"""Priors: given in every shape, or learned by Minka's fixed points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, psi

from lowdim.text.topics.lda import priors
from lowdim.text.topics.lda.priors import (
    count_sums,
    from_counts,
    from_logs,
    given_priors,
    learned_priors,
    one_from_counts,
    one_from_logs,
    published,
)


@pytest.mark.parametrize(
    ("doc", "word", "doc_shape", "word_shape"),
    [
        (None, None, (), ()),
        (0.3, 0.2, (), ()),
        ([0.1, 0.2, 0.3], np.full(5, 0.1), (3,), (5,)),
        (np.ones(3), np.full((3, 5), 0.1), (3,), (3, 5)),
        ("auto", "auto", (3,), ()),
    ],
)
def test_priors_go_in_and_come_out_in_their_shapes(doc, word, doc_shape, word_shape):
    given = given_priors(doc, word, 3, 5)
    assert given.doc.shape == (3,)
    assert np.broadcast_to(given.word, (5, 3)).shape == (5, 3)
    alpha, eta = published(given, doc, word)
    assert np.shape(alpha) == doc_shape and np.shape(eta) == word_shape
    back = learned_priors(alpha, eta, 3)
    np.testing.assert_array_equal(back.doc, given.doc)
    np.testing.assert_array_equal(back.word, given.word)
    np.testing.assert_allclose(given.word_total(5), np.broadcast_to(given.word, (5, 3)).sum(axis=0))


def test_the_default_is_one_over_the_number_of_topics():
    given = given_priors(None, None, 4, 5)
    np.testing.assert_array_equal(given.doc, 0.25)
    assert given.word == 0.25


def test_a_prior_for_one_topic_and_one_term_keeps_its_shape():
    given = given_priors(None, [[0.3]], 1, 1)
    assert np.shape(published(given, None, [[0.3]])[1]) == (1, 1)


@pytest.mark.parametrize(
    ("doc", "word", "message"),
    [
        ([0.1, 0.2], None, r"doc_topic_prior has shape \(2,\); .* \(3,\)"),
        (None, np.ones((5, 3)), r"topic_word_prior has shape \(5, 3\); .*\(5,\) or \(3, 5\)"),
        ([0.1, -0.2, 0.3], None, "doc_topic_prior has values that are negative"),
        ([0.1, np.nan, 0.3], None, "not finite"),
    ],
)
def test_other_priors_are_refused(doc, word, message):
    with pytest.raises(ValueError, match=message):
        given_priors(doc, word, 3, 5)


def test_logs_of_shares_give_their_prior(rng):
    truth = np.array([0.2, 1.5, 0.7])
    logs = psi(truth) - psi(truth.sum())
    alpha = np.ones(3)
    for _ in range(30):
        alpha = from_logs(alpha, logs)
    np.testing.assert_allclose(alpha, truth, rtol=1e-5)


def test_a_step_from_logs_never_lowers_the_likelihood(rng):
    logs = np.log(rng.dirichlet([0.3, 1.0, 2.0, 0.1], size=50)).mean(axis=0)

    def likelihood(alpha):
        return gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ logs

    alpha = rng.gamma(1.0, size=4)
    for _ in range(5):
        after = from_logs(alpha, logs)
        assert likelihood(after) >= likelihood(alpha) - 1e-12
        alpha = after


def test_one_prior_for_all_terms_is_found_from_logs():
    v, truth = 50, 0.07
    eta = one_from_logs(1.0, float(psi(truth) - psi(v * truth)), v)
    assert eta == pytest.approx(truth, rel=1e-9)


def test_counts_give_the_prior_of_their_shares(seed):
    random = np.random.default_rng(seed)
    truth = np.array([0.3, 0.8, 1.5])
    shares = random.dirichlet(truth, size=4000)
    counts = np.stack([random.multinomial(60, share) for share in shares]).astype(float)
    alpha = np.ones(3)
    for _ in range(200):
        alpha = from_counts(alpha, count_sums(counts, alpha, np.ones(4000)))
    np.testing.assert_allclose(alpha, truth, rtol=0.12)


def test_documents_without_words_say_nothing_about_the_prior(rng):
    counts = rng.integers(0, 5, size=(20, 3)).astype(float) + 0.5
    grown = np.vstack([counts, np.zeros((7, 3))])
    alpha = np.array([0.3, 0.8, 1.5])
    left = count_sums(counts, alpha, np.ones(20))
    right = count_sums(grown, alpha, np.ones(27))
    np.testing.assert_allclose(left.by_topic, right.by_topic)
    assert left.together == pytest.approx(right.together)
    none = count_sums(np.zeros((3, 3)), alpha, np.ones(3))
    np.testing.assert_array_equal(from_counts(alpha, none), alpha)


def test_counts_of_terms_give_one_prior_for_all(seed):
    random = np.random.default_rng(seed)
    phi = random.dirichlet(np.full(300, 0.1), size=20)
    counts = np.stack([random.multinomial(4000, p) for p in phi]).T.astype(float)
    eta = 1.0
    for _ in range(30):
        eta = one_from_counts(eta, counts)
    assert eta == pytest.approx(0.1, rel=0.1)
    assert one_from_counts(0.5, np.zeros((3, 2))) == 0.5


def test_the_inverse_of_digamma():
    x = np.logspace(-4, 5, 50)
    np.testing.assert_allclose(priors._inverse_digamma(psi(x)), x, rtol=1e-8)
