"""The half of dictionary learning that moves the atoms: given the codes, one atom after the other.

    minimise over D     1/2 sum_i w_i |x_i - z_i D|^2,     |d_j| <= 1

depends on the rows through sums alone,

    sum_zz = sum_i w_i z_i z_i' (k, k),     sum_zx = sum_i w_i z_i x_i' (k, d),

and the best d_j, the others being as they are, is

    d_j + (sum_zx_j - sum_zz_j D) / sum_zz_jj,     made shorter to length 1 if it is longer.

No step raises the objective. (Mairal, Bach, Ponce and Sapiro 2010, algorithm 2.)

Cost: O(n s (s + d)) for the sums of codes with s non-zeros, O(k^2 d) for the atoms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.linalg.entries import with_short_indices

UNUSED = 1e-10  # an atom whose codes have this part of all squares is used by no row


class Sums(NamedTuple):
    """What the atoms follow from."""

    zz: np.ndarray  # (k, k)  sum w z z'
    zx: np.ndarray  # (k, d)  sum w z x'
    squares: float  # sum w |x|^2
    absolute: float  # sum w |z|_1
    weight: float  # sum w


def sums_of_codes(X: np.ndarray, Z: Any, weight: np.ndarray | None) -> Sums:
    """What a block of rows X (n, d) with codes Z (n, k), a csr_array, adds up."""
    n, k = Z.shape
    Z = with_short_indices(Z)
    w = np.ones(n) if weight is None else weight
    zz, zx = np.zeros((k, k)), np.zeros((k, X.shape[1]))
    _add_up(Z.indptr, Z.indices, Z.data, np.require(X, requirements=["C", "W"]), w, zz, zx)
    absolute = float(np.repeat(w, np.diff(Z.indptr)) @ np.abs(Z.data))
    squares = np.einsum("if,if->i", X, X, dtype=np.float64)
    return Sums(zz, zx, float(w @ squares), absolute, float(w.sum()))


def blended(old: Sums, new: Sums, keep: float) -> Sums:
    """New sums, and of the old ones the part `keep`."""
    return Sums(
        keep * old.zz + new.zz,
        keep * old.zx + new.zx,
        keep * old.squares + new.squares,
        keep * old.absolute + new.absolute,
        keep * old.weight + new.weight,
    )


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
    _improve(sums.zz, sums.zx, D, least, positive, np.empty(D.shape[1]))
    return D.astype(atoms.dtype, copy=False)


def unused(sums: Sums) -> np.ndarray:
    """The numbers of the atoms that no code uses."""
    used = np.diagonal(sums.zz) > UNUSED * max(sums.squares, np.finfo(np.float64).tiny)
    return np.flatnonzero(~used)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _add_up(indptr, indices, z, X, weight, zz, zx):
    """Add w z z' and w z x' of each row."""
    for i in range(len(X)):
        for a in range(indptr[i], indptr[i + 1]):
            j, wz = indices[a], weight[i] * z[a]
            for b in range(a, indptr[i + 1]):
                l, product = indices[b], wz * z[b]
                zz[j, l] += product
                if l != j:
                    zz[l, j] += product
            for f in range(X.shape[1]):
                zx[j, f] += wz * X[i, f]


@kernel(any_order=True)
def _improve(zz, zx, D, least, positive, step):
    """One sweep over the atoms, in place."""
    k, d = D.shape
    for j in range(k):
        if zz[j, j] <= least:
            continue
        for f in range(d):
            step[f] = zx[j, f]
        for l in range(k):
            c = zz[j, l]
            if c != 0.0:
                for f in range(d):
                    step[f] -= c * D[l, f]
        squares = 0.0
        for f in range(d):
            x = D[j, f] + step[f] / zz[j, j]
            x = 0.0 if positive and x < 0.0 else x
            D[j, f] = x
            squares += x * x
        if squares > 1.0:
            shrink = 1.0 / squares**0.5
            for f in range(d):
                D[j, f] *= shrink
