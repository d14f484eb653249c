"""Which way neighbours are found: equal rows, metrics without products, distances as given."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import kneighbors_graph

from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.neighbors import near, nearest_to, search
from lowdim.maps.points import Points, metric_of
from tests.maps.examples import as_points, sorted_neighbors


def found_among(X, k, metric="euclidean", **arguments):
    points = as_points(X, metric)
    found = near(points, k, metric=metric, **arguments)
    return found.indices, found.distances * points.unit


@pytest.mark.parametrize("k", [1, 5, 30, 59])
def test_equal_rows_are_neighbours_by_number(rng, k):
    X = rng.integers(0, 3, size=(60, 2)).astype(float)  # nine different rows at the most
    index, distance = found_among(X, k)
    true_index, true_distance = sorted_neighbors(X, k)
    assert_array_equal(index, true_index)
    assert_allclose(distance, true_distance, atol=1e-12)


def test_all_rows_may_be_equal():
    index, distance = found_among(np.full((7, 3), 2.5), 3)
    assert_array_equal(index[0], [1, 2, 3])
    assert_array_equal(index[6], [0, 1, 2])
    assert_array_equal(distance, np.zeros((7, 3)))


def test_equal_rows_with_missing_values_are_as_far_as_both_variances(rng):
    X, spread = np.repeat(rng.normal(size=(20, 2)), 2, axis=0), np.repeat(rng.random(20), 2)
    points = Points(X, spread, None, 1.0)
    D = ((X[:, None] - X) ** 2).sum(axis=2) + spread[:, None] + spread
    D += np.diag(np.full(40, np.inf))
    found = near(points, 6)
    assert_array_equal(found.indices, np.argsort(D, axis=1, kind="stable")[:, :6])
    assert_allclose(found.distances**2, np.sort(D, axis=1)[:, :6])


def test_the_kernel_of_groups_equals_its_twin(rng):
    X = rng.integers(0, 4, size=(50, 2)).astype(float)
    points = as_points(X)
    groups = search.grouped(search.row_keys(points.rows))
    compiled = near(points, 7)
    original = search._expand
    try:
        search._expand = original.python
        twin = search._expanded(points, groups, 7, metric_of("euclidean"), "exact", None)
    finally:
        search._expand = original
    assert_array_equal(twin.indices, compiled.indices)
    assert_array_equal(twin.distances, compiled.distances)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra"])
def test_other_metrics_are_those_of_scikit_learn(rng, metric, monkeypatch):
    monkeypatch.setattr(search, "BLOCK_BYTES", 8 * 50 * 7)
    X = rng.normal(size=(50, 4))
    index, distance = found_among(X, 6, metric)
    assert_array_equal(index, sorted_neighbors(X, 6, metric)[0])
    assert_allclose(distance, sorted_neighbors(X, 6, metric)[1])


def test_a_function_of_two_rows_is_a_metric(rng):
    X = rng.normal(size=(30, 3))
    function = near(as_points(X), 4, metric=lambda x, y: np.abs(x - y).sum())
    assert_array_equal(function.indices, sorted_neighbors(X, 4, "manhattan")[0])


def test_distances_may_be_given(rng):
    X = rng.normal(size=(30, 3))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    before = D.copy()
    index, distance = found_among(D, 4, "precomputed")
    assert_array_equal(index, sorted_neighbors(X, 4)[0])
    assert_allclose(distance, sorted_neighbors(X, 4)[1])
    assert_array_equal(D, before)
    graph = sp.csr_array(kneighbors_graph(X, 6, mode="distance"))
    assert_array_equal(found_among(graph, 4, "precomputed")[0], index)


def test_new_rows_find_training_rows(rng):
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(9, 3))
    for metric in ("euclidean", "cosine", "manhattan"):
        known = metric_of(metric)
        frame = frame_of(X, known)
        found = nearest_to(
            points_of(new, frame, known), points_of(X, frame, known), 5, metric=metric
        )
        both, D = np.vstack([new, X]), None
        D = sorted_neighbors(both, 68, metric)
        expected = [[j - 9 for j in row if j >= 9][:5] for row in D[0][:9]]
        assert_array_equal(found.indices, expected)


# ---- the door ------------------------------------------------------------------------------------


def test_too_many_neighbours_are_refused_with_the_most(rng):
    points = as_points(rng.normal(size=(10, 2)))
    with pytest.raises(ValueError, match=r"n_neighbors=10 needs at least 11 rows.* at most 9"):
        near(points, 10)
    with pytest.raises(ValueError, match="n_neighbors=11 is more than the 10 rows"):
        nearest_to(points, points, 11)


def test_methods_that_do_not_go_with_a_metric_are_refused(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(ValueError, match="method='approximate' is for metrics by products"):
        found_among(X, 3, "manhattan", method="approximate")
    with pytest.raises(ValueError, match="needs rows, not metric='precomputed'"):
        found_among(np.zeros((10, 10)), 3, "precomputed", method="pynndescent")
    with pytest.raises(ValueError, match="method='best' is not known"):
        found_among(X, 3, method="best")


def test_rows_without_enough_distances_are_named():
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 3.0], [0.0, 1.0]])
    known = metric_of("euclidean")
    points = points_of(X, frame_of(X, known), known, pairwise=True)
    assert near(points, 1).indices.shape == (4, 1)
    with pytest.raises(ValueError, match=r"Row 2 of X has distances to 1 other rows, and 2"):
        near(points, 2)
