"""Where maps start."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone

import lowdim
from lowdim.maps import start as starts
from lowdim.maps.coordinates import principal_coordinates, squared
from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.points import Points, distances, metric_of
from lowdim.maps.start import start


def rows(X, unit=1.0):
    return Points(X, np.zeros(X.shape[0]), None, unit)


def random():
    return np.random.default_rng(3)


def same_up_to_sign(A, B, atol):
    np.testing.assert_allclose(A * np.sign((A * B).sum(axis=0)), B, atol=atol)


def test_random_places_are_standard_normal():
    Y = start("random", rows(np.zeros((4000, 3))), 2, random=random())
    assert Y.shape == (4000, 2)
    np.testing.assert_allclose([Y.mean(), Y.std()], [0, 1], atol=0.05)
    np.testing.assert_array_equal(Y, start("random", rows(np.zeros((4000, 3))), 2, random=random()))


@pytest.mark.parametrize("make", [np.array, sp.csr_array, np.float32])
@pytest.mark.parametrize("init", ["pca", "classical_mds"])
def test_rows_start_on_their_principal_axes(rng, init, make):
    X = rng.normal(size=(50, 5)) * [5, 3, 1, 1, 1]
    Y = start(init, rows(make(X)), 2, random=random())
    same_up_to_sign(Y, lowdim.PCA(2).fit_transform(X), 1e-5 if make is np.float32 else 1e-9)
    assert Y.dtype == np.float64


def test_dissimilarities_start_at_principal_coordinates(rng):
    X = rng.normal(size=(40, 5)) * [5, 3, 1, 1, 1]
    D = squareform(pdist(X))
    Y = start("classical_mds", rows(D), 2, metric="precomputed", random=random())
    same_up_to_sign(Y, lowdim.PCA(2).fit_transform(X), 1e-9)


def test_many_rows_start_by_landmarks(rng, monkeypatch):
    X = rng.normal(size=(80, 2)) * [5, 3]
    D = squareform(pdist(X))
    monkeypatch.setattr(starts, "MOST", 50)
    monkeypatch.setattr(starts, "LANDMARKS", 30)
    Y = start("classical_mds", rows(D), 2, metric="precomputed", random=random())
    np.testing.assert_allclose(squareform(pdist(Y)), D, atol=1e-9)  # of a plane, landmarks know all


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "nan_euclidean"])
def test_other_metrics_start_at_principal_coordinates(rng, metric, monkeypatch):
    X = rng.normal(size=(60, 5)) * [6, 4, 1, 1, 1] + 3.0
    name = "euclidean" if metric == "nan_euclidean" else metric
    found = metric_of(metric)
    points = points_of(X, frame_of(X, found), found)
    if metric == "nan_euclidean":
        points = points._replace(rows=np.where(rng.random(X.shape) < 0.3, np.nan, points.rows))
        points = points._replace(observed=~np.isnan(points.rows))
    Y = start("classical_mds", points, 2, metric=found, random=random())
    D = distances(points, points, metric_of(name))
    D = np.where(np.isnan(D), np.nanmean(D), D)
    np.testing.assert_allclose(Y, principal_coordinates(squared(D), 2).Y, atol=1e-9)
    monkeypatch.setattr(starts, "MOST", 50)
    monkeypatch.setattr(starts, "LANDMARKS", 59)  # nearly all: nearly the same
    near = start("classical_mds", points, 2, metric=found, random=random())
    assert np.corrcoef(pdist(Y), pdist(near))[0, 1] > 0.95


@pytest.mark.parametrize("init", ["pca", "classical_mds"])
def test_a_start_on_a_line_gets_some_width(rng, init):
    X = rng.normal(size=(30, 1)) @ [[1.0, 2.0]]
    Y = start(init, rows(X), 2, random=random())
    assert 1e-5 < Y[:, 1].std() / Y[:, 0].std() < 1e-3
    wide = start(init, rows(X[:, :1]), 3, random=random())
    assert (wide.std(axis=0) > 0).all()
    assert (start(init, rows(np.ones((9, 2))), 2, random=random()).std(axis=0) > 0).all()


def test_an_array_is_taken_as_it_is_in_units_of_the_points(rng):
    Y = rng.normal(size=(6, 2))
    found = start(Y.tolist(), rows(np.ones((6, 3)), unit=4.0), 2, random=random())
    np.testing.assert_array_equal(found * 4.0, Y)


REFUSED = {
    "name": ("spectral", {}, "init='spectral' is not known; choose 'random', 'pca'"),
    "shape": (np.ones((3, 2)), {}, r"init.shape=\(3, 2\) should be \(6, 2\)"),
    "NaN": (np.full((6, 2), np.nan), {}, "init has NaN or infinity"),
    "pca": (
        "pca",
        {"metric": "precomputed"},
        'init="pca" cannot be used with metric="precomputed"',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_start_that_is_none_is_refused_by_name(what):
    init, arguments, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        start(init, rows(np.ones((6, 6))), 2, random=random(), **arguments)


def test_a_graph_of_neighbours_has_no_principal_coordinates():
    graph = rows(sp.csr_array(np.eye(6)))
    with pytest.raises(ValueError, match="X is a graph of some; choose init='random'"):
        start("classical_mds", graph, 2, metric="precomputed", random=random())


@pytest.mark.parametrize("init", ["random", "pca", "classical_mds"])
def test_a_small_start_is_near_zero_and_an_array_stays_as_it_is(rng, init):
    X = rng.normal(size=(400, 4)) * [90, 30, 1, 1]
    metric = metric_of("euclidean")
    Y = starts.small_start(init, rows(X), 2, metric=metric, random=random())
    np.testing.assert_allclose(
        Y[:, 0].std(), starts.START_SIZE, rtol=0.2 if init == "random" else 1e-4
    )
    np.testing.assert_array_equal(
        starts.small_start(X[:, :2], rows(X), 2, metric=metric, random=random()), X[:, :2]
    )


@pytest.mark.parametrize("init", ["pca", "classical_mds"])
@pytest.mark.parametrize("method", [lowdim.SNE, lowdim.SymmetricSNE, lowdim.TSNE])
def test_affinities_are_no_rows_to_start_from(method, init):
    P = np.full((12, 12), 1 / 132) - np.eye(12) / 132
    with pytest.raises(ValueError, match="has none; choose init='random', or give an array"):
        method(metric="precomputed_affinity", init=init, perplexity=3).fit(P)


@pytest.mark.parametrize(
    "model", [lowdim.MDS(), lowdim.SNE(perplexity=3), lowdim.TSNE(perplexity=3)]
)
def test_a_start_in_one_place_is_refused_and_one_on_a_line_is_said(model, rng):
    X, line = rng.normal(size=(20, 3)), np.column_stack([np.arange(20.0), np.zeros(20)])
    with pytest.raises(ValueError, match="init has all rows in one place"):
        clone(model).set_params(init=np.ones((20, 2))).fit(X)
    with pytest.warns(UserWarning, match="init has one number for all rows in column 1"):
        Y = clone(model).set_params(init=line, max_iter=60).fit(X).embedding_
    assert np.ptp(Y[:, 0]) > 0.1
    np.testing.assert_array_equal(Y[:, 1], Y[0, 1])


def test_equal_rows_may_start_in_one_place():
    X = np.ones((12, 3))
    for rows in (X, sp.csr_array(X)):
        Y = lowdim.TSNE(perplexity=3, init=np.zeros((12, 2)), max_iter=50).fit(rows).embedding_
        np.testing.assert_array_equal(Y, 0.0)
