"""Ridge regressions of many sparse rows at once, each on the columns that it has entries in.

    explicit    minimise over z   sum_o  w_j (y_j - offset_j - z'f_j)^2              + z' P z
    implicit    minimise over z   sum_o  (1 + y_j) (1 - z'f_j)^2 + sum_rest (z'f_j)^2 + z' P z

o: the stored entries of the row (implicit: those of 0 belong to the rest, which counts as 0); f_j:
row j of the factors F (m, q); P: the penalties, diagonal, times the row's weight sum_o w_j where
`by_count`. Both have normal equations A z = b with

    explicit    A = P +        sum_o w_j f_j f_j'          b = sum_o w_j (y_j - offset_j) f_j
    implicit    A = P + F'F +  sum_o w_j y_j f_j f_j'      b = sum_o w_j (1 + y_j) f_j

so one implicit row costs what it has stored, not all m columns (Hu, Koren and Volinsky 2008).
They are solved exactly (Cholesky), by a few steps of conjugate gradients from a given start, or
under z >= 0 (coordinate descent to the fixed point, which is the exact solution).

The factors of a row's columns are gathered into a small buffer B, so that B'B is one BLAS call;
A and b are kept in float64 whatever F is. Cost of a row with c entries: O(c q^2 + q^3), by
conjugate gradients O(c q) per step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.linalg.small import solve_nonnegative, solve_semidefinite
from lowdim.linalg.sparse import row_cuts

CHUNK = 2048  # entries of a row that are gathered at a time, at the most
WORK_PER_CUT = 2**22  # multiplications that are worth a turn on a thread


class Regression(NamedTuple):
    """What all rows are regressed on."""

    F: np.ndarray  # (m, q)  factors of the columns
    offset: np.ndarray  # (m,)    what is taken from y before; explicit only
    penalty: np.ndarray  # (q,)    by component
    by_count: bool = False  #         whether the penalty is times the row's weight
    gram: np.ndarray | None = None  # (q, q)  F'F: then what is not stored counts as 0 (implicit)


class Solved(NamedTuple):
    Z: np.ndarray  # (n, q)
    loss: np.ndarray  # (n,)  the minimum of each row, in float64; NaN where it was not asked for


def solve_rows(
    X: Any,
    on: Regression,
    *,
    weight: np.ndarray | None = None,
    method: str = "cholesky",
    steps: int = 3,
    start: np.ndarray | None = None,
    with_loss: bool = True,
) -> Solved:
    """The regression of every row of X on the factors of its stored columns.

    Parameters
    ----------
    X : csr_array of shape (n, m)
        y: only stored entries take part. Implicit: how much more than 1 each counts.
    on : Regression
    weight : array of shape (X.nnz,), default=None
        w, by stored entry; None means 1. Implicit: F'F is then weighted, too.
    method : {"cholesky", "cg", "nonnegative"}
    steps : int
        Steps of conjugate gradients.
    start : array of shape (n, q), default=None
        Where "cg" and "nonnegative" start from; None means 0.
    with_loss : bool, default=True
        Exact solutions are found faster without.
    """
    n, q = X.shape[0], on.F.shape[1]
    dtype = on.F.dtype
    Z = np.zeros((n, q), dtype) if start is None else start.astype(dtype)  # a copy: written into
    loss = np.full(n, np.nan)
    run: Any = _improve if method == "cg" else _solve
    how = (steps,) if method == "cg" else (method == "nonnegative", with_loss)
    arguments = (*_arguments(X, on, weight), on.by_count, on.gram is not None, *how, Z, loss)

    def work(cut: tuple[int, int]) -> None:
        run(*cut, *arguments)

    for _ in ordered_map(work, row_cuts(_work(X.indptr, q), WORK_PER_CUT)):
        pass
    return Solved(Z, loss)


class Systems(NamedTuple):
    """Normal equations of many rows, without penalty and gram: sums over entries."""

    A: np.ndarray  # (n, q, q)  only the upper triangles
    b: np.ndarray  # (n, q)
    count: np.ndarray  # type: ignore[assignment]  # (n,)  weight of the row


def row_systems(X: Any, on: Regression, *, weight: np.ndarray | None = None) -> Systems:
    """What the entries of each row of X add to its normal equations (penalty and gram do not)."""
    n, q = X.shape[0], on.F.shape[1]
    systems = Systems(np.zeros((n, q, q)), np.zeros((n, q)), np.zeros(n))
    run: Any = _systems
    run(*_arguments(X, on, weight)[:-2], on.gram is not None, *systems)
    return systems


def solve_systems(
    systems: Systems,
    penalty: float | np.ndarray,
    *,
    by_count: bool = False,
    gram: np.ndarray | None = None,
    method: str = "cholesky",
    start: np.ndarray | None = None,
) -> np.ndarray:
    """The codes (n, q), in float64, of rows whose normal equations were added up.

    `penalty` (a number, or one by component), `by_count` and `gram` are those of `Regression`.
    """
    A = systems.A.copy()
    n, q = systems.b.shape
    P = np.outer(systems.count if by_count else np.ones(n), np.broadcast_to(penalty, q))
    A[:, np.arange(q), np.arange(q)] += P
    if gram is not None:
        A += gram
    Z = np.zeros_like(systems.b) if start is None else start.astype(np.float64)
    _solve_systems(A, systems.b, method == "nonnegative", Z)
    return Z


def _arguments(X: Any, on: Regression, weight: np.ndarray | None) -> tuple:
    """What kernels take: contiguous arrays of one dtype."""
    q, dtype = on.F.shape[1], on.F.dtype
    return (
        *(_plain(index) for index in (X.indptr, X.indices)),
        _plain(X.data.astype(dtype, copy=False)),
        np.empty(0, dtype) if weight is None else _plain(weight.astype(dtype, copy=False)),
        _plain(on.F),
        _plain(on.offset.astype(dtype, copy=False)),
        np.zeros((q, q), dtype) if on.gram is None else np.array(on.gram, dtype=dtype),
        np.array(on.penalty, dtype=np.float64),
    )


def _plain(values: np.ndarray) -> np.ndarray:
    """A contiguous, writeable array: the kernel is compiled for one kind only."""
    return np.require(values, requirements=["C", "W"])


def _work(indptr: np.ndarray, q: int) -> np.ndarray:
    """Multiplications that all rows before each need, (n + 1,)."""
    rows = np.arange(len(indptr))
    return (indptr - indptr[0]).astype(np.float64) * q * q + rows * (q**3 / 3 + 64.0)


# ---- kernels -------------------------------------------------------------------------------------
# The columns of a row are gathered, some entries at a time, into B and t:
#     explicit   B[e] = sqrt(w_j) f_j,          t[e] = sqrt(w_j) (y_j - offset_j)
#     implicit   B[e] = sqrt(w_j y_j) f_j,      t[e] = sqrt(w_j / y_j) (1 + y_j)
# so that A = P + F'F + B'B and b = B't in both cases, and every sum over entries is a BLAS product.


@kernel
def _solve(
    first, last, indptr, indices, values, weight, F, offset, gram, penalty,
    by_count, implicit, nonnegative, with_loss, Z, loss,
):  # fmt: skip
    """Rows first..last-1, exactly: fills their part of Z and loss."""
    q = F.shape[1]
    B, t, v, part, product = _buffers(indptr, first, last, F)
    A, b, P, z, left = np.empty((q, q)), np.empty(q), np.empty(q), np.empty(q), np.empty(q, F.dtype)
    for i in range(first, last):
        row = _entries_of(i, indptr, indices, values, weight)
        count = _weight_of(row) if by_count else 1.0
        for r in range(q):
            P[r] = penalty[r] * count
            z[r] = Z[i, r]
            b[r] = 0.0
            for s in range(r, q):
                A[r, s] = gram[r, s]
            A[r, r] += P[r]
        _add_equations(row, F, offset, implicit, B, t, part, product, A, b)
        if nonnegative:
            solve_nonnegative(A, b, z)
        else:
            solve_semidefinite(A, b, z)
        if with_loss:
            loss[i] = _residual(row, F, offset, gram, P, implicit, B, t, v, part, z, left)
        for r in range(q):
            Z[i, r] = z[r]


@kernel
def _improve(
    first, last, indptr, indices, values, weight, F, offset, gram, penalty,
    by_count, implicit, steps, Z, loss,
):  # fmt: skip
    """Rows first..last-1, by steps of conjugate gradients from Z: fills their Z and loss."""
    q = F.shape[1]
    B, t, v, part, _ = _buffers(indptr, first, last, F)
    left, p, Ap = np.empty(q, F.dtype), np.empty(q, F.dtype), np.empty(q, F.dtype)
    P, z = np.empty(q), np.empty(q)
    for i in range(first, last):
        row = _entries_of(i, indptr, indices, values, weight)
        count = _weight_of(row) if by_count else 1.0
        for r in range(q):
            P[r] = penalty[r] * count
            z[r] = Z[i, r]
        before = _residual(row, F, offset, gram, P, implicit, B, t, v, part, z, left)
        gain = _conjugate(row, F, offset, gram, P, implicit, steps, B, t, v, part, left, p, Ap, z)
        loss[i] = before - gain
        for r in range(q):
            Z[i, r] = z[r]


@kernel
def _systems(indptr, indices, values, weight, F, offset, implicit, A, b, count):
    """Adds to the normal equations of all rows."""
    B, t, _, part, product = _buffers(indptr, 0, len(count), F)
    for i in range(len(count)):
        row = _entries_of(i, indptr, indices, values, weight)
        count[i] += _weight_of(row)
        _add_equations(row, F, offset, implicit, B, t, part, product, A[i], b[i])


@kernel
def _buffers(indptr, first, last, F):
    """B, t and others, as long as the longest row but not longer than CHUNK."""
    size, q = 1, F.shape[1]
    for i in range(first, last):
        size = max(size, min(CHUNK, indptr[i + 1] - indptr[i]))
    B, t, v = np.empty((size, q), F.dtype), np.empty(size, F.dtype), np.empty(size, F.dtype)
    return B, t, v, np.empty(q, F.dtype), np.empty((q, q), F.dtype)


@kernel
def _entries_of(i, indptr, indices, values, weight):
    """Columns, values and weights of row i; no weights if all count the same."""
    own = slice(indptr[i], indptr[i + 1])
    return indices[own], values[own], weight[own] if len(weight) else weight


@kernel
def _weight_of(row):
    """The weight of a row: how many entries it has, if all count the same."""
    columns, _, weight = row
    total = 0.0
    for e in range(len(weight)):
        total += weight[e]
    return total if len(weight) else float(len(columns))


@kernel
def _gather(first, row, F, offset, implicit, B, t):
    """Fill B and t with the entries from `first` on; returns how many they are."""
    columns, values, weight = row
    q = F.shape[1]
    size = min(len(t), len(columns) - first)
    for e in range(size):
        j, y = columns[first + e], values[first + e]
        root = np.sqrt(weight[first + e]) if len(weight) else F.dtype.type(1)
        if implicit:
            more = np.sqrt(y)
            t[e] = root * (1 + y) / more if y > 0 else 0
            root *= more
        else:
            t[e] = root * (y - offset[j])
        for r in range(q):
            B[e, r] = root * F[j, r]
    return size


@kernel
def _add_equations(row, F, offset, implicit, B, t, part, product, A, b):
    """A += B'B (its upper triangle), b += B't."""
    q = F.shape[1]
    for first in range(0, len(row[0]), len(t)):
        size = _gather(first, row, F, offset, implicit, B, t)
        _squared(B, size, product)
        _transposed_times(B, size, t, part)
        for r in range(q):
            b[r] += part[r]
            for s in range(r, q):
                A[r, s] += product[r, s]


@kernel
def _residual(row, F, offset, gram, P, implicit, B, t, v, part, z, left):
    """left = b - A z, without A; returns what the row adds to the objective at z."""
    q, n = len(z), len(row[0])
    total = 0.0
    for r in range(q):
        part[r] = z[r]
        left[r] = 0.0
    if implicit:
        _times(gram, q, part, left)
    for r in range(q):
        total += z[r] * (left[r] + P[r] * z[r])
        left[r] = -left[r] - P[r] * z[r]
    for first in range(0, n, len(t)):
        size = _gather(first, row, F, offset, implicit, B, t)
        for r in range(q):
            part[r] = z[r]
        _times(B, size, part, v)
        for e in range(size):
            if implicit:  # w (1 + y)(1 - s)^2 - w s^2,   s = z'f_j = v / sqrt(w y)
                y = row[1][first + e]
                w = row[2][first + e] if len(row[2]) else 1.0
                total += (w * (1.0 + y) if y > 0 else 0.0) - 2.0 * t[e] * v[e] + v[e] * v[e]
            else:
                total += (t[e] - v[e]) ** 2
            v[e] = t[e] - v[e]
        _transposed_times(B, size, v, part)
        for r in range(q):
            left[r] += part[r]
    return total


@kernel
def _conjugate(row, F, offset, gram, P, implicit, steps, B, t, v, part, left, p, Ap, z):
    """Steps of conjugate gradients from z, where left = b - A z; returns what they gain."""
    q, n = len(z), len(row[0])
    size = 0.0  # |left|^2
    for r in range(q):
        p[r] = left[r]
        size += left[r] * left[r]
    enough = size * np.finfo(F.dtype).eps ** 2
    gain = 0.0
    for _ in range(steps):
        if size <= enough:
            break
        for r in range(q):
            Ap[r] = 0.0
        if implicit:
            _times(gram, q, p, Ap)
        for first in range(0, n, len(t)):
            # a row that fits into the buffer is still there
            m = n if n <= len(t) else _gather(first, row, F, offset, implicit, B, t)
            _times(B, m, p, v)
            _transposed_times(B, m, v, part)
            for r in range(q):
                Ap[r] += part[r]
        bend = 0.0
        for r in range(q):
            Ap[r] += P[r] * p[r]
            bend += p[r] * Ap[r]
        if bend <= 0.0:  # no penalty, and no entry looks this way
            break
        stride, before = size / bend, size
        gain += stride * size
        size = 0.0
        for r in range(q):
            z[r] += stride * p[r]
            left[r] -= stride * Ap[r]
            size += left[r] * left[r]
        for r in range(q):
            p[r] = left[r] + size / before * p[r]
    return gain


@kernel
def _times(B, size, p, v):
    """v = B p, for the first rows of B."""
    np.dot(B[:size], p, v[:size])


@kernel
def _transposed_times(B, size, v, part):
    """part = B'v, for the first rows of B."""
    np.dot(v[:size], B[:size], part)


@kernel
def _squared(B, size, product):
    """product = B'B, for the first rows of B."""
    np.dot(B[:size].T, B[:size], product)


@kernel
def _solve_systems(A, b, nonnegative, Z):
    """Each system by its method, from Z, in place."""
    z = np.empty(b.shape[1])
    for i in range(len(b)):
        for r in range(len(z)):
            z[r] = Z[i, r]
        if nonnegative:
            solve_nonnegative(A[i], b[i], z)
        else:
            solve_semidefinite(A[i], b[i], z)
        for r in range(len(z)):
            Z[i, r] = z[r]
