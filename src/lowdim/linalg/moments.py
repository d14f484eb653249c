"""Mean and covariance of rows in one pass, without losing digits.

    sum w,   sum w (x - p),   sum w (x - p)(x - p)'        about a pilot mean p

Sums about p, a rough mean of the first rows, keep their digits for data far from zero, where
`sum xx' - n mm'` has none left. Values of extreme scale are measured in units of a power of two,
which changes no digit, so that squares neither overflow nor vanish.

Cost: O(n d^2) time, d^2 memory beside one block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.kernel import kernel

# The pilot looks at this many values of X, in 16 to 256 rows
PILOT_VALUES = 2**17

# Means up to this many mean deviations from zero cost second moments the square of it in
# precision: two digits of float64's sixteen, and four bits of float32's twenty-four in the product
# of one block, whose rounding the float64 sums over blocks average out
NEAR_ZERO = {"float64": 10.0, "float32": 4.0}

ENTRIES_FOR_KERNEL = 2**16  # of a sparse block: below, SciPy is as fast


class Frame(NamedTuple):
    """Where rows are measured from, and in which unit."""

    pilot: np.ndarray  # (d,)  in the rows' dtype; zero for sparse rows, which stay sparse
    unit: float  # a power of two

    def deviations(self, X: np.ndarray) -> np.ndarray:
        """(X - pilot) / unit; X itself if that is the same."""
        deviations = X - self.pilot if self.pilot.any() else X
        return deviations / X.dtype.type(self.unit) if self.unit != 1.0 else deviations


class Moments(NamedTuple):
    """Sums over rows, in deviations from a frame's pilot."""

    weight: float  # sum w
    sum_x: np.ndarray  # (d,)    sum w x
    sum_xx: np.ndarray  # (d, d)  sum w x x'


class ColumnMoments(NamedTuple):
    """The same, with squares column by column only."""

    weight: float  # sum w
    sum_x: np.ndarray  # (d,)  sum w x
    sum_x2: np.ndarray  # (d,)  sum w x^2


class Covariance(NamedTuple):
    """Mean and covariance of rows; the covariance is in units of `unit` squared."""

    weight: float  # sum w: the number of rows
    mean: np.ndarray  # (d,)
    scatter: np.ndarray  # (d, d)  sum w (x - mean)(x - mean)' / unit^2
    unit: float


