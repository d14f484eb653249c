"""Rows as points: where they are measured from, in what unit, and what length they have.

A column whose values are far from 0 beside their range is measured from its least value, which
rounds nothing: products keep their digits. The unit is a power of two, which rounds nothing either:
points are of size 1 whatever the units of X. Rows for cosines are of length 1; a row of zeros stays
one, and its spread of 1 gives it the distance 1 to every other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.maps.metrics import check_not_negative
from lowdim.maps.points import Metric, Points

FAR = 4.0  # ranges from 0: then a column is measured from its least value


class Frame(NamedTuple):
    """Where the points of a table are measured from, and in what unit."""

    center: np.ndarray  # (c,)
    unit: float


def frame_of(X: Any, metric: Metric) -> Frame:
    """The frame for the points of a table; NaN do not count."""
    d = X.shape[1]
    if not metric.has_units and metric.name != "precomputed":
        return Frame(np.zeros(d), 1.0)
    if sp.issparse(X):
        largest = float(np.abs(X.data).max(initial=0.0))
        return Frame(np.zeros(d), unit_of(largest))
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.nan_to_num(np.fmin.reduce(X, axis=0).astype(np.float64))
        high = np.nan_to_num(np.fmax.reduce(X, axis=0).astype(np.float64))
        is_far = np.minimum(np.abs(low), np.abs(high)) > FAR * (high - low)
        center = np.where(is_far & (low * high > 0) & metric.has_units, low, 0.0)
        largest = max(np.abs(low - center).max(), np.abs(high - center).max())
    return Frame(center, unit_of(float(largest)))


def unit_of(largest: float) -> float:
    """The power of two that is at most `largest`, and more than half of it; 1 for 0."""
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0


def points_of(
    X: Any, frame: Frame, metric: Metric, std: np.ndarray | None = None, pairwise: bool = False
) -> Points:
    """Rows of float numbers as points.

    Parameters
    ----------
    X : array or csr_array of shape (n, c)
    frame : Frame
    metric : Metric
    std : array of shape (n,), default=None
        The root of the variance of what is missing in each row, in units of X.
    pairwise : bool
        NaN are left out of distances, pair by pair.
    """
    n = X.shape[0]
    spread = np.zeros(n) if std is None else np.square(std / frame.unit)
    if metric.name == "hellinger":
        check_not_negative(X, metric.name)
    if metric.name in ("cosine", "correlation", "hellinger"):
        X = np.sqrt(X) if metric.name == "hellinger" else X
        rows, length = _unit_rows(X, metric.name == "correlation")
        return Points(rows, np.where(length > 0, 0.0, 1.0), None, 1.0)
    if sp.issparse(X):
        rows = sp.csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.data /= frame.unit
        return Points(rows, spread, None, frame.unit)
    rows = np.empty(X.shape, X.dtype)
    np.subtract(X, frame.center.astype(X.dtype), out=rows)
    rows /= frame.unit
    rows += 0.0
    observed = ~np.isnan(rows) if pairwise else None
    if observed is not None and observed.all():
        observed = None
    return Points(rows, spread, observed, frame.unit)


def _unit_rows(X: Any, centered: bool) -> tuple[Any, np.ndarray]:
    """Rows of length 1 (or 0), and whether they have a length at all."""
    if sp.issparse(X):
        X = sp.csr_array(X, copy=True)
        X.sum_duplicates()
        return _unit_sparse_rows(X, centered)
    X = np.array(X, order="C")
    largest = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
    X /= np.where(largest > 0, largest, 1)
    if centered:
        mean = X.mean(axis=1, keepdims=True, dtype=np.float64)
        spread = np.abs(X - mean).max(axis=1, initial=0.0)
        X -= mean.astype(X.dtype)
        X[spread <= 8 * np.finfo(X.dtype).eps] = 0.0  # what rounding leaves of equal values
    length = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    X /= np.where(length > 0, length, 1.0).astype(X.dtype)[:, None]
    return X, length


def _unit_sparse_rows(X: Any, centered: bool) -> tuple[Any, np.ndarray]:
    """The same of a csr_array. Rows are not centered, which would fill them: see `row_means`."""
    n, d = X.shape
    row = np.repeat(np.arange(n), np.diff(X.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, row, np.abs(X.data))
    X.data /= np.where(largest > 0, largest, 1.0).astype(X.dtype)[row]
    wide = X.data.astype(np.float64)
    square = np.bincount(row, wide**2, minlength=n)
    if centered:
        square -= np.bincount(row, wide, minlength=n) ** 2 / d
        square[square <= 8 * d * np.finfo(X.dtype).eps] = 0.0
    length = np.sqrt(square)
    X.data /= np.where(length > 0, length, 1.0).astype(X.dtype)[row]
    if centered:
        X.data[length[row] == 0] = 0.0
        X.eliminate_zeros()
    return X, length
