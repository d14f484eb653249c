"""What pushes points of a map apart: sums over all pairs with the Gauss kernel.

    w_ij = exp(-|y_i - y_j|^2)

    value_i = sum_{j != i} c_j w_ij          force_i = sum_{j != i} c_j w_ij (y_i - y_j)

for charges c_j. The kernel is for up to three dimensions (those that are missing are 0): a pair
takes 0.3 ns. exp is a power of 2 and a polynomial, both vector instructions; good to 2e-7. For more
dimensions NumPy takes blocks of all pairs.

Above `MOST_ROWS` points the sums are read from a mesh (`maps/field`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

MOST_ROWS = 5000  # of which all pairs are looked at
PIECE = 2**20  # pairs that one thread takes at a time
FARTHEST = np.float32(-126.0)  # powers of 2 below have fewer digits in float32


class Sums(NamedTuple):
    value: np.ndarray  # (n,)    sum_j c_j w_ij, without the row itself
    force: np.ndarray  # (n, k)  sum_j c_j w_ij (y_i - y_j)


def gauss_sums(Y: np.ndarray, charges: np.ndarray | None = None) -> Sums:
    """Values and forces at each of the points Y (n, k) in float32, from all others."""
    n, k = Y.shape
    charges = np.ones(n, dtype=np.float32) if charges is None else charges.astype(np.float32)
    step = max(1, PIECE // n)
    pieces = [(start, min(start + step, n)) for start in range(0, n, step)]
    out = np.zeros((n, max(k, 3) + 1), dtype=np.float32)
    if k <= 3:
        places = np.zeros((3, n), dtype=np.float32)
        places[:k] = Y.T

        def work(piece: tuple[int, int]) -> None:
            _sum_pairs(places, charges, *piece, out)
    else:

        def work(piece: tuple[int, int]) -> None:
            out[slice(*piece)] = _sum_block(Y, charges, *piece)

    for _ in ordered_map(work, pieces):
        pass
    return Sums(out[:, -1], out[:, :k])


def _sum_block(Y: np.ndarray, charges: np.ndarray, first: int, last: int) -> np.ndarray:
    """Forces and values of some points in any number of dimensions; float32."""
    here = Y[first:last]
    square = ((here[:, None, :] - Y) ** 2).sum(axis=2)
    W = np.exp(-square) * charges
    W[np.arange(last - first), np.arange(first, last)] = 0
    value = W.sum(axis=1, keepdims=True)
    return np.hstack([value * here - W @ Y, value])


@kernel(any_order=True)
def _sum_pairs(Y, charges, first, last, out):
    """Forces and, in the last column, values of the points from first to last; Y is (3, n)."""
    n = Y.shape[1]
    for i in range(first, last):
        a, b, c = Y[0, i], Y[1, i], Y[2, i]
        value = fa = fb = fc = np.float32(0.0)
        for side in range(2):  # before and after the point itself
            begin = 0 if side == 0 else i + 1
            end = i if side == 0 else n
            for j in range(begin, end):
                da, db, dc = a - Y[0, j], b - Y[1, j], c - Y[2, j]
                x = (da * da + db * db + dc * dc) * np.float32(-1.4426950408889634)
                x = x if x > FARTHEST else FARTHEST
                whole = np.int32(x - np.float32(0.5))
                r = (x - np.float32(whole)) * np.float32(0.6931471805599453)
                w = np.float32(1 / 120) + r * np.float32(1 / 720)
                w = np.float32(1 / 6) + r * (np.float32(1 / 24) + r * w)
                w = np.float32(1.0) + r * (np.float32(1.0) + r * (np.float32(0.5) + r * w))
                power = np.int32((whole + np.int32(127)) << np.int32(23)).view(np.float32)
                w = w * power * charges[j]
                value += w
                fa += w * da
                fb += w * db
                fc += w * dc
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = fa, fb, fc, value
