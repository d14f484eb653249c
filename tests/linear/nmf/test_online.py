import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from lowdim.linear.nmf.objective import Penalties, Penalty
from lowdim.linear.nmf.online import How, first_learned, online_step
from tests.linear.nmf.examples import parts

NONE = Penalties(Penalty(), Penalty())


def test_a_step_solves_the_codes_and_adds_them_up(rng):
    X, V, weight = parts(rng), rng.random((12, 3)), rng.random(40)
    how = How(2.0, NONE, 0.0, 0.5, 200)
    first = online_step(X, weight, None, first_learned(V, 2.0), how)
    least = 0.5 * weight @ np.array([nnls(V, x)[1] ** 2 for x in X])
    assert least <= first.loss <= 1.01 * least
    own = weight[:, None] * first.W
    np.testing.assert_allclose(first.learned.sums.push, own.T @ first.W)
    np.testing.assert_allclose(first.learned.sums.pull, X.T @ own)
    left = X - first.W @ V.T
    assert first.loss == pytest.approx(0.5 * weight @ np.sum(left**2, axis=1))
    second = online_step(X, weight, first.W, first.learned, how)
    own = weight[:, None] * second.W
    expected = 0.5 * first.learned.sums.push + own.T @ second.W
    np.testing.assert_allclose(second.learned.sums.push, expected)
    assert second.loss < first.loss
    assert second.learned.steps == 2


@pytest.mark.parametrize("beta", [0.5, 1.0, 1.5, 2.5])
def test_the_ratio_is_the_multiplicative_update_where_all_is_forgotten(beta, rng):
    X, V = parts(rng) + 0.1, rng.random((12, 3)) + 0.1
    how = How(beta, NONE, 1e-15, 0.0, 30)
    step = online_step(X, None, None, first_learned(V, beta), how)
    Y = step.W @ V.T
    power = 1 / (2 - beta) if beta < 1 else 1 / (beta - 1) if beta > 2 else 1.0
    used = step.W.any(axis=0)  # a component that no row uses stays as it is
    ratio = ((X * Y ** (beta - 2)).T @ step.W) / np.where(used, (Y ** (beta - 1)).T @ step.W, 1.0)
    np.testing.assert_allclose(step.learned.V, V * np.where(used, ratio, 1.0) ** power, rtol=1e-9)


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_sparse_batches_are_dense_ones(beta, rng):
    X, V = parts(rng), rng.random((12, 3)) + 0.1
    X[X < 0.5] = 0.0
    how = How(beta, Penalties(Penalty(0.1, 0.1), Penalty(0.01, 0.01)), 1e-15, 0.7, 30)
    dense, sparse = (
        online_step(block, None, None, first_learned(V, beta), how)
        for block in (X, sp.csr_array(X))
    )
    np.testing.assert_allclose(sparse.learned.V, dense.learned.V, rtol=1e-8, atol=1e-10)
    assert sparse.loss == pytest.approx(dense.loss)
