"""Distances that scikit-learn does not have, against their definitions pair by pair."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

import lowdim
from lowdim.maps.metrics import WRITTEN_HERE, distances_by_name


def shares(x):
    return x / x.sum()


def hellinger(p, q):
    return math.sqrt(((np.sqrt(shares(p)) - np.sqrt(shares(q))) ** 2).sum() / 2)


def kl(p, q):
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def unlikely(x, y):
    """How much less likely the counts y are by those of x than by their own, for each of them."""
    n, m = x.sum(), y.sum()
    crossed = sum(log_beta(a, b) for a, b in zip(x, y, strict=True) if a and b) - log_beta(n, m)
    own = sum(log_beta(b, b) for b in y if b) - log_beta(m, m)
    return (crossed - own) / m


def unequal(x, y):
    return sum((a == 0) != (b == 0) for a, b in zip(x, y, strict=True))


def kulsinski(x, y):
    u, t, d = unequal(x, y), sum(bool(a and b) for a, b in zip(x, y, strict=True)), len(x)
    return (u - t + d) / (u + d) if u else 0.0


DEFINITIONS = {
    "hellinger": hellinger,
    "softmax_hellinger": lambda x, y: hellinger(np.exp(x), np.exp(y)),
    "symmetric_kl": lambda x, y: (
        (kl(shares(x + 1e-11), shares(y + 1e-11)) + kl(shares(y + 1e-11), shares(x + 1e-11))) / 2
    ),
    "ll_dirichlet": lambda x, y: math.sqrt(max(0.0, unlikely(x, y) + unlikely(y, x))),
    "poincare": lambda x, y: math.acosh(1 + 2 * ((x - y) ** 2).sum() / ((1 - x @ x) * (1 - y @ y))),
    "matching": lambda x, y: unequal(x, y) / len(x),
    "kulsinski": kulsinski,
    "sokalmichener": lambda x, y: 2 * unequal(x, y) / (len(x) + unequal(x, y)),
}


def rows_for(metric, rng, n=40, d=6):
    if metric == "poincare":
        return rng.uniform(-0.4, 0.4, size=(n, d))
    return rng.poisson(3.0, size=(n, d)) * (rng.random((n, d)) < 0.8) + np.eye(n, d)


@pytest.mark.parametrize("metric", DEFINITIONS)
def test_distances_are_those_of_the_definition(rng, metric):
    X = rows_for(metric, rng).astype(np.float64)
    found = lowdim.neighbors(X, 5, metric=metric)
    D = np.array([[DEFINITIONS[metric](x, y) for y in X] for x in X])
    at = np.take_along_axis(D, found.indices, axis=1)
    assert_allclose(found.distances, at, atol=1e-7)
    np.fill_diagonal(D, np.inf)
    assert_allclose(found.distances, np.sort(D, axis=1)[:, :5], atol=1e-7)


def test_every_metric_has_a_definition_here():
    assert set(WRITTEN_HERE) < set(DEFINITIONS)


def test_rows_without_counts_are_far_from_all_others_by_hellinger(rng):
    X = rows_for("hellinger", rng)
    X[[3, 8]] = 0.0
    for rows in (X, sp.csr_array(X)):
        found = lowdim.neighbors(rows, 2, metric="hellinger")
        assert_allclose(found.distances[[3, 8]], 1.0)
        assert not np.isin(found.indices[[0, 1, 2]], [3, 8]).any()


@pytest.mark.parametrize(
    ("name", "same", "params"),
    [
        ("taxicab", "cityblock", {}),
        ("linfinity", "chebyshev", {}),
        ("linfty", "chebyshev", {}),
        ("linf", "chebyshev", {}),
        ("standardised_euclidean", "seuclidean", {"V": np.arange(1.0, 7.0)}),
        ("weighted_minkowski", "minkowski", {"w": np.arange(1.0, 7.0), "p": 3}),
        ("wminkowski", "minkowski", {"w": np.arange(1.0, 7.0), "p": 3}),
    ],
)
def test_other_names_of_a_metric_are_known(rng, name, same, params):
    X = rng.normal(size=(30, 6))
    found = lowdim.neighbors(X, 29, metric=name, metric_params=params)
    D = np.sort(cdist(X, X, same, **params), axis=1)[:, 1:]
    assert_allclose(found.distances, D)


@pytest.mark.parametrize("metric", ["hellinger", "symmetric_kl", "ll_dirichlet"])
def test_counts_are_not_negative(rng, metric):
    with pytest.raises(ValueError, match=f"{metric!r} is for counts or shares, and X has -"):
        lowdim.neighbors(rng.normal(size=(20, 3)), 3, metric=metric)


def test_long_rows_are_outside_of_the_ball(rng):
    with pytest.raises(ValueError, match="rows of a length below 1"):
        lowdim.neighbors(rng.normal(size=(20, 3)), 3, metric="poincare")


def test_a_row_without_counts_has_no_likelihood(rng):
    X = rows_for("ll_dirichlet", rng)
    X[4] = 0.0
    with pytest.raises(ValueError, match="row 4 of X has no counts"):
        lowdim.neighbors(X, 3, metric="ll_dirichlet")


def test_sparse_rows_are_refused_where_zeros_count():
    with pytest.raises(TypeError, match="metric='poincare' needs dense rows"):
        distances_by_name(sp.eye_array(3).tocsr(), sp.eye_array(3).tocsr(), "poincare")


def test_umap_of_counts_by_hellinger_joins_rows_of_one_kind(rng):
    kinds = np.repeat(np.arange(2), 30)
    X = rng.poisson(np.array([[9.0, 9, 9, 1, 1, 1], [1, 1, 1, 9, 9, 9]])[kinds])
    graph = lowdim.UMAP(metric="hellinger", n_neighbors=6, transform_mode="graph").fit(X).graph_
    row, column = graph.tocoo().coords
    assert (kinds[row] == kinds[column]).mean() > 0.95
