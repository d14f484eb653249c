"""Contrasts: how far a source is from Gaussian, J = -|E G(y) - E G(v)|, and G's derivatives."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np


@cache
def gaussian_quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Where to evaluate a function of a standard Gaussian, and weights for the sum."""
    return np.polynomial.hermite_e.hermegauss(100)


class Contrast(NamedTuple):
    """G, its derivatives, and E G of a Gaussian."""

    kind: Any  # 'logcosh', 'exp', 'cube' or a callable
    alpha: float
    arguments: dict
    gaussian: float

    @classmethod
    def of(cls, fun: Any, fun_args: dict | None) -> Contrast:
        arguments = dict(fun_args or {})
        if callable(fun):
            return cls(fun, 1.0, arguments, 0.0)
        alpha = arguments.get("alpha", 1.0)
        if not 1.0 <= alpha <= 2.0:
            raise ValueError(f"alpha={alpha} in fun_args must be in [1, 2].")
        nodes, weights = gaussian_quadrature()
        plain = cls(fun, float(alpha), arguments, 0.0)
        value = plain.evaluate(nodes[:, None])[0][:, 0]
        return plain._replace(gaussian=float(weights @ value / weights.sum()))

    def evaluate(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """G(y), g(y) and g'(y)."""
        if self.kind == "logcosh":
            alpha = Y.dtype.type(self.alpha)
            size = np.abs(Y)
            size *= alpha
            decay = np.exp(-2 * size)
            g = (1 - decay) / (1 + decay)
            G = (size + np.log1p(decay) - np.log(2)) / alpha
            slope = alpha * (1 - g * g)
            return G, np.copysign(g, Y), slope
        if self.kind == "exp":
            square = Y * Y
            bell = np.exp(-square / 2)
            return -bell, Y * bell, (1 - square) * bell
        square = Y * Y
        return square * square / 4, square * Y, 3 * square
