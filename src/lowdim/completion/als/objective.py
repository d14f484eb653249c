"""What ALS minimises, and the regressions that follow from it for rows and for columns.

    J = sum_observed w_ij (y_ij - b_i - c_j - u_i'v_j)^2  +  penalty (sum |u_i|^2 + sum |v_j|^2)
        + the same for b and c,             y = (x - mean) / scale

Each row's (u_i, b_i) is regressed on (v_j, 1) of what it has observed, beside c_j, and each
column's (v_j, c_j) on (u_i, 1), beside b_i. Implicit feedback has entries of weight alpha x beyond
the weight 1 that all have; its values are 1 where x > 0 and 0 elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.ridge import Regression
from lowdim.linalg.sparse import by_column, with_values


class Objective(NamedTuple):
    """What is minimised, and how."""

    k: int
    mean: float
    scale: np.ndarray  # (d,)
    penalty: float
    by_count: bool  # whether the penalty of a row or column is times its number of entries
    row_bias: bool
    column_bias: bool
    alpha: float | None  # None: explicit feedback
    method: str
    steps: int
    total: float  # weight of the observed entries

    @property
    def exact_method(self) -> str:
        """How regressions are solved to the end."""
        return "nonnegative" if self.method == "nonnegative" else "cholesky"

    def by_entry(self, loss: float, W: np.ndarray, count: np.ndarray) -> float:
        """J by observed entry: what the rows lose, and the penalty of the columns.

        Parameters
        ----------
        loss : float
            Of all rows, with their penalty.
        W : array of shape (d, k [+ 1])
            v and c.
        count : array of shape (d,)
            Weight of each column's entries.
        """
        squares = np.square(W, dtype=np.float64).sum(axis=1)
        columns = self.penalty * (squares @ count if self.by_count else squares.sum())
        return float(loss + columns) / self.total

    def on_columns(self, W: np.ndarray) -> Regression:
        """What rows are regressed on: (v_j, 1), beside c_j."""
        return self._regression(W, self.column_bias, self.row_bias)

    def on_rows(self, Z: np.ndarray, weight: np.ndarray | None = None) -> Regression:
        """What columns are regressed on: (u_i, 1), beside b_i."""
        return self._regression(Z, self.row_bias, self.column_bias, weight)

    def _regression(
        self,
        factors: np.ndarray,
        own_bias: bool,
        other_bias: bool,
        weight: np.ndarray | None = None,
    ) -> Regression:
        """The regression on one side's factors (own bias last) and a constant for the other's."""
        m = len(factors)
        F = factors[:, : self.k]
        if other_bias:
            F = np.hstack([F, np.ones((m, 1), F.dtype)])
        offset = factors[:, self.k] if own_bias else np.zeros(m, F.dtype)
        gram = None if self.alpha is None else gram_of(F, weight)
        penalty = np.full(F.shape[1], self.penalty)
        return Regression(np.ascontiguousarray(F), offset, penalty, self.by_count, gram)

    def targets(self, X: Any, weight: np.ndarray | None) -> tuple[Any, np.ndarray | None]:
        """(y, w) of the entries: what the regressions take as values and as weights."""
        if self.alpha is not None:
            x = X.data if weight is None else X.data * weight
            return with_values(X, (self.alpha * x).astype(X.dtype, copy=False)), None
        y = (X.data - self.mean) / self.scale[X.indices]
        return with_values(X, y.astype(X.dtype, copy=False)), weight

    def decoder(self, W: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
        """(components, mean) in units of X, from the factors of the columns."""
        components = W[:, : self.k].T
        if self.row_bias:
            components = np.vstack([components, np.ones(len(W), W.dtype)])
        bias = W[:, self.k] if self.column_bias else np.zeros(len(W), W.dtype)
        mean = self.mean + self.scale.astype(np.float64) * bias
        return (components * self.scale).astype(dtype), mean.astype(dtype)


def gram_of(F: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """sum_j w_j f_j f_j' in float64."""
    F = F.astype(np.float64)
    return F.T @ (F if weight is None else F * weight[:, None])


def twin_of(
    X: Any, weight: np.ndarray | None, row_weight: np.ndarray | None = None
) -> tuple[Any, np.ndarray | None]:
    """The entries by column, and their weights there: times that of their row."""
    twin = by_column(X)
    weight = None if weight is None else by_column(with_values(X, weight)).data
    if row_weight is not None:
        by_row = row_weight[twin.indices]
        weight = by_row if weight is None else weight * by_row
    return twin, weight


def weighted(X: Any, weight: np.ndarray | None) -> Any:
    """The entries times their weights."""
    return X if weight is None else with_values(X, (X.data * weight).astype(X.dtype))
