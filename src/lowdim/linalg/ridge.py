"""Ridge regressions of many sparse rows at once, each on the columns that it has entries in.

    explicit    minimise over z   sum_o  w_j (y_j - offset_j - z'f_j)^2              + z' P z
    implicit    minimise over z   sum_o  (1 + y_j) (1 - z'f_j)^2 + sum_rest (z'f_j)^2 + z' P z

o: the stored entries of the row (implicit: those of 0 belong to the rest, which counts as 0); f_j:
row j of the factors F (m, q); P: the penalties, diagonal, times the row's weight sum_o w_j where
`by_count`. Both have normal equations A z = b with

    explicit    A = P +        sum_o w_j f_j f_j'          b = sum_o w_j (y_j - offset_j) f_j
    implicit    A = P + F'F +  sum_o w_j y_j f_j f_j'      b = sum_o w_j (1 + y_j) f_j

and one implicit row costs what it has stored, not all m columns (Hu, Koren and Volinsky 2008);
with a weight a_j and a pull b_j for each entry, both are A = .. + sum_o a_j f_j f_j' and
b = sum_o b_j f_j. They are solved exactly (Cholesky), by a few steps of conjugate gradients from
a given start, or under z >= 0 (coordinate descent to the fixed point, the exact solution).

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

CHUNK = 2048  # entries of a row that are summed in the precision of F, at the most
WORK_PER_CUT = 2**24  # multiplications that are worth a turn on a thread
SMALL = 16  # so many factors are multiplied faster by plain loops than by BLAS
SYSTEMS_BYTES = 2**18  # normal equations that are added up, then solved: they stay in the cache


class Regression(NamedTuple):
    """What all rows are regressed on."""

    F: np.ndarray  # (m, q)  factors of the columns
    offset: np.ndarray  # (m,)    what is taken from y before; explicit only
    penalty: np.ndarray  # (q,)    by component
    by_count: bool = False  #         whether the penalty is times the row's weight
    gram: np.ndarray | None = None  # (q, q)  F'F: then what is not stored counts as 0 (implicit)
    price: float = 0.0  # of a code, z'1 times 2 of it; not for "cg", and not in the loss


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
    on = on._replace(F=_plain(on.F))
    (n, q), dtype = (X.shape[0], on.F.shape[1]), on.F.dtype
    Z = np.zeros((n, q), dtype) if start is None else np.array(start, dtype, order="C")
    loss, gram = np.full(n, np.nan), _gram(on)
    times = _row_weights(X, weight) if on.by_count else np.ones(n)

    improve: Any = _improve

    def work(cut: tuple[int, int]) -> None:
        rows = slice(*cut)
        entries, P = _entries(X, on, weight, *cut), np.outer(times[rows], on.penalty)
        if method == "cg":
            how = (steps, float(np.finfo(dtype).eps) ** 2)
            space = [np.empty(q, dtype) for _ in range(4)]
            improve(*entries, on.F, gram, P, *how, *space, Z[rows], loss[rows])
        else:
            _solve(entries, on, gram, P, method, Z[rows], loss[rows] if with_loss else None)

    for _ in ordered_map(work, row_cuts(_work(X.indptr, on, method, steps), WORK_PER_CUT)):
        pass
    return Solved(Z, loss)


class Systems(NamedTuple):
    """Normal equations of many rows, without penalty and gram: sums over entries."""

    A: np.ndarray  # (n, q, q)  only the upper triangles
    b: np.ndarray  # (n, q)
    count: np.ndarray  # type: ignore[assignment]  # (n,)  weight of the row


def row_systems(X: Any, on: Regression, *, weight: np.ndarray | None = None) -> Systems:
    """What the entries of each row of X add to its normal equations (penalty and gram do not)."""
    on = on._replace(F=_plain(on.F))
    n, q = X.shape[0], on.F.shape[1]
    entries = _entries(X, on, weight, 0, n)
    systems = Systems(np.zeros((n, q, q)), np.zeros((n, q)), _row_weights(X, weight))
    _add_up(0, entries, on.F, _sums(on.F), systems.A, systems.b)
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
    Z = np.zeros_like(systems.b) if start is None else np.array(start, np.float64, order="C")
    _solver(method)(A, systems.b, Z)
    return Z


def _solve(
    entries: _Entries,
    on: Regression,
    gram: np.ndarray,
    P: np.ndarray,
    method: str,
    Z: np.ndarray,
    loss: np.ndarray | None,
) -> None:
    """Fill Z and the losses of rows, some at a time."""
    (n, q), F = Z.shape, on.F
    size = min(n, max(4, SYSTEMS_BYTES // (8 * q * q)))
    A, b, sums = np.empty((size, q, q)), np.empty((size, q)), _sums(F)
    for first in range(0, n, size):
        rows = slice(first, min(first + size, n))
        A, b = A[: rows.stop - first], b[: rows.stop - first]
        A[:], b[:] = gram, -on.price
        A.reshape(len(A), -1)[:, :: q + 1] += P[rows]
        _add_up(first, entries, F, sums, A, b)
        z = Z[rows].astype(np.float64)
        _solver(method)(A, b, z)
        Z[rows] = z
        if loss is not None:
            _losses(first, *entries, F, z, loss[rows])
            loss[rows] += np.einsum("ir,ir,ir->i", P[rows], z, z)
            if entries.implicit:
                loss[rows] += np.einsum("ir,rs,is->i", z, gram, z)


def _add_up(
    first: int,
    entries: _Entries,
    F: np.ndarray,
    sums: tuple[np.ndarray, ...],
    A: np.ndarray,
    b: np.ndarray,
) -> None:
    """Add the entries of rows from `first` on to A (upper triangles) and b."""
    run: Any = _add_up_small if F.shape[1] <= SMALL else _add_up_large
    run(first, *entries, F, *sums, A, b)


def _solver(method: str) -> Any:
    return solve_nonnegative if method == "nonnegative" else solve_semidefinite


class _Entries(NamedTuple):
    """Entries of some rows, as sums over them need these; explicit: b is a times the target."""

    indptr: np.ndarray  # (n + 1,)  first entry of each row
    columns: np.ndarray
    a: np.ndarray  # w; implicit: w y
    target: np.ndarray  # y - offset; implicit: b
    implicit: bool


def _entries(X: Any, on: Regression, weight: np.ndarray | None, first: int, last: int) -> _Entries:
    dtype = on.F.dtype
    indptr = X.indptr[first : last + 1].astype(np.int64)
    own = slice(indptr[0], indptr[-1])
    indptr -= indptr[0]
    columns, y = _plain(X.indices[own]), _plain(X.data[own].astype(dtype, copy=False))
    w = np.ones(len(y), dtype) if weight is None else weight[own].astype(dtype)
    if on.gram is not None:
        return _Entries(indptr, columns, w * y, np.where(y > 0, w * (1 + y), dtype.type(0)), True)
    if on.offset.any():
        y = y - on.offset.astype(dtype, copy=False)[columns]
    return _Entries(indptr, columns, w, y, False)


def _plain(values: np.ndarray) -> np.ndarray:
    """A contiguous, writeable array: kernels are compiled for one kind only."""
    return np.require(values, requirements=["C", "W"])


def _row_weights(X: Any, weight: np.ndarray | None) -> np.ndarray:
    """The weight of each row: how many entries it has, if all count the same."""
    counts = np.diff(X.indptr)
    if weight is None:
        return counts.astype(np.float64)
    total = np.add.reduceat(np.append(weight, 0.0), X.indptr[:-1], dtype=np.float64)
    return np.where(counts > 0, total, 0.0)


def _gram(on: Regression) -> np.ndarray:
    q, dtype = on.F.shape[1], on.F.dtype
    return np.zeros((q, q), dtype) if on.gram is None else np.array(on.gram, dtype, order="C")


def _sums(F: np.ndarray) -> tuple[np.ndarray, ...]:
    """What `_add_up` works in: sums over entries of a row in the precision of F."""
    q = F.shape[1]
    shapes: tuple = ((q, q), (q,)) if q <= SMALL else ((CHUNK, q), (q, q), (q,))
    return tuple(np.zeros(shape, F.dtype) for shape in shapes)


def _work(indptr: np.ndarray, on: Regression, method: str, steps: int) -> np.ndarray:
    """Multiplications that all rows before each need, (n + 1,)."""
    q = on.F.shape[1]
    by_entry, by_row = float(q * q), q**3 / 3
    if method == "cg":
        by_entry, by_row = 2.0 * q * (steps + 1), 0.0 if on.gram is None else q * q * (steps + 1.0)
    return (indptr - indptr[0]) * by_entry + np.arange(len(indptr)) * (by_row + 64.0)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _add_up_small(first, indptr, indices, a, target, implicit, F, squares, pulls, A, b):
    """Four entries at a time: a row of the sums is read and written once for all four."""
    q, nothing = F.shape[1], F.dtype.type(0)
    for i in range(len(b)):
        e, stop = indptr[first + i], indptr[first + i + 1]
        while e < stop:
            end = e + CHUNK if e + CHUNK < stop else stop
            for r in range(q):
                pulls[r] = 0
                for s in range(r, q):
                    squares[r, s] = 0
            while e < end:  # after the last entry come some of weight 0
                one, two, three = e + 1 < end, e + 2 < end, e + 3 < end
                j0 = indices[e]
                j1 = indices[e + 1] if one else j0
                j2 = indices[e + 2] if two else j0
                j3 = indices[e + 3] if three else j0
                a0, b0 = a[e], target[e]
                a1, b1 = (a[e + 1], target[e + 1]) if one else (nothing, nothing)
                a2, b2 = (a[e + 2], target[e + 2]) if two else (nothing, nothing)
                a3, b3 = (a[e + 3], target[e + 3]) if three else (nothing, nothing)
                if not implicit:
                    b0, b1, b2, b3 = a0 * b0, a1 * b1, a2 * b2, a3 * b3
                for r in range(q):
                    f0, f1, f2, f3 = F[j0, r], F[j1, r], F[j2, r], F[j3, r]
                    pulls[r] += (b0 * f0 + b1 * f1) + (b2 * f2 + b3 * f3)
                    f0, f1, f2, f3 = a0 * f0, a1 * f1, a2 * f2, a3 * f3
                    for s in range(r, q):
                        near, far = f0 * F[j0, s] + f1 * F[j1, s], f2 * F[j2, s] + f3 * F[j3, s]
                        squares[r, s] += near + far
                e += 4
            e = end
            for r in range(q):
                b[i, r] += pulls[r]
                for s in range(r, q):
                    A[i, r, s] += squares[r, s]


@kernel(allocates=True)
def _add_up_large(
    first, indptr, indices, a, target, implicit, F, B, squares, pulls, A, b
):  # fmt: skip
    """By a product: the factors of a row's columns, times sqrt(a), are gathered in B."""
    q = F.shape[1]
    for i in range(len(b)):
        e, stop = indptr[first + i], indptr[first + i + 1]
        while e < stop:
            m = CHUNK if e + CHUNK < stop else stop - e
            for r in range(q):
                pulls[r] = 0
            for t in range(m):
                j, root = indices[e + t], np.sqrt(a[e + t])
                pull = target[e + t] if implicit else a[e + t] * target[e + t]
                for r in range(q):
                    pulls[r] += pull * F[j, r]
                    B[t, r] = root * F[j, r]
            np.dot(B[:m].T, B[:m], squares)
            for r in range(q):
                b[i, r] += pulls[r]
                for s in range(r, q):
                    A[i, r, s] += squares[r, s]
            e += m


