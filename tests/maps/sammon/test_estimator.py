"""Sammon."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform

import lowdim
from lowdim import Sammon
from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps.sammon import pairs

ROADS = load_eurodist().dissimilarity

# ---- golden values -------------------------------------------------------------------------------


def test_roads_of_europe():
    model = Sammon(metric="precomputed").fit(ROADS)
    assert model.history_[0] == pytest.approx(0.017046, abs=5e-7)
    assert model.stress_ == pytest.approx(0.0093982, abs=5e-8)
    assert model.stress_ == pytest.approx(lowdim.stress(ROADS, model.embedding_, "sammon"))
    assert model.converged_ and model.n_iter_ == len(model.history_) < 30


def test_colours():
    model = Sammon(metric="precomputed").fit(1 - load_ekman().similarity)
    assert model.stress_ == pytest.approx(0.0222278, abs=5e-8)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["newton", "gradient"])
@pytest.mark.parametrize("init", ["classical_mds", "pca", "random"])
def test_stress_never_rises_whatever_the_start(rng, init, solver):
    X = rng.normal(size=(50, 5))
    model = Sammon(init=init, solver=solver, random_state=1, tol=1e-6, max_iter=300).fit(X)
    assert (np.diff(model.history_) <= 0).all()
    expected = lowdim.stress(pdist(X), model.embedding_, "sammon")
    assert model.stress_ == pytest.approx(expected, rel=1e-9) == model.history_[-1]


def test_a_plane_is_found_again(rng):
    X = rng.normal(size=(60, 2)) @ np.linalg.qr(rng.normal(size=(6, 6)))[0][:2]
    model = Sammon(init=rng.normal(size=(60, 2)), tol=0, max_iter=1000).fit(X)
    if model.stress_ > 1e-3:  # a minimum of its own: from a random start, it may be
        model = Sammon().fit(X)
    assert model.stress_ < 1e-10
    np.testing.assert_allclose(pdist(model.embedding_), pdist(X), atol=1e-4)


def test_copies_of_rows_lie_in_one_place_and_count(rng):
    X = rng.normal(size=(20, 4))
    index = np.r_[np.arange(20), [3, 3, 7]]
    model = Sammon().fit(X[index])
    np.testing.assert_array_equal(model.embedding_, model.embedding_[:20][index])
    assert len(model._first) == 20 and model._count.sum() == 23
    D = squareform(pdist(X[index]))
    by_pairs = Sammon(metric="precomputed").fit(D)
    assert model.stress_ == pytest.approx(by_pairs.stress_, rel=1e-6)
    off = D > 0
    d = squareform(pdist(model.embedding_))
    expected = ((D - d)[off] ** 2 / D[off]).sum() / D.sum()
    assert model.stress_ == pytest.approx(expected, rel=1e-9)


def test_parallel_rows_are_one_for_the_cosine(rng):
    X = rng.normal(size=(15, 4))
    model = Sammon(metric="cosine").fit(np.vstack([X, 3.0 * X[:2]]))
    np.testing.assert_array_equal(model.embedding_[15:], model.embedding_[:2])


def test_many_rows_in_single_precision_have_the_same_stress(rng, monkeypatch):
    X = rng.normal(size=(80, 4))
    whole = Sammon().fit(X)
    monkeypatch.setattr("lowdim.maps.sammon.estimator.MANY", 10)
    assert Sammon().fit(X).stress_ == pytest.approx(whole.stress_, rel=1e-5)
    monkeypatch.setattr(pairs, "PAIRS_PER_RUN", 200)
    assert Sammon().fit(X).stress_ == pytest.approx(whole.stress_, rel=1e-5)


def test_sparse_rows_have_the_map_of_dense_ones(rng):
    X = rng.normal(size=(30, 12)) * (rng.random((30, 12)) < 0.4)
    dense, sparse = Sammon().fit(X), Sammon().fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-6)


@pytest.mark.parametrize("factor", [1e150, 1e-150])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_units_do_not_matter(rng, metric, factor):
    X = rng.normal(size=(20, 3))
    X = squareform(pdist(X)) if metric == "precomputed" else X
    plain, scaled = Sammon(metric=metric).fit(X), Sammon(metric=metric).fit(X * factor)
    assert scaled.stress_ == pytest.approx(plain.stress_, rel=1e-6)
    np.testing.assert_allclose(scaled.embedding_ / factor, plain.embedding_, atol=1e-3)
    new = X[:3] + 0.1
    np.testing.assert_allclose(
        scaled.transform(new * factor) / factor, plain.transform(new), atol=1e-2
    )


# ---- new rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_new_rows_have_the_place_of_least_stress(rng, metric):
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(6, 3))
    name = {"manhattan": "cityblock"}.get(metric, "euclidean")
    D, to = squareform(pdist(X, name)), cdist(new, X, name)
    table, rows = (D, to) if metric == "precomputed" else (X, new)
    model = Sammon(metric=metric).fit(table)
    np.testing.assert_array_equal(model.transform(table), model.embedding_)

    def error(y, delta):
        return ((delta - np.sqrt(((y - model.embedding_) ** 2).sum(axis=1))) ** 2 / delta).sum()

    for place, delta in zip(model.transform(rows), to, strict=True):
        least = error(place, delta)
        for angle in np.linspace(0, 2 * np.pi, 9):
            beside = place + 1e-3 * np.array([np.cos(angle), np.sin(angle)])
            assert error(beside, delta) > least
        grid = np.stack(np.meshgrid(*[np.linspace(-4, 4, 25)] * 2), axis=-1).reshape(-1, 2)
        assert least <= min(error(y, delta) for y in grid) * 1.05


def test_new_rows_of_a_plane_lie_where_they_are(rng):
    X, new = rng.normal(size=(50, 2)), rng.normal(size=(8, 2))
    model = Sammon().fit(X)
    np.testing.assert_allclose(
        cdist(model.transform(new), model.embedding_), cdist(new, X), atol=1e-4
    )


# ---- the door ------------------------------------------------------------------------------------


def test_rows_that_are_all_the_same_lie_in_one_place():
    model = Sammon().fit(np.ones((7, 3)))
    assert model.stress_ == 0.0 and model.converged_
    np.testing.assert_array_equal(model.embedding_, 0.0)


def test_a_start_in_one_place_or_on_a_line_is_left(rng):
    X = rng.normal(size=(30, 4))
    best = Sammon().fit(X).stress_
    for init in (np.zeros((30, 2)), np.outer(np.arange(30.0), [1, 0])):
        found = Sammon(init=init, random_state=0).fit(X)
        assert found.stress_ < 3 * best
        assert (found.embedding_.std(axis=0) > 0.1).all()


D = squareform([1.0, 2.0, 2.5])
REFUSED = {
    "asymmetric": ({}, D + np.triu(np.ones((3, 3)), 1), "Array must be symmetric"),
    "not square": ({}, D[:2], "array must be 2-dimensional and square"),
    "negative": ({}, -D, "negative"),
    "NaN": ({}, np.where(D == 2.0, np.nan, D), "NaN for the distance of rows 0 and 2"),
    "zero": ({}, squareform([0.0, 1.0, 2.0]), "dissimilarity 0 for rows 0 and 1, which differ"),
    "init": ({"init": np.ones((2, 2))}, D, r"init.shape=\(2, 2\) should be \(3, 2\)"),
    "pca": ({"init": "pca"}, D, 'init="pca" cannot be used with metric="precomputed"'),
    "magic": ({"magic": 0.0}, D, "'magic' parameter"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_by_name(what):
    arguments, given, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        Sammon(metric="precomputed", **arguments).fit(given)


def test_a_graph_of_some_distances_is_refused():
    with pytest.raises((TypeError, ValueError), match="graph of"):
        Sammon(metric="precomputed").fit(sp.csr_array(D))
