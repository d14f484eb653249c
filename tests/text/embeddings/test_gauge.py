"""Vectors that say the same become the same."""

import numpy as np

from lowdim.text.embeddings.gauge import Gauged, gauged, principal


def scores(at):
    return at.W @ at.C.T + at.word_bias[:, None] + at.bias


def some(rng, n=9, v=7, d=3):
    return Gauged(*(rng.normal(size=s) for s in ((n, d), (v, d), (n,), (v,))))


def test_what_is_said_does_not_change(rng):
    at = some(rng)
    for words in (False, True):
        for contexts in (False, True):
            found = gauged(at, words=words, contexts=contexts)
            np.testing.assert_allclose(scores(found), scores(at), atol=1e-12)


def test_vectors_are_balanced_and_have_mean_0(rng):
    W, C, _, _ = gauged(some(rng), words=True, contexts=True)
    sizes = W.T @ W
    np.testing.assert_allclose(C.T @ C, sizes, atol=1e-12)
    np.testing.assert_allclose(sizes, np.diag(np.diag(sizes)), atol=1e-12)
    assert np.all(np.diff(np.diag(sizes)) <= 0)
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(C.mean(axis=0), 0, atol=1e-13)


def test_any_invertible_matrix_and_any_shift_give_the_same_vectors(rng):
    at = some(rng)
    M, u, a = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    W, C = at.W - u, at.C - a
    # w.c = (w - u).(c - a) + u.c + a.w - u.a
    other = Gauged(
        W @ M, C @ np.linalg.inv(M).T, at.word_bias + at.W @ a, at.bias + at.C @ u - u @ a
    )
    one, two = (gauged(x, words=True, contexts=True) for x in (at, other))
    np.testing.assert_allclose(two.W, one.W, atol=1e-9)
    np.testing.assert_allclose(two.C, one.C, atol=1e-9)


def test_directions_that_are_not_there_are_0(rng):
    at = some(rng, d=5)
    at.W[:, 3:] = at.W[:, :2]
    W, C, _, _ = gauged(at, words=False, contexts=False)
    assert not W[:, 3:].any() and not C[:, 3:].any()
    assert W[:, :3].any(axis=0).all()


def test_tied_vectors_are_turned_to_their_axes(rng):
    X = rng.normal(size=(8, 3))
    turned = principal(X)
    np.testing.assert_allclose(turned @ turned.T, X @ X.T, atol=1e-12)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    np.testing.assert_allclose(principal(X @ Q), turned, atol=1e-10)
    assert principal(X[:2]).shape == (2, 3)
