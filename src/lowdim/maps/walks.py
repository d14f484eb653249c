"""Affinities of a few rows, the landmarks, by random walks over all rows.

A walk goes from row i to row j with probability w_ij / d_i, d_i = sum_j w_ij, where w are symmetric
affinities of neighbours. It starts at a landmark and ends at the first other landmark it comes to:

    p_j|i = probability that a walk from landmark i ends at landmark j

So landmarks are alike if many short ways join them, which all rows have shown, not only the
landmarks. With rows cut into landmarks L and others N, and D the diagonal of all d,

    S = W_LL + W_LN (D_N - W_NN)^-1 W_NL          p_j|i = s_ij / sum_{k != i} s_ik

The inverse sums over all ways through N. A walk that comes back to its own landmark goes on: that
is why s_ii is left out. S is symmetric, and so are the walks: s_ij is as large as s_ji.

W_NL has a column for each landmark: systems are solved by blocks of columns, by conjugate gradients
on I - D^-1/2 W_NN D^-1/2. Their number of steps grows with the root of the length of walks: with
one landmark in 100 rows some 40 will do. Where walks are much longer (rows along a line, and few
landmarks), D_N - W_NN is factorized instead: it is such graphs whose factors are sparse.

Cost: O(nnz(W) m) time for a step and all m landmarks: 100 s of processor time for 1,000 landmarks
of 100,000 rows with 30 neighbours. Memory: some arrays of 2^22 numbers by thread, and S.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from lowdim.core.threads import ordered_map
from lowdim.linalg.sparse import sparse_times

BLOCK = 2**22  # numbers of a block of right-hand sides, at the most
MOST_COLUMNS = 32
STEPS = 300  # of conjugate gradients; what takes more is factorized
TOL = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-8}  # of residuals, relative
SHIFT = 1e-13  # of the diagonal, before it is factorized
NOTHING = 1e-5  # shares below, of the mean share of a landmark, are not stored


class _System(NamedTuple):
    """The others, in units in which each has the degree 1."""

    graph: sp.csr_array  # D^-1/2 W_NN D^-1/2
    root: np.ndarray  # (n - m, 1)  D^1/2


def landmark_affinities(W: sp.csr_array, landmarks: np.ndarray) -> sp.csr_array:
    """p_j|i of the landmarks as a csr_array (m, m), columns sorted; rows sum to 1.

    Parameters
    ----------
    W : csr_array of shape (n, n), float32 or float64
        Symmetric affinities of neighbours, 0 or more; the diagonal is not used.
    landmarks : array of int of shape (m,)
        The numbers of the landmarks, all different.

    A landmark from which no walk comes to another one has a row of zeros.
    """
    S = joined_weights(W, landmarks)
    S[S < 0] = 0  # rounding
    np.fill_diagonal(S, 0)
    sums = S.sum(axis=1, dtype=np.float64)
    S /= np.where(sums > 0, sums, 1.0).astype(S.dtype)[:, None]
    S[S * len(S) < NOTHING] = 0
    P = sp.csr_array(S)
    sums = np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()
    P.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(P.indptr)).astype(P.dtype)
    P.sort_indices()
    return P


def joined_weights(W: sp.csr_array, landmarks: np.ndarray) -> np.ndarray:
    """S (m, m): the weights between landmarks when walks through all other rows are summed up."""
    n = W.shape[0]
    landmarks = np.asarray(landmarks, dtype=np.int64)
    is_landmark = np.zeros(n, dtype=bool)
    is_landmark[landmarks] = True
    others = np.flatnonzero(~is_landmark)
    among = sp.csr_array(W[landmarks])
    S = among[:, landmarks].toarray()
    if not len(others):
        return S
    out = sp.csr_array(among[:, others])  # W_LN
    rows = sp.csr_array(W[others])
    degree = np.asarray(rows.sum(axis=1, dtype=np.float64)).ravel() - W.diagonal()[others]
    root = np.sqrt(np.where(degree > 0, degree, 1.0))
    graph = sp.csr_array(rows[:, others])
    graph.setdiag(0)
    scale = sp.diags_array(1 / root)
    graph = sp.csr_array(scale @ graph @ scale).astype(W.dtype)
    graph.sort_indices()
    system = _System(graph, root[:, None].astype(W.dtype))
    S += _through(system, out)
    return (S + S.T) / 2  # equal up to the residuals


def _through(system: _System, out: sp.csr_array) -> np.ndarray:
    """W_LN (D_N - W_NN)^-1 W_NL, by blocks of landmarks."""
    m, n = out.shape
    size = max(1, min(MOST_COLUMNS, BLOCK // n))
    blocks = [slice(first, min(first + size, m)) for first in range(0, m, size)]
    into = sp.csc_array(out.T)

    def solved(columns: slice, solve: Callable) -> np.ndarray:
        B = into[:, columns].toarray() / system.root
        return out @ (solve(system.graph, B) / system.root)

    first = solved(blocks[0], _checked_gradients)
    solve: Callable = conjugate_gradients
    if not np.isfinite(first).all():
        solve = _Factorized(system.graph)
        first = solved(blocks[0], solve)
    rest = ordered_map(lambda columns: solved(columns, solve), blocks[1:])
    return np.hstack([first, *rest])


def _checked_gradients(graph: sp.csr_array, B: np.ndarray) -> np.ndarray:
    """As `conjugate_gradients`, with NaN where a column was not solved."""
    X, left = _gradients(graph, B)
    X[:, left] = np.nan
    return X


def conjugate_gradients(graph: sp.csr_array, B: np.ndarray) -> np.ndarray:
    """X of (I - G) X = B for each column of B; G symmetric, of eigenvalues from -1 to below 1."""
    return _gradients(graph, B)[0]


def _gradients(graph: sp.csr_array, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """X, and which columns are not there yet; columns that are do not change any more."""
    X, R, D = np.zeros_like(B), B.copy(), B.copy()
    square = _squares(R)
    limit = TOL[B.dtype] ** 2 * square
    active = square > 0
    for _ in range(STEPS):
        if not active.any():
            break
        AD = D - sparse_times(graph, D)
        curvature = np.einsum("ij,ij->j", D, AD).astype(np.float64)
        step = np.where(active & (curvature > 0), square / np.where(curvature > 0, curvature, 1), 0)
        step = step.astype(B.dtype)
        X += step * D
        R -= step * AD
        before, square = square, _squares(R)
        active &= square > limit
        D *= np.where(active, square / np.where(before > 0, before, 1), 0).astype(B.dtype)
        D += R
    return X, active


def _squares(R: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->j", R, R).astype(np.float64)


class _Factorized:
    """Solves with the factors of I - G; parts without landmarks, where it is singular, are 0."""

    def __init__(self, graph: sp.csr_array):
        matrix = sp.csc_array(sp.eye_array(graph.shape[0]) - graph.astype(np.float64))
        matrix += SHIFT * sp.eye_array(graph.shape[0])
        self.factors = splu(
            sp.csc_array(matrix), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
        )

    def __call__(self, graph: sp.csr_array, B: np.ndarray) -> np.ndarray:
        return self.factors.solve(B.astype(np.float64)).astype(B.dtype)
