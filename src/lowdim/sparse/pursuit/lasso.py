"""The lasso, exactly: along the path of solutions from one that is known.

    minimise over z     1/2 |x - z D|^2 + alpha |z|_1

With b = x D' and c = b - z G, a code is optimal if c_m = alpha sign(z_m) where z_m is not 0, and
|c_m| <= alpha elsewhere (Karush, Kuhn, Tucker). Both b and the bound on |c| move with a number t,

    b(t) = b + t b',    h(t) = h + t h'

from a problem whose solution is known to the one in question; the solution moves along straight
lines between events: an atom enters where its |c| meets the bound, or leaves where its z meets 0.

    cold    h(t) = t, from t = max |b|, where z = 0, down to alpha: the path of the lasso
    warm    b(t) goes from a b of which the given code is the solution (t = 1) to b (t = 0)

The active atoms are kept as D_A' = Q R with p_i = q_i'D' (as in `greedy`), so c(t) = e + t f is two
arrays of k numbers, which a new atom changes by multiples of its p; an atom that leaves takes some
rotations. Every row's solution is put into the conditions above; where it misses them (atoms that
are nearly equal), coordinate descent goes on from there.

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

DEPENDENT = 1e3  # times the rounding error: what is left of an atom beside active ones is nothing
NOT_OPTIMAL = {8: 1e-9, 4: 1e-4}  # of max |b|, by which a solution may miss its conditions
STEPS_PER_ATOM, LEAST_STEPS = 8, 200  # events of a path at the most
MOST_SWEEPS = 20_000  # of coordinate descent
SOLVED, MISSED, TOO_LONG, NOT_WARM = 0, 1, 2, 3  # how a path ended


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
        Codes near the solution; the path begins there.
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
    gram = np.ascontiguousarray(gram)
    n, k = correlations.shape
    alpha = np.broadcast_to(np.asarray(alpha, gram.dtype), (n,))
    size = rows_at_a_time(n, k)

    def work(first: int) -> Codes:
        rows = slice(first, first + size)
        B = np.ascontiguousarray(correlations[rows], gram.dtype)
        given = None if start is None else sp.csr_array(start[rows])
        penalty = np.ascontiguousarray(alpha[rows])
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
    steps = STEPS_PER_ATOM * k + LEAST_STEPS if max_steps is None else max_steps
    limits = np.array([most, steps, positive, n_nonzero is None], np.int64)
    eps = np.finfo(dtype).eps
    small = np.array([DEPENDENT * eps, NOT_OPTIMAL[dtype.itemsize], 0, 1], dtype)
    given = (np.zeros(b + 1, np.int64), np.zeros(1, np.int64), np.zeros(1, dtype))
    if start is not None:
        places = (start.indptr.astype(np.int64), start.indices.astype(np.int64))
        given = (*places, start.data.astype(dtype))
    work = np.empty((5, k), dtype)  # e, f, q, score, free
    R, P, y = np.empty((most, most), dtype), np.empty((most, k), dtype), np.empty((6, most), dtype)
    space = (limits, small, work, bits_of(work[3]), R, P, y, np.arange(most))
    _paths(gram, B, alpha, given, *space, index, value, ends)
    for r in np.flatnonzero(state == NOT_WARM):
        row, cold = slice(r, r + 1), (np.zeros(2, np.int64), *given[1:])
        end = np.zeros((2, 1), np.int64)
        _paths(gram, B[row], alpha[row], cold, *space, index[row], value[row], end)
        ends[:, row] = end
    for r in np.flatnonzero(state == MISSED):
        Z = np.zeros(k, dtype)
        Z[index[r, : count[r]]] = value[r, : count[r]]
        C = B[r] - Z @ gram
        tol = small[1] * np.abs(B[r]).max()
        if _descent(gram, C, np.array([alpha[r], tol], dtype), positive, MOST_SWEEPS, Z):
            state[r] = SOLVED
        active = np.flatnonzero(Z)
        count[r] = len(active)
        index[r, : count[r]], value[r, : count[r]] = active, Z[active]
    return Codes(as_csr(index, value, count, k), state != SOLVED)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _paths(G, B, alpha, given, limits, small, work, bits, R, P, y, order, index, value, ends):
    """The path of each row, from z = 0 or from a given code, to its end."""
    indptr, indices, data = given
    count, state = ends[0], ends[1]
    zero, one = small[2], small[3]
    e, f, q, score, free = work[0], work[1], work[2], work[3], work[4]
    for r in range(len(B)):
        b, A = B[r], index[r]
        first, last = indptr[r], indptr[r + 1]
        count[r] = 0
        state[r] = SOLVED
        top = _begin_cold(b, limits[2], e, f, free, score, bits, one)
        if top <= alpha[r] and first == last:
            continue
        j, sign = largest(bits), one
        sign = one if b[j] > zero else -one
        h, slope, t, end, s = zero, one, top, alpha[r], 0
        if first < last:
            h, slope, t, end = alpha[r], zero, one, zero
            _begin_warm(
                G, indices[first:last], data[first:last], alpha[r], limits[2], e, f, q, zero
            )
            for i in range(first, last):
                sign = one if data[i] > zero else -one
                if s == limits[0] or not _enter(
                    G, indices[i], sign, h, slope, s, small, work, R, P, y, order, A
                ):
                    state[r] = NOT_WARM
                    break
                s += 1
            if state[r] == NOT_WARM:
                continue
        elif _enter(G, j, sign, h, slope, 0, small, work, R, P, y, order, A):
            s = 1
        left, steps = -1, 1
        while True:
            _solve(R, y, s)
            who, t_leave = _leaves(y, s, t, limits[3], zero)
            _meetings(e, f, free, h, slope, t, limits[2], score, zero)
            if left >= 0:
                score[left] = zero  # it has just left
            j = largest(bits)
            t_next = score[j] if score[j] > t_leave else t_leave
            if t_next <= end:
                t = end
                break
            t = t_next
            if steps >= limits[1]:
                state[r] = TOO_LONG
                break
            steps += 1
            left = -1
            if t_leave >= score[j]:
                left = A[who]
                _leave(who, s, e, f, R, P, y, A)
                s -= 1
                for m in range(len(free)):
                    free[m] = one
                for i in range(s):
                    free[A[i]] = zero
            elif s == limits[0]:
                break
            else:
                sign = one if e[j] + t * f[j] > zero else -one
                if _enter(G, j, sign, h, slope, s, small, work, R, P, y, order, A):
                    s += 1
                free[j] = zero  # also if it depends on those that are active
        count[r] = _finish(y, t, s, A, value[r], zero)
        if limits[3] and state[r] == SOLVED:
            for m in range(len(q)):
                q[m] = b[m]
            subtract_rows(q, G, A, value[r], count[r])
            for m in range(len(q)):
                score[m] = abs(q[m])
            tol = small[1] * top
            z, n = value[r], count[r]
            if not _is_optimal(q, score, bits, A, z, n, alpha[r], tol, limits[2]):
                state[r] = MISSED


@kernel(within=True)
def _begin_cold(b, positive, e, f, free, score, bits, one):
    """e = b, f = 0; the largest |b|, or b."""
    for m in range(len(b)):
        v = b[m]
        e[m], f[m], free[m] = v, v - v, one
        score[m] = abs(v)
    if positive:
        for m in range(len(b)):
            score[m] = score[m] if b[m] == score[m] else b[m] - b[m]
    return score[largest(bits)]


@kernel(within=True)
def _begin_warm(G, atoms, code, alpha, positive, e, f, q, zero):
    """f = b', so that the code is the solution for e + f: its |c| within the bound."""
    for m in range(len(e)):
        q[m] = e[m]
    subtract_rows(q, G, atoms, code, len(atoms))
    worst = alpha
    for m in range(len(q)):
        worst = abs(q[m]) if abs(q[m]) > worst else worst
    shrink = alpha / (worst + alpha)  # well within the bound, and each |c| at another place
    for m in range(len(q)):
        beyond = q[m] if positive else abs(q[m])
        f[m] = q[m] * shrink - q[m] if beyond > alpha else zero
    for i in range(len(atoms)):
        m = atoms[i]
        f[m] = (alpha if code[i] > zero else -alpha) - q[m]


