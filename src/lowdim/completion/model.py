"""What all completers share: a row is z'components + mean, and z follows from what it has observed.

Whatever a method centres or scales goes into these three: `mean_` takes the means and the biases of
columns, `components_` their scales, and the bias of a row is one more number in its code, whose
component is constant. So every method predicts the same way,

    x_ij = sum_r row_factors_[i, r] components_[r, j] + mean_[j],

and a new row is folded in by one ridge regression on its observed entries, in units of `scale_`:

    minimise over z     sum_o ((x_j - mean_j - z'components_j) / scale_j)^2 + sum_r penalty_r z_r^2

A method without a penalty has a very small one here: of the codes that explain a row equally well,
which is many if the row has fewer entries than the model components, it is the smallest that count.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.coding import Coding, Errors, encode, errors, errors_given, fill, values_at
from lowdim.completion.entries import Entries, check_some_observed, without_stored_nan
from lowdim.completion.uncertainty import (
    Noise,
    WeightedSample,
    fill_with_std,
    learned_noise,
    second_moments,
)
from lowdim.core.blocks import Blocks
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.imputation import ImputeMixin
from lowdim.core.loop import fitting
from lowdim.core.shapes import Either, Maybe
from lowdim.core.validation import check_codes
from lowdim.linalg.products import dense_times
from lowdim.linalg.ridge import Regression

LARGEST_DENSE_BYTES = 2**32  # a completed matrix is made up to this size


class Completer(ImputeMixin, Transformer, Estimator):
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
        "noise_std_": Maybe(Either(((), ("d",)))),
        "code_covariance_": Maybe(("q", "q")),
        "singular_values_": Maybe(("rank",)),
    }

    components_: np.ndarray
    mean_: np.ndarray
    row_factors_: np.ndarray
    scale_: Any
    noise_std_: Any
    code_covariance_: np.ndarray
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
        X = X.X if isinstance(X, Entries) else X
        rows = self.open_rows(X, reset=reset, only_observed=False)  # every row has its number
        return without_stored_nan(rows, type(self).__name__)

    def _code_penalty(self) -> np.ndarray:
        """The penalty (q,) on each code, in units of `scale_`."""
        return np.zeros(self.components_.shape[0])

    def _code_weights(self) -> np.ndarray:
        """How much a code counts (q,), at least 1, where only the smallest of many is wanted."""
        return np.ones(self.components_.shape[0])

    def _coding(self) -> Coding:
        """How the codes of a row follow from what it has observed."""
        scale = np.broadcast_to(self.scale_, self.mean_.shape).astype(self.components_.dtype)
        F = np.ascontiguousarray((self.components_ / scale).T)
        # the root of rounding: what the penalty takes away is then as small as what rounding adds
        least = np.sqrt(np.finfo(F.dtype).eps) * np.square(F, dtype=np.float64).mean(axis=0).max()
        own, least = self._code_penalty(), least * self._code_weights()
        too_small = bool(
            (own < least).all()
        )  # else only a bias is free, which any entry determines
        on = Regression(F, np.zeros(len(F), F.dtype), least if too_small else own)
        return Coding(on, self.mean_, scale, refined=too_small)

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
        Z = check_codes(self, Z, self.components_.shape[0])
        return dense_times(Z, self.components_) + self.mean_

    def predict_entries(self, rows: Any, columns: Any) -> Any:
        """The model's values of single entries of the fitted matrix.

        Parameters
        ----------
        rows, columns : int or arrays of int, of shapes that go together
            Numbers of rows and columns. Rows that were not fitted are filled by `impute`.

        Returns
        -------
        values : float or array
        """
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

    def impute(self, X: Any, return_std: bool = False) -> Any:
        """X with what is missing filled in by the model; what is observed stays.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries, stream or Dask, (n, d)
        return_std : bool, default=False
            Also return the standard deviation of the error of every filled entry (0 where X was
            observed): the noise of the entries, what the code of the row makes of it, and how far
            codes spread where a row's entries do not determine its own. The components are taken
            as known.

        Returns
        -------
        filled : array of shape (n, d), or a data frame if `set_output` asks for it
        std : the same, if return_std
        """
        return super().impute(X, return_std)

    def _rows_to_fill(self, X: Any) -> Blocks:
        rows = self.open_entries(X, reset=False)
        if rows.in_memory is not None:
            self._check_fits_in_memory(rows.shape[0])
        return rows

    def _filling(self, return_std: bool) -> tuple:
        coding = self._coding()
        if not return_std:
            return fill, self.components_, self.mean_, coding
        if not hasattr(self, "noise_std_"):
            raise ValueError(self._why_no_std())
        std = float(np.max(np.asarray(self.noise_std_, np.float64) / self.scale_))
        noise = Noise(std, self.code_covariance_)
        return fill_with_std, self.components_, self.mean_, coding, noise

    def _why_no_std(self) -> str:
        return (
            f"return_std=True needs the noise of the entries, which this {type(self).__name__} has "
            "not learned: it was saved by an earlier version. Fit it again."
        )

    def _learn_noise(
        self, sample: WeightedSample, by_column: float, row_weight: np.ndarray | None = None
    ) -> None:
        """Set `noise_std_` and `code_covariance_` from some fitted rows.

        `by_column` is the weight of the entries of a column, on average.
        """
        S = second_moments(self.row_factors_, row_weight)
        found = learned_noise(sample, self._coding(), S, by_column)
        noise = found.std * np.asarray(self.scale_, dtype=np.float64)
        self.noise_std_ = noise.astype(self.mean_.dtype) if noise.ndim else float(noise)
        self.code_covariance_ = found.codes

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the root mean squared error of the observed entries of X, in units of X.

        The rows are coded anew, from these entries: so it is what the model cannot explain.
        """
        rows = self.open_entries(X, reset=False)
        sums = rows.fold(errors, self.components_, self.mean_, self._unit(), self._coding())
        return self._minus_error(sums)

    def _unit(self) -> float:
        """In which errors are squared: neither huge nor tiny units of X leave the range."""
        return float(np.max(self.scale_))

    def _minus_error(self, sums: Errors) -> float:
        check_some_observed(sums.count, type(self).__name__)
        return -self._unit() * float(np.sqrt(sums.squares / sums.count))

    def score_entries(self, X: Any) -> float:
        """Minus the root mean squared error of held-out entries of the fitted matrix.

        In units of X, like `score`.

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
        sums = held_out.fold(
            errors_given, self.components_, self.mean_, self._unit(), along=(self.row_factors_,)
        )
        return self._minus_error(sums)

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
                "predict_entries(rows, columns), or complete some rows at a time."
            )


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
