"""What rows of counts lose at given vectors, and its gradients: one pass over blocks of rows.

    N    counts divided by their sum, words x contexts;   N_w  its sums by row
    h    = w.c_v + b_v

    softmax     J = sum N_wv (log sum_u exp h_wu - h_wv)
    negative    J = sum [ N_wv log(1 + exp -g_wv) + M_wv log(1 + exp g_wv) ],   g = h
    nce         the same with                                     g = h - log(M_wv / N_w)

M_wv are the pairs that noise gives, k times as many as those seen: M_wv = k N_w q_v, or k times a
table of noise that adds up to 1. At the best g, exp g = N_wv / M_wv: so h of "negative" is
log p(v|w) / q(v) - log k, and h of "nce" is log p(v|w).

A block is three products, H = W C', dH C and dH' W, on pieces of rows whose H stays in the cache: N
stays sparse, and nothing is V x V.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import row_numbers

PIECE_BYTES = 2**21  # of the scores of some rows for all contexts
PIECE_ROWS = 32  # at least: a product with fewer spends its time reading C


class Scores(NamedTuple):
    """How rows are scored: all that is the same for all of them."""

    C: np.ndarray  # (v, d)  vectors of the contexts
    bias: np.ndarray  # (v,)
    loss: str  # "softmax", "negative" or "nce"
    noise: np.ndarray  # (v,)  k q, where rows have the same noise

    def of(self, dtype: Any) -> Scores:
        """The same in another precision."""
        parts = (self.C, self.bias, self.noise)
        C, bias, noise = (np.asarray(part, dtype=dtype) for part in parts)
        return Scores(C, bias, self.loss, noise)


class Sums(NamedTuple):
    """What rows add up."""

    objective: float
    by_context: np.ndarray  # (v, d)  gradient of J in C
    by_bias: np.ndarray  # (v,)    gradient in b


class Slope(NamedTuple):
    """J of some rows, and its gradient in their scores."""

    objective: np.ndarray  # (b,)  by row, in float64
    by_score: np.ndarray  # (b, v)


def shares(X: Any, total: float) -> sp.csr_array:
    """Counts of a block, divided by the sum of all; each pair is stored once.

    What is 0 is not stored, so that dense and sparse counts give the same bits: a search whose best
    vectors are infinitely long makes large differences of small ones.
    """
    N = sp.csr_array(X, copy=True)
    N.data = (N.data / np.float64(total)).astype(N.dtype, copy=False)
    N.sum_duplicates()
    N.eliminate_zeros()
    return N


def statistics(
    N: sp.csr_array, scores: Scores, W: np.ndarray, noise: np.ndarray | None
) -> tuple[Sums, np.ndarray]:
    """What one block of shares adds up, and the gradient in its own vectors W (b, d).

    `noise` are the block's rows of M, where rows have noise of their own.
    """
    scores, gradient = scores.of(N.dtype), np.empty(W.shape)
    W = W.astype(N.dtype, copy=False)
    objective, by_context, by_bias = 0.0, np.zeros(scores.C.shape), np.zeros(len(scores.C))
    for rows in pieces(N):
        own = None if noise is None else noise[rows]
        found = slope(N[rows], scores, W[rows], own)
        objective += float(found.objective.sum())
        gradient[rows] = found.by_score @ scores.C
        by_context += found.by_score.T @ W[rows]
        by_bias += found.by_score.sum(axis=0)
    return Sums(objective, by_context, by_bias), gradient


def pieces(N: Any) -> list[slice]:
    """Runs of rows of a block whose scores stay in the cache."""
    n, v = N.shape
    size = max(PIECE_ROWS, PIECE_BYTES // (N.dtype.itemsize * max(v, 1)))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def slope(N: sp.csr_array, scores: Scores, W: np.ndarray, noise: np.ndarray | None) -> Slope:
    """J of a piece and its gradient in the scores of W."""
    H = W @ scores.C.T
    H += scores.bias
    n = np.asarray(N.sum(axis=1)).ravel()
    if scores.loss == "softmax":
        return softmax(N, H, n)
    M, offset = noise_pairs(scores, n, noise)
    if scores.loss == "nce":
        H -= offset
    return logistic(N, H, M)


def softmax(N: sp.csr_array, H: np.ndarray, n: np.ndarray) -> Slope:
    """J and its gradient, which is written over the scores H; n are the sums of the rows of N."""
    at, values = (row_numbers(N), N.indices), N.data
    fit = _by_row(N, values * H[at])
    top = H.max(axis=1)
    H -= top[:, None]
    np.exp(H, out=H)
    Z = H.sum(axis=1)
    H *= (n / Z)[:, None]
    H[at] -= values
    return Slope(n * (top + np.log(Z)).astype(np.float64) - fit, H)


def logistic(N: sp.csr_array, G: np.ndarray, M: np.ndarray) -> Slope:
    """J and its gradient in the log odds G that a pair was seen, which is written over M."""
    at, values = (row_numbers(N), N.indices), N.data
    T = np.exp(-np.abs(G))
    # log(1 + exp g) = max(g, 0) + log(1 + exp -|g|); that of -g is g less
    loss = np.log(1.0 + T)
    loss += np.maximum(G, 0.0)
    fit = _by_row(N, values * (loss[at] - G[at]))
    fit += np.einsum("ij,ij->i", M, loss, dtype=np.float64)
    seen = np.where(G >= 0.0, G.dtype.type(1), T)
    T += 1.0
    seen /= T
    values = values * (1.0 - seen[at])
    seen *= M
    seen[at] -= values
    return Slope(fit, seen)


def noise_pairs(
    scores: Scores, n: np.ndarray, noise: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """M of a piece, (b, v), and log(M / n), 0 where there is no noise."""
    if noise is None:
        return n[:, None] * scores.noise, log_or_0(scores.noise)
    M = np.where(n[:, None] > 0, noise, 0.0).astype(scores.C.dtype)
    ratio = np.divide(M, n[:, None], out=np.zeros_like(M), where=n[:, None] > 0)
    return M, log_or_0(ratio)


def log_or_0(values: np.ndarray) -> np.ndarray:
    """log of what is positive, else 0."""
    return np.log(values, out=np.zeros_like(values), where=values > 0)


def _by_row(N: sp.csr_array, values: np.ndarray) -> np.ndarray:
    """Sums by row of what stands at the entries of N, in float64."""
    return np.bincount(row_numbers(N), values, N.shape[0])
