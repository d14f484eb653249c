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
from lowdim.sparse.pursuit.greedy import Codes, as_csr, joined_codes, rows_at_a_time
from lowdim.sparse.pursuit.scan import bits_of, largest, subtract_rows

DEPENDENT = 10.0  # times the rounding error: what is left of an atom beside active ones is nothing
NOT_OPTIMAL = {8: 1e-9, 4: 1e-4}  # of max |b|, by which a solution may miss its conditions
STEPS_PER_ATOM, LEAST_STEPS = 8, 200  # events of a path at the most
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
    size = rows_at_a_time(n, k)

    def work(first: int) -> Codes:
        rows = slice(first, first + size)
        B = np.require(correlations[rows], gram.dtype, ["C", "W"])
        given = None if start is None else sp.csr_array(start[rows])
        penalty = np.array(alpha[rows])
        return _followed(gram, B, penalty, given, positive, n_nonzero, max_steps)

    parts = list(ordered_map(work, range(0, n, size)))
    return joined_codes([part.codes for part in parts], [part.ended_early for part in parts])


def _followed(
    gram: np.ndarray,
    B: np.ndarray,
    alpha: np.ndarray,
    start: Any,
    positive: bool,
    n_nonzero: int | None,
    max_steps: int | None,
) -> Codes:
    """Codes of some rows."""
    b, k = B.shape
    dtype, most = gram.dtype, min(k, n_nonzero or k)
    index, value = np.empty((b, k), np.int64), np.empty((b, k), dtype)
    ends = np.zeros((2, b), np.int64)
    count, state = ends
    state[:] = TO_DO
    steps = STEPS_PER_ATOM * k + LEAST_STEPS if max_steps is None else max_steps
    limits = np.array([most, steps, positive, n_nonzero is None], np.int64)
    small = np.array([DEPENDENT * np.finfo(dtype).eps, NOT_OPTIMAL[dtype.itemsize], 0, 1], dtype)
    work = np.empty((5, k), dtype)  # e, f, q, score, free
    R, P, y = np.empty((most, most), dtype), np.empty((most, k), dtype), np.empty((6, most), dtype)
    top = np.maximum(B.max(axis=1), 0) if positive else np.abs(B).max(axis=1)
    if start is not None:
        places = (start.indptr.astype(np.int64), start.indices.astype(np.int64))
        given = (*places, start.data.astype(dtype), top, limits, small, work)
        _try(gram, B, alpha, *given, R, y, index, value, ends)
    space = (limits, small, work, bits_of(work[3]), R, P, y, np.arange(most))
    _paths(gram, B, alpha, top, *space, index, value, ends)
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
    return Codes(as_csr(index, value, count, k), state != SOLVED)


def descended(gram: np.ndarray, b: np.ndarray, alpha: Any, positive: bool, z: np.ndarray) -> bool:
    """Coordinate descent from z, in place; whether it came to the minimum."""
    tol = NOT_OPTIMAL[gram.dtype.itemsize] * np.abs(b).max()
    bounds = np.array([alpha, tol], gram.dtype)
    return bool(_descent(gram, b - z @ gram, bounds, bool(positive), MOST_SWEEPS, z))


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _paths(G, B, alpha, top, limits, small, work, bits, R, P, y, order, index, value, ends):
    """The path of each row that is still to do, from z = 0 to its penalty."""
    zero = small[2]
    for r in range(len(B)):
        if ends[1, r] == TO_DO:
            A, z = index[r], value[r]
            b, e, f, free = B[r], work[0], work[1], work[4]
            for m in range(len(b)):
                e[m], f[m], free[m] = b[m], zero, small[3]
            end = alpha[r] if alpha[r] < top[r] else top[r]
            s, t, how = _path(G, end, top[r], limits, small, work, bits, R, P, y, order, A)
            n = 0
            for i in range(s):
                v = y[3, i] + t * y[4, i]
                if v != zero:
                    A[n], z[n] = A[i], v
                    n += 1
            ends[0, r] = n
            ends[1, r] = how
            if limits[3] and how == SOLVED:
                tol = small[1] * top[r]
                if not _is_optimal(G, b, A, z, n, alpha[r], tol, limits[2], work[2]):
                    ends[1, r] = MISSED


@kernel(within=True)
def _path(G, end, t, limits, small, work, bits, R, P, y, order, A):
    """From t down to the end: how many atoms are active there, where that is, how it ended."""
    zero, one, score, free = small[2], small[3], work[3], work[4]
    s, steps, left, was = order[0], 0, -1, one  # a literal 0 would compile what takes s twice
    while True:
        _solve(R, y, s)
        who, t_leave = _leaves(y, s, t, limits[3], zero)
        _meetings(work, t, limits[2], zero, one)
        if left >= 0 and was * work[0, left] > zero:
            score[left] = zero  # where it has just left; on the other side it may come again
        j = largest(bits)
        t_next = score[j] if score[j] > t_leave else t_leave
        if t_next <= end:
            return s, end, SOLVED
        if steps >= limits[1]:
            return s, t_next, TOO_LONG
        t, left = t_next, -1
        steps += 1
        if t_leave >= score[j]:
            left, was = A[who], y[2, who]
            _leave(who, s, work, R, P, y, A)
            s -= 1
            for m in range(len(free)):
                free[m] = one
            for i in range(s):
                free[A[i]] = zero
        elif s == limits[0]:
            return s, t, SOLVED
        else:
            if _enter(G, j, t, s, small, work, R, P, y, order, A):
                s += 1
            free[j] = zero  # also if it depends on those that are active


