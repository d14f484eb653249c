"""Trustworthiness, continuity and recall: scikit-learn's figure, and formulas written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.manifold import trustworthiness as sklearn_trustworthiness
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

import lowdim
from lowdim import config_context, continuity, neighborhood_recall, trustworthiness
from lowdim.maps.quality.kept import excess, mean_kept, row_kept, shared
from lowdim.maps.quality.ranks import Ranks

FIGURES = (trustworthiness, continuity, neighborhood_recall)


def flat(rng, n=120, d=6):
    X = rng.normal(size=(n, d)) * np.linspace(3, 1, d)
    return X, X[:, :2] + 0.1 * rng.normal(size=(n, 2))


def by_definition(X, Y, k, metric="euclidean"):
    """The three figures, from sorted distances."""
    n = len(X)
    ranks, lists = [], []
    for D in (pairwise_distances(X, metric=metric), pairwise_distances(Y)):
        np.fill_diagonal(D, np.inf)
        order = np.argsort(D, axis=1, kind="stable")
        ranks.append(np.argsort(order, axis=1, kind="stable") + 1)
        lists.append(order[:, :k])
    scale = 2 / (n * k * (2 * n - 3 * k - 1))
    trust = 1 - scale * np.maximum(np.take_along_axis(ranks[0], lists[1], 1) - k, 0).sum()
    whole = 1 - scale * np.maximum(np.take_along_axis(ranks[1], lists[0], 1) - k, 0).sum()
    both = [len(set(a) & set(b)) for a, b in zip(*lists, strict=True)]
    return trust, whole, np.mean(both) / k


# ---- golden values -------------------------------------------------------------------------------


def test_worked_by_hand():
    """Rows 0 to 5 on a line; the map swaps the first and the last."""
    X = np.arange(6.0)[:, None] ** 1.1
    Y = X[[5, 1, 2, 3, 4, 0]]
    # nearest in the map of 0 ... 5: 4 0 1 2 0 1, whose ranks in the data are 4 1 1 1 5 5... minus 1
    for k in (1, 2):
        assert_allclose([f(X, Y, n_neighbors=k) for f in FIGURES], by_definition(X, Y, k))


def test_places_that_are_equally_far_by_hand():
    """Five on a line. Excess ranks: of 0 and its neighbour 3, 2; of 1 and 4, 3; of 2 and 4, which
    shares the ranks 3 and 4 with 0, 2.5; of 3 and 0, 3; of 4 and 1, 2. Together 12.5.
    """
    X, Y = np.arange(5.0)[:, None], np.array([[0.0], [2.1], [4.0], [1.0], [2.9]])
    near = NearestNeighbors(n_neighbors=1).fit(Y).kneighbors(return_distance=False)[:, 0]
    assert near.tolist() == [3, 4, 4, 0, 1]
    assert trustworthiness(X, Y, n_neighbors=1) == pytest.approx(1 - 12.5 * 2 / 30, rel=1e-14)


def test_a_map_that_is_the_data_keeps_all(rng):
    X, _ = flat(rng)
    assert [figure(X, 5 * X + 3) for figure in FIGURES] == [1.0, 1.0, 1.0]


# ---- scikit-learn --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "metric",
    ["euclidean", "cosine", "correlation", "manhattan", "chebyshev", "seuclidean", "mahalanobis"],
)
def test_value_is_that_of_scikit_learn(metric, rng):
    X, Y = flat(rng)
    for k in (1, 5, 30):
        expected = sklearn_trustworthiness(X, Y, n_neighbors=k, metric=metric)
        assert trustworthiness(X, Y, n_neighbors=k, metric=metric) == expected


def test_value_is_that_of_scikit_learn_in_float32_and_sparse(rng):
    X, Y = flat(rng)
    narrow = X.astype(np.float32)
    assert trustworthiness(narrow, Y) == sklearn_trustworthiness(narrow, Y)
    X, Y = flat(rng, d=25)  # all rows have some columns in common: no cosine is 0
    sparse = sp.csr_array(np.where(rng.random(X.shape) < 0.7, X, 0))
    for metric in ("euclidean", "cosine"):
        expected = sklearn_trustworthiness(sparse, Y, metric=metric)
        assert trustworthiness(sparse, Y, metric=metric) == expected


# ---- equal distances -----------------------------------------------------------------------------


def over_orders(X, Y, k, metric="euclidean"):
    """Mean and standard deviation of trustworthiness over all orders of equal distances.

    A row at rank r has a share of 1 / t of each of t ranks; neighbours of one row that are as far
    as each other stand in each other's way, so that the variance is at most the sum.
    """
    n = len(X)
    D = pairwise_distances(X, metric=metric)
    np.fill_diagonal(D, np.inf)
    near = NearestNeighbors(n_neighbors=k).fit(Y).kneighbors(return_distance=False)
    mean = variance = 0.0
    for i in range(n):
        for j in near[i]:
            first = 1 + int((D[i] < D[i, j] * (1 - 1e-12)).sum())
            last = int((D[i] <= D[i, j] * (1 + 1e-12)).sum())
            beyond = np.maximum(np.arange(first, last + 1) - k, 0)
            mean, variance = mean + beyond.mean(), variance + beyond.var()
    scale = 2 / (n * k * (2 * n - 3 * k - 1))
    return 1 - scale * mean, scale * np.sqrt(variance)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("table", ["digits", "iris", "flags"])
def test_of_equal_distances_no_order_is_preferred(table, metric, rng):
    """Whole numbers and tenths have many; scikit-learn's sort leaves them in some order."""
    X = {"digits": load_digits().data[:400], "iris": load_iris().data}.get(table)
    X = rng.integers(0, 2, size=(200, 9)).astype(float) if X is None else X
    Y = X[:, 2:4] + X[:, :2] / 7 + 1e-3 * rng.normal(size=(len(X), 2))
    mean, spread = over_orders(X, Y, 5, metric)
    found = trustworthiness(X, Y, metric=metric)
    assert_allclose(found, mean, rtol=1e-13)
    assert 0 < spread
    assert abs(found - sklearn_trustworthiness(X, Y, metric=metric)) < 6 * spread
    order = rng.permutation(len(X))
    assert_allclose(trustworthiness(X[order], Y[order], metric=metric), found, rtol=1e-13)


