"""The neighbour graph of UMAP."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.umap import graph as graphs
from lowdim.maps.umap.graph import connected_distance, directed, fuzzy_union, memberships, rounded
from tests.maps.umap.examples import graph_of, neighbors_of


def test_weights_of_equal_steps_have_a_closed_form():
    # rho = 1, gaps 0, s, s, s: 1 + 3 exp(-s / sigma) = log2(5)
    own = memberships(np.array([[1.0, 3.0, 3.0, 3.0]]), 5)
    sigma = 2.0 / -np.log((np.log2(5) - 1) / 3)
    assert own.rho[0] == 1.0
    assert own.sigma[0] == pytest.approx(sigma, rel=1e-12)
    np.testing.assert_allclose(own.weights[0], [1, *3 * [(np.log2(5) - 1) / 3]], rtol=1e-12)


def test_weights_of_a_row_sum_to_the_logarithm_of_the_neighbours(rng):
    _, distances = neighbors_of(rng.normal(size=(200, 6)), 14)
    own = memberships(distances, 15)
    np.testing.assert_allclose(own.weights.sum(axis=1), np.log2(15), rtol=1e-10)
    expected = np.exp(-np.maximum(0, distances - own.rho[:, None]) / own.sigma[:, None])
    np.testing.assert_allclose(own.weights, expected, rtol=1e-10)
    np.testing.assert_array_equal(own.rho, distances[:, 0])


def test_the_kernel_is_its_python_twin(rng):
    distances = np.sort(rng.random((30, 7)), axis=1)
    distances[3, 4:], distances[4], distances[5, :2] = np.inf, 0.0, 0.0
    rho = connected_distance(distances, 1.0)
    results = []
    for run in (graphs._smooth, graphs._smooth.python):
        sigma, weights = np.empty(30), np.empty((30, 7))
        with np.errstate(all="ignore"):
            run(distances, rho, np.log2(8), sigma, weights)
        results.append((sigma, weights))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-9)
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-9, atol=1e-12)


def test_local_connectivity_is_interpolated():
    distances = np.array([[0.0, 1.0, 3.0, 4.0]])  # the first one is an equal row
    for value, expected in {0.0: 0.0, 0.5: 0.5, 1.0: 1.0, 1.5: 2.0, 2.0: 3.0, 9.0: 4.0}.items():
        assert connected_distance(distances, value)[0] == pytest.approx(expected), value
    assert connected_distance(np.zeros((1, 3)), 1.0)[0] == 0.0


def test_no_neighbour_has_no_weight_and_equal_rows_have_all():
    own = memberships(np.array([[0.0, 0.0, 0.0], [1.0, np.inf, np.inf], [np.inf] * 3]), 4)
    np.testing.assert_array_equal(own.weights, [[1, 1, 1], [1, 0, 0], [0, 0, 0]])
    assert np.isfinite(own.sigma).all() and np.isfinite(own.rho).all()


@pytest.mark.parametrize("factor", [1e150, 1e-150, 1e300])
def test_units_do_not_matter(rng, factor):
    distances = np.sort(rng.random((40, 9)), axis=1)
    plain, scaled = memberships(distances, 10), memberships(distances * factor, 10)
    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=1e-9)
    np.testing.assert_allclose(scaled.sigma / factor, plain.sigma, rtol=1e-9)


def test_rows_do_not_depend_on_each_other(rng):
    distances = np.sort(rng.random((40, 9)), axis=1)
    together = memberships(distances, 10, 0.0)
    alone = memberships(distances[7:8], 10, 0.0)
    np.testing.assert_array_equal(together.weights[7:8], alone.weights)


def test_the_union_is_that_of_fuzzy_sets(rng):
    A = np.where(rng.random((20, 20)) < 0.3, rng.random((20, 20)), 0.0)
    np.fill_diagonal(A, 0.0)
    union = A + A.T - A * A.T
    np.testing.assert_allclose(fuzzy_union(sp.csr_array(A)).toarray(), union, rtol=2**-15)
    np.testing.assert_allclose(fuzzy_union(sp.csr_array(A), 0.0).toarray(), A * A.T, rtol=2**-15)
    half = fuzzy_union(sp.csr_array(A), 0.5).toarray()
    np.testing.assert_allclose(half, (union + A * A.T) / 2, rtol=2**-15)


def test_the_graph_is_symmetric_and_within_0_and_1(rng):
    graph = graph_of(rng.normal(size=(100, 4)))
    assert abs(graph - graph.T).max() == 0
    assert graph.data.dtype == np.float32 and graph.data.min() > 0 and graph.data.max() <= 1
    assert not graph.diagonal().any()


def test_directed_joins_rows_in_the_order_of_columns():
    graph = directed(np.array([[0.5, 1.0], [0.0, 0.25]]), np.array([[2, 1], [0, 2]]), 3)
    np.testing.assert_array_equal(graph.toarray(), [[0, 1.0, 0.5], [0, 0, 0.25]])


def test_rounding_errors_are_gone_from_weights(rng):
    weights = rng.random(2000)
    same = rounded(weights * (1 + 1e-15)) == rounded(weights)
    assert same.all()
    np.testing.assert_allclose(rounded(weights), weights, rtol=2**-16)
    np.testing.assert_array_equal(rounded(np.array([0.0, 1.0])), [0, 1])
