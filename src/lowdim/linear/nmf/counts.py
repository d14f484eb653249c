"""Codes of counts: the minimiser of the Kullback-Leibler divergence, given the components.

    minimise over z >= 0     f(z) = s'z + l1 |z|_1 + 1/2 l2 |z|^2 - sum_j x_j log y_j
                             y = V z,   s_r = sum_j v_jr          only entries x > 0 take part

With weights x is w x, and s is summed over what is observed, with weights.

f is convex. After some sweeps over the coordinates Newton's method ends the search: at z,

    f(z + p) = f(z) + ... = 1/2 z'Az - b'z + const     A = sum_j (x_j / y_j^2) v_j v_j' + l2
                                                       b = 2 sum_j (x_j / y_j) v_j - s - l1

is a small non-negative problem for each row; the step towards its solution is halved until f falls.

Cost: O(c k^2) for each row of c entries and step; about five steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.entries import positive_entries
from lowdim.linalg.ridge import Regression, row_systems
from lowdim.linalg.small import solve_nonnegative
from lowdim.linalg.sparse import product_at, row_numbers, sparse_times, with_values
from lowdim.linear.nmf.coordinates import lower_counts
from lowdim.linear.nmf.objective import Penalty

SWEEPS = 12  # over the coordinates, before Newton's method
ENOUGH = 1e-4  # a sweep that moves a code by less than this part of the first one was its last
STEPS = 50  # of Newton's method, at the most
AT_REST = 1e-10  # projected gradient, as a part of the largest slope s
HALVINGS = 30
ROUNDING = 1e-14  # a rise of f by this part of it is none
RIDGE = (
    1e-12  # as a part of the largest curvature: one solution where components explain each other
)
SYSTEMS_BYTES = 2**20  # of equations at a time


def count_codes(X: Any, V: np.ndarray, penalty: Penalty, floor: float) -> np.ndarray:
    """The code of every row of a block, in float64."""
    V = np.ascontiguousarray(V, np.float64)
    slope = np.broadcast_to(V.sum(axis=0) + penalty.l1, (X.shape[0], V.shape[1]))
    return _some_at_a_time(X, slope, V, penalty, floor, positive_entries)


def observed_count_codes(
    X: Any, weight: np.ndarray | None, V: np.ndarray, penalty: Penalty, floor: float
) -> np.ndarray:
    """The same where only the stored entries of X, a csr_array, are observed: s is over these."""
    V = np.ascontiguousarray(V, np.float64)
    w = np.ones(X.nnz) if weight is None else weight
    slope = sparse_times(with_values(X, w), V) + penalty.l1
    positive = X.data > 0
    counts = np.bincount(row_numbers(X)[positive], minlength=X.shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(X.indptr.dtype)
    values = w[positive] * X.data[positive].astype(np.float64)
    entries = sp.csr_array((values, X.indices[positive], indptr), shape=X.shape)
    return _some_at_a_time(entries, slope, V, penalty, floor)


def _some_at_a_time(
    X: Any,
    slope: np.ndarray,
    V: np.ndarray,
    penalty: Penalty,
    floor: float,
    entries: Callable[[Any], Any] = lambda X: X,
) -> np.ndarray:
    """Codes of the entries of rows, which the function gives, some rows at a time."""
    size = max(16, SYSTEMS_BYTES // (8 * V.shape[1] ** 2))
    Z = np.empty((X.shape[0], V.shape[1]))
    for start in range(0, X.shape[0], size):
        cut = slice(start, start + size)
        Z[cut] = _codes(entries(X[cut]), slope[cut], V, penalty, floor)
    return Z


def _codes(X: Any, slope: np.ndarray, V: np.ndarray, penalty: Penalty, floor: float) -> np.ndarray:
    k = V.shape[1]
    usable = slope > 0  # a component of zeros explains nothing
    one = np.divide(1.0, slope, out=np.zeros_like(slope), where=usable)
    Z = X.sum(axis=1)[:, None] * one / k
    Z = lower_counts(
        X, V, Z, slope - penalty.l1, penalty, floor=floor, sweeps=SWEEPS, enough=ENOUGH
    ).Z
    rows = np.arange(len(Z))
    for _ in range(STEPS):
        gradient = slope[rows] + penalty.l2 * Z[rows] - _pull(X, Z[rows], V, floor)
        outside = np.where(Z[rows] > 0, np.abs(gradient), np.maximum(-gradient, 0.0))
        largest = (outside * usable[rows]).max(axis=1, initial=0.0)
        moving = largest > AT_REST * slope[rows].max(axis=1, initial=0.0)
        if not moving.any():
            break
        rows, X = rows[moving], X[moving]
        new = _newton(X, Z[rows], V, slope[rows], penalty.l2, floor)
        moved = (new != Z[rows]).any(axis=1)  # a row that stays where it is always will
        rows, X = rows[moved], X[moved]
        Z[rows] = new[moved]
    return Z


def _pull(X: Any, Z: np.ndarray, V: np.ndarray, floor: float) -> np.ndarray:
    """sum_j (x_j / y_j) v_j of each row."""
    Y = np.maximum(product_at(X, Z, V), floor)
    return sparse_times(with_values(X, X.data / Y), V)


def _newton(
    X: Any, Z: np.ndarray, V: np.ndarray, slope: np.ndarray, l2: float, floor: float
) -> np.ndarray:
    Y = np.maximum(product_at(X, Z, V), floor)
    k = V.shape[1]
    on = Regression(V, np.zeros(len(V)), np.zeros(k))
    systems = row_systems(with_values(X, 2.0 * Y), on, weight=X.data / Y**2)
    A = systems.A
    curved = np.einsum("irr->ir", A).max(axis=1, initial=0.0)
    A[:, np.arange(k), np.arange(k)] += (l2 + RIDGE * curved)[:, None]
    # the ridge is about z, so that it does not move the minimum
    b = systems.b - slope + RIDGE * curved[:, None] * Z
    target = Z.copy()
    solve_nonnegative(A, b, target)
    before = _objective(X, Z, V, slope, l2, floor)
    before += ROUNDING * np.abs(before)
    step, rows = target - Z, np.arange(len(Z))
    new = target
    for _ in range(HALVINGS):
        worse = _objective(X, new[rows], V, slope[rows], l2, floor) > before[rows]
        if not worse.any():
            return new
        rows, X = rows[worse], X[worse]
        step[rows] *= 0.5
        new[rows] = np.maximum(Z[rows] + step[rows], 0.0)
    new[rows] = Z[rows]
    return new


def _objective(
    X: Any, Z: np.ndarray, V: np.ndarray, slope: np.ndarray, l2: float, floor: float
) -> np.ndarray:
    logs = np.log(np.maximum(product_at(X, Z, V), floor))
    explained = np.bincount(row_numbers(X), X.data * logs, X.shape[0])
    return np.sum(Z * slope + 0.5 * l2 * Z**2, axis=1) - explained
