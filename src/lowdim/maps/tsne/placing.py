"""New rows among the points of a map, which stay where they are.

    minimise over y   KL(p(.|x) || q(.|y)),   q(j|y) = w(|y - y_j|) / phi(y),   phi = sum_k w

                    = (dof + 1) / 2 sum_j p_j log(1 + |y - y_j|^2 / dof) + log phi(y) + const

p are the shares of the row's neighbours at perplexity 5, phi is read from the field of the map, and
y starts at the neighbours' weighted median: then a row of a cluster stays in it. The first sum lies
below a parabola of curvature sum_j a_j, a_j = (dof + 1) / dof p_j / (1 + |y - y_j|^2 / dof):
steps of the gradient by that, halved until the whole falls.

Cost: O(STEPS (k + 16)) for a row, after its neighbours were found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.maps.field import Field

STEPS = 60
HALVINGS = 8
TOL = 1e-4  # of a step, in units of the map


def placed(
    shares: np.ndarray, neighbors: np.ndarray, places: np.ndarray, field: Field, dof: float
) -> np.ndarray:
    """The place (m, axes) of each new row, float64.

    Parameters
    ----------
    shares, neighbors : arrays of shape (m, k)
        p_j of each row, and the numbers j of the points of the map.
    places : array of shape (n, axes)
        The points.
    field : Field
        Theirs.
    dof : float
    """
    around = places[neighbors].astype(np.float64)  # (m, k, axes)
    shares = shares.astype(np.float64)
    Y = weighted_median(around, shares)
    active = np.arange(len(Y))
    value, gradient, curvature = objective(Y, around, shares, field, dof)
    for _ in range(STEPS):
        step = -gradient / np.maximum(curvature, 1e-12)[:, None]
        moved = _searched(Y[active], step, value, around[active], shares[active], field, dof)
        length = np.sqrt(((moved - Y[active]) ** 2).sum(axis=1))
        Y[active] = moved
        active = active[length > TOL]
        if not len(active):
            break
        value, gradient, curvature = objective(
            Y[active], around[active], shares[active], field, dof
        )
    return Y


def _searched(
    Y: np.ndarray,
    step: np.ndarray,
    value: np.ndarray,
    around: np.ndarray,
    shares: np.ndarray,
    field: Field,
    dof: float,
) -> np.ndarray:
    """Y + step, halved for each row until the objective falls; Y where it does not."""
    result, waiting = Y.copy(), np.arange(len(Y))
    for _ in range(HALVINGS):
        tried = Y[waiting] + step[waiting]
        now = objective(tried, around[waiting], shares[waiting], field, dof)[0]
        better = now < value[waiting]
        result[waiting[better]] = tried[better]
        waiting = waiting[~better]
        if not len(waiting):
            break
        step = step / 2
    return result


def objective(
    Y: np.ndarray, around: np.ndarray, shares: np.ndarray, field: Field, dof: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """KL up to a constant (m,), its gradient (m, axes), and the curvature of its first sum (m,)."""
    difference = Y[:, None, :] - around
    square = np.einsum("ijk,ijk->ij", difference, difference) / dof
    phi, slope = field.at(Y)
    phi = np.maximum(phi.astype(np.float64), 1e-30)
    value = (dof + 1) / 2 * np.einsum("ij,ij->i", shares, np.log1p(square)) + np.log(phi)
    pull = (dof + 1) / dof * shares / (1 + square)
    gradient = np.einsum("ij,ijk->ik", pull, difference) + slope / phi[:, None]
    return value, gradient, np.einsum("ij->i", pull)


def weighted_median(around: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Along each axis the place up to which the neighbours have half of the share."""
    order = np.argsort(around, axis=1, kind="stable")
    sorted_places = np.take_along_axis(around, order, axis=1)
    sums = np.cumsum(shares[np.arange(len(shares))[:, None, None], order], axis=1)
    at = (sums >= sums[:, -1:, :] / 2).argmax(axis=1)
    return np.take_along_axis(sorted_places, at[:, None, :], axis=1)[:, 0, :].copy()


def largest_shares(rows: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers (m, k) of the points that new rows are most alike, and their shares.

    rows are affinities (m, n) to the points, dense or a csr_array.
    """
    m, n = rows.shape
    k = min(k, n)
    numbers, shares = np.empty((m, k), np.int32), np.empty((m, k))
    for i in range(m):
        row = rows[[i]].toarray()[0] if sp.issparse(rows) else rows[i]
        if not np.isfinite(row).all() or row.min() < 0 or row.max() <= 0:
            raise ValueError(
                f"row {i} of X has affinities from {row.min():g} to {row.max():g}; they must be at "
                "least 0, and some above 0: how alike the row is to each training row."
            )
        order = np.argsort(-row, kind="stable")[:k]
        numbers[i], shares[i] = order, row[order] / row.max()
    return numbers, shares / shares.sum(axis=1, keepdims=True)
