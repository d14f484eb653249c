"""What pulls the points of a map together: pairs of rows that are neighbours.

    attraction_i = sum_j p_ij (y_i - y_j) / (1 + d_ij^2 / dof)

and the part of KL(P || Q) that needs the pairs, with q_ij = w_ij / Z:

    KL = sum p log p + (dof + 1) / 2 sum p log(1 + d^2 / dof) + log Z

Cost: one look at each stored pair, about 1 ns in the plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map

PIECE = 2**17  # stored pairs that one thread takes at a time, about
BITS = 16  # of p: its last digits are rounding of distances, which the steps would carry on


class Pairs(NamedTuple):
    """P by rows, as kernels read it, cut into pieces of about the same number of pairs."""

    ends: np.ndarray  # (n + 1,) int64
    others: np.ndarray  # uint32: an index that may not be negative is read without a question
    p: np.ndarray  # float32
    cuts: np.ndarray  # rows at which pieces begin, and n
    entropy: float  # sum p log p

    @property
    def pieces(self) -> list[tuple[int, int]]:
        return list(zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist(), strict=True))


def pairs_of(P: sp.csr_array | np.ndarray) -> Pairs:
    """P (n, n), which sums to 1, for the kernels; of a dense one all pairs above 0."""
    P = sp.csr_array(P)
    p = rounded(P.data)
    ends = P.indptr.astype(np.int64)
    steps = np.arange(0, len(p) + PIECE, PIECE)
    cuts = np.unique(np.r_[0, np.searchsorted(ends[1:-1], steps[1:-1]), P.shape[0]])
    return Pairs(ends, _unsigned(P.indices), p, cuts, _entropy(P.data))


def _unsigned(indices: np.ndarray) -> np.ndarray:
    """Indices as uint32: the same memory, where they are int32."""
    return indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)


def rounded(p: np.ndarray) -> np.ndarray:
    """Numbers of BITS bits, as float32: the same whatever the units and the order of sums were."""
    result = np.empty(p.shape, np.float32)
    for start in range(0, len(p), PIECE):
        part = slice(start, start + PIECE)
        mantissa, exponent = np.frexp(p[part])
        result[part] = np.ldexp(np.rint(np.ldexp(mantissa, BITS)), exponent - BITS)
    return result


def _entropy(p: np.ndarray) -> float:
    total = 0.0
    for start in range(0, len(p), PIECE):
        part = p[start : start + PIECE].astype(np.float64)
        part = part[part > 0]
        total += float(part @ np.log(part))
    return total


def attraction(pairs: Pairs, Y: np.ndarray, dof: float) -> np.ndarray:
    """The pull on each point (n, axes), float32."""
    pull = np.empty_like(Y)

    def piece(cut: tuple[int, int]) -> None:
        attract_rows(pairs, Y, dof, cut, pull)

    shared_map(piece, pairs.pieces)
    return pull


def attract_rows(
    pairs: Pairs, Y: np.ndarray, dof: float, rows: tuple[int, int], pull: np.ndarray
) -> None:
    """Write the pull on the points of some rows."""
    work = _attract_in_plane if Y.shape[1] == 2 else _attract
    work(pairs.ends, pairs.others, pairs.p, Y, np.float32(1 / dof), *rows, pull)


def divergence(pairs: Pairs, Y: np.ndarray, dof: float, Z: float) -> float:
    """KL(P || Q) of a map whose weights add up to Z."""
    return pairs.entropy + (dof + 1) / 2 * sum(_logs(pairs, Y, dof)) + float(np.log(Z))


def _logs(pairs: Pairs, Y: np.ndarray, dof: float) -> list[float]:
    """sum p log(1 + d^2 / dof) of each piece."""

    def piece(rows: tuple[int, int]) -> float:
        part = slice(pairs.ends[rows[0]], pairs.ends[rows[1]])
        logs = np.empty(part.stop - part.start, np.float32)
        _widths(pairs.ends, pairs.others, Y, np.float32(1 / dof), *rows, logs)
        np.log1p(logs, out=logs)
        logs *= pairs.p[part]
        return float(logs.sum(dtype=np.float64))

    return shared_map(piece, pairs.pieces)


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _attract_in_plane(ends, others, P, Y, rate, first, last, pull):
    one = np.float32(1)
    for i in range(first, last):
        x, y = Y[i, 0], Y[i, 1]
        row, p = others[ends[i] : ends[i + 1]], P[ends[i] : ends[i + 1]]
        along_x = along_y = np.float32(0)
        for e in range(len(row)):
            j = row[e]
            dx, dy = x - Y[j, 0], y - Y[j, 1]
            a = p[e] / (one + rate * (dx * dx + dy * dy))
            along_x += a * dx
            along_y += a * dy
        pull[i, 0], pull[i, 1] = along_x, along_y


@kernel(any_order=True)
def _attract(ends, others, P, Y, rate, first, last, pull):
    axes = Y.shape[1]
    for i in range(first, last):
        row, p = others[ends[i] : ends[i + 1]], P[ends[i] : ends[i + 1]]
        for f in range(axes):
            pull[i, f] = np.float32(0)
        for e in range(len(row)):
            j, square = row[e], np.float32(0)
            for f in range(axes):
                difference = Y[i, f] - Y[j, f]
                square += difference * difference
            a = p[e] / (np.float32(1) + rate * square)
            for f in range(axes):
                pull[i, f] += a * (Y[i, f] - Y[j, f])


@kernel(any_order=True)
def _widths(ends, others, Y, rate, first, last, out):
    axes, begin = Y.shape[1], ends[first]
    for i in range(first, last):
        row, here = others[ends[i] : ends[i + 1]], out[ends[i] - begin : ends[i + 1] - begin]
        for e in range(len(row)):
            j, square = row[e], np.float32(0)
            for f in range(axes):
                difference = Y[i, f] - Y[j, f]
                square += difference * difference
            here[e] = rate * square
