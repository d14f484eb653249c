import numpy as np
import pytest
from scipy.optimize import minimize

from lowdim.linalg.entries import observed
from lowdim.linear.nmf import powers
from lowdim.linear.nmf.divergence import divergence
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.powers import power_codes

BETAS = [-0.5, 0.0, 0.5, 1.2, 1.5, 2.5]


def example(rng, n=20, d=15, k=4):
    V = rng.gamma(1.0, size=(d, k)) + 0.05
    X = rng.gamma(0.5, size=(n, k)) @ V.T * rng.gamma(5.0, 0.2, size=(n, d)) + 0.01
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, V, np.full((n, k), 0.5)


def gradient(X, Z, V, beta, penalty):
    Y = Z @ V.T
    slope = np.where(np.isnan(X), 0.0, Y ** (beta - 1) - np.nan_to_num(X) * Y ** (beta - 2))
    return slope @ V + penalty.l1 + penalty.l2 * Z, (Y ** (beta - 1)) @ V


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.3, 0.2)])
@pytest.mark.parametrize("beta", BETAS)
def test_no_gradient_points_anywhere_allowed(beta, penalty, rng):
    X, V, start = example(rng)
    Z = power_codes(observed(X), V, beta, penalty, 1e-15, start)
    g, size = gradient(X, Z, V, beta, penalty)
    # above 2 steps are shorter than Newton's, and end where rounding hides what they gain
    tol = (1e-3 if beta > 2 else 1e-6) * size.max(axis=1, keepdims=True)
    assert (Z >= 0).all()
    assert (np.where(Z > 0, np.abs(g), np.maximum(-g, 0.0)) <= tol).all()


@pytest.mark.parametrize("beta", [1.2, 1.5])
def test_a_search_of_another_kind_ends_at_the_same_objective(beta, rng):
    X, V, start = example(rng, n=3)
    Z = power_codes(observed(X), V, beta, Penalty(), 1e-15, start)
    for x, z in zip(X, Z, strict=True):
        o = ~np.isnan(x)

        def f(z, x=x, o=o):
            return divergence(x[o], np.maximum(V[o] @ z, 1e-15), beta).sum()

        found = minimize(f, np.ones(4), bounds=[(1e-12, None)] * 4, tol=1e-12)
        assert f(z) <= found.fun + 1e-8 * abs(found.fun)


def test_a_row_is_coded_by_itself(rng, monkeypatch):
    X, V, start = example(rng)
    whole = power_codes(observed(X), V, 1.5, Penalty(), 1e-15, start)
    monkeypatch.setattr(powers, "SYSTEMS_BYTES", 1)  # few rows at a time
    alone = [power_codes(observed(X[[i]]), V, 1.5, Penalty(), 1e-15, start[[i]]) for i in range(20)]
    np.testing.assert_allclose(np.concatenate(alone), whole, rtol=1e-10, atol=1e-12)


def test_weights_are_repeats(rng):
    X, V, start = example(rng, n=4)
    entries = observed(X)
    weight = entries.copy()
    weight.data = np.full(entries.nnz, 2.0)
    once = power_codes(entries, V, 1.5, Penalty(0.1, 0.1), 1e-15, start)
    twice = power_codes(entries, V, 1.5, Penalty(0.2, 0.2), 1e-15, start, weight)
    np.testing.assert_allclose(twice, once, rtol=1e-7, atol=1e-9)
