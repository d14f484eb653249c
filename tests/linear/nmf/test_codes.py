import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.linear.nmf.codes import Coding, encode, sum_errors
from lowdim.linear.nmf.objective import Penalty
from tests.linear.nmf.examples import parts


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.2, 0.5)])
def test_codes_are_where_no_gradient_points_anywhere_allowed(penalty, rng):
    X, V = parts(rng), rng.random((12, 4))
    W = encode(X, Coding(V, penalty, 1.0))
    grad = (W @ V.T - X) @ V + penalty.l1 + penalty.l2 * W
    assert (grad[W == 0] > -1e-8).all() and np.abs(grad[W > 0]).max() < 1e-8


@pytest.mark.parametrize("density", [0.05, 0.6])
def test_errors_are_those_of_the_entries(density, rng):
    X = np.where(rng.random((30, 40)) < density, rng.random((30, 40)), 0.0)
    V, weight = rng.random((40, 3)), rng.random(30)
    by = Coding(V, Penalty(), 4.0)
    W = encode(X, by)
    expected = 0.5 * weight @ np.sum((X / 4 - W / 2 @ V.T) ** 2, axis=1)
    for block in (X, sp.csr_array(X)):
        for codes in (W, None):
            found = sum_errors(block, by, weight, codes)
            assert found.loss == pytest.approx(expected, rel=1e-9)
            assert found.count == pytest.approx(40 * weight.sum())
