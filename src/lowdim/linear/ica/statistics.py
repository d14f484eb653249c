"""What ICA adds up over the rows, whatever the algorithm.

    y = W K (x - mean):     E G(y),   E g(y) y',   E g'(y),   E y^2

One pass of O(n k (d + k)) time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks, rows_per_block
from lowdim.core.opening import as_blocks
from lowdim.linear.ica.contrasts import Contrast

FACTORS = 100  # between 1 and 2, whose product float32 can hold
NUMBERS = 2**16  # sources of a block: an exponential each is far more work than to read X


class MixedRows(NamedTuple):
    """The rows and how to whiten them."""

    rows: Blocks
    weight: np.ndarray | None
    n: float
    mean: np.ndarray  # (d,)
    K: np.ndarray  # (k, d)
    contrast: Contrast

    def sums(self, W: np.ndarray) -> Sums:
        """E G(y), E g(y) y', E g'(y) and E y^2 for y = W K (x - mean), in one pass."""
        B = (W @ self.K).astype(self.rows.dtype)
        sums = self.rows.fold(statistics, self.mean, B, self.contrast, along=(self.weight,))
        return Sums(*(part / self.n for part in sums))

    def some(self, n_rows: int) -> MixedRows:
        """At most `n_rows` of the rows, evenly spread."""
        n = self.rows.shape[0]
        if n <= n_rows:
            return self
        index = np.linspace(0, n - 1, n_rows).astype(np.intp)
        weight = None if self.weight is None else self.weight[index]
        total = float(n_rows) if weight is None else float(weight.sum())
        return self._replace(rows=as_blocks(self.rows.take(index)), weight=weight, n=total)


def in_small_blocks(rows: Blocks, k: int) -> Blocks:
    """The same rows; in memory, as blocks of which threads soon have some each."""
    if rows.in_memory is None:
        return rows
    size = max(NUMBERS // k, 2 * k)
    return as_blocks(rows.in_memory, min(size, rows_per_block(rows.in_memory)))


class Sums(NamedTuple):
    G: np.ndarray  # (k,)
    gy: np.ndarray  # (k, k)  g(y_i) y_j
    slope: np.ndarray  # (k,)    g'(y_i)
    y2: np.ndarray  # (k,)


def statistics(
    X: np.ndarray,
    mean: np.ndarray,
    B: np.ndarray,
    contrast: Contrast,
    weight: np.ndarray | None,
) -> Sums:
    """What one block of rows adds up."""
    Y = unmix(X, mean, B)
    if callable(contrast.kind):
        g, slope = contrast.kind(Y.T, **contrast.arguments)
        g = np.asarray(g).T
        weighted = g if weight is None else g * weight[:, None]
        total = len(Y) if weight is None else weight.sum()
        zeros = np.zeros(Y.shape[1])
        return Sums(zeros, weighted.T @ Y, np.asarray(slope) * total, zeros + (Y * Y).sum(axis=0))
    if weight is None and contrast.kind == "logcosh":
        sum_G, g, sum_slope = _logcosh_sums(Y, contrast.alpha)
        return Sums(sum_G, g.T @ Y, sum_slope, np.einsum("ij,ij->j", Y, Y))
    G, g, slope = contrast.evaluate(Y)
    w = np.ones(len(Y), dtype=Y.dtype) if weight is None else weight.astype(Y.dtype)
    if weight is not None:
        g = g * w[:, None]
    return Sums(w @ G, g.T @ Y, w @ slope, w @ (Y * Y))


def _logcosh_sums(Y: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum of G(y), g(y), and sum of g'(y), in few operations: most of the time goes into these.

    log cosh ay = a|y| + log (1 + e) - log 2 with e = exp -2a|y|, and a sum of logarithms is the
    logarithm of a product. g = (1 - e) / (1 + e) with the sign of y, and g' = a (1 - g^2).
    """
    n = len(Y)
    exponent = np.abs(Y)
    exponent *= Y.dtype.type(-2.0 * alpha)
    sum_size = exponent.sum(axis=0, dtype=np.float64) / -2.0
    decay = np.exp(exponent, out=exponent)
    above = 1 + decay
    whole = n - n % FACTORS
    products = above[:whole].reshape(-1, FACTORS, Y.shape[1]).prod(axis=1)
    sum_log = np.log(products).sum(axis=0, dtype=np.float64) + np.log(above[whole:].prod(axis=0))
    g = np.subtract(1, decay, out=decay)
    g /= above
    sum_slope = alpha * (n - np.einsum("ij,ij->j", g, g))
    sum_G = (sum_size + sum_log - n * np.log(2.0)) / alpha
    return sum_G, np.copysign(g, Y, out=g), sum_slope


def unmix(X: np.ndarray, mean: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Sources of one block."""
    return (X - mean) @ B.T


def distance(sums: Sums, contrast: Contrast) -> float:
    """J: minus the distance of the sources from Gaussian."""
    return -float(np.abs(sums.G - contrast.gaussian).sum())


def falling_sign(G: np.ndarray, contrast: Contrast) -> np.ndarray:
    """1 where J falls with E G(y) (peaked sources, for logcosh), -1 where it rises."""
    return np.where(G > contrast.gaussian, -1.0, 1.0)
