"""Which form a problem takes."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.mds.majorization import PairsProblem, SquareProblem
from lowdim.maps.mds.problems import (
    Asked,
    between_of,
    listed_of,
    pairs_by_row,
    problem_of,
    square_of,
)
from lowdim.maps.neighbors.search import near
from lowdim.maps.points import distances, metric_of
from tests.maps.mds.examples import noisy


def points(X, metric="euclidean"):
    metric = metric_of(metric)
    return points_of(X, frame_of(X, metric), metric), metric


def made(X, metric="euclidean", weights=None, **asked):
    of, metric = points(X, metric)
    asked = Asked(**{"transformation": None, "ties": "secondary", "n_pairs": None, **asked})
    return problem_of(
        of, metric, asked, weights, lambda k: near(of, k, metric=metric), np.random.default_rng(0)
    )


def test_a_square_where_it_is_enough_and_a_list_elsewhere(rng):
    X = rng.normal(size=(20, 3))
    rest = SimpleNamespace(eps=1e-6, n_components=2).__dict__
    assert isinstance(made(X, **rest), SquareProblem)
    assert isinstance(made(X, **rest | {"transformation": "ratio"}), SquareProblem)
    assert isinstance(made(X, **rest | {"transformation": "ordinal"}), PairsProblem)
    assert isinstance(made(X, **rest | {"n_pairs": 5}), PairsProblem)
    assert isinstance(made(X, weights=np.ones((20, 20)), **rest), PairsProblem)
    D = noisy(rng, 20)
    assert isinstance(made(D, "precomputed", **rest), SquareProblem)
    D[0, 1] = D[1, 0] = np.nan
    assert isinstance(made(D, "precomputed", **rest), PairsProblem)


@pytest.mark.parametrize(
    ("n_pairs", "n", "expected"),
    [(None, 15_000, None), (None, 15_001, 60), (30, 100, 30), (99, 100, None), (500, 100, None)],
)
def test_how_many_pairs_a_row_brings_in(n_pairs, n, expected):
    assert pairs_by_row(n_pairs, n) == expected


def test_weights_are_for_all_pairs():
    assert pairs_by_row(None, 20_000, np.ones(1)) is None


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
@pytest.mark.parametrize("sparse", [False, True])
def test_dissimilarities_are_the_same_by_blocks_and_one_by_one(rng, metric, sparse):
    X = rng.normal(size=(15, 4)) + 2.0
    of, metric = points(sp.csr_array(X) if sparse else X, metric)
    D = distances(of, of, metric)
    np.testing.assert_allclose(square_of(between_of(of, metric), 15), D, atol=1e-7)
    some = between_of(of, metric)(np.array([3, 1]), np.array([0, 5, 7]))
    np.testing.assert_allclose(some, D[np.ix_([3, 1], [0, 5, 7])], atol=1e-12)
    listed = listed_of(of, metric)
    if listed is not None:
        index = rng.integers(0, 15, size=(15, 3))
        expected = np.take_along_axis(D, index, axis=1)
        np.testing.assert_allclose(listed(index), expected, atol=1e-7)
