"""IterativeSVD: it is fill, truncate, fill again, and nothing else."""

import numpy as np

from lowdim import SVP, IterativeSVD
from lowdim.linalg import best_rank_k


def planted(rng, n=50, d=30, k=2, part=0.7, noise=0.1):
    truth = rng.normal(size=(n, k)) @ rng.normal(size=(k, d))
    X = truth + noise * rng.normal(size=(n, d))
    return truth, np.where(rng.random((n, d)) < part, X, np.nan)


def test_it_follows_the_plain_loop_on_a_dense_matrix(rng):
    _, X = planted(rng)
    filled = np.nan_to_num(X)
    for _ in range(20):
        approximation = best_rank_k(filled, 2).approximation
        filled = np.where(np.isnan(X), approximation, X)
    model = IterativeSVD(2, center=None, max_iter=20, tol=0).fit(X)
    np.testing.assert_allclose(model.complete(), approximation, atol=1e-5)


def test_the_objective_never_rises(rng):
    _, X = planted(rng)
    history = IterativeSVD(2, max_iter=100, tol=0).fit(X).history_
    assert np.all(np.diff(history) <= 1e-12 * history[0])


def test_it_is_singular_value_projection_with_step_1(rng):
    _, X = planted(rng)
    one = IterativeSVD(2, center="columns", max_iter=30, tol=0).fit(X)
    other = SVP(2, step=1.0, center="columns", max_iter=30, tol=0).fit(X)
    np.testing.assert_allclose(one.complete(), other.complete(), atol=1e-8)


def test_a_planted_matrix_is_found(rng):
    truth, X = planted(rng, n=200, d=60, noise=0.01)
    model = IterativeSVD(2, center=None, tol=1e-8).fit(X)
    assert np.sqrt(np.mean((model.complete() - truth) ** 2)) < 0.01
