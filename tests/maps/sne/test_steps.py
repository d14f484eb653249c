import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from lowdim.maps.affinities import single_bandwidth
from lowdim.maps.sne.springs import descent, springs
from lowdim.maps.sne.steps import LONGEST, START_SIZE, Plan, State, advance, plan_of


def plane(rng, n=80):
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, springs(sp.csr_array(single_bandwidth(pairwise_distances(X), 8.0).P), symmetric=True)


def start(Y, seed=0):
    return State(
        Y.astype(np.float32), np.zeros(Y.shape, np.float32), 0, np.random.default_rng(seed)
    )


def test_steps_without_momentum_are_downhill(rng):
    X, S = plane(rng)
    plan = plan_of("auto", 0.0, 1.0, 0.0, 100)
    state, last = start(0.1 * X), np.inf
    for _ in range(60):
        state, divergence, _ = advance(S, state, plan, 1)
        assert divergence <= last + 1e-6  # rounding of float32
        last = divergence


def test_one_step_is_that_of_the_formula(rng):
    X, S = plane(rng)
    Y = (X - X.mean(axis=0)).astype(np.float32)
    g = descent(S, Y).g
    auto, divergence, _ = advance(S, start(Y), plan_of("auto", 0.5, 1.0, 0.0, 100), 1)
    expected = Y - 0.75 * g / (4 * np.maximum(S.stiffness, 0.5))
    np.testing.assert_allclose(auto.Y, expected - expected.mean(axis=0), atol=1e-5)
    assert divergence == descent(S, Y).divergence
    # a number is the learning rate of the notes: of the gradient, which is g / n
    rate, _, _ = advance(S, start(Y), plan_of(20.0, 0.5, 1.0, 0.0, 100), 1)
    np.testing.assert_allclose(rate.Y, Y - 20.0 * g / 80, atol=1e-5)
    second, _, _ = advance(S, rate, plan_of(20.0, 0.5, 1.0, 0.0, 100), 1)
    velocity = 0.5 * rate.velocity - 20.0 * descent(S, rate.Y).g / 80
    np.testing.assert_allclose(second.velocity, velocity, atol=1e-5)


def test_steps_in_two_goes_are_those_in_one(rng):
    X, S = plane(rng)
    plan = plan_of("auto", 0.8, 4.0, 0.1, 100)
    once, _, _ = advance(S, start(X), plan, 40)
    twice, _, _ = advance(S, start(X), plan, 15)
    twice, _, _ = advance(S, twice, plan, 25)
    np.testing.assert_array_equal(once.Y, twice.Y)


def test_jitter_is_annealed(rng):
    X, S = plane(rng)
    plan = Plan(0.0, 0.0, 1.0, 0, 0.5, 10, 100)  # nothing moves a point but jitter
    state, sizes = start(X), []
    for _ in range(12):
        after, _, moved = advance(S, state, plan, 1)
        sizes.append(np.std(after.Y - state.Y))
        assert np.isinf(moved) == (state.step < 10)
        state = after
    np.testing.assert_allclose(sizes[:10], 0.5 * (1 - np.arange(10) / 10), rtol=0.3)
    assert max(sizes[10:]) < 1e-6


def test_a_map_that_exaggeration_shrinks_keeps_the_size_of_the_start(rng):
    P = (np.ones((30, 30)) - np.eye(30)) / (30 * 29)
    S = springs(sp.csr_array(P), symmetric=True)  # all alike: the minimum is a point
    Y = START_SIZE * rng.normal(size=(30, 2))
    state, _, moved = advance(S, start(Y), plan_of("auto", 0.8, 4.0, 0.0, 400), 100)
    assert 0.1 * START_SIZE < np.sqrt((state.Y**2).mean()) < 2 * START_SIZE
    assert np.isinf(moved)


def test_no_point_moves_too_far(rng):
    X, S = plane(rng)
    state, _, _ = advance(S, start(X), plan_of(1e6, 0.8, 1.0, 0.0, 100), 1)
    length = np.linalg.norm(state.velocity, axis=1)
    assert length.max() <= LONGEST * (1 + 1e-6)


def test_places_of_a_plane_are_found_again(rng):
    X, S = plane(rng)
    sigma = single_bandwidth(pairwise_distances(X), 8.0).bandwidths[0]
    expected = X / (sigma * np.sqrt(2))  # where q is p
    state, moved = start(expected + 0.1 * rng.normal(size=X.shape)), np.inf
    plan = plan_of("auto", 0.8, 1.0, 0.0, 400)
    for _ in range(8):
        state, _, moved = advance(S, state, plan, 50)
    assert descent(S, state.Y).divergence < 1e-5
    assert moved < 0.1
    np.testing.assert_allclose(
        pairwise_distances(state.Y), pairwise_distances(expected), atol=0.05 * np.abs(X).max()
    )
