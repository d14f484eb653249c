"""The sides of a map: neighbours, ranks and distances of the same rows agree."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from lowdim.maps.quality.space import (
    DistanceSpace,
    MapSpace,
    PointSpace,
    map_space,
    open_space,
    without_itself,
)

METRICS = ("euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "precomputed")


def space_of(X, metric):
    given = pairwise_distances(X) if metric == "precomputed" else X
    return open_space(given, metric, None, "expected", "test")


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_neighbours_ranks_and_distances_agree(metric, sparse, rng):
    X = rng.normal(size=(60, 12)) + 1
    if sparse:  # all rows have a column in common: no two distances are equal
        X[:, 1:][rng.random((60, 11)) < 0.4] = 0.0
    D = pairwise_distances(X, metric="euclidean" if metric == "precomputed" else metric)
    space = space_of(sp.csr_array(X) if sparse and metric != "precomputed" else X, metric)
    near = space.near(6)
    for ranks in space.ranks(near):
        assert_array_equal(ranks, np.tile(np.arange(1, 7), (60, 1)))
    np.fill_diagonal(D, np.inf)
    assert_array_equal(near, np.argsort(D, axis=1, kind="stable")[:, :6])
    of = np.array([7, 2, 40])
    assert_array_equal(space.near(6, of), near[of])
    assert_array_equal(space.ranks(near[of], of).last, ranks[of])
    found = space.distances(of)
    found[[0, 1, 2], of] = np.inf
    assert_array_equal(np.argsort(found, axis=1)[:, :6], near[of])
    i, j = np.array([5, 5, 1, 30]), np.array([9, 3, 2, 5])
    assert_allclose(space.apart(i, j), D[i, j], rtol=1e-12, atol=1e-14)


def test_which_space_a_metric_needs(rng):
    X = rng.normal(size=(20, 3))
    assert isinstance(space_of(X, "cosine"), PointSpace)
    assert isinstance(space_of(X, "manhattan"), DistanceSpace)
    assert isinstance(space_of(sp.csr_array(X), "correlation"), DistanceSpace)
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    assert isinstance(open_space(holes, "euclidean", None, "expected", "test"), PointSpace)
    assert isinstance(open_space(holes, "euclidean", None, "pairwise", "test"), DistanceSpace)


def test_rows_without_a_common_column_are_farthest():
    X = np.array([[0.0, np.nan], [np.nan, 1.0], [1.0, 2.0], [2.0, 3.0]])
    space = open_space(X, "euclidean", None, "pairwise", "test")
    assert space.distances(np.array([0]))[0, 1] == np.inf
    assert space.ranks(np.array([[1]]), np.array([0])) == ([[3]], [[3]])


def test_neighbours_in_a_map_are_those_of_scikit_learn(rng):
    for Y in (rng.normal(size=(80, 2)), rng.integers(0, 4, size=(80, 2)).astype(float)):
        expected = NearestNeighbors(n_neighbors=5).fit(Y).kneighbors(return_distance=False)
        assert_array_equal(MapSpace(Y).near(5), expected)


def test_distances_in_a_map_are_in_its_units(rng):
    Y = rng.normal(size=(30, 3)) * 1e200
    i, j = np.array([0, 4]), np.array([9, 2])
    expected = 1e200 * np.linalg.norm(Y[i] / 1e200 - Y[j] / 1e200, axis=1)
    assert_allclose(MapSpace(Y).apart(i, j), expected, rtol=1e-13)


def test_a_row_is_left_out_of_its_own_neighbours():
    found = np.array([[4, 7, 1], [2, 0, 1]])
    assert_array_equal(without_itself(found, np.array([7, 5])), [[4, 1], [2, 0]])


def test_a_sparse_map_is_a_map(rng):
    Y = rng.normal(size=(20, 2))
    assert_array_equal(map_space(sp.csr_array(Y), 20, "Y").near(3), MapSpace(Y).near(3))
