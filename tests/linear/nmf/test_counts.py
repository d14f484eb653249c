import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from lowdim.linear.nmf import counts
from lowdim.linear.nmf.counts import count_codes
from lowdim.linear.nmf.objective import Penalty


def example(rng, n=20, d=15, k=4):
    V = rng.gamma(0.5, size=(d, k)) + 0.01
    return rng.poisson(rng.gamma(0.5, size=(n, k)) @ V.T * 3.0).astype(float), V


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.3, 0.2)])
def test_no_gradient_points_anywhere_allowed(penalty, rng):
    X, V = example(rng)
    Z = count_codes(X, V, penalty, 1e-15)
    Y = np.maximum(Z @ V.T, 1e-15)
    grad = V.sum(axis=0) + penalty.l1 + penalty.l2 * Z - (X / Y) @ V
    tol = 1e-8 * V.sum()
    assert (grad[Z == 0] > -tol).all() and np.abs(grad[Z > 0]).max(initial=0.0) < tol
    assert (Z >= 0).all()


def test_one_component_has_a_formula(rng):
    X, V = example(rng, k=1)
    expected = X.sum(axis=1) / V.sum()
    np.testing.assert_allclose(count_codes(X, V, Penalty(), 1e-15)[:, 0], expected, rtol=1e-9)


def test_a_search_of_another_kind_ends_at_the_same_objective(rng):
    X, V = example(rng, n=3)
    Z = count_codes(X, V, Penalty(), 1e-15)
    for x, z in zip(X, Z, strict=True):

        def f(z, x=x):
            y = V @ z
            return y.sum() - x @ np.log(np.maximum(y, 1e-15))

        found = minimize(f, np.ones(4), bounds=[(1e-12, None)] * 4, tol=1e-12)
        assert f(z) <= found.fun + 1e-8 * abs(found.fun)


def test_sparse_rows_and_rows_without_counts(rng, monkeypatch):
    X, V = example(rng)
    X[3] = 0.0
    Z = count_codes(X, V, Penalty(), 1e-15)
    np.testing.assert_array_equal(Z[3], 0.0)
    monkeypatch.setattr(counts, "SYSTEMS_BYTES", 1)  # few rows at a time
    np.testing.assert_allclose(count_codes(sp.csr_array(X), V, Penalty(), 1e-15), Z, atol=1e-9)


def test_a_row_that_a_step_leaves_where_it_is_takes_no_further_steps(rng, monkeypatch):
    X, V = example(rng)
    seen = []

    def stay(X, Z, *arguments):
        seen.append(len(Z))
        return Z.copy()

    monkeypatch.setattr(counts, "SWEEPS", 1)
    monkeypatch.setattr(counts, "_newton", stay)
    Z = count_codes(X, V, Penalty(), 1e-15)
    assert len(seen) == 1 and seen[0] > 0
    assert Z.any(axis=1)[X.any(axis=1)].all()
