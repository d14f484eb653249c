"""New rows among the points of a map of neighbours, which stay where they are.

    minimise over y   KL(p(.|x) || q(.|y)),   q(j|y) = K(|y - y_j|) / phi(y),   phi = sum_k K

                    = - sum_j p_j log K(|y - y_j|) + log phi(y) + const

p are the shares of the row's neighbours at perplexity 5, phi is that of all points of the map, and
y starts at the neighbours' weighted median: then a row of a cluster stays in it. The first sum lies
below a parabola of curvature 2 sum_j p_j s_j, where s = -d log K / d(square of the distance):

    Gauss      K = exp(-d^2)                            s = 1
    Student    K = (1 + d^2 / dof)^(-(dof + 1) / 2)     s = (dof + 1) / (2 dof (1 + d^2 / dof))

Steps of the gradient by that, halved until the whole falls, and longer ones after one that was not.
With Gauss's kernel the whole is
convex: it is least where the mean of the points under q is that under p.

phi is at least what the row's own neighbours give, which is exact: a field that is read from a mesh
has no digits left in the empty parts of a map.

Cost: O(STEPS (k + what phi takes)) for a row, after its neighbours were found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.maps.affinities import conditional
from lowdim.maps.field.radial import Radial

PERPLEXITY = 5.0
STEPS = 60
HALVINGS = 8
TOL = 1e-5  # of a step, in units of the map's size

Repulsion = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Rows(NamedTuple):
    """New rows: the points that they are next to."""

    shares: np.ndarray  # (m, k)        p_j
    around: np.ndarray  # (m, k, axes)  y_j

    def take(self, chosen: np.ndarray) -> Rows:
        return Rows(self.shares[chosen], self.around[chosen])


class Value(NamedTuple):
    objective: np.ndarray  # (m,)
    gradient: np.ndarray  # (m, axes)
    curvature: np.ndarray  # (m,)  of the parabola above the first sum


def placed(
    shares: np.ndarray,
    neighbors: np.ndarray,
    places: np.ndarray,
    repulsion: Repulsion,
    kernel: Radial,
) -> np.ndarray:
    """The place (m, axes) of each new row in float64; it does not depend on the other rows.

    Parameters
    ----------
    shares, neighbors : arrays of shape (m, k)
        p_j of each row, and the numbers j of the points of the map.
    places : array of shape (n, axes)
        The points.
    repulsion : callable
        phi (m,) and its gradient (m, axes) at places: `Field.at`, or direct sums.
    kernel : Radial
        K of the map.
    """
    rows = Rows(shares.astype(np.float64), places[neighbors].astype(np.float64))
    Y = weighted_median(rows.around, rows.shares)
    tol = TOL * float(np.abs(places).max(initial=0.0))
    active, factor = np.arange(len(Y)), np.ones(len(Y))
    for _ in range(STEPS):
        some = rows.take(active)
        now = evaluated(Y[active], some, repulsion, kernel)
        step = -now.gradient * (factor / np.maximum(now.curvature, 1e-300))[:, None]
        moved, halvings = _searched(Y[active], step, now.objective, some, repulsion, kernel)
        length = np.sqrt(((moved - Y[active]) ** 2).sum(axis=1))
        Y[active] = moved
        factor = np.where(halvings == 0, 1.5 * factor, factor / 2.0**halvings)
        active, factor = active[length > tol], factor[length > tol]
        if not len(active):
            break
    return Y


def _searched(
    Y: np.ndarray,
    step: np.ndarray,
    objective: np.ndarray,
    rows: Rows,
    repulsion: Repulsion,
    kernel: Radial,
) -> tuple[np.ndarray, np.ndarray]:
    """Y + step, halved for each row until the objective falls; Y where it does not. How often."""
    result, waiting = Y.copy(), np.arange(len(Y))
    halvings = np.zeros(len(Y))
    for _ in range(HALVINGS):
        tried = Y[waiting] + step[waiting]
        now = evaluated(tried, rows.take(waiting), repulsion, kernel).objective
        better = now < objective[waiting]
        result[waiting[better]] = tried[better]
        waiting = waiting[~better]
        if not len(waiting):
            break
        step = step / 2
        halvings[waiting] += 1
    return result, halvings


def evaluated(Y: np.ndarray, rows: Rows, repulsion: Repulsion, kernel: Radial) -> Value:
    """The objective at places Y (m, axes), its gradient, and the curvature of its first sum."""
    difference = Y[:, None, :] - rows.around
    square = np.einsum("ijk,ijk->ij", difference, difference)
    log_k = kernel.log(square)
    s = _steepness(square, kernel)
    phi, slope = _at_least(repulsion(Y), log_k, s, difference)
    pull = 2 * rows.shares * s
    objective = np.log(phi) - np.einsum("ij,ij->i", rows.shares, log_k)
    gradient = np.einsum("ij,ijk->ik", pull, difference) + slope / phi[:, None]
    return Value(objective, gradient, np.einsum("ij->i", pull))


def _steepness(square: np.ndarray, kernel: Radial) -> np.ndarray:
    if kernel.name == "gauss":
        return np.ones_like(square)
    return (kernel.dof + 1) / (2 * (kernel.dof + square))


def _at_least(
    field: tuple[np.ndarray, np.ndarray], log_k: np.ndarray, s: np.ndarray, difference: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """phi and its gradient; those of the row's neighbours where the field says less."""
    phi, slope = (part.astype(np.float64) for part in field)
    own = np.exp(np.maximum(log_k, -700.0))
    near = np.einsum("ij->i", own)
    low = phi < near
    if low.any():
        phi[low] = near[low]
        slope[low] = -2 * np.einsum("ij,ijk->ik", own[low] * s[low], difference[low])
    return phi, slope


def weighted_median(around: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Along each axis the place up to which the neighbours have half of the share."""
    order = np.argsort(around, axis=1, kind="stable")
    sorted_places = np.take_along_axis(around, order, axis=1)
    sums = np.cumsum(shares[np.arange(len(shares))[:, None, None], order], axis=1)
    at = (sums >= sums[:, -1:, :] / 2).argmax(axis=1)
    return np.take_along_axis(sorted_places, at[:, None, :], axis=1)[:, 0, :].copy()


# ---- shares --------------------------------------------------------------------------------------


def neighbor_shares(distances: np.ndarray) -> np.ndarray:
    """p (m, k) of new rows from distances to their k nearest points, at perplexity 5 or k / 3."""
    perplexity = min(PERPLEXITY, max(1.0, distances.shape[1] / 3))
    return conditional(distances, perplexity).p


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
        numbers[i] = np.argsort(-row, kind="stable")[:k]
        shares[i] = row[numbers[i]] / row.max()
    return numbers, shares / shares.sum(axis=1, keepdims=True)