@kernel(any_order=True)
def _losses(first, indptr, indices, a, target, implicit, F, Z, loss):
    """What the entries of each row add to the objective at its z; Z[0] is of row `first`."""
    q = F.shape[1]
    for i in range(len(Z)):
        total = 0.0
        for e in range(indptr[first + i], indptr[first + i + 1]):
            j, v = indices[e], 0.0
            for r in range(q):
                v += F[j, r] * Z[i, r]
            if implicit:  # w (1 + y)(1 - v)^2 - w v^2
                total += target[e] * (1.0 - 2.0 * v) + a[e] * v * v
            else:
                total += a[e] * (target[e] - v) * (target[e] - v)
        loss[i] = total


@kernel(any_order=True)
def _improve(
    indptr, indices, a, target, implicit, F, gram, P, steps, tiny, left, p, Ap, part, Z, loss
):  # fmt: skip
    """Steps of conjugate gradients from Z, in place, until |b - A z|^2 is `tiny` times what it was.

    `loss` becomes that of the new Z; left, p, Ap and part are there to work in.
    """
    q = F.shape[1]
    for i in range(len(Z)):
        total = size = enough = 0.0
        for r in range(q):
            p[r] = Z[i, r]
        for step in range(steps + 1):
            if step > 0 and size <= enough:
                break
            bend = _times_rest(gram, P, i, implicit, p, Ap)
            entries = (indptr[i], indptr[i + 1], indices, a, target)
            bend += _pull(*entries, implicit, step == 0, F, p, part, Ap)
            if step == 0:  # p = z: the objective, and A z - b
                total = bend
                for r in range(q):
                    left[r] = p[r] = -Ap[r]
                    size += left[r] * left[r]
                enough = tiny * size
                continue
            if bend <= 0.0:  # no penalty, and no entry looks this way
                break
            stride, before = size / bend, size
            total -= stride * size
            size = 0.0
            for r in range(q):
                Z[i, r] += stride * p[r]
                left[r] -= stride * Ap[r]
                size += left[r] * left[r]
            for r in range(q):
                p[r] = left[r] + size / before * p[r]
        loss[i] = total


