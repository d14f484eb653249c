"""Two players: golden rates on f = s x y, a saddle of a quadratic, and the door."""

import numpy as np
import pytest

pytest.importorskip("torch")

from lowdim.deep import play

H, S = 0.3, 1.7
HS = H * S


def distances(method, max_iter=40):
    found = play(
        lambda x, y: S * (x * y).sum(),
        [1.0],
        [0.5],
        method=method,
        learning_rate=H,
        max_iter=max_iter,
        keep_path=True,
    )
    x, y = found.path
    return np.hypot(x[:, 0], y[:, 0])


@pytest.mark.parametrize(
    ("method", "rate"),
    [
        ("simultaneous", np.sqrt(1 + HS**2)),
        ("extragradient", np.sqrt(1 - HS**2 + HS**4)),
    ],
)
def test_distance_to_the_saddle_changes_by_the_same_factor_in_each_step(method, rate):
    r = distances(method)
    np.testing.assert_allclose(r[1:] / r[:-1], rate, rtol=1e-12)


def test_alternating_steps_stay_on_an_ellipse():
    """x^2 + y^2 - h s x y is what such a step keeps."""
    found = play(
        lambda x, y: S * (x * y).sum(),
        [1.0],
        [0.5],
        method="alternating",
        learning_rate=H,
        max_iter=200,
        keep_path=True,
    )
    x, y = (part[:, 0] for part in found.path)
    np.testing.assert_allclose(x**2 + y**2 - HS * x * y, 1.25 - HS * 0.5, rtol=1e-12)


def test_optimistic_steps_come_in():
    """Its slower root: |1 - 2ia + sqrt(1 - 4 a^2)| / 2 with a = h s, a modulus below 1."""
    r = distances("optimistic", 200)
    a = HS
    roots = np.roots([1.0, -(1 - 2j * a), -1j * a])
    assert np.abs(roots).max() < 1
    np.testing.assert_allclose(r[-1] / r[-2], np.abs(roots).max(), rtol=1e-3)


@pytest.mark.parametrize("method", ["extragradient", "optimistic", "alternating", "simultaneous"])
def test_saddle_of_a_quadratic_with_arrays_of_any_shape(method, rng):
    """x'Ax/2 + x'By - y'Cy/2 + a'x: the linear system of its gradients."""
    B = rng.normal(size=(4, 3)) / 3
    a = rng.normal(size=(2, 2))

    def fun(x, y):
        import torch

        flat = x.reshape(-1)
        return (
            (x**2).sum() / 2
            + flat @ torch.as_tensor(B) @ y
            - (y**2).sum() / 2
            + (torch.as_tensor(a) * x).sum()
        )

    found = play(
        fun, np.ones((2, 2)), np.ones(3), method=method, learning_rate=0.2, max_iter=2000, tol=1e-10
    )
    K = np.block([[np.eye(4), B], [B.T, -np.eye(3)]])
    exact = np.linalg.solve(K, np.concatenate([-a.ravel(), np.zeros(3)]))
    assert found.converged and found.x.shape == (2, 2) and found.path is None
    assert len(found.history) == found.n_iter + 1
    assert found.fun == found.history[-1]
    np.testing.assert_allclose(np.concatenate([found.x.ravel(), found.y]), exact, atol=1e-9)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"method": "newton"}, "method='newton'"),
        ({"learning_rate": 0.0}, "learning_rate=0.0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"y0": [np.inf]}, r"y0 has shape \(1,\); play needs one or more finite"),
        ({"fun": lambda x, y: np.sin(x).sum()}, "fun uses NumPy, which knows no gradients"),
        ({"fun": lambda x, y: x + y}, r"fun gave \(2,\); it must give a tensor with one number"),
    ],
)
def test_bad_input(wrong, says):
    given = {"fun": lambda x, y: (x * y).sum(), "x0": [1.0, 2.0], "y0": [1.0], **wrong}
    with pytest.raises((ValueError, TypeError), match=says):
        play(**given)


def test_a_game_that_leaves_the_numbers_says_what_to_lower():
    with pytest.raises(ValueError, match="learning_rate below 50"):
        play(lambda x, y: (x**2 * y**2).sum(), [3.0], [2.0], learning_rate=50.0)
