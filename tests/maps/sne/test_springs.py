import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from lowdim.maps.affinities import conditional, conditional_matrix, joint
from lowdim.maps.sne import repulsion as repulsion_module
from lowdim.maps.sne import springs as module
from lowdim.maps.sne.springs import descent, springs

each_kind = pytest.mark.parametrize("symmetric", [False, True], ids=["rows", "symmetric"])


def table(rng, symmetric, n=40, k=12):
    D = pairwise_distances(rng.normal(size=(n, 4)))
    np.fill_diagonal(D, np.inf)
    indices = np.argsort(D, axis=1)[:, :k]
    p = conditional(np.take_along_axis(D, indices, axis=1), 4.0).p
    return joint(p, indices) if symmetric else conditional_matrix(p, indices)


def divergence(P, Y, symmetric):
    """KL(P || Q), by its definition."""
    W = np.exp(-pairwise_distances(Y, metric="sqeuclidean")) * (1 - np.eye(len(Y)))
    Q = W / (W.sum() if symmetric else W.sum(axis=1, keepdims=True))
    there = P > 0
    return np.sum(P[there] * np.log(P[there] / Q[there]))


def numerical(f, Y, h=1e-5):
    gradient = np.empty_like(Y)
    for place in np.ndindex(Y.shape):
        step = np.zeros_like(Y)
        step[place] = h
        gradient[place] = (f(Y + step) - f(Y - step)) / (2 * h)
    return gradient


@each_kind
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_gradient_is_the_numerical_one(rng, symmetric, k):
    P = table(rng, symmetric)
    Y = rng.normal(size=(40, k))
    expected = numerical(lambda Y: divergence(P.toarray(), Y, symmetric), Y)
    g, found = descent(springs(P, symmetric=symmetric), Y.astype(np.float32))
    g = g / 40 if symmetric else g
    np.testing.assert_allclose(g, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(found, divergence(P.toarray(), Y, symmetric), rtol=1e-5)


@each_kind
def test_the_stiffness_of_the_notes_is_the_gradient(rng, symmetric):
    # the notes' 15.5, with its last sign corrected, and 15.9 (which prints symmetric SNE's)
    P, Y = table(rng, symmetric).toarray(), rng.normal(size=(40, 2))
    W = np.exp(-pairwise_distances(Y, metric="sqeuclidean")) * (1 - np.eye(40))
    if symmetric:
        stiffness, factor = P - W / W.sum(), 4.0
    else:
        Q = W / W.sum(axis=1, keepdims=True)
        stiffness, factor = P - Q + P.T - Q.T, 2.0
    expected = factor * (stiffness.sum(axis=1, keepdims=True) * Y - stiffness @ Y)
    g = descent(springs(sp.csr_array(P), symmetric=symmetric), Y.astype(np.float32)).g
    np.testing.assert_allclose(g / 40 if symmetric else g, expected, atol=1e-5)


@each_kind
def test_exaggeration_makes_springs_stiffer(rng, symmetric):
    S = springs(table(rng, symmetric), symmetric=symmetric)
    Y = rng.normal(size=(40, 2)).astype(np.float32)
    one, four = descent(S, Y), descent(S, Y, 4.0)
    product = S.A @ Y
    np.testing.assert_allclose(four.g - one.g, 12 * (S.stiffness * Y - product), atol=1e-5)
    assert four.divergence == one.divergence


@each_kind
def test_dense_and_sparse_springs_agree(rng, symmetric, monkeypatch):
    P = table(rng, symmetric)
    Y = rng.normal(size=(40, 2)).astype(np.float32)
    dense = springs(P, symmetric=symmetric)
    monkeypatch.setattr(module, "DENSE", 1)
    sparse = springs(P, symmetric=symmetric)
    assert not sp.issparse(dense.A)
    assert sp.issparse(sparse.A)
    np.testing.assert_allclose(descent(dense, Y).g, descent(sparse, Y).g, atol=1e-5)


@each_kind
def test_a_field_gives_the_gradient_of_many_points(rng, symmetric, monkeypatch):
    n = 1500
    Y = (3 * rng.normal(size=(n, 2))).astype(np.float32)
    far = pairwise_distances(Y + rng.normal(size=Y.shape))
    np.fill_diagonal(far, np.inf)
    indices = np.argsort(far, axis=1)[:, :30]
    p = conditional(np.take_along_axis(far, indices, axis=1), 10.0).p
    P = joint(p, indices) if symmetric else conditional_matrix(p, indices)
    exact = descent(springs(P, symmetric=symmetric), Y)
    for name in (module, repulsion_module):
        monkeypatch.setattr(name, "MOST_ROWS", 1000)
    field = descent(springs(P, symmetric=symmetric), Y)
    error = np.linalg.norm(field.g - exact.g) / np.linalg.norm(exact.g)
    assert error < 0.02
    assert abs(field.divergence - exact.divergence) < 0.01 * abs(exact.divergence)


def test_points_that_are_nearly_alone_are_exact_in_a_field(rng, monkeypatch):
    Y = (2 * rng.normal(size=(300, 2))).astype(np.float32)
    Y[:3] = [[40.0, 0.0], [40.0, 3.0], [0.0, 60.0]]
    P = np.zeros((300, 300))
    P[np.arange(300), (np.arange(300) + 1) % 300] = 1.0
    S = springs(sp.csr_array(P), symmetric=False)
    exact = descent(S, Y)
    for name in (module, repulsion_module):
        monkeypatch.setattr(name, "MOST_ROWS", 100)
    field = descent(S, Y)
    np.testing.assert_allclose(field.g, exact.g, atol=0.02 * np.abs(exact.g).max())
    np.testing.assert_allclose(field.divergence, exact.divergence, rtol=0.01)
    monkeypatch.setattr(module, "MOST_UNSURE", 300)  # for the loneliest of all only
    assert np.isfinite(descent(S, Y).g).all()
