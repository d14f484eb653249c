"""Descent: each method is its recursion, and keeps what the lemmas promise."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="lowdim.deep needs torch: pip install 'lowdim[deep]'")

from lowdim.deep import minimize, smoothness  # noqa: E402

A = np.array([[3.0, 1.0], [1.0, 2.0]])
B = np.array([1.0, -2.0])


def bowl(x):
    return 0.5 * x @ torch.tensor(A) @ x - torch.tensor(B) @ x


def slope(x):
    return A @ x - B


def wavy(x):
    """x^2 + 3 sin^2 x: not convex, one minimum, 0; L = 8, and PL with mu = 1/32."""
    return (x**2 + 3 * torch.sin(x) ** 2).sum()


# ---- the recursions ------------------------------------------------------------------------------


def heavy_ball(x, n, eta, beta):
    xs = [x, x]
    for _ in range(n):
        xs.append(xs[-1] - eta * slope(xs[-1]) + beta * (xs[-1] - xs[-2]))
    return xs[1:]


def nesterov(x, n, eta, beta):
    xs = [x, x]
    for _ in range(n):
        ahead = xs[-1] + beta * (xs[-1] - xs[-2])
        xs.append(ahead - eta * slope(ahead))
    return xs[1:]


def adagrad(x, n, eta, eps):
    xs, gamma = [x], 0.0
    for _ in range(n):
        g = slope(xs[-1])
        gamma = gamma + g**2
        xs.append(xs[-1] - eta / np.sqrt(gamma + eps) * g)
    return xs


def adam(x, n, eta, beta, alpha, delta, correct):
    xs, g, h = [x], 0.0, 0.0
    for k in range(1, n + 1):
        now = slope(xs[-1])
        g, h = beta * g + (1 - beta) * now, alpha * h + (1 - alpha) * now**2
        up, down = (1 - beta**k, 1 - alpha**k) if correct else (1.0, 1.0)
        xs.append(xs[-1] - eta / (np.sqrt(h / down) + delta) * (g / up))
    return xs


X0 = np.array([4.0, -3.0])
TWINS = {
    "gd": ({"method": "gd"}, lambda: heavy_ball(X0, 30, 0.1, 0.0)),
    "heavy_ball": ({"method": "heavy_ball", "momentum": 0.8}, lambda: heavy_ball(X0, 30, 0.1, 0.8)),
    "nesterov": ({"method": "nesterov", "momentum": 0.8}, lambda: nesterov(X0, 30, 0.1, 0.8)),
    "adagrad": ({"method": "adagrad", "eps": 1e-3}, lambda: adagrad(X0, 30, 0.1, 1e-3)),
    "adam": ({"method": "adam"}, lambda: adam(X0, 30, 0.1, 0.9, 0.999, 1e-8, True)),
    "adam of the notes": (
        {"method": "adam", "bias_correction": False, "beta_2": 0.9, "eps": 1e-2},
        lambda: adam(X0, 30, 0.1, 0.9, 0.9, 1e-2, False),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_each_method_is_its_recursion(name):
    arguments, twin = TWINS[name]
    found = minimize(bowl, X0, learning_rate=0.1, max_iter=30, keep_path=True, **arguments)
    xs = np.array(twin())
    np.testing.assert_allclose(found.path, xs, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        found.history, [0.5 * x @ A @ x - B @ x for x in xs], rtol=1e-11, atol=1e-11
    )
    np.testing.assert_array_equal(found.x, found.path[-1])
    assert found.n_iter == 30 and found.fun == found.history[-1]
    assert found.grad_norm == pytest.approx(np.linalg.norm(slope(xs[-1])), rel=1e-9)


# ---- what the lemmas promise ---------------------------------------------------------------------


@pytest.mark.parametrize("start", [-7.0, -1.9, 0.3, 2.0, 12.0])
def test_a_critical_point_is_found_within_the_steps_of_the_lemma(start):
    L, tol = 8.0, 1e-3
    most = 2 * L * wavy(torch.tensor([start], dtype=torch.float64)).item() / tol**2
    found = minimize(wavy, [start], learning_rate=1 / L, tol=tol, max_iter=int(min(most, 10**4)))
    assert found.converged and found.n_iter <= most
    assert found.grad_norm <= tol


@pytest.mark.parametrize("start", [-7.0, -1.9, 0.3, 2.0, 12.0])
def test_values_fall_geometrically_under_the_pl_condition(start):
    L, mu = 8.0, 1 / 32
    found = minimize(wavy, [start], learning_rate=1 / L, max_iter=300)
    bound = found.history[0] * (1 - mu / L) ** np.arange(len(found.history))
    assert (found.history <= bound * (1 + 1e-12)).all()
    assert abs(found.x[0]) < 1e-6  # not convex, and yet the minimum


def test_heavy_ball_has_polyaks_rate_on_a_bowl():
    kappa = 100.0
    scale = torch.tensor([1.0, kappa], dtype=torch.float64)
    root = np.sqrt(kappa)
    rate = (root - 1) / (root + 1)
    found = minimize(
        lambda x: 0.5 * (scale * x**2).sum(),
        [1.0, 1.0],
        method="heavy_ball",
        learning_rate=4 / (1 + root) ** 2,
        momentum=rate**2,
        max_iter=200,
        keep_path=True,
    )
    size = np.linalg.norm(found.path, axis=1)
    assert (size[200] / size[50]) ** (1 / 150) == pytest.approx(rate, abs=0.012)
    plain = minimize(lambda x: 0.5 * (scale * x**2).sum(), [1.0, 1.0], max_iter=200)
    assert plain.fun > 1e6 * found.fun


def test_smoothness_of_a_bowl_is_its_eigenvalues():
    values, vectors = np.linalg.eigh(A)
    at = np.linalg.solve(A, B)
    found = smoothness(bowl, at + vectors.T, minimum=-0.5 * B @ at)
    np.testing.assert_allclose(found, [values[1], values[0]], rtol=1e-9)


def test_smoothness_of_a_wavy_function():
    L, mu = smoothness(wavy, np.linspace(-10, 10, 401)[:, None])
    assert L == pytest.approx(8.0) and 1 / 32 <= mu < 1.0


def test_one_over_L_is_the_step_of_the_curvature_at_the_start():
    found = minimize(bowl, X0, max_iter=3, keep_path=True)
    L = np.linalg.eigvalsh(A)[1]
    np.testing.assert_allclose(found.path[1], X0 - slope(X0) / L, rtol=1e-12)
    assert (np.diff(found.history) <= 0).all()


# ---- stochastic gradient -------------------------------------------------------------------------


def error(w, X, y):
    return ((y - X @ w) ** 2).mean() / 2


def test_batches_of_one_are_stochastic_gradient_step_by_step(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    found = minimize(
        error,
        np.zeros(2),
        learning_rate=1.0,
        schedule="harmonic",
        data=(X, y),
        shuffle=False,
        max_iter=50,
    )
    w = np.zeros(2)
    for i in range(50):
        w = w + 1 / (i + 1) * X[i % 20] * (y[i % 20] - w @ X[i % 20])
    np.testing.assert_allclose(found.x, w, rtol=1e-10)
    assert found.fun == pytest.approx(np.mean((y - X @ w) ** 2) / 2)


def test_every_row_is_looked_at_once_in_a_pass(rng):
    data, seen = np.arange(10.0), []

    def note(x, rows):
        seen.extend(rows.tolist())
        return (x**2).sum()

    minimize(note, [1.0], data=data, learning_rate=0.1, batch_size=3, max_iter=4, random_state=0)
    assert sorted(seen[:10]) == list(data) and seen[:10] != list(data)


@pytest.mark.parametrize("schedule", ["invscaling", "cosine"])
def test_batches_settle_near_the_minimum(rng, schedule):
    X = rng.normal(size=(300, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=300)
    arguments = {"learning_rate": 0.3, "batch_size": 10, "max_iter": 600, "random_state": 0}
    found = minimize(error, np.zeros(3), data=(X, y), schedule=schedule, **arguments)
    np.testing.assert_allclose(found.x, [1.0, -2.0, 0.5], atol=0.05)


# ---- the door ------------------------------------------------------------------------------------


def test_torch_is_left_as_it_was():
    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    with torch.no_grad():
        minimize(bowl, X0, max_iter=2)
    assert (torch.get_num_threads(), torch.get_default_dtype()) == (threads, dtype)


def test_any_shape_and_a_constant_are_no_trouble():
    found = minimize(lambda x: (x**2).sum(), np.ones((2, 3), np.float32), max_iter=5)
    assert found.x.shape == (2, 3) and found.x.dtype == np.float64
    still = minimize(lambda x: torch.tensor(3.0), [1.0], learning_rate=1.0)
    assert still.converged and still.n_iter == 0 and still.fun == 3.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "newton"}, "method='newton' is not known; choose one of 'gd'"),
        ({"learning_rate": 0.0}, "learning_rate=0.0 must be more than 0"),
        ({"learning_rate": "1/l"}, "learning_rate='1/l' is not known"),
        ({"learning_rate": 1e9}, "choose a learning_rate below 1e"),
        ({"momentum": 1.0}, "momentum=1.0 must be below 1"),
        ({"max_iter": 0}, "max_iter=0 is too small"),
        ({"x0": [np.nan, 1.0]}, r"x0 has shape \(2,\); minimize needs one or more finite"),
        ({"fun": lambda x: x}, r"fun gave \(2,\); it must give a tensor with one number"),
        ({"fun": lambda x: 3.0}, "fun gave float"),
        ({"fun": lambda x: x.sum()}, "needs second derivatives at x0, where L is 0"),
        ({"data": (np.ones(3), np.ones(2))}, r"data has shapes \(3,\), \(2,\)"),
        ({"data": np.ones(3), "tol": 0.1}, "tol=0.1 needs the gradient of all data"),
        ({"schedule": "linear"}, "schedule='linear' is not known"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        minimize(**{"fun": bowl, "x0": X0, **arguments})


def test_points_are_looked_at():
    with pytest.raises(ValueError, match=r"points has shape \(0,\)"):
        smoothness(bowl, [])
