import numpy as np
import pytest
from scipy.optimize import nnls

from lowdim.linear.nmf.solvers import SOLVERS, pivot, project, slopes
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
