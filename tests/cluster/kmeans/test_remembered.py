"""Passes over rows in memory: which rows they look at changes neither labels nor sums."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.cluster.kmeans.assignment import Setting, nearest, statistics, update
from lowdim.cluster.kmeans.remembered import passes_of
from tests.cluster.kmeans.examples import always_bounds, frame, groups, squares

# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("apart", [0.0, 2.0, 8.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bounds", ["always", "where they pay", "never"])
def test_labels_and_sums_are_those_of_a_look_at_all_rows(
    rng, dtype, apart, weighted, bounds, monkeypatch
):
    if bounds == "always":
        always_bounds(monkeypatch)
    X, _ = groups(rng, n=3000, d=20, k=12, apart=apart, dtype=dtype)
    weight = rng.random(3000) if weighted else None
    centers = X[rng.permutation(3000)[:24]].astype(np.float64)
    passes, before = passes_of(X, weight, frame(20, dtype), 24, bounds != "never"), None
    for _ in range(15):
        sums = passes.sums(centers, None if weighted else before)
        plain = Setting(centers, frame(20, dtype))
        np.testing.assert_array_equal(passes.label, nearest(X, plain))
        expected = statistics(X, plain, weight)
        np.testing.assert_allclose(sums.count, expected.count, rtol=1e-13)
        np.testing.assert_allclose(sums.sum_x, expected.sum_x, rtol=1e-10, atol=1e-10)
        assert sums.inertia == pytest.approx(expected.inertia, rel=1e-11)
        new = update(sums, centers)
        saved = sums.count @ np.square(new - centers).sum(axis=1)
        before, centers = sums._replace(inertia=sums.inertia - saved), new


@pytest.mark.parametrize("k", [2, 30])
def test_bounds_are_bounds(rng, k, monkeypatch):
    always_bounds(monkeypatch)
    X, _ = groups(rng, n=500, d=3, apart=1.0)
    centers, passes = X[:k].copy(), passes_of(X, None, frame(3), k)
    for step in range(8):
        sums = passes.sums(centers, None)
        if step > 0:
            distance = np.sqrt(squares(X, centers))
            own = distance[np.arange(500), passes.label]
            distance[np.arange(500), passes.label] = np.inf
            assert (own <= passes.bounds.upper).all()
            assert (passes.bounds.lower <= distance.min(axis=1)).all()
        centers = update(sums, centers) + 0.01 * rng.normal(size=centers.shape)


def test_most_rows_are_not_in_doubt_near_the_end(rng):
    X, _ = groups(rng, n=2000, d=5, k=20)
    centers, passes, before = X[:20].copy(), passes_of(X, None, frame(5), 20), None
    for _ in range(30):
        before = passes.sums(centers, before)
        centers = update(before, centers)
    lower = passes.bounds.lower.copy()
    passes.sums(centers, before)
    looked_at = np.mean(passes.bounds.lower > lower)  # a look raises the bound, else it falls
    assert looked_at < 0.2


def test_bounds_are_given_up_where_most_rows_stay_in_doubt(rng):
    X, centers = rng.normal(size=(4000, 60)), rng.normal(size=(20, 60))
    passes = passes_of(X, None, frame(60), 20)
    for _ in range(3):  # nothing changes: bounds are tried
        passes.sums(centers, None)
    assert passes.keeps_bounds
    for _ in range(2):  # all centers move far, to and fro
        passes.sums(centers + 0.5 * rng.normal(size=centers.shape), None)
    assert not passes.keeps_bounds


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_have_the_labels_and_sums_of_dense_ones(rng, dtype, weighted):
    X = sp.random_array((700, 40), density=0.2, rng=rng, dtype=dtype, format="csr")
    dense, weight = X.toarray(), rng.random(700) if weighted else None
    own_frame = frame(40, dtype)._replace(unit=4.0)
    centers, before = dense[:9].astype(np.float64) / 4.0, None
    passes = passes_of(X, weight, own_frame, 9)
    for _ in range(6):
        sums = passes.sums(centers, None if weighted else before)
        setting = Setting(centers, own_frame)
        expected = statistics(dense, setting, weight)
        np.testing.assert_array_equal(passes.label, nearest(dense, setting))
        np.testing.assert_allclose(sums.count, expected.count, rtol=1e-13)
        np.testing.assert_allclose(sums.sum_x, expected.sum_x, rtol=1e-6, atol=1e-6)
        assert sums.inertia == pytest.approx(expected.inertia, rel=1e-6)
        new = update(sums, centers)
        saved = sums.count @ np.square(new - centers).sum(axis=1)
        before, centers = sums._replace(inertia=sums.inertia - saved), new


@pytest.mark.parametrize("layout", ["read-only", "columns first", "every second row"])
def test_rows_in_any_layout_give_the_same_bits(rng, layout):
    X, _ = groups(rng, n=900, d=20, apart=0.3)
    other = {"columns first": np.asfortranarray(X), "every second row": np.repeat(X, 2, 0)[::2]}
    Y = other.get(layout, X.copy())
    Y.flags.writeable = layout != "read-only"
    for own_frame in (frame(20), frame(20)._replace(pilot=np.full(20, 0.5))):
        one, two = (passes_of(each, None, own_frame, 16) for each in (X, Y))
        centers, sums = X[:16].copy(), None
        for _ in range(4):
            sums, same = one.sums(centers, sums), two.sums(centers, sums)
            np.testing.assert_array_equal(one.label, two.label)
            for a, b in zip(sums, same, strict=True):
                np.testing.assert_array_equal(a, b)
            centers = update(sums, centers)


def test_results_do_not_depend_on_the_number_of_threads(rng):
    X, _ = groups(rng, n=20_000, d=20, k=30, apart=0.5)
    fits = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            fits.append(lowdim.KMeans(30, random_state=0).fit(X))
    for model in fits[1:]:
        np.testing.assert_array_equal(model.cluster_centers_, fits[0].cluster_centers_)
        np.testing.assert_array_equal(model.history_, fits[0].history_)
