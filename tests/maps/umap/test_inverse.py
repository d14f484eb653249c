"""Rows for places of the map."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.umap import inverse
from lowdim.maps.umap.curve import Curve
from lowdim.maps.umap.inverse import combined, shares

CURVE = Curve(1.5769, 0.8951)


def test_shares_sum_to_1(rng):
    share = shares(rng.normal(size=(20, 2)), rng.normal(size=(20, 8, 2)), CURVE)
    np.testing.assert_allclose(share.sum(axis=1), 1.0, rtol=1e-12)


def test_a_plane_comes_back_without_ridge(rng, monkeypatch):
    monkeypatch.setattr(inverse, "RIDGE", 0.0)
    Y, near = rng.normal(size=(20, 2)), rng.normal(size=(20, 8, 2))
    share = shares(Y, near, CURVE)
    np.testing.assert_allclose(np.einsum("mj,mjk->mk", share, near), Y, atol=1e-9)


def test_neighbours_all_around_are_averaged():
    near = np.array([[[1.0, 0], [-1, 0], [0, 1], [0, -1]]])
    np.testing.assert_allclose(shares(np.zeros((1, 2)), near, CURVE), 0.25)


def test_neighbours_at_one_place_are_averaged():
    np.testing.assert_allclose(shares(np.zeros((1, 2)), np.ones((1, 4, 2)), CURVE), 0.25)


@pytest.mark.parametrize("size", [3, 2**21])
def test_rows_are_combined_dense_or_sparse(rng, monkeypatch, size):
    monkeypatch.setattr(inverse, "AT_A_TIME", size)
    rows, indices = rng.normal(size=(30, 5)), rng.integers(30, size=(7, 4))
    share = rng.random((7, 4))
    expected = np.einsum("mj,mjd->md", share, rows[indices])
    np.testing.assert_allclose(combined(rows, indices, share), expected, rtol=1e-12)
    np.testing.assert_allclose(combined(sp.csr_array(rows), indices, share), expected, rtol=1e-9)
