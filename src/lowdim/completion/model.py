"""What all completers share: a row is z'components + mean, and z follows from what it has observed.

Whatever a method centres or scales goes into these three: `mean_` takes the means and the biases of
columns, `components_` their scales, and the bias of a row is one more number in its code, whose
component is constant. So every method predicts the same way,

    x_ij = sum_r row_factors_[i, r] components_[r, j] + mean_[j],

and a new row is folded in by one ridge regression on its observed entries, in units of `scale_`:

    minimise over z     sum_o ((x_j - mean_j - z'components_j) / scale_j)^2 + sum_r penalty_r z_r^2
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.entries import Entries, check_some_observed, observed, without_stored_nan
from lowdim.core.blocks import Blocks
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.shapes import Either, Maybe
from lowdim.core.validation import check_codes
from lowdim.linalg.ridge import Regression, Solved, solve_rows
from lowdim.linalg.sparse import row_numbers, with_values

LARGEST_DENSE_BYTES = 2**32  # a completed matrix is made up to this size


class Completer(Transformer, Estimator, ABC):
    """Base of the methods that explain a matrix with missing values by few factors.

    A method opens X (`_open`), learns from it (`_learn`) and publishes (`_publish`) `components_`
    (q, d), `mean_` (d,), `row_factors_` (n, q) and `scale_` (a number or (d,)); it says in
    `_code_penalty` how large the codes of a row may be.
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "mean_": ("d",),
        "components_": ("q", "d"),
        "row_factors_": ("n", "q"),
        "scale_": Either(((), ("d",))),
        "singular_values_": Maybe(("rank",)),
    }

    components_: np.ndarray
    mean_: np.ndarray
    row_factors_: np.ndarray
    scale_: Any
    history_: np.ndarray

    @fitting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the completed matrix from its observed entries.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries, stream or Dask, (n, d)
            What is not NaN, or what is stored, was observed.
        y : accepted for compatibility with scikit-learn; ignored

        Returns
        -------
        self
        """
        opened = self._open(X)
        self._publish(opened, self._learn(opened))
        return self

    @abstractmethod
    def _open(self, X: Any) -> Any:
        """The observed entries of X, checked, in the form that the method works on."""

    @abstractmethod
    def _learn(self, opened: Any) -> Any:
        """What the method finds: its start and its iteration."""

    @abstractmethod
    def _publish(self, opened: Any, learned: Any) -> None:
        """Learned attributes, in units of X."""

    def open_entries(self, X: Any, *, reset: bool = True) -> Blocks:
        """X (Entries, array with NaN, sparse, stream, Dask) as Blocks, validated."""
        rows = self.open_rows(X.X if isinstance(X, Entries) else X, reset=reset)
        return without_stored_nan(rows, type(self).__name__)

    def _code_penalty(self) -> np.ndarray:
        """The penalty (q,) on each code, in units of `scale_`."""
        return np.zeros(self.components_.shape[0])

    def _coding(self) -> Coding:
        """How the codes of a row follow from what it has observed."""
        scale = np.broadcast_to(self.scale_, self.mean_.shape).astype(self.components_.dtype)
        F = np.ascontiguousarray((self.components_ / scale).T)
        on = Regression(F, np.zeros(len(F), F.dtype), self._code_penalty())
        return Coding(on, self.mean_, scale)

    def transform(self, X: Any) -> np.ndarray:
        """Codes of rows (the few numbers that stand for each), from what they have observed.

        The components stay as they are: a row is regressed on them.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries, stream or Dask, (n, d)

        Returns
        -------
        Z : array of shape (n, q)
            A row without observed entries has code 0: it is predicted by `mean_`.
        """
        rows = self.open_entries(X, reset=False)
        return rows.map(encode, self._coding())

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows Z components_ + mean_."""
        check_is_fitted(self)
        return check_codes(self, Z, self.components_.shape[0]) @ self.components_ + self.mean_

    def predict(self, rows: Any, columns: Any = None) -> Any:
        """The model's values of single entries of the fitted matrix: predict(rows, columns).

        Parameters
        ----------
        rows, columns : int or arrays of int, of shapes that go together
            Numbers of rows and columns. Without `columns`, `rows` is a matrix of rows to fold in,
            as for `transform`.

        Returns
        -------
        values : float or array
            Of the pairs. For a matrix (n, d) the number of one column for each row, (n,): of those
            that the row has not observed, the one predicted highest (of all, if it has observed
            all).
        """
        if columns is None:
            blocks = self.open_entries(rows, reset=False)
            return blocks.map(best_unseen, self.components_, self.mean_, self._coding())
        check_is_fitted(self)
        i = _checked_numbers(rows, len(self.row_factors_), "rows")
        j = _checked_numbers(columns, self.components_.shape[1], "columns")
        i, j = np.broadcast_arrays(i, j)
        values = values_at(i.ravel(), j.ravel(), self.row_factors_, self.components_, self.mean_)
        return values.reshape(i.shape)[()]

    def complete(self, X: Any = None) -> np.ndarray:
        """The matrix without missing values.

        Parameters
        ----------
        X : array with NaN, sparse matrix or Entries of shape (n, d), default=None
            Rows to complete: what they have observed stays as it is. None gives the model's value
            of every entry of the matrix that it was fitted to.
        """
        if X is not None:
            return self.impute(X)
        check_is_fitted(self)
        self._check_fits_in_memory(len(self.row_factors_))
        return self.inverse_transform(self.row_factors_)

    def impute(self, X: Any) -> np.ndarray:
        """X with what is missing filled in by the model; what is observed stays."""
        rows = self.open_entries(X, reset=False)
        if rows.in_memory is not None:
            self._check_fits_in_memory(rows.shape[0])
        return rows.map(fill, self.components_, self.mean_, self._coding())

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the mean squared error of the observed entries of X, from the codes of its rows."""
        rows = self.open_entries(X, reset=False)
        total, count = rows.fold(errors, self.components_, self.mean_, self._coding())
        check_some_observed(count, type(self).__name__)
        return -float(total / count)

    def score_entries(self, X: Any) -> float:
        """Minus the root mean squared error of held-out entries of the fitted matrix.

        Parameters
        ----------
        X : array with NaN, sparse matrix or Entries, of the shape of the fitted matrix
            The held-out entries; rows are those that the model was fitted to, in the same order.
        """
        held_out = self.open_entries(X, reset=False)
        if held_out.shape[0] != len(self.row_factors_):
            raise ValueError(
                f"X has {held_out.shape[0]} rows, the model was fitted to "
                f"{len(self.row_factors_)}; give it the held-out entries of the same rows, or use "
                "score(X) for others."
            )
        total, count = held_out.fold(
            errors_given, self.components_, self.mean_, along=(self.row_factors_,)
        )
        check_some_observed(count, type(self).__name__)
        return -float(np.sqrt(total / count))

    def plot(self, ax: Any = None) -> Any:
        """Draw the objective, iteration by iteration.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        from lowdim.plots import trace

        check_is_fitted(self)
        return trace(self.history_, ax=ax)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _check_fits_in_memory(self, n: int) -> None:
        n_bytes = n * self.components_.shape[1] * self.components_.dtype.itemsize
        if n_bytes > LARGEST_DENSE_BYTES:
            raise MemoryError(
                f"The completed matrix, {n} x {self.components_.shape[1]}, would take "
                f"{n_bytes / 2**30:.1f} GB. Ask for the entries you need with "
                "predict(rows, columns), or complete some rows at a time."
            )