@kernel(any_order=True, within=True)
def _enter(G, j, sign, h, slope, s, small, work, R, P, y, order, A):
    """Atom j becomes the s-th active one; False if it depends on those that are active."""
    e, f, free = work[0], work[1], work[4]
    g, p, share = G[j], P[s], y[5]
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
    u, v = (e[j] - h * sign) * scale, (f[j] - slope * sign) * scale
    y[0, s], y[1, s], y[2, s] = u, v, sign
    for m in range(len(p)):
        e[m] -= u * p[m]
        f[m] -= v * p[m]
    A[s] = j
    free[j] = small[2]
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
def _meetings(e, f, free, h, slope, t, positive, score, zero):
    """The t at which each |c| meets the bound, on the side where it is first; 0 if at none."""
    if positive:
        for m in range(len(e)):
            d = slope - f[m]
            at = (e[m] - h) / d
            at = at if at < t else t
            score[m] = at * free[m] if (d > zero) & (at > zero) else zero
    else:
        for m in range(len(e)):
            upper, lower = slope - f[m], slope + f[m]
            over, under = e[m] - h, -e[m] - h
            is_upper = (upper > zero) & ((lower <= zero) | (over * lower > under * upper))
            d = upper if is_upper else lower
            at = (over if is_upper else under) / d
            at = at if at < t else t
            score[m] = at * free[m] if (d > zero) & (at > zero) else zero


