"""The likeliest shares and topics."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics import plsa
from lowdim.text.topics.counts import cells_of
from lowdim.text.topics.expectation import topic_counts
from lowdim.text.topics.lda.maximum import (
    first_step,
    log_posteriors,
    second_step,
    shares,
    step,
    third_step,
    topics_prior,
)
from lowdim.text.topics.lda.priors import given_priors
from lowdim.text.topics.lda.variational import Learned, State
from tests.text.topics.examples import plain_step, planted

NONE = Learned(False, False)


def posterior(X, theta, phi, alpha, eta):
    """What is maximised, written out."""
    X = X.toarray()
    p = theta @ phi
    return (
        (X[X > 0] * np.log(p[X > 0])).sum()
        + (np.log(theta) @ alpha).sum()
        + (eta * np.log(phi)).sum()
    )


def iteration(rows, state, weight=None):
    """Three steps, and the objective where they start."""
    first = first_step(rows, state, NONE, weight)
    second = second_step(rows, first, NONE, weight)
    return third_step(rows, second, NONE, weight), first.objective


def begin(rng, doc=0.2, word=0.1, k=3, v=30):
    return State(rng.gamma(1.0, size=(v, k)) + 0.1, None, given_priors(doc, word, k, v))


def test_a_step_is_em(rng):
    X, theta, phi = planted(rng)
    weight = rng.random(60)
    state = State(np.ascontiguousarray(phi.T) + 0.01, theta + 0.01, given_priors(0.2, 0.1, 3, 30))
    after, objective = step(ArrayBlocks(X), state, NONE, weight)
    phi = state.topics / state.topics.sum(axis=0)
    theta = shares(state.gamma)
    by_term, by_document, log_likelihood = plain_step(X, theta, phi, weight)
    np.testing.assert_allclose(after.topics, 0.1 + by_term, rtol=1e-9)
    np.testing.assert_allclose(after.gamma, 0.2 + by_document, rtol=1e-9)
    assert objective.log_likelihood == pytest.approx(weight @ log_likelihood)


def test_the_objective_is_the_posterior_and_never_falls(rng):
    X, _, _ = planted(rng)
    rows, state, found = ArrayBlocks(X), begin(rng), []
    for _ in range(30):
        if state.gamma is not None:
            phi = (state.topics / state.topics.sum(axis=0)).T
            expected = posterior(X, shares(state.gamma), phi, np.full(3, 0.2), 0.1)
        state, objective = step(rows, state, NONE, None)
        found.append(objective.whole)
        if len(found) > 1:
            assert found[-1] == pytest.approx(expected, rel=1e-9)
    assert np.all(np.diff(found) >= -1e-9 * abs(found[0]))


def test_a_document_of_weight_2_is_there_twice(rng):
    X, _, _ = planted(rng)
    weight = rng.integers(0, 4, size=60)
    once = often = begin(rng)
    for _ in range(4):
        once, left = iteration(ArrayBlocks(X), once, weight.astype(float))
        often, right = iteration(ArrayBlocks(X.toarray().repeat(weight, axis=0)), often)
        assert left.whole == pytest.approx(right.whole)
    np.testing.assert_allclose(once.topics, often.topics, rtol=1e-8)


def test_iterations_never_lower_the_objective_and_are_worth_three_steps(rng):
    X, _, _ = planted(rng)
    rows, state = ArrayBlocks(X), begin(rng)
    plain, found = state, []
    for _ in range(20):
        state, objective = iteration(rows, state)
        found.append(objective.whole)
    for _ in range(60):
        plain, last = step(rows, plain, NONE, None)
    assert np.all(np.diff(found) >= -1e-9 * abs(found[0]))
    assert found[-1] >= last.whole - 1e-3 * abs(last.whole)


def test_where_it_is_worse_the_second_step_is_taken(rng):
    X, _, _ = planted(rng)
    rows = ArrayBlocks(X)
    start, _ = step(rows, begin(rng), NONE, None)
    once, _ = step(rows, start, NONE, None)
    twice, _ = step(rows, once, NONE, None)
    second = second_step(rows, first_step(rows, start, NONE, None), NONE, None)
    assert not np.allclose(second.there.topics, twice.topics, rtol=1e-3)
    best = second._replace(objective=second.objective._replace(whole=np.inf))
    taken = third_step(rows, best, NONE, None)
    np.testing.assert_allclose(taken.topics, twice.topics, rtol=1e-9)
    np.testing.assert_allclose(taken.gamma, twice.gamma, rtol=1e-9)


def test_without_priors_it_is_plsa(rng):
    X, theta, phi = planted(rng)
    rows = ArrayBlocks(X)
    state = State(np.ascontiguousarray(phi.T), theta.copy(), given_priors(0.0, 0.0, 3, 30))
    params = plsa.PLSAParams(theta, np.ascontiguousarray(phi.T))
    for _ in range(5):
        state, objective = step(rows, state, NONE, None)
        params, loss = plsa.em_step(rows, params, 1.0, None)
        assert -objective.whole / X.sum() == pytest.approx(loss)
    np.testing.assert_allclose(shares(state.gamma), params.theta, atol=1e-9)
    np.testing.assert_allclose(state.topics / state.topics.sum(axis=0), params.phi, atol=1e-9)


def test_shares_of_nothing_are_even():
    np.testing.assert_allclose(
        shares(np.array([[0.0, 0.0], [1.0, 3.0]])), [[0.5, 0.5], [0.25, 0.75]]
    )


def test_posteriors_of_documents_are_those_of_normalised_shares(rng):
    X, theta, phi = planted(rng)
    gamma, alpha = 7.0 * theta + 0.1, np.array([0.1, 0.2, 0.3])
    B = np.ascontiguousarray(phi.T) + 1e-3
    cells = cells_of(X)
    found = log_posteriors(cells, topic_counts(cells, gamma, B, None).log_likelihood, gamma, alpha)
    expected = plain_step(X, shares(gamma), B)[2] + np.log(shares(gamma)) @ alpha
    np.testing.assert_allclose(found, expected)


def test_the_prior_of_topics_counts_every_term(rng):
    phi = rng.dirichlet(np.ones(5), size=2).T
    assert topics_prior(phi, np.array(0.3)) == pytest.approx(0.3 * np.log(phi).sum())
    assert topics_prior(phi, np.array(0.0)) == 0.0