def test_digits_are_scikit_learns_to_five_places():
    X = load_digits().data
    Y = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2].T
    assert abs(trustworthiness(X, Y) - sklearn_trustworthiness(X, Y)) < 1e-5


def test_distances_that_are_given(rng):
    X, Y = flat(rng)
    D = pairwise_distances(X)
    for figure in FIGURES:
        assert figure(D, Y, metric="precomputed") == figure(X, Y)
        assert figure(D**2, Y, metric="precomputed") == figure(X, Y)
    one_way = D * rng.random(D.shape)
    expected = sklearn_trustworthiness(one_way, Y, metric="precomputed")
    assert trustworthiness(one_way, Y, metric="precomputed") == expected


# ---- properties ----------------------------------------------------------------------------------


def test_figures_are_those_of_their_definitions(rng):
    X, Y = flat(rng)
    for k in (1, 4, 20):
        found = [figure(X, Y, n_neighbors=k) for figure in FIGURES]
        assert_allclose(found, by_definition(X, Y, k), rtol=1e-13)


def test_continuity_is_trustworthiness_with_sides_exchanged(rng):
    X, Y = flat(rng)
    assert_allclose(continuity(X, Y), trustworthiness(Y, X), rtol=1e-13)
    assert neighborhood_recall(X, Y) == neighborhood_recall(Y, X)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_units_do_not_matter(scale, rng):
    X, Y = flat(rng)
    for figure in FIGURES:
        assert figure(X * scale, Y / scale) == figure(X, Y)


def test_rows_far_from_0(rng):
    X, Y = flat(rng)
    X = np.round(X * 2**10) / 2**10
    for figure in FIGURES:
        assert figure(X + 2.0**30, Y) == figure(X, Y)


def test_rows_that_are_equal_and_maps_of_one_place(rng):
    X, Y = flat(rng)
    X = np.repeat(X[:30], 4, axis=0)
    for figure in FIGURES:
        assert 0.0 <= figure(X, Y) <= 1.0
        assert 0.0 <= figure(X, np.zeros((120, 2))) <= 1.0
        assert 0.0 <= figure(np.ones((120, 3)), Y) <= 1.0


def test_maps_with_many_columns(rng):
    X, _ = flat(rng, d=30)
    Y = X[:, :20]
    assert trustworthiness(X, Y) == sklearn_trustworthiness(X, Y)
    assert_allclose(continuity(X, Y), by_definition(X, Y, 5)[1], rtol=1e-13)