@kernel(within=True)
def _enter(G, j, t, s, small, work, R, P, y, order, A):
    """Atom j becomes the s-th active one; False if it depends on those that are active."""
    e, f = work[0], work[1]
    g, p, share = G[j], P[s], y[5]
    sign = small[3] if e[j] + t * f[j] > small[2] else -small[3]
    rest = g[j]
    for i in range(s):
        v = P[i, j]
        share[i] = v
        R[i, s] = v
        rest -= v * v
    if rest <= small[0] * g[j]:
        return False
    length = np.sqrt(rest)
    scale = length / rest
    R[s, s] = length
    for i in range(s):
        share[i] *= scale
    for m in range(len(p)):
        p[m] = scale * g[m]
    subtract_rows(p, P, order, share, s)
    u, v = e[j] * scale, (f[j] - sign) * scale
    y[0, s], y[1, s], y[2, s] = u, v, sign
    for m in range(len(p)):
        e[m] -= u * p[m]
        f[m] -= v * p[m]
    A[s] = j
    return True


@kernel(within=True)
def _solve(R, y, s):
    """z(t) = y[3] + t y[4], with R z = y[0] + t y[1]."""
    for i in range(s):
        y[3, i], y[4, i] = y[0, i], y[1, i]
    for i in range(s - 1, -1, -1):
        u, v = y[3, i] / R[i, i], y[4, i] / R[i, i]
        y[3, i], y[4, i] = u, v
        for m in range(i):
            y[3, m] -= u * R[m, i]
            y[4, m] -= v * R[m, i]


@kernel(within=True)
def _leaves(y, s, t, may_leave, zero):
    """The active atom whose z is the first to meet 0, and at which t; t = -1 if none."""
    who, t_leave = -1, zero - t / t
    if may_leave:
        for i in range(s):
            if y[2, i] * y[4, i] > zero:
                at = -y[3, i] / y[4, i]
                at = at if at < t else t
                if at > t_leave:
                    who, t_leave = i, at
    return who, t_leave


@kernel(within=True)
def _meetings(work, t, positive, zero, one):
    """The t at which each |c|, or c, meets t; 0 where it does not."""
    # c > 0 cannot meet -t before t = 0: one side is enough, that of the sign of e
    e, f, score, free = work[0], work[1], work[3], work[4]
    low = zero if positive else -one
    for m in range(len(e)):
        sign = one if e[m] > zero else low
        d = one - sign * f[m]
        at = sign * e[m] / d
        at = at if at < t else t
        score[m] = at * free[m] if d > zero else zero


@kernel(within=True)
def _leave(who, s, work, R, P, y, A):
    """An active atom leaves: rotations make R a triangle again, and turn the p with it."""
    e, f = work[0], work[1]
    for i in range(who, s - 1):
        A[i], y[2, i] = A[i + 1], y[2, i + 1]
        for row in range(i + 2):
            R[row, i] = R[row, i + 1]
    for i in range(who, s - 1):
        length = np.sqrt(R[i, i] * R[i, i] + R[i + 1, i] * R[i + 1, i])
        u, v = R[i, i] / length, R[i + 1, i] / length
        a, b = P[i], P[i + 1]
        for m in range(len(a)):
            x, w = a[m], b[m]
            a[m] = u * x + v * w
            b[m] = u * w - v * x
        for m in range(i, s - 1):
            R[i, m], R[i + 1, m] = a[A[m]], b[A[m]]
        y[0, i], y[0, i + 1] = u * y[0, i] + v * y[0, i + 1], u * y[0, i + 1] - v * y[0, i]
        y[1, i], y[1, i + 1] = u * y[1, i] + v * y[1, i + 1], u * y[1, i + 1] - v * y[1, i]
    p, u, v = P[s - 1], y[0, s - 1], y[1, s - 1]
    for m in range(len(e)):
        e[m] += u * p[m]
        f[m] += v * p[m]


@kernel(within=True)
def _is_optimal(G, b, A, z, n, alpha, tol, positive, c):
    """Whether a code fulfils the conditions of Karush, Kuhn and Tucker."""
    for m in range(len(c)):
        c[m] = b[m]
    for i in range(n):
        g, v = G[A[i]], z[i]
        for m in range(len(c)):
            c[m] -= v * g[m]
    for m in range(len(c)):
        if (c[m] if positive else abs(c[m])) > alpha + tol:
            return False
    for i in range(n):
        v = c[A[i]]
        if abs(v - alpha if z[i] > v - v else v + alpha) > tol:
            return False
    return True


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
