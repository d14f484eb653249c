"""Gradients of dense networks, three ways; and how layers depend on each other.

    a_0 = x,   z_l = W_l' a_{l-1} + b_l,   a_l = f(z_l)

    error signals    delta_L = w_i (a_L - y),   delta_{l-1} = (delta_l W_l') * f'(z_{l-1})
    gradient         dJ/dW_l = (a_{l-1}' delta_l + alpha W_l) / sum w,   dJ/db_l = sum_i delta_l
                     / sum w
    Jacobian         da_m / da_k = diag(f'(z_m)) W_m' ... diag(f'(z_{k+1})) W_{k+1}'

All in float64, on all rows, without dropout.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, xlogy
from sklearn.utils.validation import check_is_fitted

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_choice, check_weights
from lowdim.deep.engine import one_torch_thread, torch_for
from lowdim.deep.mlp.base import Perceptrons
from lowdim.deep.mlp.forward import FUNCTIONS, SLOPES, layers

STEP = 1e-5  # of central differences


class Gradients(NamedTuple):
    """The loss of a network and its derivatives."""

    loss: float
    coefs: list[np.ndarray]  # like `coefs_`
    intercepts: list[np.ndarray]  # like `intercepts_`


class Signals(NamedTuple):
    """The same, with the derivatives of sum_i w_i loss_i by z of each row and layer."""

    loss: float
    coefs: list[np.ndarray]
    intercepts: list[np.ndarray]
    signals: list[np.ndarray]  # (n, units) of each layer, the first hidden one first


class _Problem(NamedTuple):
    """A network and rows, as plain arrays."""

    X: np.ndarray  # (n, d)
    Y: np.ndarray  # (n, outputs)
    weight: np.ndarray  # (n,)
    coefs: list[np.ndarray]
    intercepts: list[np.ndarray]
    activation: str
    out: str
    alpha: float


@single_threaded_blas()
def gradients(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    method: str = "autograd",
    return_signals: bool = False,
) -> Gradients | Signals:
    """The gradient of the loss of a dense network at its weights, by one of three ways.

    J = (sum_i w_i loss_i + alpha / 2 sum_l |W_l|^2) / sum_i w_i, which the network has learned to
    make small. All ways agree, to rounding; 'numeric' to about 1e-8.

    Cost: O(n sum of |W|); 'numeric' takes that for each weight.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        Fitted.
    X, y, sample_weight
        As for its `fit`, in memory.
    method : {'autograd', 'backprop', 'numeric'}, default='autograd'
        torch's; the recursion of error signals, in NumPy; or central differences.
    return_signals : bool, default=False
        Whether to give the error signals too.

    Returns
    -------
    loss : float
    coefs, intercepts : list of ndarray
        Derivatives by `coefs_` and `intercepts_`.
    signals : list of ndarray of shape (n_samples, units)
        Derivatives of sum_i w_i loss_i by the sums z that go into the units, for each layer but
        that of X; with return_signals.

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> model = lowdim.MLPRegressor(hidden_layer_sizes=(4,), activation="tanh", solver="lbfgs",
    ...                             random_state=0).fit(X, X[:, 0])
    >>> ways = [lowdim.deep.gradients(model, X, X[:, 0], method=method)
    ...         for method in ("autograd", "backprop", "numeric")]
    >>> all(np.allclose(ways[0].coefs[0], way.coefs[0], atol=1e-8) for way in ways)
    True
    """
    check_choice("method", method, WAYS)
    problem = _problem(model, X, y, sample_weight)
    found = WAYS[method](problem, return_signals)
    return found if return_signals else Gradients(*found[:3])


@single_threaded_blas()
def jacobian(model: Any, X: Any, start: int = 0, stop: int = -1) -> np.ndarray:
    """How a layer of a dense network depends on an earlier one, at each row.

    Cost: O(n sum of |W| times the units of the earlier layer).

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        Fitted.
    X : array of shape (n_samples, n_features)
    start, stop : int, defaults 0 and -1
        Layers: 0 is X, then come the hidden ones, the last is the output, after its activation
        (probabilities of a classifier); negative numbers count from there. By default the
        sensitivities of the output to the columns of X.

    Returns
    -------
    ndarray of shape (n_samples, units of stop, units of start)
        The derivatives of a_stop by a_start.

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> model = lowdim.MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=0.0,
    ...                             random_state=0).fit(X, X @ [1.0, -2.0, 0.5])
    >>> lowdim.deep.jacobian(model, X)[0].round(2)
    array([[ 1. , -2. ,  0.5]])
    """
    rows = _rows(model, X)
    n_layers = len(model.coefs_)
    first, last = _layer("start", start, n_layers), _layer("stop", stop, n_layers)
    if first > last:
        raise ValueError(
            f"start={start} is layer {first} and stop={stop} is layer {last}; stop must not come "
            "before start."
        )
    values = layers(rows, *_weights(model), model.activation, model.out_activation_)
    n, units = len(rows), values[first].shape[1]
    J = np.broadcast_to(np.eye(units), (n, units, units))
    for number in range(first + 1, last + 1):
        J = np.einsum("ab,nac->nbc", _weights(model)[0][number - 1], J, optimize=True)
        out = model.out_activation_ if number == n_layers else model.activation
        J = _through(out, values[number], J)
    return J if last > first else J.copy()


def _through(activation: str, A: np.ndarray, J: np.ndarray) -> np.ndarray:
    """diag(f') J; of softmax, whose units depend on each other, (diag(a) - a a') J."""
    if activation != "softmax":
        return SLOPES[activation](A)[:, :, None] * J
    return A[:, :, None] * (J - np.einsum("na,nac->nc", A, J)[:, None, :])


# ---- three ways ----------------------------------------------------------------------------------


def _backprop(problem: _Problem, return_signals: bool) -> Signals:
    """The error-signal recursion of the top of this file, line by line."""
    X, Y, w, W, b, activation, out, alpha = problem
    a = layers(X, W, b, activation, out)
    total = w.sum()
    delta = w[:, None] * (a[-1] - Y)  # for every output and its loss
    coefs, intercepts, signals = [], [], []
    for layer in reversed(range(len(W))):
        signals.append(delta)
        coefs.append((a[layer].T @ delta + alpha * W[layer]) / total)
        intercepts.append(delta.sum(axis=0) / total)
        if layer:
            delta = (delta @ W[layer].T) * SLOPES[activation](a[layer])
    return Signals(_loss(problem), coefs[::-1], intercepts[::-1], signals[::-1])


def _numeric(problem: _Problem, return_signals: bool) -> Signals:
    """(J(theta + h) - J(theta - h)) / 2h, for each number by itself."""
    coefs = [_differences(W, lambda: _loss(problem)) for W in problem.coefs]
    intercepts = [_differences(b, lambda: _loss(problem)) for b in problem.intercepts]
    signals = []
    if return_signals:
        shifts = [np.zeros((len(problem.X), len(b))) for b in problem.intercepts]
        total = problem.weight.sum()
        signals = [total * _differences(s, lambda: _loss(problem, shifts)) for s in shifts]
    return Signals(_loss(problem), coefs, intercepts, signals)


def _differences(at: np.ndarray, value: Callable[[], float]) -> np.ndarray:
    """Derivatives of a value by each number of an array on which it depends."""
    found = np.empty_like(at)
    for place in np.ndindex(at.shape):
        kept = at[place]
        at[place] = kept + STEP
        above = value()
        at[place] = kept - STEP
        found[place] = (above - value()) / (2 * STEP)
        at[place] = kept
    return found


def _loss(problem: _Problem, shifts: list[np.ndarray] | None = None) -> float:
    """J, with numbers added to z of each layer."""
    A: Any = problem.X
    last = len(problem.coefs) - 1
    for layer, (W, b) in enumerate(zip(problem.coefs, problem.intercepts, strict=True)):
        Z = A @ W + b + (0.0 if shifts is None else shifts[layer])
        A = FUNCTIONS[problem.activation](Z) if layer < last else Z
    penalty = 0.5 * problem.alpha * sum(float(np.vdot(W, W)) for W in problem.coefs)
    each = _losses(A, problem.Y, problem.out)
    return float((problem.weight @ each + penalty) / problem.weight.sum())


def _losses(Z: np.ndarray, Y: np.ndarray, out: str) -> np.ndarray:
    """The loss of each row, from the sums z of its outputs."""
    if out == "softmax":
        return -(Y * log_softmax(Z, axis=1)).sum(axis=1)
    if out == "logistic":
        return (np.logaddexp(0.0, Z) - Y * Z).sum(axis=1)
    if out == "identity":
        return 0.5 * ((Z - Y) ** 2).sum(axis=1)
    return (xlogy(Y, Y) - Y * Z - Y + np.exp(Z)).sum(axis=1)


def _autograd(problem: _Problem, return_signals: bool) -> Signals:
    torch = torch_for("gradients(method='autograd')")
    from lowdim.deep.layers import ACTIVATIONS
    from lowdim.deep.losses import losses

    X, Y, w, coefs, intercepts, activation, out, alpha = problem
    with one_torch_thread():
        W, b = (
            [torch.tensor(part, requires_grad=True) for part in parts]
            for parts in (coefs, intercepts)
        )
        A, sums = torch.tensor(X), []
        for layer, (matrix, shift) in enumerate(zip(W, b, strict=True)):
            sums.append(A @ matrix + shift)
            A = ACTIVATIONS[activation]()(sums[-1]) if layer < len(W) - 1 else sums[-1]
        total = float(w.sum())
        cost = losses(A, torch.tensor(Y), out) @ torch.tensor(w)
        J = (cost + 0.5 * alpha * sum((matrix**2).sum() for matrix in W)) / total
        found = [g.numpy() for g in torch.autograd.grad(J, [*W, *b, *sums])]
    n = len(W)
    signals = [total * part for part in found[2 * n :]]
    return Signals(J.item(), found[:n], found[n : 2 * n], signals)


WAYS: dict[str, Callable[[_Problem, bool], Signals]] = {
    "autograd": _autograd,
    "backprop": _backprop,
    "numeric": _numeric,
}


# ---- a model as arrays ---------------------------------------------------------------------------


def _rows(model: Any, X: Any) -> np.ndarray:
    if not isinstance(model, Perceptrons):
        raise TypeError(
            f"model is a {type(model).__name__}; give a fitted MLPClassifier or MLPRegressor."
        )
    check_is_fitted(model, "coefs_")
    rows = model.open_rows(X, reset=False)
    block = rows.take(np.arange(rows.shape[0]))
    return (block.toarray() if sp.issparse(block) else np.asarray(block)).astype(np.float64)


def _weights(model: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    coefs = [W.astype(np.float64) for W in model.coefs_]
    return coefs, [b.astype(np.float64) for b in model.intercepts_]


def _problem(model: Any, X: Any, y: Any, sample_weight: Any) -> _Problem:
    rows = _rows(model, X)
    asked = copy.copy(model).set_params(warm_start=False)  # it must not learn of these targets
    Y = asked._targets(y, len(rows), True)
    if Y.ndim == 1:
        Y = np.eye(model.n_outputs_)[Y]
    if Y.shape[1] != model.n_outputs_:
        raise ValueError(
            f"y has {Y.shape[1]} columns; {type(model).__name__} has {model.n_outputs_} outputs."
        )
    weight = check_weights(sample_weight, model.open_rows(X, reset=False))
    weight = np.ones(len(rows)) if weight is None else weight
    coefs, intercepts = _weights(model)
    names = (model.activation, model.out_activation_)
    return _Problem(rows, Y, weight, coefs, intercepts, *names, float(model.alpha))


def _layer(name: str, number: int, last: int) -> int:
    if not -last - 1 <= number <= last:
        raise ValueError(
            f"{name}={number} is no layer; choose 0 (X) to {last} (the output), or -1 to "
            f"{-last - 1}."
        )
    return number % (last + 1)
