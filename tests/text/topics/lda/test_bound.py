"""How likely documents are: against scikit-learn, and against integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import psi
from scipy.stats import beta
from sklearn.decomposition import LatentDirichletAllocation as Peer

import lowdim
from lowdim.text.topics.lda.bound import bounds, expected_topics, topics_bound
from lowdim.text.topics.lda.priors import given_priors
from tests.text.topics.examples import planted

ALPHA = np.array([0.4, 0.9])


def marginal(x, phi, alpha):
    """log p of one document with two topics, by quadrature."""

    def density(t):
        return np.exp(x @ np.log(t * phi[0] + (1 - t) * phi[1])) * beta.pdf(t, *alpha)

    peak = np.linspace(0.01, 0.99, 30)
    return np.log(quad(density, 0, 1, points=peak, limit=500)[0])


def documents(rng, n=6, v=5, length=6):
    phi = rng.dirichlet(np.ones(v), size=2)
    return rng.multinomial(length, np.full(v, 1 / v), size=n).astype(float), phi


def test_expected_topics_are_those_of_a_dirichlet_distribution(rng):
    topics = rng.gamma(1.0, size=(7, 3)) + 0.01
    expected = np.exp(psi(topics) - psi(topics.sum(axis=0)))
    np.testing.assert_allclose(expected_topics(topics), expected, rtol=1e-10)


def test_the_bound_lies_below_the_integral_and_near_it(rng):
    X, phi = documents(rng)
    found = bounds(X, np.ascontiguousarray(phi.T), ALPHA, 1000, 1e-10)
    exact = np.array([marginal(x, phi, ALPHA) for x in X])
    assert np.all(found <= exact + 1e-8)
    assert np.all(found >= exact - 2.0)


def test_documents_without_words_are_certain():
    phi = np.full((4, 2), 0.25)
    X = np.zeros((3, 4))
    np.testing.assert_allclose(bounds(X, phi, ALPHA, 10, 1e-3), 0.0, atol=1e-12)


@pytest.mark.parametrize("prior", [None, 0.7])
def test_score_and_perplexity_are_those_of_scikit_learn(rng, prior):
    X, _, _ = planted(rng)
    settings = {"mean_change_tol": 1e-9, "max_doc_update_iter": 2000, "random_state": 0}
    priors = {"doc_topic_prior": prior, "topic_word_prior": prior}
    model = lowdim.LatentDirichletAllocation(3, **settings, **priors).fit(X)
    peer = Peer(3, max_iter=0, **settings, **priors).fit(X)
    peer.components_, peer.exp_dirichlet_component_ = (
        model.components_,
        model.exp_dirichlet_component_,
    )
    assert model.score(X) == pytest.approx(peer.score(X), rel=1e-7)
    assert model.perplexity(X) == pytest.approx(peer.perplexity(X), rel=1e-7)
    assert model.perplexity(X, sub_sampling=True) == pytest.approx(
        peer.perplexity(X, sub_sampling=True), rel=1e-7
    )
    assert model.bound_ == pytest.approx(peer.perplexity(X), rel=1e-7)
    np.testing.assert_allclose(model.transform(X), peer.transform(X), atol=1e-6)


def test_the_bound_of_topics_vanishes_at_their_prior():
    priors = given_priors(None, np.arange(1.0, 6.0), 3, 5)
    topics = np.broadcast_to(priors.word, (5, 3)).copy()
    assert topics_bound(topics, priors) == pytest.approx(0.0, abs=1e-12)
    assert topics_bound(topics + 1.0, priors) < 0