@kernel(any_order=True, within=True)
def _times_rest(gram, P, i, implicit, p, out):
    """out = (F'F + P) p; returns p' out."""
    q, square = len(p), 0.0
    for r in range(q):
        out[r] = P[i, r] * p[r]
    if implicit:
        for r in range(0, q, 2):  # two rows at a time: `out` is read once for both
            other = min(r + 1, q - 1)
            one, two = p[r], p[other] if other > r else gram.dtype.type(0)
            for s in range(q):
                out[s] += one * gram[r, s] + two * gram[other, s]
    for r in range(q):
        square += p[r] * out[r]
    return square


@kernel(any_order=True, within=True)
def _pull(first, last, indices, a, target, implicit, at_start, F, p, part, out):
    """out += sum_o a_j (p'f_j) f_j; returns p' times that.

    At the start p = z: out += sum_o (a_j z'f_j - b_j) f_j; returns the loss of the entries.
    Two entries at a time: p and `part` are read once for both.
    """
    q, total, nothing = len(p), 0.0, F.dtype.type(0)
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        for r in range(q):
            part[r] = 0
        for e in range(begin, end, 2):
            two = e + 1 < end
            other = e + 1 if two else e
            j, k, u, v = indices[e], indices[other], nothing, nothing
            for r in range(q):
                u += F[j, r] * p[r]
                v += F[k, r] * p[r]
            goal, goal_2 = (target[e], target[other]) if at_start else (nothing, nothing)
            weight, weight_2 = a[e], a[other] if two else nothing
            if implicit:  # w (1 + y)(1 - s)^2 - w s^2, s = z'f_j
                goal_2 = goal_2 if two else nothing
                total += goal * (1 - 2 * u) + goal_2 * (1 - 2 * v)
                total += weight * u * u + weight_2 * v * v
                pull, pull_2 = weight * u - goal, weight_2 * v - goal_2
            else:
                u, v = u - goal, v - goal_2
                pull, pull_2 = weight * u, weight_2 * v
                total += pull * u + pull_2 * v
            for r in range(q):
                part[r] += pull * F[j, r] + pull_2 * F[k, r]
        for r in range(q):
            out[r] += part[r]
    return total
