"""Second looks: what neighbours' neighbours add."""

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from lowdim import config_context
from lowdim.maps.neighbors import looks
from lowdim.maps.neighbors.looks import second_looks
from lowdim.maps.points import metric_of
from tests.maps.examples import as_points, recall, sorted_neighbors

EUCLIDEAN = metric_of("euclidean")


def half_wrong(X, k, rng):
    """Neighbours of which half are random ones, and their squares."""
    n, true = len(X), sorted_neighbors(X, k)[0]
    wrong = (
        np.arange(n)[:, None] + 1 + rng.permuted(np.tile(np.arange(n - 1), (n, 1)), axis=1)
    ) % n
    some = np.array(
        [
            np.r_[t[: k // 2], [j for j in w if j not in t[: k // 2]][: k - k // 2]]
            for t, w in zip(true, wrong, strict=True)
        ]
    )
    squares = ((X[:, None] - X[some]) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1)
    return np.take_along_axis(some, order, axis=1), np.take_along_axis(squares, order, axis=1), true


def test_looks_find_what_was_missed(rng):
    X = rng.normal(size=(300, 3))
    points = as_points(X)
    start, squares, true = half_wrong(points.rows, 8, rng)
    assert recall(start, true) < 0.6
    found = second_looks(points, None, start, squares, EUCLIDEAN)
    assert recall(found, true) > 0.95
    assert all(len(set(row)) == 8 and i not in row for i, row in enumerate(found))


def test_sparse_rows_find_the_same(rng):
    X = rng.normal(size=(200, 4))
    points, sparse = as_points(X), as_points(sp.csr_array(X))
    start, squares, _ = half_wrong(points.rows, 6, rng)
    dense = second_looks(points, None, start, squares, EUCLIDEAN)
    assert_array_equal(
        np.sort(second_looks(sparse, None, start, squares, EUCLIDEAN), axis=1),
        np.sort(dense, axis=1),
    )


def test_threads_change_nothing(rng, monkeypatch):
    monkeypatch.setattr(looks, "WORK_PER_CUT", 2000)
    points = as_points(rng.normal(size=(150, 3)))
    start, squares, _ = half_wrong(points.rows, 6, rng)
    found = []
    for threads in (1, 3):
        with config_context(threads=threads):
            found.append(second_looks(points, None, start, squares, EUCLIDEAN))
    assert_array_equal(*found)


def test_the_kernels_equal_their_twins(rng):
    points = as_points(rng.normal(size=(60, 3)).astype(np.float32))
    index, squares, _ = half_wrong(points.rows, 5, rng)
    index, squares = index.astype(np.int32), squares.astype(np.float32)
    back = looks._reversed(index)
    for i, row in enumerate(back):
        holders = set(np.flatnonzero((index == i).any(axis=1)))
        assert set(row[row >= 0]) <= holders and (row >= 0).sum() == min(5, len(holders))
    results = []
    for run in (looks._join, looks._join.python):
        better, nearer, seen = index.copy(), squares.copy(), np.full(60, -1, np.int32)
        new_back = (back >= 0).sum(axis=1).astype(np.int32) // 2
        cells = np.arange(60, dtype=np.int32) % 4, np.array([[1]] * 60, np.int32)
        there = index.copy()
        outside = looks._first_by(looks._move_outside, there, cells[0])
        links = there, back, np.arange(60, dtype=np.int32) % 3, new_back, outside
        looked_at = np.full(4, -1, np.int32)
        run(
            points.rows,
            np.zeros(60, np.float32),
            *links,
            *cells,
            0,
            better,
            nearer,
            seen,
            looked_at,
            np.empty(61, np.int32),
        )
        results.append(np.sort(better, axis=1))
    assert_array_equal(*results)


def test_rows_of_cells_that_were_looked_at_are_not_compared_again(rng):
    points = as_points(rng.normal(size=(300, 3)))
    start, squares, _ = half_wrong(points.rows, 8, rng)
    met = looks.Met(np.zeros(300, np.int32), np.zeros((300, 1), np.int32))
    assert_array_equal(second_looks(points, None, start, squares, EUCLIDEAN, met=met), start)


def test_fewer_links_find_less(rng, monkeypatch):
    points = as_points(rng.normal(size=(300, 3)))
    start, squares, true = half_wrong(points.rows, 12, rng)
    shares = [recall(start, true)]
    for links in (4, 12):
        monkeypatch.setattr(looks, "LINKS", links)
        shares.append(recall(second_looks(points, None, start, squares, EUCLIDEAN), true))
    assert shares[0] + 0.1 < shares[1] < shares[2] - 0.1


def test_links_that_were_not_there_before_come_first():
    before = np.array([[1, 2, 3], [4, 5, 6], [-1, -1, -1]], np.int32)
    links = np.array([[3, 4, 1], [7, 8, -1], [0, 2, 5]], np.int32)
    expected = [[4, 3, 1], [7, 8, -1], [0, 2, 5]]
    for run in (looks._move_new, looks._move_new.python):
        moved = links.copy()
        assert_array_equal(looks._first_by(run, moved, before), [1, 2, 3])
        assert_array_equal(moved, expected)


def test_links_to_other_cells_come_first(monkeypatch):
    cell = np.array([0, 1, 0, 1, 1], np.int32)
    links = np.array([[2, 1, 3], [3, 0, 4], [1, 3, 4], [1, 4, 2], [1, 2, 0]], np.int32)
    monkeypatch.setattr(looks, "WORK_PER_CUT", 1)  # row by row
    for run in (looks._move_outside, looks._move_outside.python):
        moved = links.copy()
        assert_array_equal(looks._first_by(run, moved, cell), [2, 1, 3, 1, 2])
        assert_array_equal(np.sort(moved), np.sort(links))
        assert_array_equal(cell[moved] != cell[:, None], np.arange(3) < [[2], [1], [3], [1], [2]])


def test_cells_that_were_met_have_nothing_to_add(rng):
    points = as_points(rng.normal(size=(300, 3)).astype(np.float32))
    own = (points.rows[:, 0] > 0).astype(np.int32)
    D = ((points.rows[:, None] - points.rows) ** 2).sum(axis=2) + np.diag(np.full(300, np.inf))
    true = np.argsort(D, axis=1)[:, :10]
    D[(own[:, None] != own) & (rng.random(D.shape) < 0.5)] = np.inf  # not met yet, some of them
    start, squares = np.argsort(D, axis=1)[:, :10], np.sort(D, axis=1)[:, :10]
    met = looks.Met(own, own[:, None].copy())
    found = second_looks(points, None, start, squares, EUCLIDEAN, met=met)
    assert recall(found, true) > recall(start, true) + 0.02
    assert_array_equal(found, second_looks(points, None, start, squares, EUCLIDEAN))


def test_pairs_that_met_before_are_not_missed(rng, monkeypatch):
    points = as_points(rng.normal(size=(200, 4)))
    start, squares, _ = half_wrong(points.rows, 6, rng)
    found = second_looks(points, None, start, squares, EUCLIDEAN)
    linked = looks._linked  # as before the first look: all links are new
    monkeypatch.setattr(looks, "_linked", lambda t, back, _, cell: linked(t, back, None, cell))
    assert_array_equal(found, second_looks(points, None, start, squares, EUCLIDEAN))
