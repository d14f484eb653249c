"""Where UMAP starts."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.points import Points
from lowdim.maps.umap import spectral
from lowdim.maps.umap.spectral import finished_start, spectral_start, widened
from tests.maps.umap.examples import graph_of, groups


def ring(n, reach=1):
    """A graph of n rows in a circle, joined to so many on both sides by weights about 1."""
    i, step = np.repeat(np.arange(n), reach), np.tile(np.arange(1, reach + 1), n)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, n * reach).astype(np.float32)
    one = sp.csr_array((weights, (i, (i + step) % n)), shape=(n, n))
    return sp.csr_array(one + one.T)


@pytest.mark.parametrize("n", [100, spectral.DENSE + 88])
def test_a_ring_starts_as_a_circle(n, rng):
    Y = widened(spectral_start(ring(n, 7), 2, rng), 2.0)
    np.testing.assert_allclose(np.hypot(*Y.T), 1.0, atol=0.35)
    angle = np.unwrap(np.arctan2(Y[:, 1], Y[:, 0]))
    assert abs(abs(angle[-1] - angle[0]) - 2 * np.pi * (n - 1) / n) < 0.2


def test_many_rows_start_as_few_do(rng, monkeypatch):
    graph = graph_of(rng.normal(size=(300, 2)) * [6, 1])
    exact = spectral_start(graph, 1, rng)
    monkeypatch.setattr(spectral, "DENSE", 10)
    near = spectral_start(graph, 1, rng)
    assert abs(np.corrcoef(exact[:, 0], near[:, 0])[0, 1]) > 0.99


def test_parts_that_nothing_joins_lie_by_their_means(rng):
    X, labels = groups(rng, n=90, d=3, gap=1000.0)
    X[labels == 2] += 5000.0  # far from the other two
    points = Points(X, np.zeros(90), None, 1.0)
    graph = graph_of(X, 10)
    Y = spectral_start(graph, 2, rng, points)
    centers = np.array([Y[labels == label].mean(axis=0) for label in range(3)])
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
    assert gaps[0, 1] < gaps[0, 2] and gaps[0, 1] < gaps[1, 2]
    distances = Points(np.linalg.norm(X[:, None] - X, axis=2), np.zeros(90), None, 1.0)
    by_distances = spectral_start(graph, 2, rng, distances, precomputed=True)
    others = np.array([by_distances[labels == label].mean(axis=0) for label in range(3)])
    other_gaps = np.linalg.norm(others[:, None] - others, axis=2)
    np.testing.assert_allclose(other_gaps / other_gaps.max(), gaps / gaps.max(), atol=0.1)
    for a in range(3):  # parts do not overlap
        radius = np.linalg.norm(Y[labels == a] - centers[a], axis=1).max()
        assert radius < np.delete(gaps[a], a).min()


@pytest.mark.parametrize("sparse", [False, True])
def test_parts_of_one_row_have_a_place(rng, sparse):
    rows = rng.normal(size=(30, 4))
    points = Points(sp.csr_array(rows) if sparse else rows, np.zeros(30), None, 1.0)
    nothing = sp.csr_array((30, 30), dtype=np.float32)
    Y = spectral_start(nothing, 2, rng, points)
    assert np.isfinite(Y).all() and len(np.unique(Y, axis=0)) == 30
    assert np.isfinite(spectral_start(nothing, 2, rng, None)).all()


def test_fewer_rows_than_dimensions_start_somewhere(rng):
    for n in (2, 3, 4):
        Y = finished_start(spectral_start(ring(n), 4, rng), rng)
        assert Y.shape == (n, 4) and np.isfinite(Y).all()


def test_a_start_has_a_width_and_no_two_equal_places(rng):
    Y = finished_start(np.repeat(rng.normal(size=(10, 2)) * 1e6, 2, axis=0), rng)
    assert Y.dtype == np.float32 and len(np.unique(Y, axis=0)) == 20
    assert np.abs(Y).max() == pytest.approx(5.0, abs=1e-2)
    assert np.isfinite(finished_start(np.ones((5, 2)), rng)).all()
