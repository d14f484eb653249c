"""What k-means knows of the rows before its first step: their mean, their variance, their frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.validation import check_columns_observed, check_finite_rows
from lowdim.linalg.moments import Frame, column_moments, frame_of, frame_of_extremes
from lowdim.linalg.observed import observed_columns

# Rows this near to zero, in squares of their spread, are measured as they are: distances are sums
# over all columns, and lose three bits of them at the most
NEAR_ZERO = 8.0


class DataSummary(NamedTuple):
    """What is to be known of the rows before the first step."""

    frame: Frame
    variance: float  # of a column, on the average; in the frame
    fill: np.ndarray  # (d,)  the mean, in the frame
    has_missing: bool

    def in_frame(self, X: np.ndarray) -> np.ndarray:
        return (X - self.frame.pilot) / self.frame.unit

    def in_data(self, X: np.ndarray) -> np.ndarray:
        return X * self.frame.unit + self.frame.pilot


def summary_of(estimator: Any, rows: Blocks, weight: np.ndarray | None) -> DataSummary:
    """The summary, in one pass where no values are missing."""
    frame = frame_of(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rows.fold(column_moments, frame, along=(weight,))
        if not np.isfinite(sums.sum_x2).all():
            if check_finite_rows(estimator, rows, allow_nan=True).nan.any():
                return _summary_with_missing(estimator, rows, frame, weight)
            frame = frame_of_extremes(rows)
            sums = rows.fold(column_moments, frame, along=(weight,))
    mean = sums.sum_x / sums.weight
    variance = np.maximum(sums.sum_x2 / sums.weight - mean**2, 0.0)
    if frame.unit == 1.0 and np.square(frame.pilot).sum() <= NEAR_ZERO * variance.sum():
        mean, frame = mean + frame.pilot, Frame(np.zeros_like(frame.pilot), 1.0)
    return DataSummary(frame, float(variance.mean()), mean, has_missing=False)


def _summary_with_missing(
    estimator: Any, rows: Blocks, frame: Frame, weight: np.ndarray | None
) -> DataSummary:
    if rows.is_sparse:
        raise ValueError(
            "X is sparse and has NaN; KMeans takes missing values in dense rows only. Entries that "
            "are not stored are zeros: give X.toarray() if NaN is to mean missing."
        )
    columns = observed_columns(rows, weight)
    check_columns_observed(columns.n_observed, getattr(estimator, "feature_names_in_", None))
    variance = np.square(columns.std / frame.unit).mean()
    return DataSummary(
        frame, float(variance), (columns.mean - frame.pilot) / frame.unit, has_missing=True
    )
