"""Variational Bayes over all documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import psi

from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics.lda.bound import expected_topics
from lowdim.text.topics.lda.priors import given_priors
from lowdim.text.topics.lda.variational import Inner, Learned, State, statistics, step
from tests.text.topics.examples import emptied, plain_step, planted

INNER = Inner(200, 1e-8)
NONE = Learned(False, False)


def start(rng, k=3, v=30, doc=None, word=None):
    return State(rng.gamma(100.0, 0.01, size=(v, k)), None, given_priors(doc, word, k, v))


def test_sums_are_those_of_the_whole_array(rng):
    X, _, _ = planted(rng)
    weight = rng.random(60)
    B, alpha = expected_topics(rng.gamma(1.0, size=(30, 3)) + 0.1), np.array([0.1, 0.3, 0.5])
    sums, gamma = statistics(X, B, alpha, Inner(20000, 1e-13), None, weight)
    e = np.exp(psi(gamma))
    np.testing.assert_allclose(sums.by_term.array() * B, plain_step(X, e, B, weight)[0], atol=1e-4)
    np.testing.assert_allclose(gamma, alpha + plain_step(X, e, B)[1], atol=1e-4)
    logs = psi(gamma) - psi(gamma.sum(axis=1))[:, None]
    np.testing.assert_allclose(sums.logs, weight @ logs, rtol=1e-4)
    assert sums.documents == pytest.approx(weight.sum())


def test_topics_are_the_prior_and_all_words(rng):
    X, _, _ = planted(rng)
    state, _ = step(ArrayBlocks(X), start(rng), INNER, NONE, None)
    np.testing.assert_allclose(state.topics.sum(axis=1), 1.0 + X.sum(axis=0))
    np.testing.assert_allclose(state.gamma.sum(axis=1), 1.0 + X.sum(axis=1))


@pytest.mark.parametrize(
    "learned", [NONE, Learned(True, False), Learned(False, True), Learned(True, True)]
)
def test_the_bound_never_falls(rng, learned):
    X, _, _ = planted(rng)
    X = emptied(X, 3)
    rows, state, found = ArrayBlocks(X), start(rng, k=4), []
    for _ in range(25):
        state, bound = step(rows, state, INNER, learned, None)
        found.append(bound)
    assert np.all(np.diff(found) >= -1e-7 * abs(found[0]))
    assert found[-1] > found[0]


def test_learned_priors_come_near_the_planted_ones(seed):
    random = np.random.default_rng(seed)
    alpha = np.array([0.1, 0.3, 0.9])
    X, theta, phi = planted(random, n=500, v=60, length=150, eta=0.05)
    theta = random.dirichlet(alpha, size=500)
    X = np.stack([random.multinomial(150, p) for p in theta @ phi]).astype(float)
    rows = ArrayBlocks(X)
    state = State(
        np.ascontiguousarray(500 * phi.T) + 0.05, None, given_priors("auto", "auto", 3, 60)
    )
    for _ in range(40):
        state, _ = step(rows, state, INNER, Learned(True, True), None)
    np.testing.assert_allclose(state.priors.doc, alpha, rtol=0.6)
    assert 0.02 < float(state.priors.word) < 0.12
