"""Profiles of clusters are means, contrasts and typical rows, in every engine."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.cluster.profiles import cluster_profiles
from lowdim.core.opening import as_blocks


def test_golden_values():
    X = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0], [10.0, 5.0]])
    found = cluster_profiles(as_blocks(X), np.array([0, 0, 0, 1]), 3)
    assert_array_equal(found.sizes, [3, 1, 0])
    assert_allclose(found.means[:2], [[2.0, 5.0], [10.0, 5.0]])
    assert_allclose(found.contrasts[:2, 0], (np.array([2, 10]) - 4) / np.std([1, 3, 2, 10]))
    assert_allclose(found.contrasts[:2, 1], 0.0)  # a constant column has no contrast
    assert_array_equal(found.typical, [2, 3, -1])
    assert np.isnan(found.means[2]).all()


def test_missing_entries_do_not_count(rng):
    X = rng.normal(size=(60, 4)) + 3
    labels = rng.integers(0, 3, size=60)
    X[rng.random(X.shape) < 0.2] = np.nan
    found = cluster_profiles(as_blocks(X), labels, 3)
    for j in range(3):
        assert_allclose(found.means[j], np.nanmean(X[labels == j], axis=0))
    expected = (found.means - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    assert_allclose(found.contrasts, expected)


def test_of_equal_rows_the_complete_one_is_typical():
    X = np.array([[0.0, np.nan], [0.0, 1.0], [5.0, -3.0], [-5.0, 5.0]])
    assert cluster_profiles(as_blocks(X), np.zeros(4, dtype=int), 1).typical[0] == 1


def test_engines_agree(rng):
    da = pytest.importorskip("dask.array")
    X = rng.random((300, 5)) * (rng.random((300, 5)) < 0.4)
    labels = rng.integers(0, 4, size=300)
    expected = cluster_profiles(as_blocks(X), labels, 4)
    stream = lowdim.stream(lambda: iter(np.array_split(X, 7)))
    for rows in (
        as_blocks(sp.csr_array(X)),
        as_blocks(X, block_rows=7),
        stream,
        as_blocks(da.from_array(X, chunks=(100, 5))),
    ):
        for one, other in zip(cluster_profiles(rows, labels, 4), expected, strict=True):
            assert_allclose(one, other, atol=1e-12)
