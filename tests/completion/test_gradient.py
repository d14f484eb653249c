"""Gradient descent on the factors: the scalar flow in closed form, gradients, planted truth."""

import numpy as np
import pytest

from lowdim import ALS, GradientFactorization
from lowdim.completion.entries import observed
from lowdim.completion.gradient import (
    DescentProblem,
    DescentState,
    _descend,
    counts,
    full_step,
    objective,
    stochastic_pass,
)
from lowdim.linalg.sparse import both_ways

SOLVERS = pytest.mark.parametrize("solver", ["gd", "sgd"])


def planted(rng, n=80, d=50, k=2, part=0.5, noise=0.0):
    truth = rng.normal(size=(n, k)) @ rng.normal(size=(k, d))
    X = truth + noise * rng.normal(size=(n, d))
    return truth, np.where(rng.random((n, d)) < part, X, np.nan)


def moving(X, U, V, rate, penalty=0.0, momentum=0.0):
    entries = both_ways(observed(X))
    problem = DescentProblem(entries, penalty, momentum, counts(entries))
    start = DescentState(U, V, np.zeros_like(U), np.zeros_like(V), rate, objective(U, V, problem))
    return start, problem


@pytest.mark.parametrize(("a", "c"), [(3.0, 0.01), (2.0, 0.1), (0.5, 1.5)])
def test_a_balanced_scalar_start_follows_the_closed_form_of_gradient_flow(a, c):
    rate, steps = 2e-3, 500
    at, problem = moving(np.array([[a]]), *(np.full((1, 1), np.sqrt(c)),) * 2, rate)
    for step in range(1, steps + 1):
        at = full_step(at, problem)
        if step % 50 == 0:
            growth = np.exp(2 * a * rate * step)
            flow = a * c * growth / (a - c + c * growth)
            # Euler's method: an error of the order of the rate
            assert at.U[0, 0] * at.V[0, 0] == pytest.approx(flow, rel=20 * rate)
            assert at.U[0, 0] == pytest.approx(at.V[0, 0], rel=1e-12)


@pytest.mark.parametrize("one", [full_step, stochastic_pass])
def test_zero_is_a_saddle_that_nothing_leaves(one):
    zero = np.zeros((1, 1))
    at, problem = moving(np.array([[1.0]]), zero, zero, 0.1)
    assert one(at, problem, np.random.default_rng(0)).U[0, 0] == 0.0


def test_a_step_goes_along_the_numerical_gradient(rng):
    _, X = planted(rng, 6, 5)
    U, V = rng.normal(size=(6, 2)), rng.normal(size=(5, 2))
    at, problem = moving(X, U, V, 1e-4, penalty=0.1)
    new, n_entries = full_step(at, problem), len(problem.entries.values)
    h = 1e-6
    for factor, moved, name in ((U, new.U - U, 0), (V, new.V - V, 1)):
        for place in np.ndindex(factor.shape):
            up, down = factor.copy(), factor.copy()
            up[place] += h
            down[place] -= h
            high = objective(*((up, V) if name == 0 else (U, up)), problem)
            low = objective(*((down, V) if name == 0 else (U, down)), problem)
            slope = n_entries * (high - low) / (2 * h)
            assert moved[place] == pytest.approx(-1e-4 * slope, abs=1e-9)


def test_the_kernel_equals_its_plain_form(rng):
    _, X = planted(rng, 6, 5)
    U, V = rng.normal(size=(6, 2)), rng.normal(size=(5, 2))
    at, problem = moving(X, U, V, 0.01, penalty=0.1, momentum=0.5)
    new = stochastic_pass(at, problem, np.random.default_rng(3))
    Y = problem.entries.by_rows
    order = np.random.default_rng(3).permutation(Y.nnz)
    rows = np.repeat(np.arange(6), np.diff(Y.indptr))
    parts = [np.array(part) for part in (U, V, np.zeros_like(U), np.zeros_like(V))]
    _descend.python(order, rows, Y.indices, Y.data, 0.01, 0.5, 0.1, *parts)
    np.testing.assert_allclose(new.U, parts[0], rtol=1e-12)
    np.testing.assert_allclose(new.V, parts[1], rtol=1e-12)


@SOLVERS
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_the_objective_never_rises(rng, solver, momentum):
    _, X = planted(rng, noise=0.3)
    model = GradientFactorization(
        2, solver=solver, momentum=momentum, learning_rate=5.0, random_state=0, max_iter=60, tol=0
    ).fit(X)
    assert np.all(np.diff(model.history_) <= 0)


@SOLVERS
def test_a_planted_matrix_is_found(rng, solver):
    truth, X = planted(rng, part=0.6)
    model = GradientFactorization(
        2, penalty=0.0, solver=solver, center=None, tol=1e-8, max_iter=5000, random_state=0
    ).fit(X)
    assert np.sqrt(np.mean((model.complete() - truth) ** 2)) < 0.01 * truth.std()


def test_it_reaches_the_minimum_of_als(rng):
    _, X = planted(rng, noise=0.3)
    ours = GradientFactorization(
        2, penalty=0.05, center=None, tol=1e-12, max_iter=5000, random_state=0
    ).fit(X)
    als = ALS(2, penalty=0.05, weighted_penalty=True, center=None, tol=1e-12, max_iter=1000)
    als.set_params(random_state=0).fit(X)
    np.testing.assert_allclose(ours.complete(), als.complete(), atol=1e-3)


def test_folding_in_a_fitted_row_gives_its_code_back(rng):
    _, X = planted(rng, noise=0.3)
    model = GradientFactorization(
        2, penalty=0.05, center="columns", tol=1e-13, max_iter=5000, random_state=0
    ).fit(X)
    np.testing.assert_allclose(model.transform(X), model.row_factors_, atol=1e-3)


def test_a_warm_start_goes_on(rng):
    _, X = planted(rng, noise=0.3)
    model = GradientFactorization(2, random_state=0, warm_start=True, tol=1e-9).fit(X)
    last = model.history_[-1]
    model.fit(X)
    assert model.history_[0] <= last * (1 + 1e-6)
