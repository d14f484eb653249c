"""Where maps start."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

import lowdim
from lowdim.maps import start as starts
from lowdim.maps.start import start


class Rows(NamedTuple):
    """What of points a start looks at."""

    rows: np.ndarray
    spread: np.ndarray = np.zeros(0)
    observed: np.ndarray = np.zeros(0, dtype=bool)
    unit: float = 1.0


def random():
    return np.random.default_rng(3)


def same_up_to_sign(A, B, atol):
    np.testing.assert_allclose(A * np.sign((A * B).sum(axis=0)), B, atol=atol)


def test_random_places_are_standard_normal():
    Y = start("random", Rows(np.zeros((4000, 3))), 2, random=random())
    assert Y.shape == (4000, 2)
    np.testing.assert_allclose([Y.mean(), Y.std()], [0, 1], atol=0.05)
    np.testing.assert_array_equal(Y, start("random", Rows(np.zeros((4000, 3))), 2, random=random()))


@pytest.mark.parametrize("make", [np.array, sp.csr_array, np.float32])
@pytest.mark.parametrize("init", ["pca", "classical_mds"])
def test_rows_start_on_their_principal_axes(rng, init, make):
    X = rng.normal(size=(50, 5)) * [5, 3, 1, 1, 1]
    Y = start(init, Rows(make(X)), 2, random=random())
    same_up_to_sign(Y, lowdim.PCA(2).fit_transform(X), 1e-5 if make is np.float32 else 1e-9)
    assert Y.dtype == np.float64


def test_dissimilarities_start_at_principal_coordinates(rng):
    X = rng.normal(size=(40, 5)) * [5, 3, 1, 1, 1]
    D = squareform(pdist(X))
    Y = start("classical_mds", Rows(D), 2, metric="precomputed", random=random())
    same_up_to_sign(Y, lowdim.PCA(2).fit_transform(X), 1e-9)


def test_many_rows_start_by_landmarks(rng, monkeypatch):
    X = rng.normal(size=(80, 2)) * [5, 3]
    D = squareform(pdist(X))
    monkeypatch.setattr(starts, "MOST", 50)
    monkeypatch.setattr(starts, "LANDMARKS", 30)
    Y = start("classical_mds", Rows(D), 2, metric="precomputed", random=random())
    np.testing.assert_allclose(squareform(pdist(Y)), D, atol=1e-9)  # of a plane, landmarks know all


@pytest.mark.parametrize("init", ["pca", "classical_mds"])
def test_a_start_on_a_line_gets_some_width(rng, init):
    X = rng.normal(size=(30, 1)) @ [[1.0, 2.0]]
    Y = start(init, Rows(X), 2, random=random())
    assert 1e-5 < Y[:, 1].std() / Y[:, 0].std() < 1e-3
    wide = start(init, Rows(X[:, :1]), 3, random=random())
    assert (wide.std(axis=0) > 0).all()
    assert (start(init, Rows(np.ones((9, 2))), 2, random=random()).std(axis=0) > 0).all()


def test_an_array_is_taken_as_it_is_in_units_of_the_points(rng):
    Y = rng.normal(size=(6, 2))
    found = start(Y.tolist(), Rows(np.ones((6, 3)), unit=4.0), 2, random=random())
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
        start(init, Rows(np.ones((6, 6))), 2, random=random(), **arguments)


def test_a_graph_of_neighbours_has_no_principal_coordinates():
    graph = Rows(sp.csr_array(np.eye(6)))
    with pytest.raises(ValueError, match="X is a graph of some; choose init='random'"):
        start("classical_mds", graph, 2, metric="precomputed", random=random())
