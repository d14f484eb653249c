"""What is taken from the entries before they are factorised, and put back after.

    x_ij = mean + row_i + column_j + row_scale_i column_scale_j y_ij

The biases are learned by ridge regression, b_i = sum_o (x - mean - c_j) / (n_i + penalty) and the
same for columns in turn until they rest: a row seen once is not taken at its word. A scale is the
standard deviation about the biases, shrunk towards that of all entries as if `penalty` more
entries had been seen. All of it scales with x, so results do not depend on units.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.validation import check_choice
from lowdim.linalg.sparse import row_numbers, with_values

CENTERS = (None, "global", "rows", "columns", "both")
SCALES = (None, "rows", "columns")
SWEEPS = 100
REST = 1e-10  # biases that move by less than this part of the spread are at rest


class Centering(NamedTuple):
    """The reversible map between entries x and centred, scaled entries y."""

    mean: float
    row: np.ndarray  # (n,)
    column: np.ndarray  # (d,)
    row_scale: np.ndarray  # (n,)
    column_scale: np.ndarray  # (d,)
    has_rows: bool  # whether rows have biases: codes of rows then have one number more
    usual: float = 1.0  # the usual row_scale: its root mean square over rows that have entries

    def apply(self, X: Any) -> Any:
        """The centred, scaled entries y of a csr_array x, as a csr_array of its dtype."""
        i, j = row_numbers(X), X.indices
        y = (X.data - self.mean) - (self.row[i] + self.column[j])
        y = y / (self.row_scale[i] * self.column_scale[j])
        return with_values(X, y.astype(X.dtype))

    def restore(self, Y: Any) -> Any:
        """The entries x of a csr_array y."""
        i, j = row_numbers(Y), Y.indices
        x = Y.data * (self.row_scale[i] * self.column_scale[j])
        return with_values(Y, (x + (self.row[i] + self.column[j]) + self.mean).astype(Y.dtype))

    def published(self, U: np.ndarray, V: np.ndarray, unit: float = 1.0) -> Published:
        """Factors of x from those of y, y_ij = unit u_i'v_j: x_ij = z_i'components_j + mean_j.

        Scales go into the factors; biases of rows become one more column of codes, with a
        constant component. Units go into the components: so codes are numbers near 1.
        """
        unit = unit * self.usual
        Z, W = U * (self.row_scale / self.usual)[:, None], V * (unit * self.column_scale[:, None])
        if self.has_rows:
            constant = unit * float(np.median(self.column_scale))
            Z = np.column_stack([Z, self.row / constant])
            W = np.column_stack([W, np.full(len(W), constant)])
        return Published(Z, np.ascontiguousarray(W.T), self.mean + self.column)


class Published(NamedTuple):
    row_factors: np.ndarray  # (n, q)
    components: np.ndarray  # (q, d)
    mean: np.ndarray  # (d,)


def learn_centering(
    X: Any,
    center: str | None = "global",
    scale: str | None = None,
    *,
    penalty: float = 5.0,
    weight: np.ndarray | None = None,
) -> Centering:
    """Learn the centering of the stored entries of a csr_array.

    Parameters
    ----------
    X : csr_array of shape (n, d)
    center : {None, "global", "rows", "columns", "both"}
        What is taken away: nothing, the mean of all, and beside it biases of rows and of columns.
    scale : {None, "rows", "columns"}
        Whose standard deviation is divided by.
    penalty : float
        As if each row and column had so many more entries that are nothing special.
    weight : array of shape (X.nnz,), default=None
        How much each entry counts.
    """
    check_choice("center", center, CENTERS)
    check_choice("scale", scale, SCALES)
    n, d = X.shape
    i, j = row_numbers(X), X.indices
    w = np.ones(X.nnz) if weight is None else weight
    x, unit = in_units(X.data)
    mean = weighted_mean(x, w) if center is not None else 0.0
    x = x - mean
    row, column = _biases(x, w, i, j, (n, d), center, penalty)
    left = x - row[i] - column[j]
    row_scale = _deviations(left, w, i, n, penalty) if scale == "rows" else np.ones(n)
    column_scale = _deviations(left, w, j, d, penalty) if scale == "columns" else np.ones(d)
    usual = 1.0
    if scale == "rows":
        used = row_scale[np.diff(X.indptr) > 0]
        usual = unit * float(np.sqrt(np.mean(used * used)))
        row_scale *= unit
    elif scale == "columns":
        column_scale *= unit
    biases = mean * unit, row * unit, column * unit
    return Centering(*biases, row_scale, column_scale, center in ("rows", "both"), usual)


def in_units(x: np.ndarray) -> tuple[np.ndarray, float]:
    """(x / unit in float64, unit), a power of two near the largest: squares stay in range."""
    largest = float(np.abs(x).max(initial=0.0))
    unit = float(np.exp2(np.floor(np.log2(largest)))) if largest > 0 else 1.0
    return x.astype(np.float64) / unit, unit


def weighted_mean(x: np.ndarray, w: np.ndarray) -> float:
    total = w.sum()
    return float(w @ x / total) if total > 0 else 0.0


def _biases(
    x: np.ndarray,
    w: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    shape: tuple[int, int],
    center: str | None,
    penalty: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Ridge biases of rows and columns, each in turn given the other."""
    row, column = np.zeros(shape[0]), np.zeros(shape[1])
    rest = REST * float(np.sqrt(weighted_mean(x * x, w)))
    for _ in range(SWEEPS if center == "both" else 1):
        before = row
        if center in ("columns", "both"):
            column = _ridge_means(x - row[i], w, j, shape[1], penalty)
        if center in ("rows", "both"):
            row = _ridge_means(x - column[j], w, i, shape[0], penalty)
        if np.abs(row - before).max(initial=0.0) <= rest:
            break
    return row, column


def _ridge_means(
    x: np.ndarray, w: np.ndarray, group: np.ndarray, size: int, penalty: float
) -> np.ndarray:
    """sum w x / (sum w + penalty) of each group; 0 for a group that has nothing."""
    count = np.bincount(group, w, size) + penalty
    total = np.bincount(group, w * x, size)
    return np.divide(total, count, out=np.zeros(size), where=count > 0)


def _deviations(
    x: np.ndarray, w: np.ndarray, group: np.ndarray, size: int, penalty: float
) -> np.ndarray:
    """Standard deviation of each group about 0, shrunk towards that of all; 1 where all are 0."""
    overall = weighted_mean(x * x, w)
    count = np.bincount(group, w, size) + penalty
    total = np.bincount(group, w * x * x, size) + penalty * overall
    variance = np.divide(total, count, out=np.full(size, overall), where=count > 0)
    return np.sqrt(np.where(variance > 0, variance, 1.0))
