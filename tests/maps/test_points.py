"""All distances of points: against differences, scikit-learn's, and near rows far from zero."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import nan_euclidean_distances

import lowdim
from lowdim import config_context
from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.points import Metric, Points, distances, in_units_of_x, metric_of
from tests.maps.examples import as_points

METRICS = ["euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev"]


def between(X, metric, Y=None):
    """All distances in units of X."""
    known, points = metric_of(metric), as_points(X, metric)
    others = points if Y is None else points_of(Y, frame_of(X, known), known)
    return in_units_of_x(distances(points, others, known), points, known)


@pytest.mark.parametrize("metric", METRICS)
def test_distances_are_those_of_scikit_learn(rng, metric):
    X, Y = rng.normal(size=(40, 6)) + 3, rng.normal(size=(15, 6)) + 3
    assert_allclose(between(X, metric), pairwise_distances(X, metric=metric), atol=1e-13)
    assert_allclose(between(X, metric, Y), pairwise_distances(X, Y, metric=metric), atol=1e-13)
    assert (np.diagonal(between(X, metric)) == 0).all()


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
def test_sparse_rows_have_the_distances_of_dense_ones(rng, metric):
    X = rng.normal(size=(25, 12))
    X[rng.random(X.shape) < 0.6] = 0.0
    X[3] = 0.0
    assert_allclose(between(sp.csr_array(X), metric), between(X, metric), atol=1e-12)


def test_a_row_of_zeros_is_at_cosine_distance_1_of_all():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    assert_array_equal(between(X, "cosine"), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
def test_near_rows_keep_their_digits(rng, offset):
    X = np.repeat(rng.normal(size=(10, 4)), 2, axis=0) + offset
    X[1::2] += 1e-3 * rng.normal(size=(10, 4))
    true = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    assert_allclose(between(X, "euclidean"), true, rtol=1e-9, atol=1e-300)


def test_the_expected_square_is_that_of_expectations_and_both_variances():
    points = Points(np.array([[0.0], [3.0]]), np.array([0.0, 7.0]), None, 1.0)
    found = distances(points, points, metric_of("euclidean"))
    assert_array_equal(found, [[0.0, 4.0], [4.0, 0.0]])  # 3^2 + 0 + 7


def test_pairwise_distances_are_nan_euclidean(rng):
    X = rng.normal(size=(30, 5)) + 100
    X[rng.random(X.shape) < 0.3] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 100.0
    known = metric_of("euclidean")
    points = points_of(X, frame_of(X, known), known, pairwise=True)
    found = distances(points, points, known) * points.unit
    true = nan_euclidean_distances(X)
    assert_array_equal(np.isnan(found), np.isnan(true))
    assert_allclose(np.nan_to_num(found), np.nan_to_num(true), atol=1e-6)  # sklearn's loses digits


def test_threads_and_blocks_change_no_bit(rng, monkeypatch):
    from lowdim.maps import points as module

    X = rng.normal(size=(50, 3))
    monkeypatch.setattr(module, "BLOCK_BYTES", 8 * 50 * 7)
    found = []
    for threads in (1, 3):
        with config_context(threads=threads):
            found.append(between(X, "euclidean"))
    assert_array_equal(*found)


# ---- metrics -------------------------------------------------------------------------------------


def test_names_of_one_metric_are_one():
    assert metric_of("l2") == metric_of("minkowski") == Metric("euclidean", {})
    assert metric_of("minkowski", {"p": 1}) == metric_of("cityblock") == Metric("manhattan", {})
    assert metric_of("minkowski", {"p": 3}) == Metric("minkowski", {"p": 3})
    assert metric_of(metric_of("cosine")).by_products


def test_a_metric_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="metric='euklid' is not known; choose one of 'euclidean'"):
        metric_of("euklid")
    with pytest.raises(ValueError, match="takes none"):
        metric_of("cosine", {"p": 3})


def test_a_graph_has_not_all_distances():
    points = Points(sp.eye_array(3, format="csr"), np.zeros(3), None, 1.0)
    with pytest.raises(TypeError, match="sparse graph"):
        distances(points, points, metric_of("precomputed"))


def test_a_function_that_gives_negative_distances_is_refused(rng):
    points = as_points(rng.normal(size=(5, 2)))
    with pytest.raises(ValueError, match=r"All distances .*metric given"):
        distances(points, points, metric_of(lambda x, y: -1.0))


def far_or_unknown(x, y):
    return np.nan if (x[0] > 1) != (y[0] > 1) else abs(x - y).sum()


@pytest.mark.parametrize(
    "model",
    [lowdim.MDS(), lowdim.Sammon(), lowdim.UMAP(2, n_epochs=5), lowdim.TSNE(perplexity=1)],
    ids=repr,
)
def test_a_metric_that_gives_nan_is_named_with_the_rows(model):
    X = np.array([[0.0, 1.0], [0.5, 2.0], [2.0, 3.0], [0.25, 4.0], [3.0, 5.0], [4.0, 1.0]])
    message = r"far_or_unknown.* gives NaN for rows 0 and 2 of X, \[0. 1.\] and \[2. 3.\]"
    model = clone(model).set_params(metric=far_or_unknown)
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    with pytest.raises(ValueError, match=message):
        lowdim.trustworthiness(X, X, n_neighbors=2, metric=far_or_unknown)
    model.fit(X[[0, 1, 3]])
    with pytest.raises(ValueError, match=r"NaN for rows 1 \(a new one\) and 0 of X"):
        model.transform(X[[1, 2]] + 1e-3)


def test_rows_that_are_equal_are_at_0_where_a_metric_says_nothing():
    """0 / 0 for two rows of zeros."""
    X = np.array([[0.0, 0.0], [1.0, 3.0], [0.0, 0.0]])
    assert_array_equal(between(X, "braycurtis"), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
