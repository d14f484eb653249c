"""Clusters of the data, to colour maps by."""

import numpy as np
import pytest

from lowdim.report.maps.groups import find_groups


def blobs(rng, n=120, d=4):
    group = np.arange(n) % 3
    return rng.normal(size=(n, d)) + 9.0 * np.eye(3, d)[group], group


def test_planted_groups_are_found(rng):
    X, group = blobs(rng)
    found = find_groups(X, np.arange(len(X)), 0)
    assert found.n_clusters == 3
    assert len({(a, b) for a, b in zip(group, found.labels, strict=True)}) == 3


def test_rows_that_are_not_used_have_no_cluster(rng):
    X, _ = blobs(rng)
    X[[3, 7]] = np.nan
    usable = np.setdiff1d(np.arange(len(X)), [3, 7])
    labels = find_groups(X, usable, 0).labels
    assert (labels[[3, 7]] == -1).all() and labels[usable].min() >= 0


@pytest.mark.parametrize("d", [2, 3])
def test_narrow_tables_have_clusters(rng, d):
    X, _ = blobs(rng, d=d)
    assert find_groups(X, np.arange(len(X)), 0).n_components <= d


def test_rows_all_alike_are_one_cluster():
    found = find_groups(np.ones((20, 3)), np.arange(20), 0)
    assert found.n_clusters == 1 and set(found.labels) == {0}
