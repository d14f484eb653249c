"""Coresets: a few weighted rows on which any centers cost what they cost on all rows."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import KMeans, coreset


def planted(rng, n=5000, d=3, k=6):
    means = 6.0 * rng.normal(size=(k, d))
    return means[rng.integers(0, k, size=n)] + rng.normal(size=(n, d))


def cost(X, centers, weight=None):
    square = np.min([np.square(X - c).sum(axis=1) for c in centers], axis=0)
    return square.sum() if weight is None else weight @ square


# ---- golden values -------------------------------------------------------------------------------


def test_weights_are_those_worked_out_by_hand():
    # mean 0, d^2 = 1 (four times) and 9 (twice), sum 22: p = 1/12 + 1/44 or 1/12 + 9/44
    X = np.array([[1.0], [-1.0], [1.0], [-1.0], [3.0], [-3.0]])
    chance = np.where(np.abs(X[:, 0]) == 1.0, 1 / 12 + 1 / 44, 1 / 12 + 9 / 44)
    points, weights = coreset(X, 50, random_state=0)
    expected = np.where(np.abs(points[:, 0]) == 1.0, 1 / (50 * chance[0]), 1 / (50 * chance[-1]))
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    assert set(points.ravel()) <= {1.0, -1.0, 3.0, -3.0}


def test_equal_rows_are_drawn_alike():
    points, weights = coreset(np.full((20, 2), 7.0), 5, random_state=0)
    np.testing.assert_array_equal(points, np.full((5, 2), 7.0))
    np.testing.assert_allclose(weights, 4.0, rtol=1e-12)


# ---- the derivation ------------------------------------------------------------------------------


def test_the_cost_of_any_centers_is_estimated_without_bias(rng):
    X = planted(rng)
    weight = rng.random(len(X)) + 0.5
    center_sets = [6.0 * rng.normal(size=(4, 3)) for _ in range(3)]
    draws = [coreset(X, 200, rng, weight) for _ in range(300)]
    for centers in center_sets:
        exact = cost(X, centers, weight)
        estimates = np.array([cost(points, centers, w) for points, w in draws])
        error = estimates.std() / np.sqrt(len(draws))
        assert abs(estimates.mean() - exact) < 4.5 * error
        assert estimates.std() < 0.25 * exact  # 200 draws; a cost per draw varies by about 1.5


def test_rows_are_drawn_by_their_chances(rng):
    X = np.concatenate([np.zeros((90, 1)), np.full((10, 1), 9.0)])
    far = np.mean([np.mean(coreset(X, 100, rng)[0] == 9.0) for _ in range(100)])
    # p = 1/200 + d^2 / 2 sum d^2 with d = 0.9 and 8.1: 0.05 + 0.5 * 10 * 8.1^2 / (90 * .81 + 656.1)
    assert far == pytest.approx(0.05 + 0.5 * 656.1 / 729.0, abs=0.025)  # 10000 draws: 0.005


# ---- two roads, one result -----------------------------------------------------------------------


def test_streams_dask_and_sparse_rows_give_the_same_coreset(rng):
    da = pytest.importorskip("dask.array")
    X = planted(rng, n=500)
    points, weights = coreset(X, 40, random_state=1)
    others = (
        lowdim.stream(lambda: iter(np.split(X, [100, 101]))),
        da.from_array(X, chunks=((300, 200), 3)),
        sp.csr_array(X),
    )
    for other in others:
        its_points, its_weights = coreset(other, 40, random_state=1)
        its_points = its_points.toarray() if sp.issparse(its_points) else its_points
        np.testing.assert_allclose(its_points, points, rtol=1e-12)
        np.testing.assert_allclose(its_weights, weights, rtol=1e-9)


def test_a_weight_of_two_is_a_row_twice(rng):
    X = planted(rng, n=100)
    weight = rng.integers(0, 3, size=100)
    weighted = coreset(X, 30, random_state=0, sample_weight=weight)
    repeated = coreset(np.repeat(X, weight, axis=0), 30, random_state=0)
    np.testing.assert_array_equal(weighted[0], repeated[0])
    np.testing.assert_allclose(weighted[1], repeated[1], rtol=1e-9)


def test_float32_stays_float32_and_scale_does_not_matter(rng):
    X = planted(rng, n=300).astype(np.float32)
    points, weights = coreset(X, 20, random_state=0)
    assert points.dtype == np.float32
    for factor in (1e30, 1e-30):
        scaled, its_weights = coreset(X * np.float32(factor), 20, random_state=0)
        np.testing.assert_allclose(scaled / np.float32(factor), points, rtol=1e-5)
        np.testing.assert_allclose(its_weights, weights, rtol=1e-4)


# ---- a planted truth -----------------------------------------------------------------------------


def test_clusters_of_a_coreset_cost_hardly_more_than_those_of_all_rows(rng):
    X = planted(rng, n=1_000_000, d=3, k=8).astype(np.float32)
    full = KMeans(8, n_init=3, random_state=0).fit(X)
    small = KMeans(8, coreset=5000, random_state=0).fit(X)
    # 24 coordinates from 5000 rows: about 24 / 5000 more, and as much again for the weights
    assert small.inertia_ <= 1.02 * full.inertia_
    assert small.inertia_ == pytest.approx(-small.score(X), rel=1e-5)
    assert len(small.labels_) == len(X)
    assert small.counts_.sum() == len(X)


# ---- the door ------------------------------------------------------------------------------------


def test_bad_arguments_are_refused_by_name(rng):
    X = planted(rng, n=20)
    with pytest.raises(ValueError, match="m=0 is too small"):
        coreset(X, 0)
    with pytest.raises(ValueError, match="X has NaN"):
        coreset(np.where(X > 0, np.nan, X), 5)
    with pytest.raises(ValueError, match="coreset=5 needs complete rows"):
        KMeans(2, coreset=5).fit(np.where(X > 3, np.nan, X))
    with pytest.raises(ValueError, match="n_clusters=6 is more than the 5 rows of the coreset"):
        KMeans(6, coreset=5).fit(X)
