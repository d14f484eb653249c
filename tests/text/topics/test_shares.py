"""The likeliest shares of fixed topics: solved to the end, and known to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lowdim.text.topics import shares
from lowdim.text.topics.counts import cells_of
from lowdim.text.topics.shares import likeliest_shares
from tests.text.topics.examples import planted


def gap(X, phi, theta):
    """How far the log-likelihood per word may be below its maximum, by duality."""
    X = X.toarray()
    p = theta @ phi
    ratio = np.divide(X, p, out=np.zeros_like(X), where=X > 0)
    g = ratio @ phi.T / X.sum(axis=1)[:, None]
    return g.max(axis=1) - (theta * g).sum(axis=1)


def solved(X, phi, without_words=None):
    k = len(phi)
    even = np.full(k, 1.0 / k) if without_words is None else without_words
    return likeliest_shares(cells_of(X), np.ascontiguousarray(phi.T), even)


def test_two_topics_with_a_term_each_have_its_shares():
    np.testing.assert_allclose(solved(np.array([[3.0, 1.0]]), np.eye(2)), [[0.75, 0.25]])


@pytest.mark.parametrize("k", [2, 3, 8, 25])
def test_the_gap_is_closed(rng, k):
    X, _, phi = planted(rng, k=k, n=40)
    theta = solved(X, phi)
    assert (theta >= 0).all()
    np.testing.assert_allclose(theta.sum(axis=1), 1.0, rtol=1e-12)
    assert gap(X, phi, theta).max() <= 1e-10


def test_more_topics_than_words_of_a_document(rng):
    X, _, phi = planted(rng, k=30, n=40, v=20, length=4)
    theta = solved(X, phi)
    assert gap(X, phi, theta).max() <= 1e-10


def test_topics_that_are_the_same_are_no_trouble(rng):
    X, _, phi = planted(rng, n=20)
    theta = solved(X, np.vstack([phi, phi]))
    assert gap(X, np.vstack([phi, phi]), theta).max() <= 1e-10
    np.testing.assert_allclose(theta[:, :3] + theta[:, 3:], solved(X, phi), atol=1e-5)


def test_two_topics_have_the_maximum_of_a_line_search(rng):
    X, _, phi = planted(rng, n=10, k=2, alpha=1.0)
    theta = solved(X, phi)
    for x, (share, _) in zip(X.toarray(), theta, strict=True):

        def loss(t, x=x):
            p = t * phi[0] + (1 - t) * phi[1]
            return -(x[x > 0] @ np.log(p[x > 0]))

        found = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
        assert loss(share) <= found.fun + 1e-7
        if 1e-3 < share < 1 - 1e-3:
            assert share == pytest.approx(found.x, abs=1e-5)


def test_documents_without_words_have_the_shares_that_are_given():
    phi = np.array([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]])
    X = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 4.0, 5.0], [0.0, 4.0, 0.0]])
    theta = solved(X, phi, np.array([0.2, 0.8]))
    np.testing.assert_array_equal(theta[:2], [[0.2, 0.8], [0.2, 0.8]])  # and unknown words
    np.testing.assert_allclose(theta[2], theta[3])


@pytest.mark.parametrize("factor", [1e-200, 1e150])
def test_units_do_not_matter(rng, factor):
    X, _, phi = planted(rng, n=10)
    np.testing.assert_allclose(solved(X * factor, phi), solved(X, phi), atol=1e-7)


def test_kernels_do_in_python_what_they_do_compiled(rng, monkeypatch):
    X, _, phi = planted(rng, n=4, v=8, k=3, length=8)
    compiled = solved(X, phi)
    for name in ("gradient", "_newton"):
        monkeypatch.setattr(shares, name, getattr(shares, name).python)
    np.testing.assert_allclose(solved(X, phi), compiled, atol=1e-9)


def test_newtons_step_solves_its_system(rng):
    X, theta, phi = planted(rng, n=2, k=4, alpha=2.0)
    cells, B = cells_of(X / 40.0), np.ascontiguousarray(phi.T)
    g, d = np.zeros((2, 4)), np.zeros((2, 4))
    todo = np.arange(2)
    shares._At(theta, g, np.empty(2)).look(cells, B, todo)
    shares._newton(*cells, B, todo, theta, g, np.empty(4, int), np.empty(4), np.empty((4, 4)), d)
    for i, x in enumerate(X.toarray() / 40.0):
        p = theta[i] @ phi
        np.testing.assert_allclose(g[i], phi @ (x / p), rtol=1e-9)
        H = (phi * (x / p**2)) @ phi.T
        np.testing.assert_allclose(H @ d[i], g[i] - 1.0, atol=1e-7)


def test_a_topic_that_is_missing_comes_in(rng):
    X, _, phi = planted(rng, n=5, k=3, alpha=5.0)
    cells, B = cells_of(X / 40.0), np.ascontiguousarray(phi.T)
    theta = np.tile([0.5, 0.5, 0.0], (5, 1))
    at, none = shares._At(theta, np.zeros((5, 3)), np.empty(5)), np.zeros(5, dtype=bool)
    at.look(cells, B, np.arange(5))
    todo, before = np.flatnonzero(at.g.argmax(axis=1) == 2), at.f.copy()
    np.testing.assert_array_equal(shares._towards_missing(cells, B, todo, none, at), todo)
    assert (theta[todo, 2] > 0).all() and (at.f[todo] > before[todo]).all()


def test_a_step_towards_a_topic_is_newtons_along_the_line():
    phi = np.array([[0.6, 0.4], [0.5, 0.5]])  # by topic
    cells, x = cells_of(np.array([[0.55, 0.45]])), np.array([0.55, 0.45])
    at = shares._At(np.array([[1.0, 0.0]]), np.empty((1, 2)), np.empty(1))
    at.look(cells, np.ascontiguousarray(phi.T), np.arange(1))
    part = shares._step_towards(cells, phi.T.copy(), np.arange(1), np.array([1]), at)
    change = phi[1] / phi[0] - 1.0
    assert part == pytest.approx([(x @ change) / (x @ change**2)])


def test_a_rare_word_keeps_its_only_topic():
    X, phi = np.array([[1e6, 1.0]]), np.array([[1.0, 0.0], [0.2, 0.8]])
    theta = solved(X, phi)
    best = minimize_scalar(
        lambda t: -(1e6 * np.log(1 - 0.8 * t) + np.log(0.8 * t)), bounds=(1e-9, 1e-3),
        method="bounded", options={"xatol": 1e-14},
    )  # fmt: skip
    assert theta[0, 1] == pytest.approx(best.x, rel=1e-5)
