"""The inner loops of k-means beside their NumPy twins."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.cluster.kmeans import assignment as assigning
from lowdim.cluster.kmeans import kernels
from lowdim.cluster.kmeans.assignment import narrow_of
from lowdim.cluster.kmeans.kernels import TOGETHER
from lowdim.linalg.moments import Frame
from tests.cluster.kmeans.examples import squares


def prepared(centers, dtype=np.float64):
    """C, half, noise and top, as products of matrices need them."""
    norms = np.square(centers).sum(axis=1)
    noise = 8.0 * (centers.shape[1] + 8.0) * float(np.finfo(dtype).eps)
    return centers.astype(dtype), (norms / 2).astype(dtype), noise, 4.0 * float(norms.max())


def workspace(X, k):
    """What `two_nearest` works in."""
    shape = (TOGETHER, X.shape[1]), (k, TOGETHER), (2, TOGETHER)
    return *(np.zeros(each, dtype=X.dtype) for each in shape), np.empty(TOGETHER, dtype=np.int32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7])
def test_the_two_nearest_centers_are_those_of_all_distances(rng, dtype, k):
    X = rng.normal(size=(600, 3)).astype(dtype)  # more than are worked on together
    centers = rng.normal(size=(k, 3))
    chosen = np.flatnonzero(rng.random(600) < 0.7)
    nearest, second = np.full(600, -1, dtype=np.int32), np.full(600, -1.0, dtype=dtype)
    view, space = prepared(centers, dtype), workspace(X, k)
    kernels.two_nearest(X, chosen, len(chosen), *view, *space, nearest, second)
    apart = np.sort(np.sqrt(squares(X.astype(float), centers)), axis=1)
    label = squares(X.astype(float), centers).argmin(axis=1)
    np.testing.assert_array_equal(nearest[chosen], label[chosen])
    left_out = np.setdiff1d(np.arange(600), chosen)
    assert (nearest[left_out] == -1).all() and (second[left_out] == -1.0).all()
    if k == 1:
        assert np.isinf(second[chosen]).all()
    else:  # a bound from below, and a close one
        assert (second[chosen] <= apart[chosen, 1]).all()
        tolerance = 1e-2 if dtype is np.float32 else 1e-5
        np.testing.assert_allclose(second[chosen], apart[chosen, 1], atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7])
def test_the_nearest_center_is_that_of_all_distances(rng, dtype, k):
    X, centers = rng.normal(size=(600, 3)).astype(dtype), rng.normal(size=(k, 3))
    C, half, _, _ = prepared(centers, dtype)
    few, products, best, index = workspace(X, k)
    label = np.full(600, -1, dtype=np.int32)
    kernels.nearest_center(X, C, half, few, products, best[0], index, label)
    np.testing.assert_array_equal(label, squares(X.astype(float), centers).argmin(axis=1))


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_products_in_float32_are_sure_or_say_that_they_are_not(rng, scale):
    X = scale * rng.normal(size=(1000, 20))
    centers = scale * rng.normal(size=(17, 20))
    centers[16] = centers[3] + 1e-9 * scale * rng.normal(size=20)  # nearer or not: float64 sees it
    narrow = narrow_of(centers, Frame(np.zeros(20), 1.0))
    found, unsure = np.empty(1000, dtype=np.int32), np.empty(1000, dtype=np.int64)
    n_unsure = kernels.narrow_look(X, *narrow, *assigning.workspace(X, 17).narrow, found, unsure)
    label = squares(X / scale, centers / scale).argmin(axis=1)
    sure = np.setdiff1d(np.arange(1000), unsure[:n_unsure])
    np.testing.assert_array_equal(found[sure], label[sure])
    assert np.isin(label[sure], [3, 16]).sum() == 0 < len(sure)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_change_move_from_sum_to_sum_as_those_in_doubt_do(rng, dtype):
    X, centers = rng.normal(size=(90, 3)).astype(dtype), rng.normal(size=(5, 3))
    pilot, unit = rng.normal(size=3).astype(dtype), dtype(2.0)
    D = (X - pilot) / unit
    before, nearest = (rng.integers(0, 5, size=90).astype(np.int32) for _ in range(2))
    label, count, sum_x, changed = before.copy(), np.zeros(5), np.zeros((5, 3)), np.zeros(1, int)
    moves = (centers, nearest, label, count, sum_x, changed)
    change = kernels.change_labels(X, pilot, unit, *moves)
    np.testing.assert_array_equal(label, nearest)
    assert changed[0] == np.count_nonzero(before != nearest)

    every, bounds = np.arange(90), (before.copy(), np.zeros(90, dtype), np.zeros(90, dtype))
    sums = np.zeros(5), np.zeros((5, 3))
    found = (every, 90, nearest, np.zeros(90, dtype))
    assert change == kernels.relabel(D, every, np.ones(90), centers, *found, *bounds, *sums)
    np.testing.assert_array_equal(count, sums[0])
    np.testing.assert_array_equal(sum_x, sums[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_looked_at_as_dense_ones(rng, dtype):
    X = sp.random_array((80, 12), density=0.3, rng=rng, dtype=dtype, format="csr")
    rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data
    dense, centers = X.toarray().astype(float), rng.random((5, 12))
    before = rng.integers(-1, 5, size=80).astype(np.int32)
    label, nearest, values = before.copy(), np.empty(80, dtype=np.int32), np.empty((80, 2))
    half, norms = np.square(centers).sum(axis=1) / 2, np.square(dense).sum(axis=1)
    across = np.ascontiguousarray(centers.T)
    kernels.sparse_look(0, 80, *rows, across, half, np.empty(5), label, nearest, values)
    apart, every = squares(dense, centers), np.arange(80)
    np.testing.assert_array_equal(nearest, apart.argmin(axis=1))
    np.testing.assert_allclose(2 * values[:, 0] + norms, apart.min(axis=1), atol=1e-12)
    had = before >= 0
    own = np.where(had, apart[every, before], 0.0)
    np.testing.assert_allclose((2 * values[:, 1] + norms)[had], own[had], atol=1e-12)

    w, count, sum_x = rng.random(80), np.zeros(5), np.zeros((5, 12))
    found = (nearest, values, norms, w, 0.5)
    change = kernels.sparse_changes(*rows, *found, label, count, sum_x)
    np.testing.assert_array_equal(label, nearest)
    new = (nearest[:, None] == np.arange(5)) * w[:, None]
    old = (before[:, None] == np.arange(5)) * w[:, None]
    np.testing.assert_allclose(count, (new - old).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(sum_x, 0.5 * (new - old).T @ dense, atol=1e-12)
    moved = nearest != before
    expected = w[moved] @ (apart.min(axis=1) - own)[moved]
    assert change == pytest.approx(expected, abs=1e-12)


def test_rows_are_measured_from_their_centers(rng):
    X, centers = rng.normal(size=(300, 4)), rng.normal(size=(9, 4))
    label, square = rng.integers(9, size=300).astype(np.int32), np.empty(300)
    kernels.measure(X, centers, label, square)
    np.testing.assert_allclose(square, squares(X, centers)[np.arange(300), label], rtol=1e-12)


def test_sums_by_label_are_those_of_numpy(rng):
    X, w, centers = rng.normal(size=(50, 3)), rng.random(50), rng.normal(size=(4, 3))
    label = rng.integers(4, size=50).astype(np.int32)
    count, sum_x = np.zeros(4), np.zeros((4, 3))
    inertia = kernels.add_up(X, w, centers, label, count, sum_x)
    np.testing.assert_allclose(count, np.bincount(label, weights=w, minlength=4))
    np.testing.assert_allclose(sum_x, np.stack([w[label == j] @ X[label == j] for j in range(4)]))
    assert inertia == pytest.approx(w @ squares(X, centers)[np.arange(50), label])


def test_rows_that_settle_change_the_sums_by_what_they_carry(rng):
    X, w, centers = rng.normal(size=(80, 3)), rng.random(80), rng.normal(size=(5, 3))
    before = rng.integers(-1, 5, size=80).astype(np.int32)  # -1: not in any sum so far
    label, upper, lower = before.copy(), np.full(80, np.inf), np.zeros(80)
    count, sum_x = np.zeros(5), np.zeros((5, 3))
    view, space = prepared(centers), workspace(X, 5)
    rows = np.arange(80, dtype=np.int32)
    square, chosen = np.empty(80), np.empty(80, dtype=np.int64)
    bounds = (label, upper, lower)
    n_chosen = kernels.still_in_doubt(
        X, rows, centers, *view[2:], np.zeros(5), *bounds, square, chosen
    )
    nearest, second = np.empty(80, dtype=np.int32), np.empty(80)
    kernels.two_nearest(X, chosen, n_chosen, *view, *space, nearest, second)
    found = (chosen, n_chosen, nearest, second)
    change = kernels.relabel(X, rows, w, centers, *found, *bounds, count, sum_x)
    apart = squares(X, centers)
    np.testing.assert_array_equal(label, apart.argmin(axis=1))
    assert (np.sqrt(apart.min(axis=1)) <= upper).all()

    def sums(labels):
        member = (labels[:, None] == np.arange(5)) * w[:, None]
        own = np.where(labels >= 0, apart[np.arange(80), labels], 0.0)
        return member.sum(axis=0), member.T @ X, w @ own

    for got, new, old in zip((count, sum_x, change), sums(label), sums(before), strict=True):
        np.testing.assert_allclose(got, new - old, atol=1e-12)


def test_bounds_follow_the_centers_and_leave_the_rows_that_they_cannot_place():
    label = np.array([0, 0, -1], dtype=np.int32)
    upper, lower = np.array([1.0, 1.0, np.inf]), np.array([5.0, 1.2, 0.0])
    motion = np.array([0.25, 0.0]), np.full((2, 1), 0.5), np.full((2, 1), np.inf), np.zeros(2)
    doubt = np.empty(3, dtype=np.int32)
    n_doubt = kernels.in_doubt(0, 3, label, upper, lower, *motion, 0.0, 0.0, doubt)
    # row 0 may have come to 1.25 and its second center to 4.5; row 1 to 1.25 and 0.7
    np.testing.assert_array_equal(doubt[:n_doubt], [1, 2])
    np.testing.assert_allclose(upper[:2], 1.25, rtol=1e-6)
    np.testing.assert_allclose(lower[:2], [4.5, 0.7], rtol=1e-6)
    assert (upper[:2] >= 1.25).all() and (lower[:2] <= [4.5, 0.7]).all()


def test_a_shift_is_that_of_numpy(rng):
    X, pilot = rng.normal(size=(20, 3)), rng.normal(size=3)
    moved = X.copy()
    kernels.shift(moved, pilot, 4.0)
    np.testing.assert_array_equal(moved, (X - pilot) / 4.0)
