"""Beta-divergences between entries x and what a model says of them, y.

    D = sum_ij d(x_ij | y_ij)      d = (x^b + (b - 1) y^b - b x y^(b-1)) / (b (b - 1))

    b = 2   1/2 (x - y)^2          squares
    b = 1   x log(x / y) - x + y   Kullback-Leibler: counts
    b = 0   x / y - log(x / y) - 1 Itakura-Saito: powers of sounds

d' = y^(b-2) (y - x) is the difference of a positive and a negative part, so that the update

    w <- w [ (x y^(b-2)) V / (y^(b-1) V + penalties) ]^g     g = 1/(2-b), 1, 1/(b-1)

for b < 1, 1 <= b <= 2, b > 2 never raises D (Fevotte and Idier 2011).
"""

from __future__ import annotations

import numpy as np


def divergence(X: np.ndarray, Y: np.ndarray, beta: float) -> np.ndarray:
    """d(x | y) of entries; Y must be positive."""
    if beta == 2.0:
        D = X - Y
        return 0.5 * D * D
    if beta == 1.0:
        logs = np.log(np.where(X > 0, X, Y) / Y)
        return X * logs - X + Y
    if beta == 0.0:
        ratio = X / Y
        return ratio - np.log(ratio) - 1.0
    powers = _power(X, beta) + (beta - 1.0) * Y**beta - beta * X * Y ** (beta - 1.0)
    return powers / (beta * (beta - 1.0))


def divergence_by_row(X: np.ndarray, Y: np.ndarray, beta: float) -> np.ndarray:
    """Sum of d(x | y) over each row, in float64; Y must be positive."""
    return _by_row(divergence(X, Y, beta))


def size_by_row(X: np.ndarray, beta: float) -> np.ndarray:
    """Sum of x^beta over each row: what D is a share of. Below 0, how many entries there are."""
    return _by_row(size(X, beta))


def size(X: np.ndarray, beta: float) -> np.ndarray:
    """The same of entries."""
    if beta <= 0:
        return np.ones_like(X)
    return _power(X, beta) * (0.5 if beta == 2.0 else 1.0)


def exponent(beta: float) -> float:
    """g of the update."""
    return 1.0 / (2.0 - beta) if beta < 1.0 else 1.0 / (beta - 1.0) if beta > 2.0 else 1.0


def pulls(X: np.ndarray, Y: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray | None]:
    """x y^(b-2) and y^(b-1), the negative and the positive part of -d'; None stands for ones."""
    if beta == 2.0:
        return X, Y
    if beta == 1.0:
        return X / Y, None
    outer = Y ** (beta - 2.0)
    return X * outer, Y * outer


def _power(X: np.ndarray, beta: float) -> np.ndarray:
    """x^beta, 0 for 0."""
    return np.where(X > 0, X, 1.0) ** beta * (X > 0)


def _by_row(values: np.ndarray) -> np.ndarray:
    return np.asarray(values.sum(axis=1, dtype=np.float64))
