"""Rows far from the rest, as a skeleton: a function that looks at rows and is no estimator.

    distance of a row     sqrt( mean over observed columns f of ((x_f - mean_f) / std_f)^2 )

One pass for means and spreads, one for the rows that are farthest. O(n d) time, O(d) memory beside
one block and the rows that are kept.

This file is a whole function in its shortest form, to copy when you start a new one: the door,
passes over the rows, a result that prints itself. Its test,
`tests/developer/test_function_skeleton.py`, is the skeleton of a test.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.result_table import ResultTable
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, open_rows_for
from lowdim.linalg.observed import observed_columns


class FarRows(NamedTuple):
    """The rows that are farthest from the mean, farthest first."""

    index: np.ndarray  # type: ignore[assignment]  # (n,)  their numbers
    distance: np.ndarray  # (n,)  in standard deviations of a column
    rows: np.ndarray  # (n, d)  the rows themselves

    def __repr__(self) -> str:
        return repr(ResultTable({"row": self.index, "distance": self.distance}))


@single_threaded_blas()  # the same bits for any number of BLAS threads
def far_rows(X: Any, n: int = 5) -> FarRows:
    """The rows that are farthest from the mean of all rows.

    Parameters
    ----------
    X : array, data frame, Dask collection or stream of shape (n_samples, d)
        NaN marks missing values: a row is judged by what it has.
    n : int, default=5
        How many rows.

    Returns
    -------
    FarRows
        Numbers, distances and rows, farthest first; of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [9.0, 1.0]])
    >>> far_rows(X, 1).index
    array([3])
    """
    n = check_at_least("n", n, 1)
    rows = open_rows_for("far_rows", X, nan=True, sparse=False)
    columns = observed_columns(rows)
    unit = np.where(columns.std > 0, columns.std, 1.0)  # a constant column says nothing
    top = rows.top(distances, n, columns.mean, unit)
    return FarRows(top.index, top.score, top.rows)


def distances(X: np.ndarray, mean: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Root mean square over the observed columns of each row of a block; 0 for an empty row."""
    D = (X - mean) / unit
    observed = ~np.isnan(D)
    squares = np.where(observed, D, 0.0) ** 2
    return np.sqrt(squares.sum(axis=1) / np.maximum(observed.sum(axis=1), 1))
