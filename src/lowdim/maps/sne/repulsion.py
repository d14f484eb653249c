"""What pushes points of a map apart: sums over all points with the Gauss kernel.

    w(z, y) = exp(-|z - y|^2)

    value(z) = sum_j c_j w(z, y_j)          force(z) = sum_j c_j w(z, y_j) (z - y_j)

for charges c_j. Up to `MOST_ROWS` points all pairs are added up: a kernel for up to three
dimensions (those that are missing are 0) takes some 0.5 ns for a pair. Its exp is a power of 2 and
a polynomial, both vector instructions. For more dimensions NumPy takes blocks of pairs. Of more
points the sums are read from a mesh (`maps/field`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.field import Field
from lowdim.maps.field.direct import by_axis

MOST_ROWS = 5000  # of which all pairs are looked at
SPACING = 0.35  # of the mesh: errors are a quarter of those at 0.5, for the same time
PIECE = 2**20  # pairs that one thread takes at a time
FARTHEST = np.float32(-126.0)  # powers of 2 below have fewer digits in float32


class Sums(NamedTuple):
    value: np.ndarray  # (m,)    sum_j c_j w(z, y_j)
    force: np.ndarray  # (m, k)  sum_j c_j w(z, y_j) (z - y_j)


def repulsion(Y: np.ndarray, charges: np.ndarray | None = None) -> Sums:
    """Values and forces at each of the points Y (n, k), from all others; float32."""
    if len(Y) <= MOST_ROWS:
        return gauss_sums(Y, Y, charges, leave_out=np.arange(len(Y)))
    field = Field(Y, charges, kernel="gauss", spacing=SPACING)
    values, gradients = field.at(Y)
    values -= np.float32(field.own) * (np.float32(1.0) if charges is None else charges)
    return Sums(values, np.float32(-0.5) * gradients)


def gauss_sums(
    Z: np.ndarray,
    Y: np.ndarray,
    charges: np.ndarray | None = None,
    *,
    leave_out: np.ndarray | None = None,
) -> Sums:
    """Values and forces at the places Z (m, k), from all points Y (n, k); float32.

    leave_out has the number of a point for each place, that does not act on it: itself.
    """
    n, k = Y.shape
    if leave_out is None:
        leave_out = np.full(len(Z), -1, dtype=np.int64)
    charges = np.ones(n, np.float32) if charges is None else charges.astype(np.float32)
    step = max(1, PIECE // n)
    out = np.zeros((len(Z), max(k, 3) + 1), dtype=np.float32)
    deep_z, deep_y = (by_axis(Z), by_axis(Y)) if k <= 3 else (Z, Y)

    def work(first: int) -> None:
        last = min(first + step, len(Z))
        if k <= 3:
            _sum_pairs(deep_z, deep_y, charges, leave_out, first, last, out)
        else:
            out[first:last] = _sum_block(Z[first:last], Y, charges, leave_out[first:last])

    for _ in ordered_map(work, range(0, len(Z), step)):
        pass
    return Sums(out[:, -1], out[:, :k])


def _sum_block(
    Z: np.ndarray, Y: np.ndarray, charges: np.ndarray, leave_out: np.ndarray
) -> np.ndarray:
    """Forces and, in the last column, values of some places, in any number of dimensions."""
    W = np.zeros((len(Z), len(Y)), dtype=np.float32)
    for z, y in zip(Z.T, Y.T, strict=True):
        W += np.subtract.outer(z, y) ** 2
    W = np.exp(-W) * charges
    some = np.flatnonzero(leave_out >= 0)
    W[some, leave_out[some]] = 0
    forces = [
        np.einsum("ij,ij->i", W, np.subtract.outer(z, y)) for z, y in zip(Z.T, Y.T, strict=True)
    ]
    return np.column_stack([*forces, W.sum(axis=1)])


@kernel(any_order=True)
def _sum_pairs(Z, Y, charges, leave_out, first, last, out):
    """Forces and, in the last column, values at the places from first to last; Z, Y are (3, n)."""
    n = Y.shape[1]
    for i in range(first, last):
        a, b, c = Z[0, i], Z[1, i], Z[2, i]
        value = fa = fb = fc = np.float32(0.0)
        left_out = leave_out[i]
        for j in range(n):
            da, db, dc = a - Y[0, j], b - Y[1, j], c - Y[2, j]
            x = (da * da + db * db + dc * dc) * np.float32(-1.4426950408889634)
            x = x if x > FARTHEST else FARTHEST
            whole = np.int32(x - np.float32(0.5))
            r = (x - np.float32(whole)) * np.float32(0.6931471805599453)
            w = np.float32(1 / 120) + r * np.float32(1 / 720)
            w = np.float32(1 / 6) + r * (np.float32(1 / 24) + r * w)
            w = np.float32(1.0) + r * (np.float32(1.0) + r * (np.float32(0.5) + r * w))
            power = np.int32((whole + np.int32(127)) << np.int32(23)).view(np.float32)
            w = w * power * charges[j] if j != left_out else np.float32(0.0)
            value += w
            fa += w * da
            fb += w * db
            fc += w * dc
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = fa, fb, fc, value
