"""Squares of the observed entries only: each row, and each column, has a problem of its own.

    minimise over z >= 0    1/2 sum_o w_j (x_j - v_j'z)^2 + l1 |z|_1 + 1/2 l2 |z|^2

    left_j = x_j - v_j'z,  o: the entries that the row has observed
    one coordinate:  step = (sum_o w_j v_jr left_j - l1 - l2 z_r) / (sum_o w_j v_jr^2 + l2)
                     z_r <- max(0, z_r + step),   left_j <- left_j - v_jr (what z_r has moved)

So the k x k matrix of a row is never formed, and a sweep over a row of c entries costs O(c k) (the
coordinate descent of Yu, Hsieh, Si and Dhillon 2012, with the coordinates of a row together: the
factors of its columns are gathered once for all sweeps, and what is left of it stays in the cache).
Rows too long for that, and the columns of streams, add up their matrices: O(c k^2), and the sweeps
are those of coordinates all the same.

Entries are a csr_array: what is stored is observed, zeros too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.linalg.ridge import Regression, Systems, row_systems, solve_rows
from lowdim.linalg.small import solve_nonnegative, solve_semidefinite
from lowdim.linalg.sparse import product_at, row_cuts, row_numbers, sparse_times, with_values
from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.hals import ENOUGH
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.solvers import projected

WORK_PER_CUT = 2**21  # multiplications that are worth a turn on a thread
LONGEST_BYTES = 2**20  # of the factors that are gathered for a row; longer rows add up matrices
SYSTEMS_BYTES = 2**21  # of matrices that are added up at a time


class Lowered(NamedTuple):
    Z: np.ndarray  # (n, k)
    slope: np.ndarray  # (n,)  sum of |projected gradient| at the start
    fit: np.ndarray  # (n,)  1/2 sum_o w (x - v'z)^2 at Z


def lower_rows(
    X: Any, weight: np.ndarray | None, V: np.ndarray, Z: np.ndarray, half: Half
) -> Lowered:
    """Codes of the rows of X that are better than Z, or, for "als", that replace them.

    Parameters
    ----------
    X : csr_array of shape (n, d)
    weight : array of shape (X.nnz,), or None
    V : array of shape (d, k)
    Z : array of shape (n, k)
    half : Half
    """
    if half.solver != "cd":
        return _solved(X, weight, V, Z, half)
    longest = int(np.diff(X.indptr).max(initial=0))
    if longest * V.shape[1] * V.itemsize > LONGEST_BYTES:
        return _lower_long(X, weight, V, Z, half)
    (n, k), dtype = Z.shape, V.dtype
    Z, V = np.array(Z, dtype, order="C"), np.require(V, requirements=["C", "W"])
    indptr, slope, fit = X.indptr.astype(np.int64), np.zeros(n), np.zeros(n)
    indices = np.require(X.indices, requirements=["C", "W"])
    data = np.require(X.data, dtype, ["C", "W"])
    w = np.ones(1, dtype) if weight is None else np.require(weight, dtype, ["C", "W"])
    order = np.arange(k) if half.order is None else half.order
    penalty = dtype.type(half.penalty.l1), dtype.type(half.penalty.l2)
    run: Any = _descend
    run_fit: Any = _fits

    def work(cut: tuple[int, int]) -> None:
        rows, own = slice(*cut), indptr[cut[0] : cut[1] + 1]
        most = int(np.diff(own).max(initial=1))
        space = np.empty((k, most), dtype), *np.empty((2, most), dtype), np.empty(k, dtype)
        how = order, half.sweeps, ENOUGH**2, *penalty
        run(own, indices, data, w, weight is not None, V, *how, *space, Z[rows], slope[rows])
        run_fit(own, data, w, weight is not None, indices, V, Z[rows], fit[rows])

    for _ in ordered_map(work, row_cuts(indptr * (2.0 * k * (1 + half.sweeps)), WORK_PER_CUT)):
        pass
    return Lowered(Z, slope, fit)


def lower_systems(systems: Systems, Z: np.ndarray, half: Half) -> tuple[np.ndarray, np.ndarray]:
    """The same from matrices that were added up: Z in float64, and the slopes at the start."""
    n, k = Z.shape
    A, b = whole(systems.A), systems.b - half.penalty.l1
    A[:, np.arange(k), np.arange(k)] += half.penalty.l2
    found, slope = np.array(Z, np.float64, order="C"), np.zeros(n)
    if half.solver == "cd":
        order = np.arange(k) if half.order is None else half.order
        run: Any = _descend_systems
        run(A, b, order, half.sweeps, ENOUGH**2, found, slope)
        return found, slope
    slope = projected(b - np.einsum("irs,is->ir", A, found), found)
    solve: Any = solve_semidefinite if half.solver == "als" else solve_nonnegative
    solve(A, b, found)
    return _positive(found), slope


def fits(systems: Systems, squares: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """1/2 sum_o w (x - v'z)^2 of each row, from its matrix and sum_o w x^2."""
    bent = np.einsum("irs,ir,is->i", whole(systems.A), Z, Z)
    return np.maximum(0.5 * squares - np.einsum("ir,ir->i", systems.b, Z) + 0.5 * bent, 0.0)


def whole(A: np.ndarray) -> np.ndarray:
    """Symmetric matrices from their upper triangles, below which there are zeros."""
    k = A.shape[1]
    both = A + A.transpose(0, 2, 1)
    both[:, np.arange(k), np.arange(k)] *= 0.5
    return both


def exact_codes(
    X: Any, weight: np.ndarray | None, V: np.ndarray, penalty: Penalty, start: np.ndarray
) -> np.ndarray:
    """The minimiser of each row, in float64; where several are as good, one near the start."""
    V = np.ascontiguousarray(V, np.float64)
    X = with_values(X, X.data.astype(np.float64, copy=False))
    on = _regression(V, penalty)
    return solve_rows(X, on, weight=weight, method="nonnegative", start=start, with_loss=False).Z


def _solved(X: Any, weight: Any, V: np.ndarray, Z: np.ndarray, half: Half) -> Lowered:
    """By the regressions of the rows: exactly, or its positive part without z >= 0."""
    w = np.ones(X.nnz, V.dtype) if weight is None else weight.astype(V.dtype)
    left = X.data - product_at(X, Z.astype(V.dtype, copy=False), V)
    down = sparse_times(with_values(X, w * left), V) - half.penalty.l1 - half.penalty.l2 * Z
    method = "cholesky" if half.solver == "als" else "nonnegative"
    on = _regression(V, half.penalty)
    new = solve_rows(X, on, weight=weight, method=method, start=Z, with_loss=False).Z
    new = _positive(new)
    left = X.data - product_at(X, new, V)
    fit = 0.5 * np.bincount(row_numbers(X), w * left.astype(np.float64) ** 2, X.shape[0])
    return Lowered(new, projected(down, Z), fit)


def _regression(V: np.ndarray, penalty: Penalty) -> Regression:
    d, k = V.shape
    return Regression(V, np.zeros(d, V.dtype), np.full(k, penalty.l2), price=penalty.l1)


def _positive(Z: np.ndarray) -> np.ndarray:
    return np.maximum(Z, 0, out=Z)


def _lower_long(X: Any, weight: Any, V: np.ndarray, Z: np.ndarray, half: Half) -> Lowered:
    """Coordinate descent on the matrices of the rows, some rows at a time."""
    (n, k), dtype = Z.shape, V.dtype
    new, slope, fit = np.empty((n, k), dtype), np.empty(n), np.empty(n)
    on = Regression(V, np.zeros(len(V), dtype), np.zeros(k))
    size = max(1, SYSTEMS_BYTES // (8 * k * k))

    def work(first: int) -> None:
        rows = slice(first, first + size)
        part, own = X[rows], slice(X.indptr[first], X.indptr[min(first + size, n)])
        w = None if weight is None else weight[own]
        systems = row_systems(part, on, weight=w)
        found, slope[rows] = lower_systems(systems, Z[rows], half)
        new[rows] = found
        squares = np.square(part.data, dtype=np.float64) * (1.0 if w is None else w)
        by_row = np.bincount(row_numbers(part), squares, part.shape[0])
        fit[rows] = fits(systems, by_row, found)

    for _ in ordered_map(work, range(0, n, size)):
        pass
    return Lowered(new, slope, fit)


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _descend(
    indptr, indices, data, weight, weighted, V, order, sweeps, enough, l1, l2,
    F, left, heavy, curve, Z, slope
):  # fmt: skip
    n, k = Z.shape
    for i in range(n):
        first, m = indptr[i], indptr[i + 1] - indptr[i]
        for t in range(m):
            j, y = indices[first + t], data[first + t]
            for r in range(k):
                y -= V[j, r] * Z[i, r]
                F[r, t] = V[j, r]
            left[t] = y
            heavy[t] = weight[first + t] if weighted else 1
        for r in range(k):
            total = l2
            for t in range(m):
                total += heavy[t] * F[r, t] * F[r, t]
            curve[r] = total
        start = l1 * 0
        for sweep in range(sweeps):
            moved = l1 * 0
            for q in range(k):
                r = order[q]
                if curve[r] <= 0:
                    continue
                z, down = Z[i, r], -l1 - l2 * Z[i, r]
                for t in range(m):
                    down += heavy[t] * left[t] * F[r, t]
                if sweep == 0:
                    slope[i] += abs(down) if z > 0 or down > 0 else 0
                new = z + down / curve[r]
                change = (new if new > 0 else 0) - z
                if change != 0:
                    Z[i, r] = z + change
                    moved += change * change * curve[r]
                    for t in range(m):
                        left[t] -= change * F[r, t]
            if sweep == 0:
                start = moved
            if moved <= enough * start:
                break


@kernel(any_order=True)
def _fits(indptr, data, weight, weighted, indices, V, Z, fit):
    """1/2 sum_o w (x - v'z)^2, anew: what was carried along has rounded often."""
    n, k = Z.shape
    for i in range(n):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j, y = indices[e], data[e]
            for r in range(k):
                y -= V[j, r] * Z[i, r]
            w = weight[e] if weighted else 1
            total += 0.5 * w * y * y
        fit[i] = total


@kernel
def _descend_systems(A, b, order, sweeps, enough, Z, slope):
    """The same on the matrices of the rows."""
    n, k = Z.shape
    for i in range(n):
        start = 0.0
        for sweep in range(sweeps):
            moved = 0.0
            for q in range(k):
                r = order[q]
                if A[i, r, r] <= 0:
                    continue
                z, down = Z[i, r], b[i, r]
                for s in range(k):
                    down -= A[i, r, s] * Z[i, s]
                if sweep == 0:
                    slope[i] += abs(down) if z > 0 or down > 0 else 0
                new = z + down / A[i, r, r]
                change = (new if new > 0 else 0) - z
                Z[i, r] = z + change
                moved += change * change * A[i, r, r]
            if sweep == 0:
                start = moved
            if moved <= enough * start:
                break