def frame_of(rows: Blocks) -> Frame:
    """A rough mean of the first rows, and a unit in which their deviations are about 1.

    The pilot is 0 where centring would save no digits worth a copy of every block. The unit is 1
    unless squares of the deviations could overflow or vanish.
    """
    d = rows.n_columns
    first = next(rows.batches(min(256, max(16, PILOT_VALUES // d))))[0]
    if sp.issparse(first):
        pilot, values = np.zeros(d, dtype=rows.dtype), first.data
    else:
        known = np.isfinite(first)
        count = np.maximum(known.sum(axis=0), 1)
        pilot = (np.where(known, first, 0) / count).sum(axis=0).astype(rows.dtype)
        values = np.where(known, first - pilot, 0)
        spread = (np.abs(values) / count).sum(axis=0)
        if (np.abs(pilot) <= NEAR_ZERO[rows.dtype.name] * spread).all():
            pilot, values = np.zeros_like(pilot), first
    return Frame(pilot, unit_for(np.abs(values[np.isfinite(values)]).max(initial=0.0), rows.dtype))


def unit_for(largest: float, dtype: np.dtype) -> float:
    """1 if squares of values up to `largest` are safe in `dtype`, else a power of two near it."""
    safe = 1e12 if dtype == np.float32 else 1e120
    if largest == 0.0 or 1.0 / safe < largest < safe:
        return 1.0
    return float(2.0 ** np.floor(np.log2(float(largest))))


def frame_of_extremes(rows: Blocks) -> Frame:
    """As `frame_of`, but the unit is found in a pass over all rows."""
    pilot = frame_of(rows).pilot
    largest = float(rows.top(_largest, 1, pilot).score[0])
    return Frame(pilot, unit_for(largest, rows.dtype))


def moments(X: Any, frame: Frame, weight: np.ndarray | None = None) -> Moments:
    """What one block adds up: weight, sum and second moments about the frame's pilot."""
    n = X.shape[0]
    if sp.issparse(X):
        scaled = X / frame.unit if frame.unit != 1.0 else X
        weighted = scaled if weight is None else sp.csr_array(scaled.multiply(weight[:, None]))
        return Moments(_total(weight, n), _sparse_sum(weighted), (weighted.T @ scaled).toarray())
    D = frame.deviations(X)
    if weight is None:
        return Moments(float(n), np.ones(n, dtype=D.dtype) @ D, D.T @ D)
    sum_x = weight.astype(D.dtype) @ D
    D = D * np.sqrt(weight)[:, None].astype(D.dtype)  # one array: D'D is a symmetric product
    return Moments(_total(weight, n), sum_x, D.T @ D)


def column_moments(X: Any, frame: Frame, weight: np.ndarray | None = None) -> ColumnMoments:
    """What one block adds up: weight, sum and squares of each column about the pilot."""
    n = X.shape[0]
    if sp.issparse(X):
        scaled = X / frame.unit if frame.unit != 1.0 else X
        w = np.ones(n) if weight is None else weight
        if X.nnz >= ENTRIES_FOR_KERNEL and X.has_canonical_format and X.indices.dtype == np.int32:
            sums = np.zeros((2, X.shape[1]))
            _column_sums(
                scaled.indptr, scaled.indices, scaled.data, w.astype(np.float64, copy=False), *sums
            )
            return ColumnMoments(float(w.sum()), *sums)
        return ColumnMoments(float(w.sum()), scaled.T @ w, _squared(scaled).T @ w)
    D = frame.deviations(X)
    w = np.ones(n, dtype=D.dtype) if weight is None else weight.astype(D.dtype)
    return ColumnMoments(_total(weight, n), w @ D, w @ np.square(D))


def covariance(rows: Blocks, weight: np.ndarray | None = None) -> Covariance:
    """Mean and scatter of all rows in one pass.

    With NaN or infinity in X, the mean is not finite: the caller says what that means.
    """
    frame, sums = _safe_sums(rows, moments, weight)
    with np.errstate(over="ignore", invalid="ignore"):
        shift = sums.sum_x / sums.weight
        scatter = sums.sum_xx - sums.weight * np.outer(shift, shift)
        mean = frame.pilot + shift * frame.unit
    return Covariance(sums.weight, mean, scatter, frame.unit)


def column_sums(rows: Blocks, weight: np.ndarray | None = None) -> tuple[Frame, ColumnMoments]:
    """Weight, sum and squares of each column in one pass, and the frame in which they are safe.

    With NaN or infinity in X, the squares are not finite: the caller says what that means.
    """
    return _safe_sums(rows, column_moments, weight)


def column_variances(
    rows: Blocks, weight: np.ndarray | None = None
) -> tuple[float, np.ndarray, np.ndarray, float]:
    """(weight, mean, sum w (x - mean)^2 / unit^2 by column, unit) in one pass."""
    frame, sums = column_sums(rows, weight)
    with np.errstate(over="ignore", invalid="ignore"):
        shift = sums.sum_x / sums.weight
        scatter = np.maximum(sums.sum_x2 - sums.weight * shift**2, 0.0)
        mean = frame.pilot + shift * frame.unit
    return sums.weight, mean, scatter, frame.unit


def _safe_sums(rows: Blocks, function: Any, weight: np.ndarray | None) -> tuple[Frame, Any]:
    """Sums over all rows and their frame; another unit if sums of finite values overflowed."""
    frame = frame_of(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rows.fold(function, frame, along=(weight,))
        if np.isfinite(sums[2]).all():
            return frame, sums
        safe = frame_of_extremes(rows)
        if not np.isfinite(safe.unit) or safe.unit == 1.0:  # it was not the unit
            return frame, sums
        return safe, rows.fold(function, safe, along=(weight,))


def _largest(X: Any, pilot: np.ndarray) -> np.ndarray:
    """Largest deviation in each row."""
    if sp.issparse(X):
        return abs(X).max(axis=1).toarray().ravel()
    return np.abs(X - pilot).max(axis=1)


def _squared(X: Any) -> Any:
    """The squares of a csr_array; SciPy's `power` would sort the entries of X itself."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return sp.csr_array((np.square(X.data), X.indices, X.indptr), shape=X.shape, copy=False)


def _sparse_sum(X: Any) -> np.ndarray:
    return np.asarray(X.sum(axis=0)).ravel()


def _total(weight: np.ndarray | None, n: int) -> float:
    return float(n) if weight is None else float(weight.sum())


@kernel
def _column_sums(indptr, indices, data, weight, sum_x, sum_x2):
    """Add up w x and w x^2 of the columns of sparse rows, in float64."""
    for i in range(len(indptr) - 1):
        w = weight[i]
        for e in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[e])
            sum_x[indices[e]] += w * x
            sum_x2[indices[e]] += w * (x * x)
