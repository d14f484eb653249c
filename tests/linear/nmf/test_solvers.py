import numpy as np
import pytest
from scipy.optimize import nnls

from lowdim.linear.nmf.solvers import SOLVERS, multiply, pivot, project, slopes
from tests.linear.nmf.examples import small_problems


def test_pivoting_finds_the_minimisers(rng):
    G, P, F, Y = small_problems(rng)
    found = pivot(G, P, np.ones_like(P), 1)
    expected = np.array([nnls(F, y)[0] for y in Y])
    np.testing.assert_allclose(found.Z, expected, atol=1e-8)


def test_projecting_is_least_squares_without_what_is_negative(rng):
    G, P, F, Y = small_problems(rng)
    expected = np.maximum(np.linalg.lstsq(F, Y.T, rcond=None)[0].T, 0.0)
    np.testing.assert_allclose(project(G, P, np.ones_like(P), 1).Z, expected, atol=1e-8)


def test_an_update_is_its_formula_and_lowers_the_objective(rng):
    G, P, _, _ = small_problems(rng)
    G, Z = np.abs(G), np.maximum(rng.normal(size=P.shape), 0.0)
    Z[0], positive = 0.0, np.abs(P)
    expected = Z[1:] * positive[1:] / np.maximum(Z[1:] @ G, 1e-300)
    np.testing.assert_allclose(multiply(G, positive, Z, 1).Z[1:], expected)
    new = multiply(G, P, Z, 3).Z  # p < 0 where a penalty costs more than x gains
    assert ((new >= 0) & ((new == 0) | (Z > 0))).all()  # a zero stays
    before, after = (0.5 * np.einsum("ir,rs,is->i", A, G, A) - (P * A).sum(1) for A in (Z, new))
    assert (after <= before + 1e-12).all()
    assert (multiply(np.zeros_like(G), positive, Z, 1).Z == 0).all()  # no component: no code


@pytest.mark.parametrize("name", SOLVERS)
def test_slopes_are_those_of_the_start_and_the_dtype_stays(name, rng):
    G, P, _, _ = small_problems(rng)
    Z = np.maximum(rng.normal(size=P.shape), 0.0)
    down = P - Z @ G
    expected = np.where(Z > 0, np.abs(down), np.maximum(down, 0.0)).sum(axis=1)
    np.testing.assert_allclose(slopes(G, P, Z), expected)
    found = SOLVERS[name](G, P.astype(np.float32), Z.astype(np.float32), 1, None)
    assert found.Z.dtype == np.float32
    if name != "cd":  # which meets the slopes as it goes along
        np.testing.assert_allclose(found.slope, expected, rtol=1e-4)
