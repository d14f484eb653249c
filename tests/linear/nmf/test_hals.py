import numpy as np
import pytest

from lowdim.linear.nmf import hals
from lowdim.linear.nmf.hals import descend
from tests.linear.nmf.examples import small_problems


def test_one_coordinate_goes_to_its_minimum():
    found = descend(np.array([[2.0]]), np.array([[3.0], [-1.0]]), np.array([[0.0], [4.0]]), 1)
    np.testing.assert_array_equal(found.Z, [[1.5], [0.0]])
    np.testing.assert_array_equal(found.slope, [3.0, 9.0])


@pytest.mark.parametrize("n", [1, 15, 16, 33])
def test_the_kernel_does_what_columns_of_numpy_do(n, rng):
    G, P, _, _ = small_problems(rng, n=n, k=7)
    start, order = rng.random(P.shape), rng.permutation(7)
    Z = start.copy()
    for _ in range(3):
        for r in order:
            Z[:, r] = np.maximum(0.0, Z[:, r] + (P[:, r] - Z @ G[:, r]) / G[r, r])
    np.testing.assert_allclose(descend(G, P, start, 3, order, enough=0.0).Z, Z, atol=1e-12)


def test_no_row_ever_gets_worse(rng):
    G, P, _, _ = small_problems(rng)
    Z, last = np.zeros_like(P), np.zeros(len(P))
    for _ in range(5):
        Z = descend(G, P, Z, 1).Z
        objective = 0.5 * np.einsum("ir,rs,is->i", Z, G, Z) - np.einsum("ir,ir->i", P, Z)
        assert (objective <= last + 1e-12).all()
        last = objective


def test_what_a_row_does_depends_on_no_other_row(rng, monkeypatch):
    G, P, _, _ = small_problems(rng)
    start = rng.random(P.shape)
    together = descend(G, P, start, 8)
    for i in (0, 7, 49):
        alone = descend(G, P[i : i + 1], start[i : i + 1], 8)
        np.testing.assert_array_equal(alone.Z[0], together.Z[i])
        assert alone.slope[0] == together.slope[i]
    monkeypatch.setattr(hals, "WORK_PER_CUT", 200)
    np.testing.assert_array_equal(descend(G, P, start, 8).Z, together.Z)


def test_a_coordinate_that_nothing_depends_on_stays():
    G = np.array([[1.0, 0.0], [0.0, 0.0]])
    found = descend(G, np.array([[2.0, 0.0]]), np.array([[0.0, 5.0]]), 2)
    np.testing.assert_array_equal(found.Z, [[2.0, 5.0]])


def test_float32_stays_float32(rng):
    G, P, _, _ = small_problems(rng)
    assert descend(G, P.astype(np.float32), np.zeros_like(P), 2).Z.dtype == np.float32
