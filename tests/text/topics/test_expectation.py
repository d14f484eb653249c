"""The expectation step: kernels against their plain twins."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import psi

from lowdim.text.topics import expectation
from lowdim.text.topics.counts import cells_of
from lowdim.text.topics.expectation import (
    document_counts,
    encoded,
    exp_digamma,
    spread_evenly,
    sum_of_logs,
    topic_counts,
)
from tests.text.topics.examples import emptied, plain_step, planted


def test_exp_digamma_is_that_of_scipy():
    x = np.concatenate([np.logspace(-2.5, 12, 5000), np.linspace(0.01, 40, 5000)])
    np.testing.assert_allclose(exp_digamma(x), np.exp(psi(x)), rtol=1e-11)
    np.testing.assert_array_equal(exp_digamma(np.array([0.0, 1e-3, 1e-300])), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(exp_digamma(np.array([1e150, 1e300])), [1e150, 1e300])


def test_the_sum_of_logs_is_that_of_numpy(rng):
    for x in (
        rng.random(1000),
        np.exp(rng.normal(size=500) * 100),
        np.array([1e-300, 5.0]),
        np.ones(0),
    ):
        assert sum_of_logs(x) == pytest.approx(np.log(x).sum(), rel=1e-12, abs=1e-12)


def test_topic_counts_are_those_of_the_whole_array(rng):
    X, theta, phi = planted(rng)
    X = emptied(X, 7)
    weight = rng.random(60)
    B = np.ascontiguousarray(phi.T)
    found = topic_counts(cells_of(X), theta, B, weight)
    by_term, by_document, log_likelihood = plain_step(X, theta, B, weight)
    np.testing.assert_allclose(found.by_term.array() * B, by_term, atol=1e-12)
    np.testing.assert_allclose(found.by_document, by_document, atol=1e-12)
    np.testing.assert_allclose(found.log_likelihood, log_likelihood, rtol=1e-12)


def test_counts_by_term_add_themselves_to_a_sum_for_any_number_of_topics(rng):
    k = 2 * expectation.TOPICS_AT_A_TIME + 3
    X = rng.poisson(0.4, size=(20, 12)).astype(float)
    e, B = rng.random((20, k)), rng.random((12, k))
    whole = topic_counts(cells_of(X), e, B, None).by_term
    total = np.full((12, k), 2.0)
    whole.add_to(total)
    np.testing.assert_allclose(total - 2.0, plain_step(sp.csr_array(X), e, B)[0] / B, rtol=1e-9)
    np.testing.assert_allclose(whole.array(), total - 2.0, rtol=1e-9)


def test_topics_times_counts_by_term_need_no_second_array(rng, monkeypatch):
    monkeypatch.setattr(expectation, "TERMS_AT_A_TIME", 5)
    X = rng.poisson(0.4, size=(20, 12)).astype(float)
    e, B = rng.random((20, 3)), rng.random((12, 3))
    counts = topic_counts(cells_of(X), e, B, rng.random(20)).by_term
    expected = B * counts.array()
    counts.multiply(B)
    np.testing.assert_allclose(B, expected, rtol=1e-12)


def test_words_that_no_topic_has_count_for_none(rng):
    X, theta, phi = planted(rng)
    B = np.ascontiguousarray(phi.T)
    B[4] = 0.0
    X = X.toarray()
    X[:, 4] = 1.0
    found = topic_counts(cells_of(X), theta, B, None)
    assert np.isfinite(found.by_document).all() and not found.by_term.array()[4].any()
    assert np.isneginf(found.log_likelihood).all()


@pytest.mark.parametrize("bayes", [True, False])
def test_one_iteration_of_documents_is_the_plain_step(rng, bayes):
    X, _, phi = planted(rng)
    B, prior = np.ascontiguousarray(phi.T), np.array([0.1, 0.2, 0.3])
    start = prior + rng.random((60, 3))
    code = encoded(cells_of(X), B, prior, start, bayes=bayes, max_iter=1, tol=0.0)
    e = np.exp(psi(start)) if bayes else start
    np.testing.assert_allclose(code.gamma, prior + plain_step(X, e, B)[1], rtol=1e-9)
    np.testing.assert_allclose(code.e, np.exp(psi(code.gamma)) if bayes else code.gamma, rtol=1e-10)


@pytest.mark.parametrize("bayes", [True, False])
def test_iterations_end_at_a_fixed_point(rng, bayes):
    X, _, phi = planted(rng)
    B, prior, cells = np.ascontiguousarray(phi.T), np.full(3, 0.3), cells_of(X)
    code = encoded(
        cells, B, prior, spread_evenly(cells, prior), bayes=bayes, max_iter=5000, tol=1e-12
    )
    np.testing.assert_allclose(code.gamma, prior + plain_step(X, code.e, B)[1], rtol=1e-6)
    np.testing.assert_allclose(code.gamma.sum(axis=1), prior.sum() + cells.lengths)


def test_the_start_is_not_written_into(rng):
    X, _, phi = planted(rng)
    start = np.ones((60, 3))
    B = np.ascontiguousarray(phi.T)
    encoded(cells_of(X), B, np.ones(3), start, bayes=True, max_iter=3, tol=0.0)
    np.testing.assert_array_equal(start, 1.0)


def test_kernels_do_in_python_what_they_do_compiled(rng):
    X, theta, phi = planted(rng, n=5, v=8)
    B, cells = np.ascontiguousarray(phi.T), cells_of(X)
    compiled = topic_counts(cells, theta, B, None)
    ratios, by_document, log_likelihood = np.empty(len(cells.counts)), np.zeros((5, 3)), np.empty(5)
    plain = (ratios, by_document, log_likelihood)
    expectation.gradient.python(*cells, theta, B, np.arange(5), np.ones(5), *plain)
    by_term = np.zeros(B.shape)
    expectation._add_terms.python(*cells._replace(counts=ratios), theta, 0, 3, by_term)
    np.testing.assert_allclose(compiled.by_term.array(), by_term, rtol=1e-12)
    np.testing.assert_allclose(compiled.by_document, by_document * theta, rtol=1e-12)
    np.testing.assert_allclose(compiled.log_likelihood, log_likelihood, rtol=1e-12)
    for left, right in zip(document_counts(cells, theta, B), compiled[1:], strict=True):
        np.testing.assert_array_equal(left, right)
    prior, gamma, e = np.full(3, 0.5), np.ones((5, 3)), np.empty((5, 3))
    expectation._encode.python(*cells, B, prior, True, 4, 0.0, np.zeros(3), gamma, e)
    code = encoded(cells, B, prior, np.ones((5, 3)), bayes=True, max_iter=4, tol=0.0)
    np.testing.assert_allclose(gamma, code.gamma, rtol=1e-10)
