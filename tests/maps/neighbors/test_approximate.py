"""Approximate neighbours: nearly all, whatever the rows are like."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim import config_context
from lowdim.maps.neighbors import approximate
from lowdim.maps.neighbors.cells import cells_of, nearest_cells
from lowdim.maps.points import metric_of
from tests.maps.examples import as_points, recall, sorted_neighbors


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Cells of 30 rows, of which a row looks at few: harder than with very many rows."""
    monkeypatch.setattr(approximate, "FEWEST", 100)
    monkeypatch.setattr(approximate, "JUDGED", 100)
    monkeypatch.setattr(approximate, "MOST_CELLS", 1 / 3)


def near_a_plane(rng, n=1000, d=12):
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + 0.05 * rng.normal(size=(n, d))


def both(X, k=8, **arguments):
    exact = lowdim.neighbors(X, k, method="exact", **arguments)
    return lowdim.neighbors(X, k, method="approximate", random_state=0, **arguments), exact


ROWS = {
    "near a plane": near_a_plane,
    "clusters": lambda rng: (
        rng.normal(size=(9, 6))[rng.integers(0, 9, 1000)] * 9 + rng.normal(size=(1000, 6))
    ),
    "one giant cluster": lambda rng: np.vstack(
        [1e-3 * rng.normal(size=(900, 4)), rng.normal(size=(100, 4))]
    ),
    "independent columns": lambda rng: rng.random((1000, 30)),
    "many columns": lambda rng: near_a_plane(rng, d=100),
    "equal rows": lambda rng: np.repeat(rng.normal(size=(250, 3)), 4, axis=0),
    "in the order of time": lambda rng: np.cumsum(rng.normal(size=(1000, 3)), axis=0),
    "sparse": lambda rng: sp.csr_array(np.maximum(near_a_plane(rng), 0.0)),
}


@pytest.mark.parametrize("kind", ROWS)
def test_nearly_all_neighbours_are_found(rng, kind):
    found, exact = both(ROWS[kind](rng))
    assert recall(found.indices, exact.indices) > 0.95
    same = found.indices == exact.indices
    assert_array_equal(found.distances[same], exact.distances[same])
    assert (np.diff(found.distances, axis=1) >= 0).all()
    assert all(len(set(row)) == 8 and i not in row for i, row in enumerate(found.indices))


def test_rows_of_many_columns_have_codes_where_there_are_many_rows(rng, monkeypatch):
    X = near_a_plane(rng, d=100)
    assert approximate.codes_of(as_points(X), rng).shape == X.shape
    monkeypatch.setattr(approximate, "MANY", 1000)
    assert approximate.codes_of(as_points(X), rng).shape == (1000, 64)
    found, exact = both(X)
    assert recall(found.indices, exact.indices) > 0.95


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_cosines_are_found_as_well(rng, metric):
    found, exact = both(near_a_plane(rng), metric=metric)
    assert recall(found.indices, exact.indices) > 0.95


def test_missing_values_count(rng):
    X = near_a_plane(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    found, exact = both(X)
    assert recall(found.indices, exact.indices) > 0.85
    same = found.indices == exact.indices
    assert_allclose(found.distances[same], exact.distances[same])


def test_small_clusters_far_from_each_other_keep_their_digits(rng):
    X = 1e3 * rng.normal(size=(40, 5))[rng.integers(0, 40, 1200)] + 0.1 * rng.normal(size=(1200, 5))
    found, exact = both(X)
    assert recall(found.indices, exact.indices) > 0.98


def test_candidates_are_the_nearest_of_the_cells_looked_at(rng):
    Z = rng.normal(size=(400, 3)).astype(np.float32)
    cells = cells_of(Z, 12, rng)
    Z, spread = Z[cells.order], rng.random(400)
    near = nearest_cells(Z, cells, 3)
    index, squares = approximate.candidates(Z, spread, cells, near, 6)
    D = ((Z[:, None].astype(float) - Z) ** 2).sum(axis=2) + spread
    np.fill_diagonal(D, np.inf)
    D[~(cells.own[None, :, None] == near[:, None, :]).any(axis=2)] = np.inf
    assert_array_equal(index, np.argsort(D, axis=1)[:, :6])
    assert_allclose(squares, np.sort(D, axis=1)[:, :6], rtol=1e-4)


def test_rows_of_a_cell_with_too_few_others_are_compared_with_all(rng):
    X = rng.normal(size=(300, 3))
    points = as_points(X)
    true = sorted_neighbors(points.rows, 5)[0]
    index, squares = true.astype(np.int32), np.zeros((300, 5), np.float32)
    index[7, 2:] = index[9, 4:] = -1
    approximate._complete(index, squares, points, metric_of("euclidean"))
    assert_array_equal(index, true)
    assert squares[7].all() and not squares[8].any()


def test_few_rows_are_compared_with_all(rng):
    X = near_a_plane(rng, n=90)
    assert_array_equal(*(found.indices for found in both(X)))


def test_all_rows_are_compared_where_neighbours_are_in_many_cells(rng, monkeypatch):
    X = rng.normal(size=(4000, 40))
    monkeypatch.setattr(approximate, "MOST_CELLS", 1 / 8)
    found, exact = both(X)
    assert_array_equal(found.indices, exact.indices)


def test_a_seed_gives_the_same_neighbours_on_any_number_of_threads(rng):
    X, found = near_a_plane(rng), []
    for threads in (1, 3):
        with config_context(threads=threads):
            found.append(both(X)[0].indices)
    assert_array_equal(*found)


def test_auto_is_approximate_from_many_rows_on(rng, monkeypatch):
    X = near_a_plane(rng)
    monkeypatch.setattr("lowdim.maps.neighbors.search.MANY", 1000.0**2 * 12 - 1)
    auto, approximately = lowdim.neighbors(X, 8, random_state=0), both(X)[0]
    assert_array_equal(auto.indices, approximately.indices)
