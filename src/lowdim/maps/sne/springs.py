"""What SNE and symmetric SNE descend: springs between points, less the Gauss kernel's repulsion.

    w_ij = exp(-|y_i - y_j|^2),   Z_i = sum_{j != i} w_ij,   Z = sum_i Z_i

    SNE         C = sum_i KL(P_i || Q_i),  q_j|i = w_ij / Z_i
                dC/dy_i = 2 sum_j (p_j|i - q_j|i + p_i|j - q_i|j) (y_i - y_j)
    symmetric   C = KL(P || Q),            q_ij  = w_ij / Z
                dC/dy_i = 4 sum_j (p_ij - q_ij) (y_i - y_j)

With a_ij = (p_j|i + p_i|j) / 2, or n p_ij, and c_i = 1 / Z_i, or n / Z, both are

    g_i = 4 sum_j (a_ij - w_ij (c_i + c_j) / 2) (y_i - y_j)

where the gradient is g (SNE) or g / n (symmetric). The first sum is that of springs, sum_j a_ij y_i
- A Y; the second one is made of values and forces of points with charges 1 and, for SNE, c_j. The
divergence comes along:

    C = sum p log p + sum_ij p_ij |y_i - y_j|^2 + log Z      (SNE: sum_i log Z_i)

Cost: one product with A and one or two sums over all pairs, or readings of a field.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.products import dense_times
from lowdim.linalg.sparse import sparse_times
from lowdim.maps.sne.repulsion import MOST_ROWS, Sums, gauss_sums, repulsion

DENSE = 8  # A is dense if more than one pair in so many has a spring
UNSURE = 0.25  # a field is read to some 0.005: points of less are summed up by themselves
MOST_UNSURE = 2**28  # pairs that these have, at the most
TINY = 1e-30


class Springs(NamedTuple):
    """Affinities as springs between points."""

    A: sp.csr_array | np.ndarray  # (n, n) float32, symmetric; rows sum to 1 in the mean
    stiffness: np.ndarray  # (n, 1)  sum_j a_ij
    log_shares: float  # sum p log p
    symmetric: bool  # q is one distribution of all pairs; else one for each row


class Descent(NamedTuple):
    g: np.ndarray  # (n, k)
    divergence: float


def springs(P: sp.csr_array, *, symmetric: bool) -> Springs:
    """Springs of conditional affinities (rows sum to 1), or of symmetric joint ones (sum 1)."""
    n = P.shape[0]
    shares = P.data[P.data > 0].astype(np.float64)
    A = P * n if symmetric else (P + P.T) / 2
    A = sp.csr_array(A.astype(np.float32))
    A.sort_indices()
    stiffness = np.asarray(A.sum(axis=1, dtype=np.float64)).reshape(n, 1).astype(np.float32)
    log_shares = float(shares @ np.log(shares))
    dense = n <= MOST_ROWS and DENSE * A.nnz > n * n
    return Springs(A.toarray() if dense else A, stiffness, log_shares, symmetric)


def descent(springs: Springs, Y: np.ndarray, exaggeration: float = 1.0) -> Descent:
    """g at the points Y (n, k) in float32 for springs that much stiffer, and the divergence."""
    A, n = springs.A, len(Y)
    product = sparse_times(A, Y) if sp.issparse(A) else dense_times(A, Y)
    pull = springs.stiffness * Y - product
    energy = 2.0 * np.vdot(Y.astype(np.float64), pull)
    near = repulsion(Y)
    if springs.symmetric:
        Z = max(near.value.sum(dtype=np.float64), TINY)
        push = near.force * np.float32(n / Z)
        divergence = springs.log_shares + energy / n + np.log(Z)
    else:
        Z, push = _pushed_by_rows(Y, near)
        divergence = springs.log_shares + energy + np.log(Z).sum()
    return Descent(4 * (np.float32(exaggeration) * pull - push), float(divergence))


def _pushed_by_rows(Y: np.ndarray, near: Sums) -> tuple[np.ndarray, np.ndarray]:
    """Z_i, and sum_j w_ij (1 / Z_i + 1 / Z_j) / 2 (y_i - y_j).

    Points that are nearly alone have a small Z_i and a large charge, of which a field would make
    errors everywhere: they are summed up by themselves.
    """
    Z, force = near.value.astype(np.float64), near.force
    alone = _alone(Z) if len(Y) > MOST_ROWS else np.zeros(0, dtype=np.int64)
    if len(alone):
        exact = gauss_sums(Y[alone], Y, leave_out=alone)
        Z, force = np.maximum(Z, UNSURE), force.copy()
        Z[alone], force[alone] = exact.value, exact.force
    Z = np.maximum(Z, TINY)
    charges = (1 / Z).astype(np.float32)
    on_mesh = charges.copy()
    on_mesh[alone] = 0
    others = repulsion(Y, on_mesh).force
    if len(alone):
        others = others + gauss_sums(Y, Y[alone], charges[alone]).force
    return Z, (charges[:, None] * force + others) / 2


def _alone(Z: np.ndarray) -> np.ndarray:
    """The points of the smallest Z_i, if it is small."""
    most = max(1, MOST_UNSURE // len(Z))
    alone = np.flatnonzero(Z < UNSURE)
    if len(alone) > most:
        alone = np.sort(alone[np.argsort(Z[alone], kind="stable")[:most]])
    return alone
