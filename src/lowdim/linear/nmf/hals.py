"""Coordinate descent on many small non-negative least squares at once (HALS).

    minimise over z >= 0     1/2 z'Gz - p'z          for every row z of Z and p of P, one G

    one coordinate:   z_r = max(0, z_r + (p_r - g_r'z) / g_rr)

Each half-step of NMF is such a problem: G = V'V and P = X V for the codes, G = W'W and P = X'W for
the components. G and P cost more than a sweep over the coordinates, so sweeps are repeated while
they still move (Gillis and Glineur 2012, section 4): a row stops when a sweep moves it by less than
a part of what the first one did. What a row does depends on no other row: not on blocks, nor on
threads.

Cost: O(n k^2) for a sweep. Rows are taken LANES at a time, transposed, so that each operation is
one vector instruction for all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.linalg.sparse import row_cuts

LANES = 16
ENOUGH = 0.1  # a sweep that moves a row by less than this part of the first one was its last
WORK_PER_CUT = 2**22  # multiplications that are worth a turn on a thread


class Improved(NamedTuple):
    Z: np.ndarray  # (n, k)
    slope: np.ndarray  # (n,)  sum of |projected gradient| of each row, as the first sweep met it


def descend(
    G: np.ndarray,
    P: np.ndarray,
    Z: np.ndarray,
    sweeps: int,
    order: np.ndarray | None = None,
    *,
    enough: float = ENOUGH,
) -> Improved:
    """Rows that lower the objective from Z, by at most `sweeps` sweeps.

    Parameters
    ----------
    G : array of shape (k, k)
        Symmetric, positive semi-definite.
    P : array of shape (n, k)
    Z : array of shape (n, k)
        Where to start, 0 or more.
    sweeps : int
    order : array of shape (k,), default=None
        The order of the coordinates; None means as they are.
    enough : float
        A row whose sweep moves it by less than this part of its first sweep is done.
    """
    (n, k), dtype = P.shape, P.dtype
    G = np.ascontiguousarray(G, dtype)
    P = P if P.flags.carray else np.array(P, order="C")
    Z = np.array(Z, dtype, order="C")
    order = np.arange(k) if order is None else order
    slope = np.zeros(n)
    run: Any = _descend

    def work(cut: tuple[int, int]) -> None:
        rows, lanes = slice(*cut), np.empty((5, LANES), dtype)
        tiles = np.empty((2, k, LANES), dtype)
        run(G, P[rows], order, sweeps, enough * enough, *tiles, *lanes, Z[rows], slope[rows])

    by_row = k * k * sweeps
    if n * by_row < 2 * WORK_PER_CUT:
        work((0, n))
    else:
        shared_map(work, row_cuts(np.arange(n + 1.0) * by_row, WORK_PER_CUT))
    return Improved(Z, slope)


@kernel
def _descend(G, P, order, sweeps, enough, T, B, step, first, moved, goes, total, Z, slope):
    n, k = Z.shape
    for i in range(0, n, LANES):
        m = n - i if n - i < LANES else LANES
        for a in range(LANES):
            own = i + a if a < m else n - 1  # after the last row it comes again
            goes[a] = 1
            for r in range(k):
                T[r, a] = Z[own, r]
                B[r, a] = P[own, r]
        for sweep in range(sweeps):
            for a in range(LANES):
                moved[a] = 0
                total[a] = 0
            for q in range(k):
                r = order[q]
                if G[r, r] <= 0:
                    continue
                _slopes(G, r, T, B, step)
                part = 1 / G[r, r]
                for a in range(LANES):
                    down, z = step[a], T[r, a]
                    total[a] += abs(down) if z > 0 or down > 0 else 0
                    new = z + down * part
                    change = goes[a] * ((new if new > 0 else 0) - z)
                    moved[a] += change * change * G[r, r]
                    T[r, a] = z + change
            if sweep == 0:
                for a in range(LANES):
                    first[a] = moved[a]
                    if a < m:
                        slope[i + a] = total[a]
            going = False
            for a in range(LANES):
                goes[a] = 1 if moved[a] > enough * first[a] else 0
                going = going or (a < m and goes[a] > 0)
            if not going:
                break
        for a in range(m):
            for r in range(k):
                Z[i + a, r] = T[r, a]


@kernel(within=True)
def _slopes(G, r, T, B, step):
    """step = b_r - g_r'T, four coordinates at a time."""
    k = len(G)
    for a in range(LANES):
        step[a] = B[r, a]
    s = 0
    while s + 3 < k:
        g0, g1, g2, g3 = G[r, s], G[r, s + 1], G[r, s + 2], G[r, s + 3]
        for a in range(LANES):
            near = g0 * T[s, a] + g1 * T[s + 1, a]
            step[a] -= near + (g2 * T[s + 2, a] + g3 * T[s + 3, a])
        s += 4
    while s < k:
        for a in range(LANES):
            step[a] -= G[r, s] * T[s, a]
        s += 1
