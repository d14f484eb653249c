"""Solving with the Laplacian of weights: a pseudo-inverse by three roads."""

import numpy as np
import pytest

from lowdim.maps.mds import weights
from lowdim.maps.mds.weights import (
    add_differences,
    laplacian,
    laplacian_times,
    parts_of,
    row_weights,
    solver_of,
)
from tests.maps.mds.examples import list_of, noisy, random_weights


def test_the_laplacian_is_the_quadratic_part(rng):
    n = 15
    W, Y = random_weights(rng, n), rng.normal(size=(n, 2))
    first, second, _, weight, _ = list_of(noisy(rng, n), W)
    V = laplacian(first, second, weight, n)
    np.testing.assert_allclose(V, np.diag(W.sum(axis=1)) - W, atol=1e-12)
    apart = Y[first] - Y[second]
    np.testing.assert_allclose(np.trace(Y.T @ V @ Y), weight @ (apart**2).sum(axis=1))
    np.testing.assert_allclose(laplacian_times(first, second, weight, Y), V @ Y, atol=1e-12)
    np.testing.assert_allclose(row_weights(first, second, weight, n), np.diag(V))


@pytest.mark.parametrize("road", ["equal", "factored", "products"])
def test_the_solution_is_that_of_the_pseudo_inverse(rng, road, monkeypatch):
    n = 25
    if road == "products":
        monkeypatch.setattr(weights, "LARGEST_FACTORED", 0)
    W = np.full((n, n), 1.0) if road == "equal" else random_weights(rng, n)
    first, second, _, weight, _ = list_of(noisy(rng, n), None if road == "equal" else W)
    g = rng.normal(size=(n, 2))
    g -= g.mean(axis=0)
    V = laplacian(first, second, weight, n)
    x = solver_of(first, second, weight, n)(g)
    np.testing.assert_allclose(x, np.linalg.pinv(V) @ g, rtol=1e-6, atol=1e-7)


def test_one_weight_for_all_of_some_pairs_is_as_many_equal_ones(rng):
    n = 12
    W = (random_weights(rng, n) > 0).astype(float)
    first, second, _, weight, _ = list_of(noisy(rng, n), W)
    g = rng.normal(size=(n, 1))
    g -= g.mean()
    np.testing.assert_allclose(
        solver_of(first, second, np.ones(1), n)(g), solver_of(first, second, weight, n)(g)
    )
    np.testing.assert_allclose(
        row_weights(first, second, np.ones(1), n), row_weights(first, second, weight, n)
    )


def test_parts_that_nothing_joins_are_told_apart():
    first, second = np.array([0, 1, 3]), np.array([1, 2, 4])
    part = parts_of(first, second, 6)
    assert len(set(part)) == 3
    assert part[0] == part[1] == part[2]
    assert not parts_of(*np.triu_indices(5, 1), 5).any()


def test_the_kernel_is_its_plain_loop(rng):
    first, second, _, weight, n = list_of(noisy(rng, 8), random_weights(rng, 8))
    Y, plain, compiled = rng.normal(size=(n, 2)), np.zeros((n, 2)), np.zeros((n, 2))
    add_differences(first, second, weight, Y, compiled)
    add_differences.python(first, second, weight, Y, plain)
    np.testing.assert_allclose(compiled, plain, atol=1e-13)
