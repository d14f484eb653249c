"""The search: stress never rises, and ends where nothing is lower."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from lowdim.maps.mds.majorization import (
    PairsProblem,
    SquareProblem,
    descended,
    descent_from,
)
from lowdim.maps.mds.transformations import transformation_of
from tests.maps.mds.examples import list_of, noisy, planted, random_weights, raw_stress


def searched(problem, Y, most=400, eps=1e-13):
    at, history = descent_from(problem, Y), []
    for _ in range(most):
        at = descended(problem, at)
        history.append(at.search.objective)
        if at.change <= eps:
            break
    return at.search.point, np.array(history)


def problems(D, W=None):
    yield SquareProblem(D)
    yield PairsProblem(list_of(D, W))
    for name in ("interval", "spline", "ordinal"):
        pairs = list_of(D, W, ordered=name == "ordinal")
        yield PairsProblem(
            pairs, transformation_of(name, "secondary", pairs.dissimilarity, pairs.weight)
        )


def test_stress_never_rises_and_its_gradient_vanishes_at_the_end(rng):
    D = noisy(rng, 20)
    W = random_weights(rng, 20, zeros=0.1)
    for problem in problems(D, W):
        Y, history = searched(problem, rng.normal(size=(20, 2)))
        assert np.all(np.diff(history) <= 0)
        look = problem.look(Y)
        assert np.abs(look.gradient).max() < 1e-3 * np.sqrt(problem.size * 20)


@pytest.mark.parametrize("exact", [True, False])
def test_the_first_step_is_a_guttman_transform(rng, exact):
    D, Y = noisy(rng, 15), rng.normal(size=(15, 2))
    W = random_weights(rng, 15)
    pairs = list_of(D, W)
    distance = np.linalg.norm(Y[:, None] - Y, axis=2) + np.eye(15)
    B = -W * D / distance
    B -= np.diag(B.sum(axis=1))
    V = np.diag(W.sum(axis=1)) - W
    expected = np.linalg.pinv(V) @ B @ Y
    moved = PairsProblem(pairs, exact=exact).first(Y)
    # conjugate gradients end at 1e-8 of the right side
    np.testing.assert_allclose(moved - moved.mean(axis=0), expected, atol=1e-9 if exact else 1e-6)
    assert raw_stress(D, moved, W) <= raw_stress(D, Y, W)


def test_equal_weights_and_the_square_are_one_problem(rng):
    D, Y = noisy(rng, 25), rng.normal(size=(25, 2))
    left, _ = searched(SquareProblem(D), Y)
    right, _ = searched(PairsProblem(list_of(D, np.full((25, 25), 3.0))), Y)
    np.testing.assert_allclose(raw_stress(D, left), raw_stress(D, right), rtol=1e-8)


def test_a_weight_of_2_is_a_pair_twice(rng):
    D, Y = noisy(rng, 12), rng.normal(size=(12, 2))
    W = np.ones((12, 12))
    W[0, 1] = W[1, 0] = 2.0
    pairs = list_of(D)
    twice = pairs._replace(
        first=np.append(pairs.first, 0).astype(np.int32),
        second=np.append(pairs.second, 1).astype(np.int32),
        dissimilarity=np.append(pairs.dissimilarity, D[0, 1]),
    )
    weighted, doubled = (PairsProblem(p, exact=False) for p in (list_of(D, W), twice))
    np.testing.assert_allclose(weighted.look(Y).stress, doubled.look(Y).stress)
    np.testing.assert_allclose(weighted.look(Y).gradient, doubled.look(Y).gradient, atol=1e-12)
    np.testing.assert_allclose(weighted.size, doubled.size)


def test_a_planted_plane_is_found_though_pairs_are_missing(rng):
    Y, D = planted(rng, 40)
    W = random_weights(rng, 40, zeros=0.5)
    start = Y + 0.2 * rng.normal(size=Y.shape)
    found, _ = searched(PairsProblem(list_of(D, W)), start, most=2000, eps=1e-16)
    distance = np.linalg.norm(found[:, None] - found, axis=2)
    np.testing.assert_allclose(distance, D, atol=1e-4)


def test_fit_gives_the_stress_of_the_map_in_three_ways(rng):
    D, Y = noisy(rng, 15), rng.normal(size=(15, 2))
    d = np.linalg.norm(Y[:, None] - Y, axis=2)
    squares = (d**2).sum() / 2
    units = np.linspace(0.0, 2.0, 20001)
    best = min(((u * D - d) ** 2).sum() / 2 for u in units[::40])
    for problem in (SquareProblem(D), PairsProblem(list_of(D))):
        fit = problem.fit(Y)
        np.testing.assert_allclose(fit.stress, raw_stress(D, Y))
        np.testing.assert_allclose(fit.relative, np.sqrt(raw_stress(D, Y) / squares))
        np.testing.assert_allclose(fit.kruskal, np.sqrt(best / squares), rtol=1e-4)
        assert fit.kruskal <= np.sqrt(best / squares) + 1e-12
        np.testing.assert_allclose(problem.size, (D**2).sum() / 2)


def test_the_stress_of_a_transformed_map_is_kruskals(rng):
    """sum (f - d)^2 / sum d^2, with the monotone regression f of d itself."""
    D, Y = noisy(rng, 15), rng.normal(size=(15, 2))
    pairs = list_of(D, ordered=True)
    problem = PairsProblem(
        pairs, transformation_of("ordinal", "secondary", pairs.dissimilarity, pairs.weight)
    )
    d = np.linalg.norm(Y[pairs.first] - Y[pairs.second], axis=1)
    error = isotonic_regression(d).x - d
    np.testing.assert_allclose(problem.fit(Y).kruskal, np.sqrt((error**2).sum() / (d**2).sum()))
