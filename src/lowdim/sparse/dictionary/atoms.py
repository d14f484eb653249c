"""The half of dictionary learning that moves the atoms: given the codes, one atom after the other.

    minimise over D     1/2 sum_i w_i |x_i - z_i D|^2,     |d_j| <= 1

depends on the rows through sums alone,

    sum_zz = sum_i w_i z_i z_i' (k, k),     sum_zx = sum_i w_i z_i x_i' (k, d),

and the best d_j, the others being as they are, is

    d_j + (sum_zx_j - sum_zz_j D) / sum_zz_jj,     made shorter to length 1 if it is longer.

No step raises the objective. (Mairal, Bach, Ponce and Sapiro 2010, algorithm 2.) Atoms are taken in
blocks: one product says what all atoms leave of sum_zx before any atom of the block moves, and
within the block each atom takes away what those before it moved.

Cost: O(n s (s + d)) for the sums of codes with s non-zeros, O(k^2 d) for the atoms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.linalg.products import dense_times
from lowdim.sparse.pursuit.greedy import Chosen

BLOCK = 32  # atoms that share a product
UNUSED = 1e-10  # an atom whose codes have this part of all squares is used by no row


class Sums(NamedTuple):
    """What the atoms follow from."""

    zz: np.ndarray  # (k, k)  sum w z z'
    zx: np.ndarray  # (k, d)  sum w z x'
    squares: float  # sum w |x|^2
    absolute: float  # sum w |z|_1
    weight: float  # sum w


def no_sums(k: int, d: int) -> Sums:
    """Of no rows."""
    return Sums(np.zeros((k, k)), np.zeros((k, d)), 0.0, 0.0, 0.0)


def sums_of_codes(X: np.ndarray, Z: Chosen, weight: np.ndarray | None) -> Sums:
    """What a block of rows X (n, d) with codes Z adds up."""
    return with_codes(no_sums(Z.k, X.shape[1]), X, Z, weight)


def with_codes(sums: Sums, X: np.ndarray, Z: Chosen, weight: np.ndarray | None) -> Sums:
    """Sums, and what rows X (n, d) with codes Z add to them; writes into the arrays of `sums`."""
    w = np.ones(len(X)) if weight is None else np.require(weight, np.float64, ["C", "W"])
    X, numbers = np.require(X, requirements=["C", "W"]), np.zeros(2)
    _add_up(Z.atoms, Z.value, Z.used, X, w, sums.zz, sums.zx, numbers)
    squares, absolute = sums.squares + float(numbers[0]), sums.absolute + float(numbers[1])
    return Sums(sums.zz, sums.zx, squares, absolute, sums.weight + float(w.sum()))


def faded(sums: Sums, keep: float) -> Sums:
    """The part `keep` of sums; writes into their arrays."""
    zz, zx, *numbers = sums
    zz *= keep
    zx *= keep
    return Sums(zz, zx, *(keep * number for number in numbers))


def rest_of_codes(X: np.ndarray, Z: Chosen, atoms: np.ndarray) -> np.ndarray:
    """X - Z D, (n, d)."""
    rest = np.array(X, order="C")
    _take_away(Z.atoms, Z.value, Z.used, np.require(atoms, X.dtype, ["C", "W"]), rest)
    return rest


def squared_error(sums: Sums, atoms: np.ndarray) -> float:
    """sum w |x - z D|^2, from sums alone."""
    D = atoms.astype(np.float64, copy=False)
    error = sums.squares - 2.0 * np.vdot(sums.zx, D) + np.vdot(sums.zz @ D, D)
    return max(float(error), 0.0)


def updated(sums: Sums, atoms: np.ndarray, positive: bool = False) -> np.ndarray:
    """Atoms (k, d), each in turn the best one; those that no code uses stay as they are."""
    D = np.array(atoms, dtype=np.float64, order="C")
    D = np.maximum(D, 0.0) if positive else D
    least = UNUSED * max(sums.squares, np.finfo(np.float64).tiny)
    moved = np.empty((BLOCK, D.shape[1]))
    for first in range(0, len(D), BLOCK):
        rows = slice(first, first + BLOCK)
        rest = sums.zx[rows] - dense_times(sums.zz[rows], D)
        _improve(sums.zz, rest, D, first, least, positive, moved)
    return D.astype(atoms.dtype, copy=False)


def unused(sums: Sums) -> np.ndarray:
    """The numbers of the atoms that no code uses."""
    used = np.diagonal(sums.zz) > UNUSED * max(sums.squares, np.finfo(np.float64).tiny)
    return np.flatnonzero(~used)


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _add_up(index, value, count, X, weight, zz, zx, numbers):
    """Add w z z' and w z x' of each row, and to `numbers` w |x|^2 and w |z|_1."""
    for i in range(len(X)):
        w, squares, absolute = weight[i], 0.0, 0.0
        for f in range(X.shape[1]):
            squares += X[i, f] * X[i, f]
        for a in range(count[i]):
            j, wz = index[i, a], w * value[i, a]
            absolute += abs(value[i, a])
            zz[j, j] += wz * value[i, a]
            for b in range(a):
                l, product = index[i, b], wz * value[i, b]
                zz[j, l] += product
                zz[l, j] += product
            for f in range(X.shape[1]):
                zx[j, f] += wz * X[i, f]
        numbers[0] += w * squares
        numbers[1] += w * absolute


@kernel
def _take_away(index, value, count, D, rest):
    """Take z D of each row from the rows `rest`."""
    for i in range(len(rest)):
        for a in range(count[i]):
            j, z = index[i, a], value[i, a]
            for f in range(rest.shape[1]):
                rest[i, f] -= z * D[j, f]


@kernel(any_order=True)
def _improve(zz, rest, D, first, least, positive, moved):
    """The atoms of a block, which begins at `first`, one after the other, in place.

    rest = sum_zx - sum_zz D of the block, with atoms of before; moved: how far each went since.
    """
    b, d = rest.shape
    for i in range(b):
        j = first + i
        own = zz[j, j]
        used = own > least
        for l in range(i if used else 0):
            c = zz[j, first + l]
            if c != 0.0:
                for f in range(d):
                    rest[i, f] -= c * moved[l, f]
        squares = 0.0
        for f in range(d):
            x = D[j, f] + rest[i, f] / own if used else D[j, f]
            x = 0.0 if positive and x < 0.0 else x
            moved[i, f] = x
            squares += x * x
        shrink = 1.0 / squares**0.5 if used and squares > 1.0 else 1.0
        for f in range(d):
            x = shrink * moved[i, f]
            moved[i, f] = x - D[j, f]
            D[j, f] = x
