"""Gradient descent on the covariance."""

import numpy as np
import pytest

from lowdim.linear.autoencoder.descent import along, best_step, gradients
from lowdim.linear.autoencoder.layers import Weights, random_weights
from tests.linear.autoencoder.tables import TIED, fitted, objective, table


@TIED
def test_gradients_are_those_of_the_objective(tied, rng):
    S = np.cov(table(rng).T)
    V, W = random_weights(6, 2, rng)
    if not tied:
        V, W = V + 0.1 * rng.normal(size=V.shape), W + 0.1 * rng.normal(size=W.shape)
    G = gradients(S, Weights(V, W), tied)
    step = 1e-5
    for j, f in [(0, 0), (1, 3), (0, 5)]:
        bump = np.zeros_like(W)
        bump[j, f] = step
        decoder = bump.T if tied else 0.0
        up, down = objective(S, V + decoder, W + bump), objective(S, V - decoder, W - bump)
        assert G.W[j, f] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-6)


def test_the_step_along_a_direction_is_the_best_one(rng):
    S = np.cov(table(rng).T)
    V, W = random_weights(6, 2, rng)
    G = gradients(S, Weights(V, W), False)
    polynomial = along(S, Weights(V, W), Weights(-G.V, -G.W))
    step, fall = best_step(polynomial)
    values = [objective(S, V - t * G.V, W - t * G.W) for t in (0.0, step)]
    assert fall == pytest.approx(values[0] - values[1], rel=1e-8)
    for t in np.linspace(0.0, 1.5 * step, 50):  # a second dip may lie beyond
        assert objective(S, V - t * G.V, W - t * G.W) >= values[1] * (1 - 1e-12)


@TIED
def test_gradient_descent_never_raises_the_objective(tied, rng):
    history = fitted(table(rng), "gd", tied).history_
    assert len(history) > 5
    assert np.all(np.diff(history) <= 1e-14)  # of 1: rounding
