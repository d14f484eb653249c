"""Cells: every row in one of them, none too large, and the nearest of each row."""

import numpy as np
from numpy.testing import assert_array_equal

from lowdim.maps.neighbors import cells as module
from lowdim.maps.neighbors.cells import Cells, by_distance, cells_of, nearest_cells, order_of


def test_every_row_is_in_one_cell_and_none_is_much_too_large(rng):
    tight, far = 1e-3 * rng.normal(size=(1800, 4)), 10 * rng.normal(size=(200, 4))
    Z = np.vstack([tight, far]).astype(np.float32)  # k-means gives the tight rows few centers
    cells = cells_of(Z, 40, rng)
    sizes = np.diff(cells.starts)
    assert_array_equal(np.sort(cells.order), np.arange(2000))
    assert sizes.min() >= 1 and sizes.max() <= module.LARGEST * 50
    assert cells.centers.shape == (len(sizes), 4)
    np.testing.assert_allclose(cells.centers[3], Z[cells.rows(3)].mean(axis=0), atol=1e-5)


def test_what_k_means_does_not_get_apart_is_cut_in_halves(rng):
    Z = np.vstack([np.zeros((999, 2)), [[1e6, 0.0]]]).astype(np.float32)
    cells = cells_of(Z, 10, rng)
    assert np.diff(cells.starts).max() <= 300
    assert_array_equal(np.sort(cells.order), np.arange(1000))


def test_halves_are_cut_along_the_longest_line(rng):
    Z = np.column_stack([np.arange(64.0), rng.normal(size=64)]).astype(np.float32)
    parts = module._halves(Z, np.arange(64), 20)
    assert sorted(len(part) for part in parts) == [16, 16, 16, 16]
    assert sorted((part.min(), part.max()) for part in parts) == [
        (0, 15),
        (16, 31),
        (32, 47),
        (48, 63),
    ]


def test_the_own_cell_comes_first_and_then_those_of_the_nearest_centers():
    centers = np.array([[0.0], [1.0], [3.0], [9.0]], np.float32)
    cells = Cells(np.arange(10), np.array([0, 2, 5, 9, 10]), centers)
    assert_array_equal(cells.own, [0, 0, 1, 1, 1, 2, 2, 2, 2, 3])
    Z, own = np.array([[0.4], [2.9], [2.9]], np.float32), np.array([0, 2, 3], np.int32)
    assert_array_equal(by_distance(Z, own, centers), [[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0]])
    some = Cells(np.arange(4), np.arange(5), centers)  # one row in each, the second not near to it
    Z = np.array([[0.4], [2.9], [2.9], [2.9]], np.float32)
    assert_array_equal(nearest_cells(Z, some, 3), [[0, 1, 2], [1, 2, 0], [2, 1, 0], [3, 2, 1]])


def test_a_row_chooses_among_the_cells_around_its_own(monkeypatch):
    centers = np.array([[0.0], [1.0], [-2.0], [3.0]], np.float32)
    cells = Cells(np.arange(4), np.arange(5), centers)
    Z = np.full((4, 1), 2.4, np.float32)
    assert_array_equal(nearest_cells(Z, cells, 2), [[0, 3], [1, 3], [2, 3], [3, 1]])
    monkeypatch.setattr(module, "AROUND", 1)  # times 2: -2 and 1 are around 0
    assert_array_equal(nearest_cells(Z, cells, 2), [[0, 1], [1, 3], [2, 1], [3, 1]])


def test_numbers_are_ordered_as_a_stable_sort_does(rng):
    for most in (7, 2**16):
        label = rng.integers(0, 7, size=100).astype(np.int32)
        order, starts = order_of(label, most)
        assert_array_equal(order, np.argsort(label, kind="stable"))
        assert_array_equal(starts, np.searchsorted(label[order], np.arange(most + 1)))


def test_the_same_generator_gives_the_same_cells(rng):
    Z = rng.normal(size=(900, 3)).astype(np.float32)
    first, second = (cells_of(Z, 12, np.random.default_rng(5)) for _ in range(2))
    assert_array_equal(first.order, second.order)
