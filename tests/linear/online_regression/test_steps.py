"""Steps by row: the kernel, the scales and the order of rows."""

import numpy as np
import pytest

from lowdim import OnlineRegression
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.online_regression.steps import scales_of, windows_of
from tests.linear.online_regression.examples import STEPS, rows


def twin(X, Y, order, model, eta0, w):
    """The kernel in NumPy, for rows as they are."""
    q, d = Y.shape[1], X.shape[1]
    W, G, mean = np.zeros((q, d + 1)), np.zeros((q, d + 1)), np.zeros((q, d + 1))
    penalty = np.append(np.full(d, model.alpha), 0.0)
    power = {"decreasing": model.power_t, "harmonic": 1.0, "constant": 0.0}[model.gain]
    for t, i in enumerate(order, start=1):
        x = np.append(X[i], 1.0)
        e = Y[i] - W @ x
        gradient = w[i] * (penalty * W - np.outer(e, x))
        rate = eta0 * t**-power
        if model.solver == "adagrad":
            G += gradient**2
            W = W - eta0 * gradient / np.sqrt(G + 1e-8)
        else:
            W = W - rate / (x @ x if model.solver == "nlms" else 1.0) * gradient
        mean += (W - mean) / t
    return mean if model.average else W


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("gain", ["decreasing", "harmonic", "constant"])
@pytest.mark.parametrize("solver", STEPS)
def test_the_kernel_is_its_numpy_twin(rng, solver, gain, average):
    X, Y, _ = rows(rng, n=40, d=3, q=2)
    w = rng.uniform(0.5, 2.0, size=40)
    model = OnlineRegression(
        solver, gain=gain, eta0=0.02, average=average, alpha=0.3, shuffle=False
    ).fit(X, Y, w)
    expected = twin(X, Y, range(40), model, 0.02, w)
    np.testing.assert_allclose(model.coef_, expected[:, :-1], rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, expected[:, -1], rtol=1e-10)


def test_scales_are_means_and_root_mean_squares(rng):
    X, Y, _ = rows(rng, q=2)
    found = scales_of(ArrayBlocks(X), Y, None, True)
    np.testing.assert_allclose(found.center, X.mean(axis=0))
    np.testing.assert_allclose(found.unit, np.sqrt(X.var(axis=0).mean()))
    np.testing.assert_allclose(found.y_unit, np.sqrt(Y.var(axis=0).mean()))
    about_zero = scales_of(ArrayBlocks(X), Y, None, False)
    assert not about_zero.center.any() and not about_zero.shift.any()
    np.testing.assert_allclose(about_zero.unit, np.sqrt(np.mean(X**2)))


def test_windows_hold_every_row_that_counts_once(rng):
    X, Y, _ = rows(rng, q=1)
    weight = rng.integers(0, 2, size=200).astype(float)
    (window,) = windows_of(ArrayBlocks(X), Y, weight, (3, 0))
    assert sorted(window.order) == list(np.flatnonzero(weight))
    assert list(window.order) != sorted(window.order)
    (plain,) = windows_of(ArrayBlocks(X), Y, None, None)
    assert list(plain.order) == list(range(200))
