"""Coordinate descent for counts: each coordinate by Newton's step that cannot miss.

    minimise over z >= 0     f(z) = s'z + l1 |z|_1 + 1/2 l2 |z|^2 - sum_t x_t log y_t,     y = V z

for every row of a csr_array and its z, one V. Along one coordinate, f' is concave:

    g = s_r + l1 + l2 z_r - sum_t x_t v_tr / y_t        h = l2 + sum_t x_t (v_tr / y_t)^2

Upwards (g < 0) Newton's step -g / h never passes the minimum. Downwards, z_r to (1 - a) z_r, no y
falls below (1 - a) y, so that the curvature stays below h / (1 - a)^2, and the step that this bound
allows, a = c (1 - a)^2 with c = g / (h z_r), lowers f, too. What goes to 0 goes there faster and
faster. Both halves of NMF for Kullback-Leibler are such problems (Hsieh and Dhillon 2011, with
steps of their own).

Cost: O(c k) for each row of c entries and sweep. The part of V that a row needs is copied first, a
coordinate in one piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.linalg.entries import observed
from lowdim.linalg.sparse import product_at, row_cuts, row_numbers
from lowdim.linear.nmf.objective import Penalty

MOST = 1e30  # c: no more digits of a are left
ENTRIES_PER_CUT = 2**14  # that are worth a turn on a thread


def positive_part(X: np.ndarray) -> Any:
    """The entries above 0 of an array, as a csr_array."""
    return observed(np.where(X > 0, X, np.nan))


class Lowered(NamedTuple):
    Z: np.ndarray  # (n, k)
    slope: np.ndarray  # (n,)  sum of |projected gradient| of each row, as the first sweep met it
    logs: np.ndarray  # (n,)  sum of x log y, at Z; (0,) if not asked for


def lower_counts(
    X: Any,
    V: np.ndarray,
    Z: np.ndarray,
    slope: np.ndarray,
    penalty: Penalty,
    *,
    floor: float,
    sweeps: int,
    enough: float = 0.0,
    logs: bool = False,
) -> Lowered:
    """Rows that lower f from Z, by at most `sweeps` sweeps.

    Parameters
    ----------
    X : csr_array of shape (n, d)
        Counts, times their weights if they have any; short indices.
    V : array of shape (d, k)
    Z : array of shape (n, k)
        Where to start, 0 or more.
    slope : array of shape (k,) or (n, k)
        s: sums of V over all columns, or over those that a row has observed.
    penalty : Penalty
    floor : float
        y is no smaller.
    sweeps : int
    enough : float
        A row whose sweep moves it by less than this part of its first sweep is done.
    logs : bool
        Whether sums of x log y are wanted.
    """
    n, k = Z.shape
    wide = np.array(Z, np.float64, order="C")  # one kernel for both precisions
    F_rows = np.require(V, np.float64, ["C", "W"])
    s = np.atleast_2d(np.asarray(slope, np.float64) + penalty.l1)
    found = np.zeros(n)
    longest = int(np.diff(X.indptr).max(initial=0))
    how = float(penalty.l2), float(floor), sweeps, float(enough)
    run: Any = _lower

    fit = np.zeros(n if logs else 0)

    def work(cut: tuple[int, int]) -> None:
        F, y, rows = np.empty((k, longest)), np.empty(longest), slice(*cut)
        indptr = X.indptr[cut[0] : cut[1] + 1]
        own = slice(indptr[0], indptr[-1])
        data = np.require(X.data[own], np.float64, ["C", "W"])  # a copy only if it has to be one
        entries = indptr - indptr[0], X.indices[own], data
        run(*entries, F_rows, s[rows] if len(s) > 1 else s, *how, F, y, wide[rows], found[rows])
        if logs:
            fit[rows] = _sums_of_logs(X[rows], wide[rows], F_rows, floor)

    for _ in ordered_map(work, row_cuts(X.indptr, ENTRIES_PER_CUT)):
        pass
    return Lowered(wide.astype(V.dtype, copy=False), found, fit)


def _sums_of_logs(X: Any, Z: np.ndarray, V: np.ndarray, floor: float) -> np.ndarray:
    """sum of x log y of each row."""
    x, y = X.data.astype(np.float64), product_at(X, Z, V) + floor
    return np.bincount(row_numbers(X), x * np.log(np.where(x > 0, y, 1.0)), len(Z))


@kernel(any_order=True)
def _lower(indptr, indices, data, V, s, l2, floor, sweeps, enough, F, y, Z, slope):
    k, whole = V.shape[1], False
    for i in range(len(Z)):
        first, m, own = indptr[i], indptr[i + 1] - indptr[i], i if len(s) > 1 else 0
        if m < len(V) or not whole:  # F of a row with all columns is that of the last such row
            for t in range(m):
                v = V[indices[first + t]]
                for r in range(k):
                    F[r, t] = v[r]
        whole = m == len(V)
        for t in range(m):
            y[t] = floor
        for r in range(k):
            z = Z[i, r]
            for t in range(m):
                y[t] += z * F[r, t]
        start = 0.0
        for sweep in range(sweeps):
            moved = 0.0
            for r in range(k):
                pull, h, z = 0.0, l2, Z[i, r]
                for t in range(m):
                    u = F[r, t] / y[t]
                    xu = data[first + t] * u
                    pull += xu
                    h += xu * u
                g = s[own, r] + l2 * z - pull
                if sweep == 0:
                    slope[i] += abs(g) if z > 0 or g < 0 else 0
                if g < 0:
                    step = -g / h
                elif z > 0:
                    c = g / (h * z) if h * z > g / MOST else MOST
                    # a of a = c (1 - a)^2 is 2 c / (2 c + 1 + sqrt(4 c + 1))
                    step = -z * 2 * c / (2 * c + 1 + np.sqrt(4 * c + 1)) if h > 0 else -z
                    step = step if (z + step) * s[own, r] > floor else -z
                else:
                    step = 0.0
                if step != 0:
                    Z[i, r] = z + step
                    moved += step * step * h
                    for t in range(m):
                        new = y[t] + step * F[r, t]
                        y[t] = new if new > floor else floor
            start = moved if sweep == 0 else start
            if moved <= enough * start:
                break
