"""Codes for any beta-divergence, given the components.

    minimise over z >= 0     f(z) = sum_o w d(x_j | y_j) + l1 |z|_1 + 1/2 l2 |z|^2,    y = V z

Multiplicative updates begin, Newton's method ends: at z,

    gradient   g = sum_o w (y^(b-1) - x y^(b-2)) v_j + l1 + l2 z
    curvature  A = sum_o w h v_j v_j' + l2,     h = (b - 1) y^(b-2) + (2 - b) x y^(b-3)

(each of the two parts of h only where it is positive), and the next z is the minimiser over z >= 0
of 1/2 z'Az - (Az - g)'z; the step towards it is halved until f falls. For 1 <= b <= 2 f is convex,
and the code is the minimum; for other b it is one near the start.

Cost: O(c k^2) for each row of c entries and step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.linalg.ridge import Regression, row_systems
from lowdim.linalg.small import solve_nonnegative
from lowdim.linalg.sparse import product_at, sparse_times, with_values
from lowdim.linear.nmf.counts import HALVINGS, RIDGE, ROUNDING, SYSTEMS_BYTES
from lowdim.linear.nmf.divergence import pulls
from lowdim.linear.nmf.mu import Pass, divergence_at_entries, improved_at_entries
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.observed import whole

UPDATES = 10  # multiplicative ones, before Newton's
STEPS = 300  # at the most; where f is convex about five
AT_REST = 1e-10  # projected gradient, as a part of the positive part of the gradient


def power_codes(
    X: Any,
    V: np.ndarray,
    beta: float,
    penalty: Penalty,
    floor: float,
    start: np.ndarray,
    by_entry: Any = None,
) -> np.ndarray:
    """The code of every row of a csr_array, whose stored entries are the observed ones."""
    V = np.ascontiguousarray(V, np.float64)
    X = with_values(X, X.data.astype(np.float64))
    size = max(16, SYSTEMS_BYTES // (8 * V.shape[1] ** 2))
    how = Pass(beta, penalty, floor, 1, 0.0, True)
    found = np.empty(start.shape)
    for first in range(0, X.shape[0], size):
        cut = slice(first, first + size)
        w = None if by_entry is None else by_entry[cut]
        found[cut] = _codes(X[cut], V, how, start[cut], w)
    return found


def _codes(X: Any, V: np.ndarray, how: Pass, start: np.ndarray, w: Any) -> np.ndarray:
    Z = np.maximum(start, how.floor)
    for _ in range(UPDATES):
        Z = improved_at_entries(X, Z, V, how, w)
    rows = np.arange(len(Z))
    for _ in range(STEPS):
        g, size = _gradient(X, Z[rows], V, how, w)
        outside = np.where(Z[rows] > 0, np.abs(g), np.maximum(-g, 0.0))
        moving = outside.max(axis=1, initial=0.0) > AT_REST * size.max(axis=1, initial=0.0)
        if not moving.any():
            break
        rows, X, g = rows[moving], X[moving], g[moving]
        w = None if w is None else w[moving]
        new, moved = _newton(X, Z[rows], V, g, how, w)
        Z[rows] = new
        rows, X = rows[moved], X[moved]  # where rounding hides the fall of f, this is the end
        w = None if w is None else w[moved]
        if not len(rows):
            break
    return Z


def _at(X: Any, Z: np.ndarray, V: np.ndarray, how: Pass) -> np.ndarray:
    return np.maximum(product_at(X, np.ascontiguousarray(Z), V), how.floor)


def _gradient(
    X: Any, Z: np.ndarray, V: np.ndarray, how: Pass, w: Any
) -> tuple[np.ndarray, np.ndarray]:
    """g, and its positive part."""
    pull, push = pulls(X.data, _at(X, Z, V, how), how.beta)
    assert push is not None  # beta is not 1
    if w is not None:
        pull, push = w.data * pull, w.data * push
    up = sparse_times(with_values(X, push), V) + how.penalty.l1 + how.penalty.l2 * Z
    return up - sparse_times(with_values(X, pull), V), up


def _newton(
    X: Any, Z: np.ndarray, V: np.ndarray, g: np.ndarray, how: Pass, w: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Better codes, and for which rows f fell by more than rounding."""
    beta, k, Y = how.beta, V.shape[1], _at(X, Z, V, how)
    h = max(beta - 1.0, 0.0) * Y ** (beta - 2.0) + max(2.0 - beta, 0.0) * X.data * Y ** (beta - 3.0)
    on = Regression(V, np.zeros(len(V)), np.zeros(k))
    A = whole(row_systems(X, on, weight=h if w is None else w.data * h).A)
    ridge = how.penalty.l2 + RIDGE * np.einsum("irr->ir", A).max(axis=1, initial=0.0)
    A[:, np.arange(k), np.arange(k)] += ridge[:, None]
    new = Z.copy()
    solve_nonnegative(A.copy(), np.einsum("irs,is->ir", A, Z) - g, new)
    before = _objective(X, Z, V, how, w)
    slack, after = ROUNDING * np.abs(before), before.copy()
    step, rows = new - Z, np.arange(len(Z))
    for _ in range(HALVINGS):
        found = _objective(X, new[rows], V, how, w)
        worse = ~(found <= before[rows] + slack[rows])
        after[rows[~worse]] = found[~worse]
        rows, X = rows[worse], X[worse]
        if not len(rows):
            break
        w = None if w is None else w[worse]
        step[rows] *= 0.5
        new[rows] = np.maximum(Z[rows] + step[rows], 0.0)
    new[rows] = Z[rows]
    return new, before - after > slack


def _objective(X: Any, Z: np.ndarray, V: np.ndarray, how: Pass, w: Any) -> np.ndarray:
    fit = divergence_at_entries(X, np.ascontiguousarray(Z), V, how, w)
    l1, l2 = how.penalty
    return np.asarray(fit + np.sum(l1 * Z + 0.5 * l2 * Z**2, axis=1))
