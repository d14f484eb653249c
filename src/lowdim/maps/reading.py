"""What turns the rows of a table, and later new rows, into points.

    missing values    "expected": filled with their expectation under probabilistic PCA, which also
                      says how uncertain they are; "pairwise": left as they are
    pca_components    codes of PCA instead of rows
    metric            what it needs of the whole table: variances, an inverse covariance

All of it is learned once, from the training rows, and then applied row by row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.stream import CallableSource, StreamBlocks
from lowdim.core.validation import check_at_most
from lowdim.linalg.products import times_row_by_row
from lowdim.linear.factor_model import expectation, expectation_with_std
from lowdim.linear.pca import PCA
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.maps.framing import Frame, frame_of, points_of, unit_of
from lowdim.maps.keys import row_keys
from lowdim.maps.points import Metric, Points

MOST_COMPONENTS = 20  # of the model that fills missing values
TOL = 1e-5  # of it: neighbours are those of 1e-7
SEED = 0  # where its search starts: results depend on it in rounding only
ROWS_AT_A_TIME = 2**14
BYTES_OF_A_PART = 2**22  # of rows of which PCA is learned
FARTHEST = 1e150  # of a new row, in units of the training rows: squares stay finite


class Reading(NamedTuple):
    """How rows become points."""

    frame: Frame
    filler: Any  # ProbabilisticPCA, or None where the training rows were complete
    codes: Any  # PCA whose codes stand for rows, or None
    pairwise: bool  # leave missing values out of distances, pair by pair


class Filled(NamedTuple):
    """Rows without missing values."""

    rows: Any  # (n, d)
    std: np.ndarray | None  # (n,)  the root of the variance of what was missing; None: nothing was


def has_nan(X: Any) -> bool:
    """Whether a float array or csr_array has NaN."""
    values = X.data if sp.issparse(X) else X
    step = max(1, 2**22 // max(1, values[:1].size))
    return any(
        np.isnan(values[first : first + step]).any() for first in range(0, len(values), step)
    )


def learned_reading(
    X: Any, metric: Metric, missing: str, codes: Any = None
) -> tuple[Points, Reading]:
    """The points of the training rows (or of their codes), and how they became that."""
    pairwise, incomplete = missing == "pairwise", has_nan(X)
    if incomplete:
        check_takes_nan(X, metric)
    filler = None
    if incomplete and not pairwise and not metric.is_precomputed:
        filler = _filler(X)
    rows, std = filled(X, filler)
    frame = frame_of(rows, metric)
    points = points_of(rows, frame, metric, std, pairwise)
    return points, Reading(frame, filler, codes, pairwise)


def read(X: Any, reading: Reading, metric: Metric, points: Points) -> Points:
    """New rows as points, beside those of the training rows."""
    if reading.codes is not None:
        X = codes_of(X, reading.codes)
    filler = reading.filler
    if has_nan(X) and not reading.pairwise and not metric.is_precomputed:
        check_takes_nan(X, metric)
        if filler is None:  # the training rows were complete: they say what others may be
            filler = _filler(_as_rows(points, reading.frame))
    rows, std = filled(X, filler, apart=True)
    new = points_of(rows, reading.frame, metric, std, reading.pairwise)
    if metric.has_units:
        _check_within_reach(new)
    return new


def _check_within_reach(new: Points) -> None:
    """Raise where the distance of a new row to the training rows is no number."""
    values = new.rows.data if sp.issparse(new.rows) else new.rows
    largest = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
    if not largest <= FARTHEST:
        raise ValueError(
            f"X has values that are {largest:.0e} times as large as those of the training rows, so "
            "that distances between them are no numbers. Give X in the units of the training rows."
        )


# ---- codes ---------------------------------------------------------------------------------------


def sees_codes(rows: Blocks, n_components: int, random_state: Any) -> tuple[Any, np.ndarray, Any]:
    """Codes of PCA in memory, the keys of the rows themselves, and the PCA; two passes or more.

    PCA sees rows in parts of one size, whatever holds them: a map carries rounding on, and sums of
    other parts would be another map.
    """
    check_at_most(
        "pca_components", n_components, min(rows.n_columns, rows.shape[0]), "rows and columns of X"
    )
    size = max(1, BYTES_OF_A_PART // (8 * rows.n_columns))
    parts = CallableSource(lambda: (part for (part,) in rows.batches(size)), None)
    coder = PCA(n_components, random_state=random_state).fit(StreamBlocks([parts], None))
    found = rows.map(_codes_and_keys, coder)
    codes, keys = (part.compute() if is_dask(part) else part for part in found)
    return codes, keys, coder


def _codes_and_keys(X: Any, coder: Any) -> tuple[np.ndarray, np.ndarray]:
    return codes_of(X, coder), row_keys(X)


def codes_of(X: Any, coder: Any) -> np.ndarray:
    """The codes of rows, in C order; none depends on the rows that it came with."""
    if sp.issparse(X):
        return np.ascontiguousarray(coder.transform(X))
    if has_nan(X):
        X = expectation(X, coder._factor_model(), apart=True)
    codes = times_row_by_row(X - coder.mean_, coder.components_.T)
    return codes.astype(coder.components_.dtype, copy=False)


# ---- missing values ------------------------------------------------------------------------------


def check_takes_nan(X: Any, metric: Metric) -> None:
    """Raise if distances of a metric are not known for rows with missing values."""
    if sp.issparse(X) and not metric.is_precomputed:
        raise ValueError(
            "X is sparse and has NaN; missing values are for dense rows only. Entries that are not "
            "stored are zeros: give X.toarray() if NaN is to mean missing, or leave the NaN out."
        )
    if metric.name not in ("euclidean", "sqeuclidean") and not metric.is_precomputed:
        columns = np.flatnonzero(np.isnan(X).any(axis=0))
        raise ValueError(
            f"X has NaN in {len(columns)} of {X.shape[1]} columns (first: {columns[0]}); "
            f"metric={metric.name!r} needs complete rows. Fill them first, for example with "
            "lowdim.ProbabilisticPCA(...).fit(X).impute(X), or choose metric='euclidean'."
        )


def completed(metric: Metric, X: Any) -> Metric:
    """A metric with what it needs of the whole table: variances, an inverse covariance."""
    if metric.name == "seuclidean" and "V" not in metric.params:
        return Metric(metric.name, {**metric.params, "V": np.var(X, axis=0, ddof=1)})
    if metric.name == "mahalanobis" and "VI" not in metric.params:
        others = {name: value for name, value in metric.params.items() if name != "V"}
        covariance = metric.params["V"] if "V" in metric.params else np.cov(X.T)
        return Metric(metric.name, {**others, "VI": np.linalg.pinv(np.atleast_2d(covariance))})
    return metric


def _filler(X: Any) -> ProbabilisticPCA:
    most = max(1, min(MOST_COMPONENTS, (X.shape[1] - 1) // 2, X.shape[0] - 1))
    return ProbabilisticPCA(most, tol=TOL, random_state=SEED).fit(X)


def _as_rows(points: Points, frame: Frame) -> Any:
    if sp.issparse(points.rows):
        return points.rows * frame.unit
    return points.rows * np.asarray(frame.unit, points.rows.dtype) + frame.center.astype(
        points.rows.dtype
    )


def filled(X: Any, filler: Any, *, apart: bool = False) -> Filled:
    """X with NaN replaced by their expectations, and the root of the sum of variances by row.

    Only rows with missing values are looked at; `apart`: each as if it were alone, to the bit.
    """
    if filler is None or not has_nan(X):
        return Filled(X, None)
    length = np.zeros(X.shape[0])
    X = X.copy()
    for first in range(0, X.shape[0], ROWS_AT_A_TIME):
        part = X[first : first + ROWS_AT_A_TIME]
        rows = np.flatnonzero(np.isnan(part).any(axis=1))
        if len(rows):
            Y, std = _expected(part[rows], filler, apart)
            unit = unit_of(float(std.max()))  # squares of values in X may be no numbers
            length[first + rows] = unit * np.linalg.norm(std.astype(np.float64) / unit, axis=1)
            X[first + rows] = np.asarray(Y)
    return Filled(X, length)


def _expected(X: np.ndarray, filler: Any, apart: bool) -> tuple[np.ndarray, np.ndarray]:
    if apart:
        return expectation_with_std(X, filler._factor_model(), apart=True)
    return filler.impute(X, return_std=True)