def test_missing_values(rng):
    X, Y = flat(rng)
    holes = np.where(rng.random(X.shape) < 0.03, np.nan, X)
    for missing in ("expected", "pairwise"):
        for figure in FIGURES:
            complete = figure(X, Y, n_neighbors=10)
            assert abs(figure(holes, Y, n_neighbors=10, missing=missing) - complete) < 0.15
    pairs = pairwise_distances(holes, metric="nan_euclidean")
    expected = trustworthiness(np.nan_to_num(pairs, nan=1e9), Y, metric="precomputed")
    assert_allclose(trustworthiness(holes, Y, missing="pairwise"), expected, atol=2e-4)


def test_threads_do_not_change_figures(rng):
    X, Y = flat(rng, n=700)
    found = []
    for threads in (1, 2):
        with config_context(threads=threads):
            found.append([figure(X, Y) for figure in FIGURES])
    assert_array_equal(*found)


def test_parts_of_rows_make_the_whole(rng):
    first = rng.integers(1, 50, size=(30, 4))
    strange = excess(Ranks(first, first + rng.integers(0, 4, size=(30, 4))), 4)
    assert_allclose(row_kept(strange, 4, 100).mean(), mean_kept(strange, 4, 100), rtol=1e-14)


def test_shared_counts_numbers_in_both_lists():
    assert_array_equal(
        shared(np.array([[1, 2, 3], [4, 5, 6]]), np.array([[3, 9, 1], [7, 8, 9]])), [2, 0]
    )


# ---- the door ------------------------------------------------------------------------------------


def test_bad_input(rng):
    X, Y = flat(rng, n=20)
    for figure in (trustworthiness, continuity):
        with pytest.raises(ValueError, match=r"n_neighbors \(10\) should be less than .*at most 9"):
            figure(X, Y, n_neighbors=10)
    with pytest.raises(ValueError, match="n_neighbors=20 is more than the 19 other rows"):
        neighborhood_recall(X, Y, n_neighbors=20)
    for figure in FIGURES:
        with pytest.raises(ValueError, match="n_neighbors=0 is too small"):
            figure(X, Y, n_neighbors=0)
        with pytest.raises(ValueError, match="X_embedded has 19 rows where X has 20"):
            figure(X, Y[1:])
        with pytest.raises(ValueError, match=r"X_embedded has shape \(20,\).*reshape"):
            figure(X, Y[:, 0])
        with pytest.raises(ValueError, match=r"X_embedded has NaN or infinity .first in row 4"):
            figure(X, np.where(np.arange(20)[:, None] == 4, np.nan, Y))
        with pytest.raises(ValueError, match="metric='unknown' is not known"):
            figure(X, Y, metric="unknown")
        with pytest.raises(ValueError, match="missing='never' is not known"):
            figure(X, Y, missing="never")
        with pytest.raises(ValueError, match="infinity"):
            figure(np.where(X > 0, np.inf, X), Y)
        with pytest.raises(ValueError, match="Row 3 of X has no observed value"):
            figure(np.where(np.arange(20)[:, None] == 3, np.nan, X), Y)


def test_bad_distances(rng):
    X, Y = flat(rng, n=20)
    D = pairwise_distances(X)
    with pytest.raises(ValueError, match="square"):
        trustworthiness(X, Y, metric="precomputed")
    with pytest.raises(ValueError, match="negative distance"):
        trustworthiness(-D, Y, metric="precomputed")
    with pytest.raises(ValueError, match="NaN for the distance of rows 0 and 0"):
        trustworthiness(np.where(np.eye(20) > 0, np.nan, D), Y, metric="precomputed")
    with pytest.raises(TypeError, match="sparse graph of distances"):
        trustworthiness(sp.csr_array(D), Y, metric="precomputed")


def test_memory_is_that_of_blocks(rng, monkeypatch):
    """No array of all pairs is ever there."""
    import tracemalloc

    X, Y = rng.normal(size=(6000, 5)), rng.normal(size=(6000, 2))
    trustworthiness(X[:600], Y[:600])
    with config_context(threads=1):
        tracemalloc.start()
        trustworthiness(X, Y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 6000 * 6000  # bytes: an eighth of one array of distances


def test_public_names():
    assert lowdim.trustworthiness is trustworthiness
