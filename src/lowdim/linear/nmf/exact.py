"""Non-negative least squares, exactly, for many rows and one G.

    minimise over z >= 0     1/2 z'Gz - p'z
    where it is least:       z_F = G_FF^-1 p_F >= 0,   g_r'z - p_r >= 0 for r not in F

F are the components that a row uses. Coordinate descent finds most of F in a few sweeps; block
principal pivoting (Kim and Park 2011, algorithm 1) finds the rest, by moving every component whose
condition is violated to the other side, and solves for z_F. Where components explain each other,
many z are as good: RIDGE makes one of them the solution, the same from every start.

Cost: O(n k^2) for a sweep; for each row O(|F|^3) a few times.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.linalg.small import solve_semidefinite
from lowdim.linear.nmf.hals import descend

RIDGE = 1e-12  # as a part of the largest entry of G
SWEEPS = 8  # of coordinate descent, before pivoting
MOST_SWEEPS = 1000  # where pivoting does not end
SLACK = 1e-12  # a gradient below this part of the row's largest is 0
CHANCES = 3  # exchanges of whole blocks that need not get better, before single ones
ROUNDS = 5  # of pivoting for each component, at the most
NUMBERS_AT_A_TIME = 2**15  # of P: rows that are worked on together
SYSTEMS_BYTES = 2**18  # equations that are written down at a time


def nonnegative_rows(G: np.ndarray, P: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """The minimiser for every row of P, in float64; a start saves time and changes nothing."""
    n, k = P.shape
    Z, G, size = np.empty((n, k)), with_ridge(G), max(1, NUMBERS_AT_A_TIME // k)

    def work(first: int) -> None:
        run = slice(first, first + size)
        near = np.zeros_like(Z[run]) if start is None else start[run]
        Z[run] = _some_rows(G, np.array(P[run], np.float64, order="C"), near)

    for _ in ordered_map(work, range(0, n, size)):
        pass
    return Z


def _some_rows(G: np.ndarray, P: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The minimisers for some rows; what is not solved yet goes on from round to round."""
    n, k = P.shape
    Z = descend(G, P, start, SWEEPS, enough=1e-6).Z
    slack = SLACK * np.abs(P).max(axis=1, initial=0.0)[:, None]
    rows, used = np.arange(n), Z > 0  # those that are not solved yet, and what they use
    least, chances = np.full(n, k + 1), np.full(n, CHANCES)
    for _ in range(ROUNDS * (k + 1)):
        if not len(rows):
            return Z
        X = _solve(G, P[rows], used)
        wrong = np.where(used, X < 0, X @ G - P[rows] < -slack[rows])
        count = wrong.sum(axis=1)
        solved, better = count == 0, count < least
        Z[rows[solved]] = X[solved]
        least = np.where(better, count, least)
        chances = np.where(better, CHANCES, chances - 1)
        last = k - 1 - np.argmax(wrong[:, ::-1], axis=1)
        used = used ^ (wrong & ((chances >= 0)[:, None] | (np.arange(k) == last[:, None])))
        rows, used, least, chances = (a[~solved] for a in (rows, used, least, chances))
    Z[rows] = descend(G, P[rows], Z[rows], MOST_SWEEPS, enough=1e-12).Z
    return Z


def with_ridge(G: np.ndarray) -> np.ndarray:
    """G in float64 with a diagonal that makes it definite."""
    G = np.array(G, np.float64, order="C")
    G.flat[:: len(G) + 1] += max(RIDGE * G.max(initial=0.0), np.finfo(np.float64).tiny)
    return G


def _solve(G: np.ndarray, P: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Rows z with z_F = G_FF^-1 p_F and 0 elsewhere; those that use as many go together."""
    X, count = np.zeros_like(P), used.sum(axis=1)
    index = np.zeros(P.shape[1], np.intp)
    order = np.argsort(count, kind="stable")
    for rows in _runs(order, count):
        m = int(count[rows[-1]])
        A, b, z = np.empty((len(rows), m, m)), np.empty((len(rows), m)), np.empty((len(rows), m))
        _gather(G, P, used, rows, index, A, b)
        solve_semidefinite(A, b, z)
        _scatter(used, rows, z, X)
    return X


def _runs(order: np.ndarray, count: np.ndarray) -> list[np.ndarray]:
    """Runs of rows whose equations are of one memory; rows that use nothing are left out.

    The equations of a run are as large as those of its last row, which uses most.
    """
    runs, count = [], count[order]
    first = int(np.searchsorted(count, 1))
    while first < len(order):
        together = 8 * np.arange(1, len(order) - first + 1) * count[first:] ** 2
        size = max(4, int(np.searchsorted(together, SYSTEMS_BYTES, side="right")))
        runs.append(order[first : first + size])
        first += size
    return runs


@kernel
def _gather(G, P, used, rows, index, A, b):
    """G_FF (its upper triangle) and p_F of each row; 1 on the diagonal and 0 where F is smaller."""
    k, m = G.shape[0], b.shape[1]
    for i in range(len(rows)):
        own, n = rows[i], 0
        for r in range(k):
            if used[own, r]:
                index[n] = r
                n += 1
        for e in range(m):
            b[i, e] = P[own, index[e]] if e < n else 0.0
            for f in range(e, m):
                A[i, e, f] = G[index[e], index[f]] if f < n else (1.0 if e == f else 0.0)


@kernel
def _scatter(used, rows, z, X):
    for i in range(len(rows)):
        own, e = rows[i], 0
        for r in range(X.shape[1]):
            if used[own, r]:
                X[own, r] = z[i, e]
                e += 1
