"""Descent on any function that torch can differentiate: the recursions of the textbooks, one each.

    gd           x := x - eta g(x)
    heavy_ball   x := x - eta g(x) + beta (x - x before)
    nesterov     x := ahead - eta g(ahead),          ahead = x + beta (x - x before)
    adagrad      x := x - eta g / sqrt(s + eps),     s = sum of g^2 so far
    adam         x := x - eta m / (sqrt(s) + eps),   m, s = moving means of g and g^2

Gradients are torch's, in float64; the recursions are NumPy. To see how they go; a network is
trained by `train.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, check_number
from lowdim.deep.engine import one_torch_thread, torch_for

SCHEDULES = ("constant", "harmonic", "invscaling", "cosine")


class Minimum(NamedTuple):
    """Where a descent has led; see `minimize`."""

    x: np.ndarray
    fun: float
    grad_norm: float
    n_iter: int
    converged: bool
    history: np.ndarray
    path: np.ndarray | None


class Smoothness(NamedTuple):
    """Bounds of a function at some points; see `smoothness`."""

    L: float
    mu: float


@single_threaded_blas()
def minimize(
    fun: Callable[..., Any],
    x0: Any,
    *,
    method: str = "gd",
    learning_rate: float | str = "1/L",
    momentum: float = 0.9,
    beta_2: float = 0.999,
    eps: float = 1e-8,
    bias_correction: bool = True,
    max_iter: int = 1000,
    tol: float = 0.0,
    keep_path: bool = False,
    data: Any = None,
    batch_size: int = 1,
    shuffle: bool = True,
    schedule: str = "constant",
    random_state: Any = None,
) -> Minimum:
    """Descend from x0 by one of the textbooks' methods.

    Parameters
    ----------
    fun : callable
        Maps a float64 tensor of the shape of x0 to a scalar tensor. With `data`,
        ``fun(x, *rows)`` gives the mean over the rows of a batch.
    x0 : array
        Where to start.
    method : {'gd', 'heavy_ball', 'nesterov', 'adagrad', 'adam'}, default='gd'
    learning_rate : float or '1/L', default='1/L'
        eta. '1/L' takes L from `smoothness` at x0; where the curvature is larger elsewhere, give
        ``1 / smoothness(fun, points).L``.
    momentum : float, default=0.9
        beta; for 'adam', how much of the mean of gradients is kept.
    beta_2 : float, default=0.999
        For 'adam', how much of the mean of squared gradients is kept.
    eps : float, default=1e-8
        For 'adagrad', within the root; for 'adam', beside it.
    bias_correction : bool, default=True
        For 'adam': whether means that began at 0 are divided by the weight they have.
    max_iter : int, default=1000
        Steps at the most.
    tol : float, default=0.0
        Stop where the gradient's norm is at most this.
    keep_path : bool, default=False
        Keep every x.
    data : array or tuple of arrays, default=None
        Rows of which Q is the mean: each step then looks at a batch of them (stochastic gradient).
    batch_size : int, default=1
    shuffle : bool, default=True
        Whether each pass over the data has an order of its own.
    schedule : {'constant', 'harmonic', 'invscaling', 'cosine'}, default='constant'
        Step t has the learning rate eta, eta / t, eta / sqrt(t), or falls as half a cosine to 0 at
        max_iter.
    random_state : int, Generator, RandomState or None, default=None
        For the order of the data.

    Returns
    -------
    Minimum
        Named tuple of x, the value `fun` there, `grad_norm`, `n_iter`, `converged` (the norm is at
        most tol), `history` (the values at all x, the first and the last too; with data, those of
        the batches, and of all data at the end), and `path` of shape (n_iter + 1, ...) or None.

    References
    ----------
    Polyak (1964), Some methods of speeding up the convergence of iteration methods. Nesterov
    (1983). Duchi, Hazan and Singer (2011). Kingma and Ba (2015), Adam.

    Examples
    --------
    >>> from lowdim.deep import minimize
    >>> found = minimize(lambda x: ((x - 3) ** 2).sum(), [0.0, 0.0], learning_rate=0.5)
    >>> found.x, found.fun
    (array([3., 3.]), 0.0)
    """
    how = _checked(method, momentum, beta_2, eps, bias_correction)
    check_at_least("max_iter", max_iter, 1)
    check_number("tol", tol, 0.0)
    check_choice("schedule", schedule, SCHEDULES)
    x = start_of(x0, "x0", "minimize")
    rows = _rows(data)
    torch_for("minimize")
    with one_torch_thread():
        if rows is None:
            eta = _rate(learning_rate, fun, x, ())
            batches: Iterator[tuple] = iter(lambda: (), None)
        else:
            check_at_least("batch_size", batch_size, 1)
            if tol > 0:
                raise ValueError(
                    f"tol={tol} needs the gradient of all data, which no step looks at; leave it "
                    "out, or leave out data."
                )
            eta = _rate(learning_rate, fun, x, rows)
            random = random_generator(random_state)
            batches = _batches(rows, batch_size, shuffle, random)
        return _descend(fun, x, how, eta, schedule, max_iter, tol, keep_path, rows or (), batches)


@single_threaded_blas()
def smoothness(fun: Callable[..., Any], points: Any, *, minimum: float | None = None) -> Smoothness:
    """L and mu of a function, as far as these points show them.

    L is the largest size of an eigenvalue of the second derivatives; steps of 1/L never rise if
    that holds everywhere. mu is the largest number with  |gradient|^2 / 2 >= mu (f - minimum)  (the
    Polyak-Lojasiewicz condition): then f - minimum falls by 1 - mu/L in each such step. True bounds
    are at least L and at most mu.

    Parameters
    ----------
    fun : callable
        Maps a float64 tensor to a scalar tensor.
    points : array of shape (m, ...)
        Points x.
    minimum : float or None, default=None
        The least value of the function; None: the least at the points.

    Returns
    -------
    Smoothness
        Named tuple of L and mu; mu is NaN where no point lies above the minimum.

    Examples
    --------
    >>> from lowdim.deep import smoothness
    >>> smoothness(lambda x: (x[0] ** 2 + 5 * x[1] ** 2), [[1.0, 0.0], [0.0, 1.0]], minimum=0.0)
    Smoothness(L=10.0, mu=2.0)
    """
    points = numeric_array(points, "points", "smoothness").astype(np.float64)
    if points.ndim < 1 or len(points) == 0 or not np.isfinite(points).all():
        raise ValueError(
            f"points has shape {points.shape}; smoothness needs (m, ...) finite numbers, a point x "
            "for each of m."
        )
    torch_for("smoothness")
    with one_torch_thread():
        looks = [(*value_and_gradient(fun, x, ()), _curvature(fun, x, ())) for x in points]
    values = np.array([value for value, _, _ in looks])
    squares = np.array([np.sum(gradient**2) for _, gradient, _ in looks])
    above = values - (values.min() if minimum is None else minimum)
    ratio = squares[above > 0] / (2.0 * above[above > 0])
    mu = float(ratio.min()) if len(ratio) else math.nan
    return Smoothness(max(curvature for _, _, curvature in looks), mu)


# ---- the recursions ------------------------------------------------------------------------------


class How(NamedTuple):
    method: str
    momentum: float
    beta_2: float
    eps: float
    bias_correction: bool


class State(NamedTuple):
    x: np.ndarray
    before: np.ndarray  # the x before this one
    mean: np.ndarray  # of gradients
    squares: np.ndarray  # sum or mean of squared gradients


def _gd(s: State, g: np.ndarray, eta: float, k: int, how: How) -> State:
    return s._replace(x=s.x - eta * g, before=s.x)


def _heavy_ball(s: State, g: np.ndarray, eta: float, k: int, how: How) -> State:
    return s._replace(x=s.x - eta * g + how.momentum * (s.x - s.before), before=s.x)


def _ahead(s: State, how: How) -> np.ndarray:
    return s.x + how.momentum * (s.x - s.before)


def _nesterov(s: State, g: np.ndarray, eta: float, k: int, how: How) -> State:
    """g is the gradient at `_ahead`."""
    return s._replace(x=_ahead(s, how) - eta * g, before=s.x)


def _adagrad(s: State, g: np.ndarray, eta: float, k: int, how: How) -> State:
    squares = s.squares + g**2
    return s._replace(x=s.x - eta / np.sqrt(squares + how.eps) * g, squares=squares)


def _adam(s: State, g: np.ndarray, eta: float, k: int, how: How) -> State:
    mean = how.momentum * s.mean + (1 - how.momentum) * g
    squares = how.beta_2 * s.squares + (1 - how.beta_2) * g**2
    m, v = mean, squares
    if how.bias_correction:
        m, v = mean / (1 - how.momentum**k), squares / (1 - how.beta_2**k)
    return s._replace(x=s.x - eta / (np.sqrt(v) + how.eps) * m, mean=mean, squares=squares)


RULES: dict[str, Callable[..., State]] = {
    "gd": _gd,
    "heavy_ball": _heavy_ball,
    "nesterov": _nesterov,
    "adagrad": _adagrad,
    "adam": _adam,
}


def _descend(
    fun: Callable[..., Any],
    x: np.ndarray,
    how: How,
    eta: float,
    schedule: str,
    max_iter: int,
    tol: float,
    keep_path: bool,
    rows: tuple,
    batches: Iterator[tuple],
) -> Minimum:
    state, k = State(x, x, np.zeros_like(x), np.zeros_like(x)), 0
    history, path = [], [x]
    for batch in batches:
        if k >= max_iter:
            break
        value, g = value_and_gradient(fun, state.x, batch)
        require_finite(value, g, k, eta)
        if not rows and np.linalg.norm(g) <= tol:
            break
        history.append(value)
        if how.method == "nesterov" and k > 0:  # before the first step, ahead is x itself
            _, g = value_and_gradient(fun, _ahead(state, how), batch)
        k += 1
        state = RULES[how.method](state, g, eta * _factor(schedule, k, max_iter), k, how)
        if keep_path:
            path.append(state.x)
    value, g = value_and_gradient(fun, state.x, rows)
    require_finite(value, g, k, eta)
    norm = float(np.linalg.norm(g))
    history.append(value)
    steps = np.array(path) if keep_path else None
    return Minimum(state.x, value, norm, k, norm <= tol, np.array(history), steps)


def _factor(schedule: str, k: int, max_iter: int) -> float:
    """What step k, from 1, has of the learning rate."""
    if schedule == "cosine":
        return 0.5 * (1.0 + math.cos(math.pi * (k - 1) / max_iter))
    return {"constant": 1.0, "harmonic": 1.0 / k, "invscaling": k**-0.5}[schedule]


# ---- gradients and data --------------------------------------------------------------------------


def value_and_gradient(
    fun: Callable[..., Any], x: np.ndarray, batch: tuple
) -> tuple[float, np.ndarray]:
    """The value and the gradient at x."""
    import torch

    at = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        try:
            value = _scalar(fun(at, *batch))
        except RuntimeError as error:
            if "requires grad" not in str(error):
                raise
            raise TypeError(
                "fun uses NumPy, which knows no gradients; write it with torch's functions: "
                "torch.sin(x) for np.sin(x)."
            ) from error
        if not value.requires_grad:  # constant
            return float(value), np.zeros_like(x)
        (gradient,) = torch.autograd.grad(value, at, allow_unused=True)
    found = np.zeros_like(x) if gradient is None else gradient.detach().numpy()
    return float(value.detach()), found


def _curvature(fun: Callable[..., Any], x: np.ndarray, batch: tuple) -> float:
    """The largest size of an eigenvalue of the second derivatives at x."""
    import torch

    at = torch.tensor(x, dtype=torch.float64)
    with torch.enable_grad():
        H = torch.autograd.functional.hessian(lambda point: _scalar(fun(point, *batch)), at)
    H = H.numpy().reshape(x.size, x.size)
    return float(np.abs(np.linalg.eigvalsh((H + H.T) / 2)).max())


def _scalar(value: Any) -> Any:
    import torch

    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        found = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
        raise ValueError(
            f"fun gave {found}; it must give a tensor with one number, made from x by torch's "
            "functions."
        )
    return value.reshape(())


def require_finite(value: float, gradient: np.ndarray, k: int, eta: float) -> None:
    """A ValueError where a descent has left the finite numbers."""
    if not (math.isfinite(value) and np.isfinite(gradient).all()):
        raise ValueError(
            f"fun is {value} at step {k}, or its gradient is not finite; choose a learning_rate "
            f"below {eta:g}, or an x0 where it is."
        )


def _rate(learning_rate: float | str, fun: Callable[..., Any], x: np.ndarray, rows: tuple) -> float:
    if not isinstance(learning_rate, str):
        return check_number("learning_rate", learning_rate, 0.0, open_low=True)
    check_choice("learning_rate", learning_rate, ["1/L"])
    L = _curvature(fun, x, rows)
    if not (math.isfinite(L) and L > 0):
        raise ValueError(
            f"learning_rate='1/L' needs second derivatives at x0, where L is {L:g}; give a number."
        )
    return 1.0 / L


def _batches(rows: tuple, size: int, shuffle: bool, random: np.random.Generator) -> Iterator[tuple]:
    n = len(rows[0])
    while True:
        order = random.permutation(n) if shuffle else np.arange(n)
        for first in range(0, n, size):
            yield tuple(part[order[first : first + size]] for part in rows)


def _checked(method: str, momentum: float, beta_2: float, eps: float, correct: bool) -> How:
    check_choice("method", method, RULES)
    for name, value in (("momentum", momentum), ("beta_2", beta_2)):
        if check_number(name, value, 0.0, 1.0) == 1.0:
            raise ValueError(f"{name}={value} must be below 1.")
    return How(method, momentum, beta_2, check_number("eps", eps, 0.0), bool(correct))


def start_of(x0: Any, name: str, function: str) -> np.ndarray:
    """Where to start, as float64."""
    x = numeric_array(x0, name, function).astype(np.float64)
    if x.size == 0 or not np.isfinite(x).all():
        raise ValueError(
            f"{name} has shape {x.shape}; {function} needs one or more finite numbers."
        )
    return x


def _rows(data: Any) -> tuple | None:
    """The data as tensors with one entry for each row."""
    if data is None:
        return None
    torch = torch_for("minimize")
    parts = data if isinstance(data, tuple) else (data,)
    arrays = [numeric_array(part, "data", "minimize").astype(np.float64) for part in parts]
    lengths = {array.shape[:1] for array in arrays}
    if not arrays or len(lengths) > 1 or lengths & {(), (0,)}:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"data has shapes {shapes}; minimize needs arrays with as many rows, 1+.")
    return tuple(torch.tensor(array) for array in arrays)
