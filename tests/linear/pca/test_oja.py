"""Axes that follow each batch of rows."""

import numpy as np
import pytest

from lowdim import PCA
from lowdim.linear.pca.oja import OjaParams, gain, oja_step
from tests.linear.pca.tables import angle, spectrum_data


def test_oja_comes_close_to_the_best_subspace(rng):
    X = spectrum_data(rng, 2000)
    ours = PCA(2, svd_solver="oja", random_state=0).fit(X)
    # steps of about 0.1 and noise of 1 / sqrt(batch): angles of a few hundredths
    assert ours.explained_variance_.sum() > 0.99 * 25.0


def test_oja_learns_one_row_at_a_time(rng):
    X = spectrum_data(rng, 3000, variances=(25.0, 1.0, 0.5))
    model = PCA(1, svd_solver="oja", random_state=0)
    for x in X:
        model.partial_fit(x[None])
    assert angle(model.components_.T, PCA(1).fit(X).components_.T) < 0.15


def test_a_constant_gain_follows_a_drifting_subspace(rng):
    # the leading axis turns by 90 degrees in 200 batches; a gain of 0.2 remembers about 5 of them,
    # in which it turns by 2 degrees; noise of batches of 50 rows adds about as much again
    model = PCA(1, svd_solver="oja", learning_rate=0.2, batch_size=50, random_state=0)
    lag = []
    for turn in np.linspace(0, np.pi / 2, 200):
        axis = np.array([np.cos(turn), np.sin(turn), 0.0])
        X = rng.normal(size=(50, 3)) + 5.0 * rng.normal(size=(50, 1)) * axis
        lag.append(angle(model.partial_fit(X).components_.T, axis[:, None]))
    assert max(lag[50:]) < 0.25


def test_a_decreasing_gain_settles_where_a_constant_one_keeps_trembling(rng):
    X = rng.normal(size=(20_000, 3)) * [3.0, 1.0, 1.0]
    axis = np.array([[1.0], [0.0], [0.0]])
    trembling = []
    for rate in ("decreasing", 0.5):
        model = PCA(1, svd_solver="oja", learning_rate=rate, batch_size=10, random_state=0)
        model.partial_fit(X[:18_000])
        parts = np.split(X[18_000:], 20)
        angles = [angle(model.partial_fit(part).components_.T, axis) for part in parts]
        trembling.append(np.mean(angles))
    # at a gain a, batches of 10 rows turn the axis by a / 9 sqrt(9 / 10) at random, and the gap
    # turns it back by 8/9 of a: angles of 0.033 on average at the last gain of 0.11, 0.07 at 0.5
    assert trembling[0] < 0.05
    assert trembling[0] < trembling[1]


def test_a_step_is_ojas_rule_for_several_axes_to_first_order(rng):
    """w_j + rate y_j (x - y_j w_j - 2 sum_{i<j} y_i w_i): what is left is of second order."""
    D = rng.normal(size=(20, 5))
    W, _ = np.linalg.qr(rng.normal(size=(5, 2)))
    weight, variance = np.ones(20), np.full(2, 3.0)
    Y = D @ W
    left = []
    for rate in (1e-3, 1e-4):
        found = oja_step(D, OjaParams(W, variance, 10**9), rate, weight)
        YY = Y.T @ Y
        rule = (D.T @ Y - W @ (np.diag(np.diag(YY)) + 2 * np.triu(YY, 1))) / len(D)
        left.append(np.abs(found.W - W - rate / found.variance.max() * rule).max())
    assert left[1] < 0.02 * left[0]


def test_rows_without_weight_move_nothing(rng):
    params = OjaParams(np.eye(3)[:, :1], np.ones(1), 4)
    assert oja_step(rng.normal(size=(5, 3)), params, 0.5, np.zeros(5)) is params


def test_decreasing_gains_add_up_without_end_and_their_squares_do_not():
    gains = np.array([gain("decreasing", t) for t in (1, 10**3, 10**6)])
    assert np.all(np.diff(gains) < 0)
    assert gains[2] == pytest.approx((1 + 10**6 / 50) ** -0.6)
    assert gain(0.3, 10**6) == 0.3
    assert gain("harmonic", 450) == gain("count", 450) == pytest.approx(0.1)
