"""Mean and spread of columns in one pass: complete rows, sparse ones, and rows with NaN."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks, add
from lowdim.linalg.moments import Frame, column_variances, frame_of

PART_NUMBERS = 2**15  # of a block, worked on at a time: a few arrays of so many stay in the cache


class Columns(NamedTuple):
    """Each column by itself."""

    n_observed: np.ndarray  # (d,)  weight of the rows that observe it
    mean: np.ndarray  # (d,)
    std: np.ndarray  # (d,)  0 for a constant column


class ColumnSums(NamedTuple):
    n_observed: np.ndarray  # (d,)
    sum_x: np.ndarray  # (d,)  of deviations from a frame
    sum_xx: np.ndarray  # (d,)  of their squares


def observed_columns(rows: Blocks, weight: np.ndarray | None = None) -> Columns:
    """Count, mean and standard deviation of the observed entries of each column.

    Entries that sparse rows do not store are zeros; these rows have no missing values.
    """
    if rows.is_sparse:
        total, mean, squares, unit = column_variances(rows, weight)
        return Columns(np.full(rows.n_columns, total), mean, np.sqrt(squares / total) * unit)
    frame = frame_of(rows)
    columns, lost = _columns_in(rows, frame, weight)
    if lost:  # the first rows gave a poor pilot, for example for a column they did not observe
        frame = Frame(columns.mean, frame.unit)
        columns, _ = _columns_in(rows, frame, weight)
    return columns


def column_sizes(std: np.ndarray, together: bool = False) -> np.ndarray:
    """Standard deviations as units, positive even for constant columns.

    A constant column counts as one of the root mean square of all standard deviations (1 if all
    columns are constant); `together`: every column does.
    """
    largest = std.max() or 1.0
    typical = largest * np.sqrt(np.mean(np.square(std / largest))) or 1.0
    return np.full(len(std), typical) if together else np.where(std > 0, std, typical)


def _columns_in(rows: Blocks, frame: Frame, weight: np.ndarray | None) -> tuple[Columns, bool]:
    """The columns as measured in a frame, and whether a far pilot cost digits."""
    sums = rows.fold(_column_sums, frame, along=(weight,))
    count = np.where(sums.n_observed > 0, sums.n_observed, 1.0)
    shift = sums.sum_x / count
    variance = sums.sum_xx / count - shift**2
    mean = frame.pilot + frame.unit * shift
    lost = bool((variance < 1e-6 * shift**2).any())
    resolved = np.sqrt(np.maximum(variance, 0.0)) * frame.unit
    rounding = 4 * np.finfo(rows.dtype).eps * np.abs(mean)
    return Columns(sums.n_observed, mean, np.where(resolved > rounding, resolved, 0.0)), lost


def _column_sums(X: np.ndarray, frame: Frame, weight: np.ndarray | None) -> ColumnSums:
    d = X.shape[1]
    sums = ColumnSums(np.zeros(d), np.zeros(d), np.zeros(d))
    size = max(1, PART_NUMBERS // d)
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        D, O = frame.deviations(X[rows]), ~np.isnan(X[rows])
        w = np.ones(len(D)) if weight is None else weight[rows]
        complete = bool(O.all())
        D = (D if complete else np.where(O, D, 0.0)).astype(np.float64, copy=False)
        count = np.full(d, w.sum()) if complete else w @ O
        sums = add(sums, ColumnSums(count, w @ D, w @ np.square(D)))
    return sums


def standardized(X: np.ndarray, mean: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """(x - mean) / unit of a block of rows, and 0 for what is missing."""
    Z = np.subtract(X, mean, dtype=np.float64)
    Z /= unit
    np.copyto(Z, 0.0, where=np.isnan(Z))
    return Z