@kernel(within=True)
def _leave(who, s, e, f, R, P, y, A):
    """An active atom leaves: rotations make R a triangle again, and turn the p with it."""
    for i in range(who, s - 1):
        A[i], y[2, i] = A[i + 1], y[2, i + 1]
        for row in range(i + 2):
            R[row, i] = R[row, i + 1]
    for i in range(who, s - 1):
        length = np.sqrt(R[i, i] * R[i, i] + R[i + 1, i] * R[i + 1, i])
        u, v = R[i, i] / length, R[i + 1, i] / length
        _rotate(R[i, i : s - 1], R[i + 1, i : s - 1], u, v)
        _rotate(P[i], P[i + 1], u, v)
        y[0, i], y[0, i + 1] = u * y[0, i] + v * y[0, i + 1], u * y[0, i + 1] - v * y[0, i]
        y[1, i], y[1, i + 1] = u * y[1, i] + v * y[1, i + 1], u * y[1, i + 1] - v * y[1, i]
    p, u, v = P[s - 1], y[0, s - 1], y[1, s - 1]
    for m in range(len(e)):
        e[m] += u * p[m]
        f[m] += v * p[m]


@kernel(within=True)
def _rotate(a, b, u, v):
    for m in range(len(a)):
        x, w = a[m], b[m]
        a[m] = u * x + v * w
        b[m] = u * w - v * x


@kernel(within=True)
def _finish(y, t, s, A, value, zero):
    """The code at t, without zeros; how many numbers it has."""
    n = 0
    for i in range(s):
        z = y[3, i] + t * y[4, i]
        if z != zero:
            A[n], value[n] = A[i], z
            n += 1
    return n


@kernel(within=True)
def _is_optimal(c, score, bits, A, z, n, alpha, tol, positive):
    """Whether a code fulfils the conditions of Karush, Kuhn and Tucker."""
    bound = alpha + tol
    if positive:
        for m in range(len(c)):
            score[m] = score[m] if c[m] == score[m] else c[m] - c[m]
    if score[largest(bits)] > bound:
        return False
    for i in range(n):
        v = c[A[i]]
        if abs(v - alpha if z[i] > v - v else v + alpha) > tol:
            return False
    return True


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
