"""What ALS minimises: the formula, and regressions that are its partial minima."""

import numpy as np
import pytest

from lowdim.completion.als.objective import Objective, gram_of, twin_of, weighted
from lowdim.completion.entries import observed
from lowdim.linalg.ridge import solve_rows


def objective(**changed):
    settings = {
        "k": 2,
        "mean": 3.0,
        "scale": np.array([1.0, 2.0, 0.5]),
        "penalty": 0.3,
        "by_count": True,
        "row_bias": True,
        "column_bias": True,
        "alpha": None,
        "method": "cholesky",
        "steps": 3,
        "total": 1.0,
    }
    return Objective(**{**settings, **changed})


def J(Z, W, X, what):
    """The formula, with every entry written out; u, b in Z and v, c in W."""
    U, V = Z[:, :2], W[:, :2]
    b = Z[:, 2] if what.row_bias else np.zeros(len(Z))
    c = W[:, 2] if what.column_bias else np.zeros(len(W))
    here = ~np.isnan(X)
    left = np.where(here, (X - what.mean) / what.scale - b[:, None] - c - U @ V.T, 0.0)
    rows, columns = (here.sum(axis=1), here.sum(axis=0)) if what.by_count else (1.0, 1.0)
    squares = np.sum(rows * (Z**2).sum(axis=1)) + np.sum(columns * (W**2).sum(axis=1))
    return np.sum(left**2) + what.penalty * squares


each_bias = pytest.mark.parametrize("biases", [(True, True), (True, False), (False, True)], ids=str)


def test_entries_become_targets_in_their_units():
    X = observed(np.array([[4.0, np.nan, 2.0]]))
    y, w = objective().targets(X, None)
    np.testing.assert_array_equal(y.data, [1.0, -2.0])
    assert w is None
    counts, w = objective(alpha=2.0).targets(X, np.array([1.0, 3.0]))
    np.testing.assert_array_equal(counts.data, [8.0, 12.0])  # 1 + these is what entries count
    assert w is None


@each_bias
@pytest.mark.parametrize("by_count", [False, True])
def test_rows_and_columns_are_minima_of_the_formula(rng, biases, by_count):
    what = objective(row_bias=biases[0], column_bias=biases[1], by_count=by_count)
    X = np.where(rng.random((5, 3)) < 0.3, np.nan, rng.normal(size=(5, 3)))
    X[:, 0] = 1.0
    targets, _ = what.targets(observed(X), None)
    W = rng.normal(size=(3, 2 + biases[1]))
    Z, loss = solve_rows(targets, what.on_columns(W))
    best = J(Z, W, X, what)
    count = (~np.isnan(X)).sum(axis=0)
    assert what.by_entry(loss.sum(), W, count) == pytest.approx(best)
    assert all(J(Z + 1e-3 * rng.normal(size=Z.shape), W, X, what) > best for _ in range(20))
    twin, _ = twin_of(targets, None)
    W = solve_rows(twin, what.on_rows(Z)).Z
    assert J(Z, W, X, what) <= best
    best = J(Z, W, X, what)
    assert all(J(Z, W + 1e-3 * rng.normal(size=W.shape), X, what) > best for _ in range(20))


@each_bias
def test_the_decoder_predicts_in_units_of_x(rng, biases):
    what = objective(row_bias=biases[0], column_bias=biases[1])
    Z, W = rng.normal(size=(4, 2 + biases[0])), rng.normal(size=(3, 2 + biases[1]))
    components, mean = what.decoder(W, np.float64)
    y = Z[:, :2] @ W[:, :2].T
    y += Z[:, 2:].sum(axis=1)[:, None] + W[:, 2:].sum(axis=1)
    np.testing.assert_allclose(Z @ components + mean, what.mean + what.scale * y)


def test_the_twin_carries_weights_of_entries_and_rows():
    X = observed(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    twin, w = twin_of(X, np.array([1.0, 2.0, 3.0]), np.array([10.0, 100.0]))
    np.testing.assert_array_equal(twin.toarray(), X.toarray().T)
    np.testing.assert_array_equal(w, [10, 20, 300])
    np.testing.assert_array_equal(twin_of(X, None, np.array([10.0, 100.0]))[1], [10, 10, 100])
    np.testing.assert_array_equal(weighted(X, np.array([1.0, 2.0, 3.0])).data, [1, 4, 9])
    assert weighted(X, None) is X


def test_products_of_factors_are_summed_in_float64(rng):
    F, w = rng.normal(size=(50, 3)).astype(np.float32), rng.random(50)
    assert gram_of(F).dtype == np.float64
    np.testing.assert_allclose(gram_of(F, w), (F.T * w) @ F, rtol=1e-6)


def test_what_is_solved_to_the_end_is_exact():
    assert objective(method="cg").exact_method == "cholesky"
    assert objective(method="nonnegative").exact_method == "nonnegative"
