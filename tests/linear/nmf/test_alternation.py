import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.nmf.alternation import Settings, change, first_state, step, sweeps_for
from lowdim.linear.nmf.data import data_of
from lowdim.linear.nmf.objective import Penalties, Penalty, units_of
from lowdim.linear.nmf.start import start_from
from tests.linear.nmf.examples import parts


def states(X, penalty, n=40, carry=True, weight=None, solver="cd"):
    """The states of some steps, and J of factors."""
    rows = ArrayBlocks(X)
    units = units_of(rows, weight, 2.0, "NMF")
    data, of = data_of(rows, weight, 1.0), Penalties(penalty, penalty)
    random = np.random.default_rng(0)
    state = first_state(start_from(None, data, 3, units, random), random)
    sweeps = sweeps_for(units, X.shape[1], 3)
    settings = Settings(solver, of, sweeps, carry=carry)
    found = []
    for _ in range(n):
        state = step(data, state, settings)
        found.append(state)
    return found


def J(X, state, penalty, weight=None):
    w = np.ones(len(X)) if weight is None else weight
    squares = w @ np.sum((X - state.W @ state.V.T) ** 2, axis=1)
    return 0.5 * squares + penalty.of(state.W, weight) + penalty.of(state.V)


@pytest.mark.parametrize("penalty", [Penalty(), Penalty(0.3, 0.0), Penalty(0.1, 0.5)])
@pytest.mark.parametrize("solver", ["cd", "bpp", "als"])
def test_the_loss_is_that_of_the_factors_and_never_rises(penalty, solver, rng):
    X = parts(rng)
    weight = rng.random(len(X))
    found = states(X, penalty, weight=weight, solver=solver)
    for state in found:
        assert state.loss == pytest.approx(J(X, state, penalty, weight), rel=1e-9)
    assert (np.diff([state.loss for state in found]) <= 0).all()


def test_carrying_on_saves_steps(rng):
    X = parts(rng, n=60, d=30, noise=0.3)
    plain, carried = (states(X, Penalty(), n=40, carry=carry)[-1] for carry in (False, True))
    assert carried.loss <= plain.loss * 1.01


def test_at_rest_no_gradient_points_anywhere_allowed(rng):
    X = parts(rng)
    state = states(X, Penalty(0.1, 0.1), n=400)[-1]
    grad = (state.W @ state.V.T - X).T @ state.W + 0.1 + 0.1 * state.V
    assert np.abs(np.where(state.V > 0, grad, np.minimum(grad, 0))).max() < 1e-3 * np.abs(X).sum()
    assert change(state) < 1e-3
