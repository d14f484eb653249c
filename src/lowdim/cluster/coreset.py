"""Lightweight coresets: a few weighted rows that stand for many.

    p_i = 1/2 w_i / sum w  +  1/2 w_i d_i^2 / sum w d^2,      d_i = ||x_i - mean||

m rows are drawn with chances p, and a drawn row weighs w_i / (m p_i). So for whatever centers C,
the cost of the coreset is an unbiased estimate of the cost of all rows,

    E sum_drawn weight min_j ||x - c_j||^2 = sum_i w_i min_j ||x_i - c_j||^2

and rows far from the mean, which can cost much, are drawn often enough to keep its variance small
(Bachem, Lucic and Krause, 2018, Scalable k-means clustering via lightweight coresets, algorithm 1).

Cost: two passes, one for the mean and sum d^2, one to draw; O(n) numbers and m rows in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_weights, open_rows_for
from lowdim.linalg.moments import Frame, column_sums

PIECE = 4096  # rows whose deviations are held at a time


@single_threaded_blas()
def coreset(
    X: Any, m: int, random_state: Any = None, sample_weight: Any = None
) -> tuple[Any, np.ndarray]:
    """m rows of X, with weights, on which k-means costs about what it costs on X.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
    m : int
        Rows to draw: the cost of any centers is good to about sqrt(d k log k / m), relative to
        that of the mean. A row may be drawn more than once.
    random_state : int, Generator, RandomState or None, default=None
    sample_weight : array of shape (n,), default=None
        How often each row of X counts.

    Returns
    -------
    points : ndarray or csr_array of shape (m, d)
    weights : ndarray of shape (m,)
        How often each point counts; they add up to about n.

    See Also
    --------
    KMeans : with coreset=m it learns from a coreset and reports the cost of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import lowdim
    >>> X = np.random.default_rng(0).normal(size=(100_000, 2))
    >>> points, weights = lowdim.coreset(X, 1000, random_state=0)
    >>> points.shape, float(round(weights.sum() / 100_000, 1))
    ((1000, 2), 1.0)
    """
    m = check_at_least("m", m, 1)
    rows = open_rows_for("coreset", X)
    weight = check_weights(sample_weight, rows)
    return draw_coreset(rows, m, random_generator(random_state), weight)


def draw_coreset(
    rows: Blocks, m: int, random: np.random.Generator, weight: np.ndarray | None = None
) -> tuple[Any, np.ndarray]:
    """Points and weights, as `coreset` returns them."""
    mean, frame = _mean(rows, weight)
    # one array of n numbers becomes the next in place: there may be very many rows
    square = np.array(rows.map(_square_from, mean, frame), dtype=np.float64, copy=None)
    n = len(square) if weight is None else weight.sum()
    if weight is not None:
        square *= weight
    chances = _Chances(n, square.sum())
    ends = np.cumsum(chances.of(square, weight, out=square), out=square)
    places = np.sort(random.random(m)) * ends[-1]
    last = np.searchsorted(ends, ends[-1])  # rows behind it have no weight
    drawn = np.minimum(np.searchsorted(ends, places, side="right"), last)
    points = rows.take(drawn)
    w = 1.0 if weight is None else weight[drawn]
    return points, w / (m * chances.of(w * _square_from(points, mean, frame), w))


class _Chances(NamedTuple):
    """p of rows from their squared distances times their weights."""

    n: float  # the sum of the weights
    total: float  # the sum of the squares times weights; zero where all rows are equal

    def of(self, square: np.ndarray, weight: Any, out: np.ndarray | None = None) -> np.ndarray:
        even = 0.5 if self.total > 0 else 1.0
        chance = np.multiply(square, 0.5 / self.total if self.total > 0 else 0.0, out=out)
        chance += even / self.n * (1.0 if weight is None else weight)
        return chance


def _mean(rows: Blocks, weight: np.ndarray | None) -> tuple[np.ndarray, Frame]:
    """The mean, measured in a frame in which squares are safe, and this frame."""
    frame, sums = column_sums(rows, weight)
    return sums.sum_x / sums.weight, frame


def _square_from(X: Any, mean: np.ndarray, frame: Frame) -> np.ndarray:
    """Squared distance of each row from the mean, in the frame."""
    if sp.issparse(X):
        X = X.astype(np.float64) / frame.unit
        square = X.power(2).sum(axis=1) - 2.0 * (X @ mean) + mean @ mean
        return np.maximum(square, 0.0)
    square = np.empty(len(X))
    for start in range(0, len(X), PIECE):
        part = slice(start, start + PIECE)
        D = frame.deviations(X[part]) - mean
        np.einsum("if,if->i", D, D, out=square[part])
    return square
