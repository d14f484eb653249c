"""The scatter as an operator: against the matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.pca.axes import AxesProblem, NotFiniteError
from lowdim.linear.pca.scatter import ritz_axes, ritz_axes_of_two, scatter_operator


def problem_of(X, weight=None):
    """With small blocks, so that sums are added up."""
    return AxesProblem(None, ArrayBlocks(X, block_rows=7), weight, 2, np.random.default_rng(0))


@pytest.mark.parametrize("form", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("kind", ["near zero", "far", "sparse"])
def test_products_are_those_of_the_matrix(rng, form, weighted, kind):
    X = rng.normal(size=(40, 6))
    if kind == "far":
        X += 1e6
    if kind == "sparse":
        X[rng.random(X.shape) < 0.6] = 0.0
    weight = rng.uniform(0.5, 2.0, size=40) if weighted else None
    w = np.ones(40) if weight is None else weight
    mean = np.average(X, axis=0, weights=w)
    S = (X - mean).T @ ((X - mean) * w[:, None])
    rows = sp.csr_array(X) if kind == "sparse" else X
    operator = scatter_operator(problem_of(rows, weight), form=form)
    V = rng.normal(size=(6, 3))
    np.testing.assert_allclose(operator.times(V), S @ V, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(operator.mean, mean, rtol=1e-12, atol=1e-12)
    assert operator.total == pytest.approx(np.trace(S), rel=1e-8)
    assert operator.weight == pytest.approx(w.sum(), rel=1e-14)


@pytest.mark.parametrize("scale", [1.0, 1e-200])
@pytest.mark.parametrize("weighted", [True, False])
def test_sparse_rows_in_memory_are_a_factor_of_the_scatter(rng, weighted, scale):
    X = sp.random_array((30, 50), density=0.2, rng=rng, format="csr")
    X.data *= scale
    weight = rng.uniform(0.5, 2.0, size=30) if weighted else None
    w = np.ones(30) if weight is None else weight
    operator = scatter_operator(problem_of(X, weight), form=False)
    dense = X.toarray() / operator.unit
    B = np.sqrt(w)[:, None] * (dense - np.average(dense, axis=0, weights=w))
    times, back = operator.factors
    np.testing.assert_allclose(times(np.eye(50)), B, rtol=1e-12, atol=1e-14 * abs(B).max())
    np.testing.assert_allclose(back(np.eye(30)), B.T, rtol=1e-12, atol=1e-14 * abs(B).max())


def test_the_best_axes_of_a_span_that_holds_them_are_the_principal_ones(rng):
    X = rng.normal(size=(60, 5)) * [5.0, 3.0, 1.0, 0.5, 0.1]
    D = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(D.T @ D)
    Q, _ = np.linalg.qr(vectors[:, -3:] @ rng.normal(size=(3, 3)))
    axes = ritz_axes(scatter_operator(problem_of(X), form=True), Q, 2)
    np.testing.assert_allclose(axes.scatter, values[::-1][:2], rtol=1e-10)
    cosines = np.abs(np.sum(axes.W * vectors[:, ::-1][:, :2], axis=0))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-10)


@pytest.mark.parametrize("form", [True, False])
def test_missing_values_are_found_in_the_sums(form):
    X = np.ones((10, 3))
    X[4, 1] = np.nan
    with pytest.raises(NotFiniteError):
        scatter_operator(problem_of(X), form=form)


def two_steps(X, rng, size=4):
    """Random directions P, their product SP, and orthonormal Q of the same span as SP."""
    S = scatter_operator(problem_of(X), form=False)
    P = rng.normal(size=(X.shape[1], size))
    SP = S.times(P)
    return S, P, SP, np.linalg.qr(SP)[0]


def test_axes_of_two_steps_are_the_best_of_both_spans(rng):
    X = rng.normal(size=(200, 30)) * np.geomspace(5.0, 0.1, 30) + 3.0
    S, P, SP, Q = two_steps(X, rng)
    found = ritz_axes_of_two(S, P, SP, Q, 3)
    both = ritz_axes(S, np.linalg.qr(np.hstack([P, Q]))[0], 3)
    # rounding of S P grows by 1 / s <= 1e4 in the part of P outside of Q
    np.testing.assert_allclose(found.scatter, both.scatter, rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(found.W * both.W, axis=0)), 1.0, rtol=1e-10)
    np.testing.assert_allclose(found.W.T @ found.W, np.eye(3), atol=1e-12)
    D = X - X.mean(axis=0)
    np.testing.assert_allclose(found.scatter, np.sum((D @ found.W) ** 2, axis=0), rtol=1e-10)
    assert found.scatter.sum() > ritz_axes(S, Q, 3).scatter.sum()


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_the_length_of_directions_does_not_matter(scale, rng):
    X = rng.normal(size=(60, 12)) * np.geomspace(5.0, 0.1, 12)
    S, P, SP, Q = two_steps(X, rng)
    found = ritz_axes_of_two(S, scale * P, scale * SP, Q, 3)
    np.testing.assert_allclose(found.scatter, ritz_axes_of_two(S, P, SP, Q, 3).scatter, rtol=1e-10)


def test_axes_of_two_steps_within_rows_of_lower_rank_have_no_variance(rng):
    X = rng.normal(size=(50, 2)) @ rng.normal(size=(2, 12))
    found = ritz_axes_of_two(*two_steps(X, rng), 4)
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(found.scatter, [*exact[:2], 0, 0], atol=1e-10 * exact[0])
