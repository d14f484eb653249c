"""The layers of a dense network, in NumPy: what it predicts needs nothing else.

a_0 = x,   z_l = W_l' a_{l-1} + b_l,   a_l = f(z_l),   l = 1..L;   the last f is the output's
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, softmax

FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda Z: Z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda Z: np.maximum(Z, 0),
    "softmax": lambda Z: softmax(Z, axis=1),
    "exp": np.exp,
}
# derivatives of f, by the values a = f(z)
SLOPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": np.ones_like,
    "logistic": lambda A: A * (1 - A),
    "tanh": lambda A: 1 - A * A,
    "relu": lambda A: (A > 0).astype(A.dtype),
    "exp": lambda A: A,
}


def layers(
    X: Any,
    coefs: Sequence[np.ndarray],
    intercepts: Sequence[np.ndarray],
    activation: str,
    out: str,
    stop: int | None = None,
) -> list:
    """a_0 = X, a_1, ... up to a_stop, or to the output; in the precision of X."""
    values = [X]
    n_layers = len(coefs) if stop is None else stop
    for number, (W, b) in enumerate(zip(coefs[:n_layers], intercepts, strict=False), start=1):
        Z = values[-1] @ W.astype(X.dtype, copy=False) + b.astype(X.dtype, copy=False)
        values.append(FUNCTIONS[out if number == len(coefs) else activation](Z))
    return values


def layer(X: Any, *parameters: Any) -> np.ndarray:
    """The last layer that `layers` gives."""
    return np.asarray(layers(X, *parameters)[-1])
