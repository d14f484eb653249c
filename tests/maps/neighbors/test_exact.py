"""Exact neighbours by products: against sorting all distances, where rounding could mislead."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import config_context
from lowdim.maps.neighbors import exact
from lowdim.maps.neighbors.exact import exact_neighbors, measured
from lowdim.maps.points import Points, metric_of
from tests.maps.examples import as_points, sorted_neighbors

EUCLIDEAN = metric_of("euclidean")


def found_among(X, k, metric="euclidean"):
    points = as_points(X, metric)
    found = exact_neighbors(points, points, k, metric_of(metric), own=True)
    return found.indices, found.distances * points.unit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_neighbours_are_those_of_sorting(rng, metric, dtype, form):
    X = rng.normal(size=(150, 11)).astype(dtype)
    X[:, 1:][rng.random((150, 10)) < 0.4] = 0.0
    index, distance = found_among(form(X), 9, metric)
    true_index, true_distance = sorted_neighbors(X, 9, metric)
    assert_array_equal(index, true_index)
    assert distance.dtype == dtype
    assert_allclose(distance, true_distance, atol=1e-12 if dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("near", [1e-3, 1e-6])
def test_clusters_that_are_tiny_beside_their_distance_are_resolved(rng, near, monkeypatch):
    X = np.repeat(rng.normal(size=(6, 5)), 30, axis=0)
    X += near * rng.normal(size=X.shape)  # at 1e-6 products in float32 see nothing
    again = []
    look = exact._Search._look_again
    monkeypatch.setattr(
        exact._Search, "_look_again", lambda *a: (again.append(len(a[1])), look(*a))
    )
    index, distance = found_among(X, 7)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)) + np.diag(np.full(180, np.inf))
    assert_array_equal(index, np.argsort(D, axis=1)[:, :7])
    assert_allclose(distance, np.sort(D, axis=1)[:, :7], rtol=1e-9)
    assert (sum(again) == 180) if near == 1e-6 else True


def test_equal_distances_are_ranked_by_number_and_need_no_second_look(rng, monkeypatch):
    def refuse(*_):
        raise AssertionError("whole numbers have exact scores")

    monkeypatch.setattr(exact._Search, "_look_again", refuse)
    X = np.unique(rng.integers(0, 4, size=(400, 5)), axis=0).astype(float)
    assert_array_equal(found_among(X, 8)[0], sorted_neighbors(X, 8)[0])


def test_rows_in_the_order_of_time_are_no_trouble():
    X = np.arange(2000.0)[:, None] ** 1.01
    assert_array_equal(found_among(X, 3)[0], sorted_neighbors(X, 3)[0])
    assert_array_equal(np.sort(exact._spread_out(2000)), np.arange(2000))


def test_k_may_be_all_other_rows(rng):
    X = rng.normal(size=(12, 3))
    assert_array_equal(found_among(X, 11)[0], sorted_neighbors(X, 11)[0])


def test_what_is_missing_counts(rng):
    X, spread = rng.normal(size=(80, 3)), rng.random(80) * 4
    D = ((X[:, None] - X) ** 2).sum(axis=2) + spread[:, None] + spread
    D += np.diag(np.full(80, np.inf))
    found = exact_neighbors(*[Points(X, spread, None, 1.0)] * 2, 6, EUCLIDEAN, own=True)
    assert_array_equal(found.indices, np.argsort(D, axis=1)[:, :6])
    assert_allclose(found.distances, np.sqrt(np.sort(D, axis=1)[:, :6]))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_new_row_does_not_depend_on_those_given_with_it(rng, form):
    X, new = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    points = as_points(form(X))
    other = Points(form(new / points.unit), np.zeros(40), None, points.unit)
    together = exact_neighbors(other, points, 5, EUCLIDEAN)
    for i in range(0, 40, 7):
        alone = exact_neighbors(other.take(slice(i, i + 1)), points, 5, EUCLIDEAN)
        assert_array_equal(alone.indices[0], together.indices[i])
        assert_array_equal(alone.distances[0], together.distances[i])


@pytest.mark.parametrize("size", [1e15, 1e40, 1e140])
def test_new_rows_beyond_float32_have_their_neighbours(rng, size):
    """In units of the points; distances of these differ from each other by less than rounding."""
    points = as_points(rng.normal(size=(300, 2)))
    new = np.array([[size, 0.0], [0.1, 0.2]])
    found = exact_neighbors(Points(new, np.zeros(2), None, points.unit), points, 5, EUCLIDEAN)
    D = np.hypot(*(new[:, None, :] - points.rows).T).T
    assert_array_equal(found.indices, np.argsort(D, axis=1, kind="stable")[:, :5])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_threads_and_slabs_change_no_bit(rng, form, monkeypatch):
    X = form(rng.normal(size=(200, 6)))
    expected = found_among(X, 4)
    monkeypatch.setattr(exact, "SLAB", 37)
    for threads in (1, 3):
        with config_context(threads=threads):
            for value, other in zip(found_among(X, 4), expected, strict=True):
                assert_array_equal(value, other)


def test_chosen_points_are_measured_and_ranked(rng):
    X = rng.normal(size=(30, 4))
    points, shuffled = as_points(X), rng.permuted(sorted_neighbors(X, 5)[0], axis=1)
    found = measured(points, shuffled, EUCLIDEAN)
    assert_array_equal(found.indices, sorted_neighbors(X, 5)[0])
    assert_allclose(found.distances * points.unit, sorted_neighbors(X, 5)[1])


def test_the_kernel_of_sparse_products_equals_its_twin(rng):
    X, Y = (sp.random_array((n, 9), density=0.4, rng=rng, format="csr") for n in (6, 8))
    Yt, rows = Y.T.tocsr(), np.array([4, 0, 2])
    parts = (
        [a.astype(np.int64) for a in (X.indptr, X.indices)],
        [a.astype(np.int64) for a in (Yt.indptr, Yt.indices)],
    )
    for run in (exact._stored_products, exact._stored_products.python):
        products = np.zeros((3, 8))
        run(rows, *parts[0], X.data, *parts[1], Yt.data, products)
        assert_allclose(products, (X @ Y.T).toarray()[rows], atol=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_ranking_all_points_and_choosing_some_agree(rng, monkeypatch, form):
    X = np.round(rng.normal(size=(90, 4)), 1)  # some distances are equal
    points, new = as_points(form(X)), as_points(form(X)).take(np.arange(7))
    ranked = [
        exact_neighbors(points, points, 60, EUCLIDEAN, own=True),
        exact_neighbors(new, points, 60, EUCLIDEAN),
    ]
    monkeypatch.setattr(exact, "FEW", 0)
    chosen = [
        exact_neighbors(points, points, 60, EUCLIDEAN, own=True),
        exact_neighbors(new, points, 60, EUCLIDEAN),
    ]
    for one, other in zip(ranked, chosen, strict=True):
        assert_array_equal(one.indices, other.indices)
        assert_array_equal(one.distances, other.distances)


def test_a_search_holds_the_rows_once_more_in_single_precision(rng):
    """And some megabytes: not the rows in float64, several times."""
    points = as_points(rng.normal(size=(3000, 900)).astype(np.float32))  # 11 MB
    tracemalloc.start()
    exact._DenseSearch(points, points, EUCLIDEAN, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < points.rows.nbytes + 20e6


@pytest.mark.parametrize(("n", "k"), [(600, 599), (600, 250), (1200, 210), (4200, 210)])
def test_very_many_neighbours_are_sorted_not_inserted(rng, n, k):
    X = rng.normal(size=(n, 3))
    index, distance = found_among(X, k)
    some = rng.integers(n, size=20)
    D = np.sqrt(((X[some, None] - X) ** 2).sum(axis=2))
    D[np.arange(20), some] = np.inf
    assert_array_equal(index[some], np.argsort(D, axis=1, kind="stable")[:, :k])
    assert_allclose(distance[some], np.sort(D, axis=1)[:, :k], rtol=1e-9)
