"""The nearest center of every row: sums, and the centers that follow."""

import numpy as np
import pytest

from lowdim.cluster.kmeans import assignment
from lowdim.cluster.kmeans.assignment import Setting, statistics, update
from tests.cluster.kmeans.examples import frame, groups

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
