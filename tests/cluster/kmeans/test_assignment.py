"""The nearest center of every row: bounds, sums, and the centers that follow."""

import numpy as np
import pytest

from lowdim.cluster.kmeans import assignment
from lowdim.cluster.kmeans.assignment import Setting, motion, statistics, unknown, update
from lowdim.core.blocks import ArrayBlocks
from tests.cluster.kmeans.examples import frame, groups, squares

# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_update_gives_the_best_centers_for_the_labels(rng, missing):
    X, _ = groups(rng, n=200)
    X[rng.random(X.shape) < missing] = np.nan
    weight, start = rng.random(200), rng.normal(size=(5, 4)) * 8
    setting = Setting(start, frame(4), has_missing=True)
    centers = update(statistics(X, setting, weight), start)
    label = assignment.nearest(X, setting)

    def cost(C):
        return weight @ np.nansum(np.square(X - C[label]), axis=1)

    for _ in range(10):
        assert cost(centers) <= cost(centers + 1e-3 * rng.normal(size=centers.shape))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("apart", [0.0, 2.0, 8.0])
def test_bounds_change_no_label_of_any_step(rng, dtype, apart):
    X, _ = groups(rng, n=3000, d=5, k=12, apart=apart, dtype=dtype)
    rows, weight = ArrayBlocks(X, block_rows=1000), rng.random(3000)
    centers = X[rng.permutation(3000)[:24]].astype(np.float64)
    bounds, before = unknown(3000, X.dtype), None
    for _ in range(15):
        plain = Setting(centers, frame(5, dtype))
        with_bounds = plain._replace(motion=motion(before, centers))
        sums = rows.fold(statistics, with_bounds, along=(weight, *bounds))
        np.testing.assert_array_equal(bounds.label, rows.map(assignment.nearest, plain))
        for one, other in zip(sums, rows.fold(statistics, plain, along=(weight,)), strict=True):
            np.testing.assert_array_equal(one, other)
        before, centers = centers, update(sums, centers)


@pytest.mark.parametrize("k", [1, 2, 30])
def test_bounds_are_bounds(rng, k):
    X, _ = groups(rng, n=500, d=3, apart=1.0)
    rows, centers = ArrayBlocks(X), X[:k].copy()
    bounds, before = unknown(500, X.dtype), None
    for _ in range(8):
        setting = Setting(centers, frame(3), motion=motion(before, centers))
        sums = rows.fold(statistics, setting, along=(None, *bounds))
        distance = np.sqrt(squares(X, centers))
        own = distance[np.arange(500), bounds.label]
        distance[np.arange(500), bounds.label] = np.inf
        assert (own <= bounds.upper).all()
        assert (bounds.lower <= distance.min(axis=1)).all()
        before, centers = centers, update(sums, centers) + 0.01 * rng.normal(size=centers.shape)
