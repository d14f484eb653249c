"""What the observed entries of a row say of its code and of its missing entries.

    z | x_o ~ N(m, C),   C = (I + V_o'V_o)^-1,   m = C V_o'y_o        in units of the noise

Rows that share their pattern of missing values with many are encoded by plain products; of all
others, the k x k matrices are inverted together (`linalg/packed.py`). BLAS rounds a row in another
way among others than alone; `apart=True` gives every row what it has alone, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.gaussian import LOG_2PI
from lowdim.linalg.packed import diagonal, outer_products, sweep, triangle
from lowdim.linalg.products import times_row_by_row
from lowdim.linear.missing.model import noise_std
from lowdim.linear.missing.pieces import piece_size, pieces

# From how many multiplications on a pattern of missing values is worked on by itself.
SHARED_WORK = 2**20


def encode(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """E[z | x_o], (b, k); zero for a row without observed entries."""
    with np.errstate(over="ignore", invalid="ignore"):
        complete = np.isfinite(X.sum())
    if complete:  # then all rows have one matrix
        return ((X - mean) @ coding_matrix(W, noise)).astype(X.dtype, copy=False)
    return encode_with_std(X, mean, W, noise)[0]


def coding_matrix(W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """M (d, k) for E[z | x] = M'(x - mean): noise^-1 W (I + W' noise^-1 W)^-1."""
    std = noise_std(W, noise)[:, None]
    V = W / std
    values, axes = _precision(V)
    return V @ ((axes / values) @ axes.T) / std


def encode_with_std(
    X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """E[z | x_o] and the standard deviations of z | x_o, both (b, k)."""
    k = W.shape[1]
    Z, std = np.empty((len(X), k), dtype=X.dtype), np.empty((len(X), k), dtype=X.dtype)
    for part in row_groups(X, mean, W, noise):
        Z[part.rows] = part.Z.T
        std[part.rows] = np.sqrt(np.maximum(part.C[diagonal(k)], 0.0)).T
    return Z, std


def expectation(
    X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray, *, apart: bool = False
) -> np.ndarray:
    """E[x | x_o]: X with its NaN filled; observed entries stay as they are, bit for bit."""
    filled, times = np.array(X), _times(apart)
    for part in row_groups(X, mean, W, noise, only_missing=True, apart=apart):
        fit = mean + times(part.Z.T, W.T)
        filled[part.rows] = np.where(part.observed, X[part.rows], fit)
    return filled


def conditional_std(
    X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray, *, apart: bool = False
) -> np.ndarray:
    """Standard deviation of every missing entry given x_o; 0 where X is observed.

    std(x_f | x_o) = sqrt(w_f' C w_f + noise_f)
    """
    std, times = np.zeros_like(X), _times(apart)
    for part in row_groups(X, mean, W, noise, only_missing=True, apart=apart):
        variance = np.ones((part.C.shape[1], len(W)))
        for columns in pieces(len(W), triangle(W.shape[1])):
            squares = outer_products(part.V[columns].T, off_diagonal=2.0)
            variance[:, columns] += times(part.C.T, squares)
        std[part.rows] = np.where(part.observed, 0.0, part.std * np.sqrt(np.maximum(variance, 1.0)))
    return std


def log_density(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """log p(x_o) of every row, (b,); 0 for a row without observed entries."""
    density = np.empty(len(X))
    for part in row_groups(X, mean, W, noise):
        density[part.rows] = group_log_density(part)
    return density


# ---- codes of some rows at a time ----------------------------------------------------------------


class RowGroup(NamedTuple):
    """Some rows of a block and their codes z | x_o ~ N(Z, C), row by row along the last axis."""

    rows: Any  #          which rows of the block: numbers or a slice
    observed: np.ndarray  # (b, d)   1 where observed; (1, d) if the rows share one pattern
    left: np.ndarray  # (b, d)   y - V Z, 0 where missing
    Z: np.ndarray  # (k, b)
    C: np.ndarray  # (h, b)   packed triangle; (h, 1) if the rows share one pattern
    log_det: np.ndarray  # (b,)     log |I + V_o'V_o|; (1,) if the rows share one pattern
    V: np.ndarray  # (d, k)   W / std
    std: np.ndarray  # (d,)     of the noise


def row_groups(
    X: np.ndarray,
    mean: np.ndarray,
    W: np.ndarray,
    noise: np.ndarray,
    only_missing: bool = False,
    apart: bool = False,
) -> Iterator[RowGroup]:
    """The block, some rows at a time; without its complete rows if only_missing."""
    k, times = W.shape[1], _times(apart)
    std = noise_std(W, noise)
    V = W / std[:, None]
    observed = ~np.isnan(X)
    for rows, shared in _rows_together(observed, k, apart):
        O = observed[rows]
        if only_missing and shared and O[0].all():
            continue
        Y = X[rows] - mean
        Y /= std
        np.copyto(Y, 0.0, where=~O)
        O = (O[:1] if shared else O).astype(np.float64)
        Z, C, log_det = _shared_codes(O, Y, V) if shared else _mixed_codes(O, Y, V, apart)
        fitted = times(Z.T, V.T)
        fitted *= O
        Y -= fitted
        yield RowGroup(rows, O, Y, Z, C, log_det, V, std)


def _times(apart: bool) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A B, with `apart` such that no row of it depends on the other rows of A."""
    return times_row_by_row if apart else np.matmul


def _rows_together(observed: np.ndarray, k: int, apart: bool = False) -> Iterator[tuple[Any, bool]]:
    """Rows to be looked at together, and whether they are worked on as rows of one pattern."""
    b, d = observed.shape
    size = piece_size(3 * triangle(k + 1) + 6 * d)
    if apart:
        rest = np.flatnonzero(~observed.all(axis=1))
        yield from ((rest[first : first + size], False) for first in range(0, len(rest), size))
        return
    if observed.all():
        yield from ((slice(start, start + size), True) for start in range(0, b, size))
        return
    bits = np.packbits(observed, axis=1)
    order = np.lexsort(bits.T)  # equal patterns become neighbours
    new = (bits[order[1:]] != bits[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    lengths = np.diff(starts, append=b)
    frequent = lengths * (k + 1) ** 2 * (d + k) > SHARED_WORK
    for start, length in zip(starts[frequent], lengths[frequent], strict=True):
        for first in range(start, start + length, size):
            yield order[first : min(first + size, start + length)], True
    rest = np.sort(order[np.repeat(~frequent, lengths)])
    for first in range(0, len(rest), size):
        yield rest[first : first + size], False


def _shared_codes(
    O: np.ndarray, Y: np.ndarray, V: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, covariance and log-determinant for rows with one pattern: plain products."""
    V = V * O.T
    values, axes = _precision(V)
    Z = (axes / values) @ (axes.T @ (Y @ V).T)
    C = (axes / values) @ axes.T
    return Z, C[np.tril_indices(len(C))][:, None], np.log(values).sum(keepdims=True)


def _precision(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of I + V'V."""
    values, axes = np.linalg.eigh(V.T @ V)
    return 1.0 + np.maximum(values, 0.0), axes


def _mixed_codes(
    O: np.ndarray, Y: np.ndarray, V: np.ndarray, apart: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for rows that each have their own pattern: all I + V_o'V_o are swept at once."""
    (b, d), k = O.shape, V.shape[1]
    h = triangle(k)
    T = np.zeros((triangle(k + 1), b))
    T[diagonal(k)] = 1.0
    for columns in pieces(d, h):
        P, o = outer_products(V[columns].T), O[:, columns]
        T[:h] += times_row_by_row(o, P.T).T if apart else P @ o.T
    T[h:-1] = _times(apart)(Y, V).T
    log_det = sweep(T, np.ones(k))  # I + V'V has no pivot below 1
    return T[h:-1], np.negative(T[:h], out=T[:h]), log_det


def group_log_density(part: RowGroup) -> np.ndarray:
    """log p(x_o): -1/2 [ log |2 pi diag(noise_o)| + log |I + V_o'V_o| + |y - V m|^2 + |m|^2 ].

    The quadratic form is written so that it is a sum of squares: nothing cancels.
    """
    with np.errstate(over="ignore"):
        squares = np.einsum("if,if->i", part.left, part.left) + np.square(part.Z).sum(axis=0)
    constant = part.observed @ (LOG_2PI + 2.0 * np.log(part.std)) + part.log_det
    return -0.5 * (constant + squares)
