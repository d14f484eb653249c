"""densMAP: densities of the map."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.umap import density as densities
from lowdim.maps.umap.curve import Curve, similarity
from lowdim.maps.umap.density import density_of, edge_forces, log_radii
from lowdim.maps.umap.layout import edges_of
from tests.maps.umap.examples import graph_of

CURVE = Curve(1.5769, 0.8951)


def test_radii_are_logs_of_mean_squares():
    graph = sp.csr_array(np.array([[0, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]], np.float32))
    radii = log_radii(graph, np.array([1.0, 9.0, 1.0, 9.0]))
    np.testing.assert_allclose(np.exp(radii), [5.0, 1.0, 9.0])
    np.testing.assert_allclose(log_radii(graph, np.zeros(4)), np.log(1e-300))


def correlation(Y, graph, density):
    squared = ((Y[:, None] - Y) ** 2).sum(axis=2)
    phi = similarity(squared, CURVE) * (graph.toarray() > 0)
    r = np.log((phi * squared).sum(axis=1) / phi.sum(axis=1))
    spread = np.sqrt(np.var(r) + density.var_shift)
    return (r @ density.R) / (len(r) - 1) / spread


def test_forces_are_the_slope_of_the_correlation(rng):
    n = 20
    graph = graph_of(rng.normal(size=(n, 3)), 6)
    density = density_of(graph, rng.normal(size=n), CURVE, 0.02, 0.1)
    Y = (2 * rng.normal(size=(n, 2))).astype(np.float32)
    edges = edges_of(graph, 10**6)
    extra = edge_forces(Y, edges, density)
    row = np.repeat(np.arange(n), np.diff(edges.indptr))
    moves = np.zeros((n, 2))
    np.add.at(moves, row, extra[:, None] * (Y[row] - Y[edges.indices]))
    h, wide, slope = 1e-5, Y.astype(float), np.zeros((n, 2))
    for i in range(n):
        for c in range(2):
            step = np.zeros((n, 2))
            step[i, c] = h
            up, down = (correlation(wide + s * step, graph, density) for s in (1, -1))
            slope[i, c] = (up - down) / (2 * h)
    # n / (n - 1): the slope of cov is that of the sum; tables have 64 entries per octave
    expected = slope * density.strength * (n - 1)
    long = np.abs(extra) * np.linalg.norm(Y[row] - Y[edges.indices], axis=1) > 3.9
    assert not long.any()
    np.testing.assert_allclose(moves, expected, atol=0.05 * np.abs(expected).max())


def test_the_kernels_are_their_python_twins(rng):
    n = 30
    edges = edges_of(graph_of(rng.normal(size=(n, 3)), 6), 10**6)
    Y = (2 * rng.normal(size=(n, 2))).astype(np.float32)
    density = density_of(graph_of(rng.normal(size=(n, 3)), 6), rng.normal(size=n), CURVE, 1.0, 0.1)
    found = []
    for pick in (lambda kernel: kernel, lambda kernel: kernel.python):
        sums, totals, extra = np.zeros(n), np.zeros(n), np.empty(len(edges.indices), np.float32)
        pick(densities._radii)(Y, edges.indptr, edges.indices, density.phi, sums, totals)
        tables = density.phi, density.bend, density.slope
        arrays = np.ones(n), np.ones(n), extra
        pick(densities._forces)(Y, edges.indptr, edges.indices, *tables, *arrays)
        found.append((sums, totals, extra))
    for compiled, twin in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, twin, rtol=0.02)


def test_constant_radii_do_not_matter(rng):
    graph = graph_of(rng.normal(size=(20, 3)), 6)
    density = density_of(graph, np.ones(20), CURVE, 2.0, 0.1)
    assert density.R.tolist() == [0.0] * 20
    Y = rng.normal(size=(20, 2)).astype(np.float32)
    assert edge_forces(Y, edges_of(graph, 100), density) == pytest.approx(0.0, abs=1e-12)
