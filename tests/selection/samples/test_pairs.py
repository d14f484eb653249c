"""Means over pairs are those of all distances at once, whatever the blocks and threads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import lowdim
from lowdim.selection.samples import pairs


def brute(Z, is_real, of):
    values = of(cdist(Z, Z, "sqeuclidean"))
    i, j = np.triu_indices(len(Z), 1)
    real = is_real.astype(bool)
    return (
        values[i, j][real[i] & real[j]].mean(),
        values[i, j][real[i] != real[j]].mean(),
        values[i, j][~real[i] & ~real[j]].mean(),
    )


@pytest.mark.parametrize("of", [np.sqrt, lambda squared: np.exp(-squared)])
def test_means_are_those_over_all_pairs_of_different_rows(rng, monkeypatch, of):
    monkeypatch.setattr(pairs, "BLOCK", 40)
    Z = rng.normal(size=(23, 3))
    ways = np.column_stack([rng.permutation(pairs.parted(9, 14)[:, 0]) for _ in range(3)])
    found = pairs.pair_means(Z, ways, of)
    for p in range(3):
        assert_allclose([side[p] for side in found], brute(Z, ways[:, p], of), rtol=1e-10)


def test_blocks_are_the_squared_distances_in_order(rng, monkeypatch):
    A, B = rng.normal(size=(11, 4)), rng.normal(size=(7, 4))
    for block in (1, 20, 10_000):
        monkeypatch.setattr(pairs, "BLOCK", block)
        found = np.vstack(list(pairs.over_blocks(lambda _, squared: squared, A, B)))
        assert_allclose(found, cdist(A, B, "sqeuclidean"), rtol=1e-9)


def test_equal_rows_are_at_distance_zero(rng):
    A = rng.normal(size=(50, 30))
    (found,) = pairs.over_blocks(lambda _, squared: squared, A, A[::-1])
    assert_array_equal(np.diag(found[:, ::-1]), 0.0)
    assert (found >= 0).all()


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK", 500)
    Z, way = rng.normal(size=(60, 3)), pairs.parted(20, 40)
    found = []
    for threads in (1, 2):
        with lowdim.config_context(threads=threads):
            found.append(pairs.pair_means(Z, way, np.sqrt))
    assert_array_equal(found[0], found[1])