# ---- one block at a time -------------------------------------------------------------------------


class Coding(NamedTuple):
    """How codes follow from a row: standardise it, then regress it."""

    on: Regression
    mean: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)
    method: str = "cholesky"
    confidence: float | None = None  # implicit feedback: entries x count 1 + confidence x


def encode(X: Any, coding: Coding) -> np.ndarray:
    """Codes of a block of rows."""
    return coded(X, coding, with_loss=False).Z


def coded(X: Any, coding: Coding, *, with_loss: bool = True) -> Solved:
    """Codes of a block of rows, and the minimum that each row reaches."""
    X = observed(X)
    dtype = coding.on.F.dtype
    if coding.confidence is not None:
        Y = with_values(X, coding.confidence * X.data)
    else:
        y = (X.data - coding.mean[X.indices]) / coding.scale[X.indices]
        Y = with_values(X, y.astype(dtype))
    return solve_rows(Y, coding.on, method=coding.method, with_loss=with_loss)


def fill(X: Any, components: np.ndarray, mean: np.ndarray, coding: Coding) -> np.ndarray:
    """A block of rows with what is missing filled in."""
    filled = encode(X, coding) @ components + mean
    if sp.issparse(X):
        entries = observed(X)
        filled[row_numbers(entries), entries.indices] = entries.data
        return filled
    here = ~np.isnan(X)
    filled[here] = X[here]
    return filled


def best_unseen(X: Any, components: np.ndarray, mean: np.ndarray, coding: Coding) -> np.ndarray:
    """For each row of a block, the column of highest value among those it has not observed."""
    values = encode(X, coding) @ components + mean
    entries = observed(X)
    seen = np.zeros(values.shape, dtype=bool)
    seen[row_numbers(entries), entries.indices] = True
    seen[seen.all(axis=1)] = False
    return np.where(seen, -np.inf, values).argmax(axis=1)


class Errors(NamedTuple):
    squares: float
    count: int  # type: ignore[assignment]


def errors(X: Any, components: np.ndarray, mean: np.ndarray, coding: Coding) -> Errors:
    """Sum of squared errors of the observed entries of a block, and how many they are."""
    return errors_given(X, components, mean, encode(X, coding))


def errors_given(X: Any, components: np.ndarray, mean: np.ndarray, Z: np.ndarray) -> Errors:
    """The same, given the codes of the rows."""
    X = observed(X)
    left = X.data - values_at(row_numbers(X), X.indices, Z, components, mean)
    return Errors(float(np.dot(left, left)), X.nnz)


def values_at(
    i: np.ndarray, j: np.ndarray, Z: np.ndarray, components: np.ndarray, mean: np.ndarray
) -> np.ndarray:
    """z_i'components_j + mean_j of pairs (i, j), some pairs at a time."""
    values = np.empty(len(i), dtype=np.result_type(Z, components))
    W = np.ascontiguousarray(components.T)
    size = max(1, 2**18 // W.shape[1])
    for first in range(0, len(i), size):
        a, b = i[first : first + size], j[first : first + size]
        values[first : first + size] = np.einsum("er,er->e", Z[a], W[b]) + mean[b]
    return values


def _checked_numbers(numbers: Any, size: int, what: str) -> np.ndarray:
    numbers = np.asarray(numbers)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers from 0 to {size - 1}, not {numbers.dtype}.")
    outside = (numbers < 0) | (numbers >= size)
    if outside.any():
        raise ValueError(
            f"{what} has the number {numbers[outside].flat[0]}; the fitted matrix has {size} "
            f"{what}, numbered from 0."
        )
    return numbers
