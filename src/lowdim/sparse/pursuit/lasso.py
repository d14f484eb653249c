"""The lasso, exactly: along the path of solutions from one that is known.

    minimise over z     1/2 |x - z D|^2 + alpha |z|_1

With b = x D' and c = b - z G, a code is optimal if c_m = alpha sign(z_m) where z_m is not 0, and
|c_m| <= alpha elsewhere (Karush, Kuhn, Tucker). The solution for a penalty t moves along straight
lines as t falls from max |b|, where it is 0, to alpha; they meet at events: an atom enters where
its |c| meets t, or leaves where its z meets 0. With s the signs of the active atoms D_A' = Q R,

    z(t) R' = y + t y',    y = R'^-1 b_A,    y' = -R'^-1 s,    c(t) = e + t f

and p_i = q_i'D' of each q (as in `greedy`), a new atom changes e and f by multiples of its p; an
atom that leaves takes some rotations. Every row's solution is put into the conditions above; where
it misses them (atoms that are nearly equal), coordinate descent goes on from there.

Where codes are given to start with, their atoms and signs are tried first: if the solution on these
fulfils the conditions, it is the solution, without a path.

Least angle regression is the same path where no atom leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.sparse.pursuit.greedy import Chosen, Codes, joined_codes, rows_at_a_time
from lowdim.sparse.pursuit.scan import bits_of, largest, new_direction, room, subtract_rows

DEPENDENT = 10.0  # times the rounding error: what is left of an atom beside active ones is nothing
NOT_OPTIMAL = {8: 1e-9, 4: 1e-4}  # of max |b|, by which a solution may miss its conditions
STEPS_PER_ATOM, LEAST_STEPS = 8, 200  # events of a path at the most
VECTOR = 8  # numbers that vector instructions take at a time, at the most
MOST_SWEEPS = 20_000  # of coordinate descent
SOLVED, MISSED, TOO_LONG, TO_DO = 0, 1, 2, 3  # how a path ended


def lasso(
    gram: np.ndarray,
    correlations: np.ndarray,
    alpha: Any,
    *,
    start: Any = None,
    positive: bool = False,
) -> sp.csr_array:
    """The codes (n, k) that minimise 1/2 |x - z D|^2 + alpha |z|_1.

    Parameters
    ----------
    gram : array of shape (k, k)
        D D'; it says the kind of floating point numbers.
    correlations : array of shape (n, k)
        X D'.
    alpha : float or array of shape (n,)
    start : csr_array of shape (n, k), default=None
        Codes near the solution: the atoms and signs that are tried first.
    positive : bool, default=False
        Only z >= 0.
    """
    return follow(gram, correlations, alpha, start=start, positive=positive).codes


def lars(gram: np.ndarray, correlations: np.ndarray, n_nonzero: int) -> sp.csr_array:
    """Codes of least angle regression, (n, k): where the next atom after n_nonzero would enter."""
    return follow(gram, correlations, 0.0, n_nonzero=n_nonzero).codes


def follow(
    gram: np.ndarray,
    correlations: np.ndarray,
    alpha: Any,
    *,
    start: Any = None,
    positive: bool = False,
    n_nonzero: int | None = None,
    max_steps: int | None = None,
) -> Codes:
    """`lasso`, or with n_nonzero `lars`; `ended_early` says which paths have more than max_steps.

    Then their codes are those of the penalty that was reached.
    """
    gram = np.require(gram, requirements=["C", "W"])
    n, k = correlations.shape
    alpha = np.broadcast_to(np.asarray(alpha, gram.dtype), (n,))
    size = rows_at_a_time(n, k, k)

    def work(first: int) -> Codes:
        rows = slice(first, first + size)
        B = np.require(correlations[rows], gram.dtype, ["C", "W"])
        given = None if start is None else sp.csr_array(start[rows])
        penalty = np.array(alpha[rows])
        chosen, early = followed(gram, B, penalty, given, positive, n_nonzero, max_steps)
        return Codes(chosen.as_csr(), early)

    parts = list(ordered_map(work, range(0, n, size)))
    return joined_codes([part.codes for part in parts], [part.ended_early for part in parts])


def followed(
    gram: np.ndarray,
    B: np.ndarray,
    alpha: np.ndarray,
    start: Any = None,
    positive: bool = False,
    n_nonzero: int | None = None,
    max_steps: int | None = None,
) -> tuple[Chosen, np.ndarray]:
    """Codes of some rows, and which ended early."""
    b, k = B.shape
    dtype, most = gram.dtype, min(k, n_nonzero or k)
    index, value = np.empty((b, k), np.int64), np.empty((b, k), dtype)
    ends = np.zeros((2, b), np.int64)
    count, state = ends
    state[:] = TO_DO
    steps = STEPS_PER_ATOM * k + LEAST_STEPS if max_steps is None else max_steps
    limits = np.array([most, steps, positive, n_nonzero is None], np.int64)
    small = np.array([DEPENDENT * np.finfo(dtype).eps, NOT_OPTIMAL[dtype.itemsize], 0, 1], dtype)
    work = room(5, k, dtype)  # e, f, q, score, free
    P, R = room(most, _row(k + 2), dtype), room(most, most, dtype)
    y = np.empty((4, most), dtype)
    if start is not None:
        top = np.abs(B).max(axis=1)
        places = (start.indptr.astype(np.int64), start.indices.astype(np.int64))
        given = (*places, start.data.astype(dtype), top, limits, small, work)
        _try(gram, B, alpha, *given, R, y, index, value, ends)
    space = (limits, small, work, bits_of(work[3]), P, R, y, np.arange(most))
    _paths(gram, B, alpha, *space, index, value, ends)
    if max_steps is None:  # atoms that come and go for ever
        state[state == TOO_LONG] = MISSED
    for r in np.flatnonzero(state == MISSED):
        Z = np.zeros(k, dtype)
        Z[index[r, : count[r]]] = value[r, : count[r]]
        if descended(gram, B[r], alpha[r], positive, Z):
            state[r] = SOLVED
        active = np.flatnonzero(Z)
        count[r] = len(active)
        index[r, : count[r]], value[r, : count[r]] = active, Z[active]
    return Chosen(index, value, count, k), state != SOLVED


def _row(n: int) -> int:
    """The length of a row for n numbers, such that all rows begin where vectors do."""
    return -(-n // VECTOR) * VECTOR


def descended(gram: np.ndarray, b: np.ndarray, alpha: Any, positive: bool, z: np.ndarray) -> bool:
    """Coordinate descent from z, in place; whether it came to the minimum."""
    tol = NOT_OPTIMAL[gram.dtype.itemsize] * np.abs(b).max()
    bounds = np.array([alpha, tol], gram.dtype)
    return bool(_descent(gram, b - z @ gram, bounds, bool(positive), MOST_SWEEPS, z))


# ---- kernels -------------------------------------------------------------------------------------
#
# work: e, f, room, score, free;  y: signs, z, its slope, room.  A row of P is p_i, and at its end
# y_i and y'_i: what is rotated is rotated together. R[m, i] is p_i of the m-th active atom, and
# R[m, m] one divided by it.


@kernel(views=("work", "bits"))
def _paths(G, B, alpha, limits, small, work, bits, P, R, y, order, index, value, ends):
    """The path of each row that is still to do, from z = 0 to its penalty."""
    zero = small[2]
    z0, z1 = y[1], y[2]
    for r in range(len(B)):
        if ends[1, r] == TO_DO:
            A, z, b = index[r], value[r], B[r]
            _begin(b, work, limits[2], zero, small[3])
            first = largest(bits, 0)
            top = work[3, first]
            if limits[3] and top <= alpha[r]:
                ends[1, r] = SOLVED
                continue
            end = alpha[r] if alpha[r] < top else top
            s, t, how = _path(G, end, first, limits, small, work, bits, P, R, y, order, A)
            n = 0
            for i in range(s):
                v = z0[i] + t * z1[i]
                if v != zero:
                    A[n] = A[i]
                    z[n] = v
                    n += 1
            ends[0, r] = n
            if limits[3] and how == SOLVED:
                tol = small[1] * top
                if not _is_optimal(G, b, A, z, n, alpha[r], tol, limits[2], work[2]):
                    how = MISSED
            ends[1, r] = how


@kernel(within=True)
def _begin(b, work, positive, zero, one):
    """c = b, and the score of each atom: |c|, or c."""
    e, f, score, free = work[0], work[1], work[3], work[4]
    low = zero if positive else -one
    for m in range(len(b)):
        v = b[m]
        e[m] = v
        f[m] = zero
        score[m] = v if v > zero else low * v
        free[m] = one


@kernel(within=True)
def _path(G, end, j, limits, small, work, bits, P, R, y, order, A):
    """From the first atom down to the end: how many are active, where that is, how it ended."""
    zero, one = small[2], small[3]
    e, f, sign = work[0], work[1], y[0]
    score, free = work[3], work[4]
    s, steps, left = 0, 0, -1
    was, low, t = one, zero if limits[2] else -one, score[j]
    while True:
        who, t_leave = _leaves(P, R, y, s, t, limits[3], zero, one)
        enters = score[j] > t_leave
        t = score[j] if enters else t_leave
        if not t > end:  # nor where it is NaN
            return s, end, SOLVED
        if steps >= limits[1]:
            return s, t, TOO_LONG
        left = -1
        steps += 1
        if not enters:
            left, was = A[who], sign[who]
            _leave(who, s, P, R, sign, A, one)
            s -= 1
            for m in range(len(free)):
                free[m] = one
            for i in range(s):
                free[A[i]] = zero
            p = P[s]
            _move(e, f, p, -p[len(p) - 2], -p[len(p) - 1], score, free, t, low, zero, one)
        elif s == limits[0]:
            return s, t, SOLVED
        else:
            sign[s] = one if e[j] + t * f[j] > zero else -one
            free[j] = zero
            score[j] = zero
            if _enter(G, j, s, small, e, f, P, R, sign, y[3], order):
                p = P[s]
                _move(e, f, p, p[len(p) - 2], p[len(p) - 1], score, free, t, low, zero, one)
                A[s] = j
                s += 1
        if left >= 0 and was * e[left] > zero:
            score[left] = zero  # where it has just left; on the other side it may come again
        j = largest(bits, 0)


@kernel(within=True)
def _enter(G, j, s, small, e, f, P, R, sign, share, order):
    """Atom j becomes the s-th active one; False if it depends on those that are active."""
    p, r = P[s], R[s]
    for i in range(s):
        r[i] = P[i, j]
    scale = new_direction(p, G[j], j, s, P, share, order, small[0])
    p[len(p) - 2] = e[j] * scale
    p[len(p) - 1] = (f[j] - sign[s]) * scale
    r[s] = scale
    return scale > small[2]


@kernel(within=True)
def _move(e, f, p, u, v, score, free, t, low, zero, one):
    """Take u p from e and v p from f; the t at which each |c|, or c, meets t, 0 if it does not."""
    # c > 0 cannot meet -t before t = 0: one side is enough, that of the sign of e
    for m in range(len(e)):
        x = e[m] - u * p[m]
        w = f[m] - v * p[m]
        e[m] = x
        f[m] = w
        sign = one if x > zero else low
        d = one - sign * w
        at = sign * x / d
        at = at if at < t else t
        score[m] = at * free[m] if d > zero else zero


@kernel(within=True)
def _leaves(P, R, y, s, t, may_leave, zero, one):
    """The active atom whose z is the first to meet 0, and at which t; t = -1 if none.

    z(t) = y[1] + t y[2], the solution of R'z = y + t y'.
    """
    sign, z, slope = y[0], y[1], y[2]
    k = P.shape[1] - 2
    for i in range(s):
        z[i] = P[i, k]
        slope[i] = P[i, k + 1]
    who, t_leave = -1, -one
    for i in range(s - 1, -1, -1):
        r = R[i]
        u, v = z[i] * r[i], slope[i] * r[i]
        z[i] = u
        slope[i] = v
        for m in range(i):
            z[m] -= u * r[m]
            slope[m] -= v * r[m]
        if may_leave and sign[i] * v > zero:
            at = -u / v
            at = at if at < t else t
            if at >= t_leave:
                who, t_leave = i, at
    return who, t_leave


@kernel(within=True)
def _leave(who, s, P, R, sign, A, one):
    """An active atom leaves: rotations of the p make R a triangle again."""
    for i in range(who, s - 1):
        j = A[i + 1]
        A[i] = j
        sign[i] = sign[i + 1]
        a, b = P[i], P[i + 1]
        u, v = a[j], b[j]
        length = np.sqrt(u * u + v * v)
        u, v = u / length, v / length
        for m in range(len(a)):
            x, w = a[m], b[m]
            a[m] = u * x + v * w
            b[m] = u * w - v * x
    for i in range(who, s - 1):
        for m in range(i):
            R[i, m] = P[m, A[i]]
        R[i, i] = one / P[i, A[i]]


@kernel(within=True)
def _is_optimal(G, b, A, z, n, alpha, tol, positive, c):
    """Whether a code fulfils the conditions of Karush, Kuhn and Tucker."""
    for m in range(len(c)):
        c[m] = b[m]
    subtract_rows(c, G, A, z, n)
    misses, most = 0, alpha + tol
    for m in range(len(c)):
        misses += 1 if (c[m] if positive else abs(c[m])) > most else 0
    for i in range(n):
        v = c[A[i]]
        misses += 1 if abs(v - alpha if z[i] > v - v else v + alpha) > tol else 0
    return misses == 0


@kernel
def _try(G, B, alpha, indptr, indices, data, top, limits, small, work, R, y, index, value, ends):
    """Whether the given atoms and signs are those of the solution: then it is written down."""
    zero, w = small[2], y[0]
    for r in range(len(B)):
        first, s, b = indptr[r], indptr[r + 1] - indptr[r], B[r]
        A, z, sign = index[r], value[r], data[first:]
        good = 0 < s <= limits[0]
        for i in range(s if good else 0):  # R'w = b_A - alpha sign, R'R = G_AA, a column at a time
            A[i] = indices[first + i]
            w[i] = b[A[i]] - (alpha[r] if sign[i] > zero else -alpha[r])
            rest = G[A[i], A[i]]
            for j in range(i):
                v = G[A[j], A[i]]
                for m in range(j):
                    v -= R[m, j] * R[m, i]
                R[j, i] = v / R[j, j]
                rest -= R[j, i] * R[j, i]
                w[i] -= R[j, i] * w[j]
            good = good and rest > small[0] * G[A[i], A[i]]
            R[i, i] = np.sqrt(rest) if good else small[3]
            w[i] /= R[i, i]
        for i in range(s - 1 if good else -1, -1, -1):
            z[i] = w[i] / R[i, i]
            for j in range(i):
                w[j] -= z[i] * R[j, i]
            good = good and z[i] * sign[i] > zero
        tol = small[1] * top[r]
        if good and _is_optimal(G, b, A, z, s, alpha[r], tol, limits[2], work[2]):
            ends[0, r], ends[1, r] = s, SOLVED


@kernel
def _descent(G, c, bounds, positive, most, z):
    """Coordinate descent from z, with c = b - z G, until the conditions hold; whether they do."""
    alpha, tol = bounds[0], bounds[1]
    zero = alpha - alpha
    for sweep in range(most):
        worst, every = zero, sweep % 10 == 0
        for j in range(len(z)):
            old, own = z[j], G[j, j]
            if own > zero and (every or old != zero):
                v = c[j] + own * old
                low = v + alpha if v < -alpha and not positive else zero
                new = (v - alpha if v > alpha else low) / own
                step = new - old
                if step != zero:
                    miss = abs(step) * own
                    worst = miss if miss > worst else worst
                    g = G[j]
                    for m in range(len(c)):
                        c[m] -= step * g[m]
                    z[j] = new
        if every and worst <= tol:
            return True
    return False
