"""Ranks counted from products are those of sorted exact distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from lowdim import config_context
from lowdim.maps.quality import ranks as module
from lowdim.maps.quality.ranks import (
    EQUAL,
    Ranks,
    count_certain,
    frame_of,
    half_squares,
    list_unsure,
    ranks,
    ranks_by_distance,
    rows_of,
    square_apart,
)


def some_others(rng, n, k):
    """k numbers of other rows for each of n rows."""
    return np.array([rng.choice(np.delete(np.arange(n), i), k, replace=False) for i in range(n)])


def squares_of(X, spread=0.0):
    squares = np.square(X[:, None] - X[None]).sum(axis=2)
    return squares + np.add.outer(spread, spread) if np.ndim(spread) else squares


def counted(D, index):
    """The first and the last rank by comparing all; a row is not its own neighbour."""
    D = D.copy()
    np.fill_diagonal(D, np.nan)
    asked = np.take_along_axis(D, index, axis=1)[:, None, :]
    nearer, not_farther = D[:, :, None] < (1 - EQUAL) * asked, D[:, :, None] <= (1 + EQUAL) * asked
    return Ranks(1 + nearer.sum(axis=1), not_farther.sum(axis=1))


def kinds(rng):
    """Tables with and without ties, near and far from 0."""
    plain = rng.normal(size=(120, 5))
    return {
        "plain": plain,
        "whole numbers": rng.integers(0, 3, size=(120, 4)).astype(float),
        "eighths": rng.integers(0, 9, size=(120, 2)) / 8,
        "each row five times": np.repeat(plain[:24], 5, axis=0),
        "far from 0": np.round(plain * 2**20) / 2**20 + 2.0**24,
        "one row far away": np.vstack([plain, np.full((1, 5), 1e9)]),
        "all equal": np.ones((30, 2)),
        "one column": plain[:, :1],
    }


@pytest.mark.parametrize(
    "kind",
    [
        "plain",
        "whole numbers",
        "eighths",
        "each row five times",
        "far from 0",
        "one row far away",
        "all equal",
        "one column",
    ],
)
def test_ranks_are_those_of_sorted_distances(kind, rng, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_COLUMNS", 50)  # several blocks in each direction
    monkeypatch.setattr(module, "BLOCK_ROWS", 32)
    X = kinds(rng)[kind]
    index = some_others(rng, len(X), 6)
    found = ranks(rows_of(X), index)
    assert_array_equal(found, counted(squares_of(X), index))


def test_ranks_of_some_rows_are_those_of_all(rng):
    X = rng.normal(size=(90, 3))
    index, of = some_others(rng, 90, 4), np.array([3, 77, 12])
    rows = rows_of(X)
    assert_array_equal(ranks(rows, index[of], of), [part[of] for part in ranks(rows, index)])


def test_what_missing_values_add_counts(rng):
    X, spread = rng.normal(size=(80, 3)), rng.random(80) * 3
    index = some_others(rng, 80, 5)
    found = ranks(rows_of(X, spread), index)
    assert_array_equal(found, counted(squares_of(X, spread), index))


def test_sparse_rows_have_the_ranks_of_dense_ones(rng):
    X = np.where(rng.random((100, 12)) < 0.3, rng.normal(size=(100, 12)), 0.0)
    index = some_others(rng, 100, 5)
    found = ranks(rows_of(sp.csr_array(X)), index)
    assert_array_equal(found, counted(squares_of(X), index))


def test_many_columns_are_multiplied_piece_by_piece(rng, monkeypatch):
    X = rng.normal(size=(60, 40))
    index = some_others(rng, 60, 5)
    expected = ranks(rows_of(X), index)
    monkeypatch.setattr(module, "PIECE", 16)
    assert_array_equal(ranks(rows_of(X), index), expected)


def test_threads_do_not_change_ranks(rng, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", 16)
    X = rng.normal(size=(100, 4))
    index = some_others(rng, 100, 5)
    found = []
    for threads in (1, 3):
        with config_context(threads=threads):
            found.append(ranks(rows_of(X), index))
    assert_array_equal(*found)


def test_near_ties_in_float32_are_decided_in_float64(rng):
    """Rows at distances that differ by 1e-12 of their size: products in float32 cannot see that."""
    angle = rng.random(200) * 2 * np.pi
    radius = 1.0 + 1e-12 * rng.permutation(200)
    X = np.vstack([[0.0, 0.0], np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None]])
    index = np.vstack([np.arange(1, 201), np.tile(np.arange(200), (200, 1))])
    index[1:] += index[1:] >= np.arange(1, 201)[:, None]  # all others of each
    rows = rows_of(X)
    expected = (
        np.argsort(np.argsort(square_apart(rows, np.array([0]), np.arange(1, 201)[None])[0])) + 1
    )
    found = ranks(rows, index[:1], np.array([0]))
    assert_array_equal(found, [expected[None], expected[None]])


def test_equal_rows_share_their_ranks(rng):
    X = rng.normal(size=(40, 3))
    X[7] = X[3]  # as far from everything as row 3
    index = np.full((40, 1), 3)
    index[3] = index[7] = 0
    found = ranks(rows_of(X), index)
    others = np.setdiff1d(np.arange(40), [3, 7])
    assert_array_equal((found.last - found.first)[others], 1)
    assert_array_equal((found.last - found.first)[[3, 7]], 0)


def test_what_rounding_tells_apart_is_equally_far():
    """0.1 and 0.3 - 0.2 differ in the last digit."""
    X = np.array([[0.0], [0.1], [0.3 - 0.2], [0.5]])
    assert X[1] != X[2]
    found = ranks(rows_of(X), np.array([[1, 2, 3]]), np.array([0]))
    assert_array_equal(found.first, [[1, 1, 3]])
    assert_array_equal(found.last, [[2, 2, 3]])
    D, wanted = np.abs(X - X.T), np.array([[1, 2, 3]])
    assert_array_equal(ranks_by_distance(lambda of: D[of], wanted, np.array([0]), 8), found)


def test_ranks_by_distances_that_are_given(rng):
    D = rng.integers(1, 30, size=(70, 70)).astype(float)  # not symmetric, with ties
    index, rows = some_others(rng, 70, 4), np.arange(70)
    assert_array_equal(ranks_by_distance(lambda of: D[of], index, rows, 16), counted(D, index))


def test_rows_are_measured_from_their_middle(rng):
    frame = frame_of(rng.integers(0, 100, size=(500, 2)) / 4 + 1000)
    assert frame.is_whole and frame.scale == 4.0
    assert_array_equal(frame.center * 4 % 1, 0)
    assert np.abs(frame.center - 1012.5).max() < 2
    plain = frame_of(rng.normal(size=(500, 2)) + 1000)
    assert not plain.is_whole and np.abs(plain.center - 1000).max() < 0.5


def test_points_of_few_digits_have_exact_products(rng):
    pixels = rng.integers(0, 17, size=(50, 64)) / 16
    assert rows_of(pixels).bound == 0.0
    assert rows_of(pixels / 3).bound > 0.0
    assert rows_of(pixels * 2.0**400).bound == 0.0


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_ranks_do_not_depend_on_units(scale, rng):
    X = rng.normal(size=(60, 3))
    index = some_others(rng, 60, 4)
    expected = ranks(rows_of(X), index)
    assert_array_equal(ranks(rows_of(X * scale), index), expected)


def test_half_squares_are_half_of_squared_distances(rng):
    X, spread, of = rng.normal(size=(40, 4)), rng.random(40), np.array([5, 39])
    expected = squares_of(X, spread)[of] / 2
    for values, rtol in ((X, 1e-12), (sp.csr_array(X), 1e-5)):
        found = half_squares(rows_of(values, spread), of)
        found[[0, 1], of] = expected[[0, 1], of]  # a row's distance from itself has no meaning here
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


# ---- kernels -------------------------------------------------------------------------------------


def test_kernels_are_their_python_twins(rng):
    G = rng.integers(-4, 5, size=(6, 20)).astype(np.float32)
    half = rng.integers(0, 4, size=20).astype(np.float32)
    target = rng.integers(-3, 4, size=(6, 3)).astype(np.float32)
    index = rng.integers(-5, 25, size=(6, 3))
    bounds = G, half + 1, half - 1, target - 1, target + 1
    counts = [np.empty((6, 3), np.int64) for _ in range(4)]
    for dtype in (np.float64, np.float32):
        arrays = [a.astype(dtype) for a in bounds]
        count_certain(*arrays, *counts[:2])
        count_certain.python(*arrays, *counts[2:])
        assert_array_equal(counts[:2], counts[2:])
    itself = (index >= 0) & (index < 20)
    unsure = counts[1] - counts[0] - _is_unsure(bounds, index, itself)
    lists = [np.empty(unsure.sum(), np.int64) for _ in range(4)]
    list_unsure(*bounds, index, unsure, *lists[:2])
    list_unsure.python(*bounds, index, unsure, *lists[2:])
    assert_array_equal(lists[:2], lists[2:])
    assert_array_equal(np.bincount(lists[0], minlength=18).reshape(6, 3), unsure)


def _is_unsure(bounds, index, inside):
    """Whether the column that is asked for is between the bounds itself."""
    G, above, below, low, high = bounds
    column = np.where(inside, index, 0)
    value = np.take_along_axis(G, column, axis=1)
    return inside & (below[column] - value <= high) & ~(above[column] - value < low)
