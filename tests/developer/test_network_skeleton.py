"""The skeleton of a network's test: the gradient, the step, properties, a planted truth."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.checks import assert_checks_pass

pytest.importorskip("torch")

PATH = Path(__file__).resolve().parents[2] / "docs" / "developer" / "network_skeleton.py"
spec = importlib.util.spec_from_file_location("network_skeleton", PATH)
skeleton = importlib.util.module_from_spec(spec)
sys.modules["network_skeleton"] = skeleton  # where pickle looks for its classes
spec.loader.exec_module(skeleton)

ignore_warnings = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_one_unit_and_one_row_have_the_loss_worked_out_by_hand():
    one = np.ones((1, 1))
    weights = skeleton.Weights(one, np.zeros(1), 2.0 * one, np.zeros(1))
    sums = skeleton.statistics(one, weights, np.zeros(1), np.ones(1))
    error = 1.0 - 2.0 * np.tanh(1.0)
    assert sums.loss == pytest.approx(error**2 / 2, rel=1e-15)
    assert sums.gradient.B[0, 0] == pytest.approx(-error * np.tanh(1.0), rel=1e-15)


def test_the_gradient_is_that_of_the_loss(rng):
    X, weights = rng.normal(size=(7, 3)), skeleton.first_weights(3, 2, rng)
    mean, scale = rng.normal(size=3), rng.random(3) + 0.5
    gradient = skeleton.statistics(X, weights, mean, scale).gradient
    for part in range(4):
        direction = rng.normal(size=weights[part].shape)

        def loss(h, part=part, direction=direction):
            moved = list(weights)
            moved[part] = weights[part] + h * direction
            return skeleton.statistics(X, skeleton.Weights(*moved), mean, scale).loss

        h = 1e-5  # errors: h^2 from the third derivative, 1e-16 / h from rounding
        slope = (loss(h) - loss(-h)) / (2 * h)
        assert slope == pytest.approx(np.sum(gradient[part] * direction), rel=1e-6, abs=1e-8)


def test_the_first_step_goes_against_the_sign_of_the_gradient(rng):
    weights = skeleton.first_weights(3, 2, rng)
    sums = skeleton.Sums(2, 1.0, skeleton.Weights(*(rng.normal(size=w.shape) for w in weights)))
    moved = skeleton.update(skeleton.Training.begin(weights), sums, 0.1)
    for before, after, g in zip(weights, moved.weights, sums.gradient, strict=True):
        np.testing.assert_allclose(after - before, -0.1 * np.sign(g), rtol=1e-6)


@ignore_warnings
def test_a_curve_in_space_is_followed_better_than_by_a_line(rng):
    t = rng.uniform(-1, 1, size=300)
    X = np.column_stack([t, np.tanh(4 * t), np.tanh(4 * t + 2)])
    model = skeleton.SkeletonAutoencoder(2, random_state=0).fit(X)
    S = (X - X.mean(axis=0)) / X.std(axis=0)
    line = (np.linalg.svd(S, compute_uv=False)[1:] ** 2).sum() / (2 * len(S))
    assert model.history_[-1] < line / 2
    back = model.inverse_transform(model.transform(X))
    lost = np.sum(((X - back) / X.std(axis=0)) ** 2) / (2 * len(X))
    assert lost == pytest.approx(model.history_[-1], rel=0.05)  # one step after the last record


@ignore_warnings
def test_scikit_learn_checks_pass():
    assert_checks_pass(skeleton.SkeletonAutoencoder(max_iter=20))
