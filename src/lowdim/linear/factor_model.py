"""What every model x = W z + mean + noise can do, once its parameters are known.

PCA, probabilistic PCA and factor analysis learn W, the mean and the noise in different ways. What
follows from them is the same: a density, samples, and the expectation of what is missing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.estimator import Transformer
from lowdim.core.imputation import ImputeMixin
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least, check_codes, check_weights
from lowdim.linalg.products import dense_times
from lowdim.linear import missing
from lowdim.linear.missing.units import (
    MeasuredModel,
    in_units,
    out_of_units,
    squares_out_of_units,
)

LITTLE_NOISE = 1e-6  # of a column's variance: from here on it is no longer divided by blindly
MOST_LOADINGS = 10  # components whose loadings a figure shows


class FactorModelMethods(ImputeMixin, Transformer):
    """Methods of an estimator that has `_factor_model()`: mean, W and noise."""

    _component_name: ClassVar[str] = "F"  # in figures, before its number
    components_: np.ndarray
    mean_: np.ndarray

    @abstractmethod
    def _factor_model(self) -> MeasuredModel:
        """Mean, W and noise, as learned, in a unit in which their squares are numbers."""

    def _filling(self, return_std):
        return expectation_with_std if return_std else expectation, self._factor_model()

    def sample(self, n_samples=1, random_state=None):
        """New rows x = W z + mean + noise, with z and the noise drawn at random.

        Without a `random_state` here, that of the constructor is used, as in scikit-learn.
        """
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = generator_of(self, random_state)
        mean, W, noise, unit = self._factor_model()
        rows = random.normal(size=(n_samples, W.shape[1])) @ W.T + mean
        rows += np.sqrt(noise) * random.normal(size=rows.shape)
        return out_of_units(rows, unit).astype(self.mean_.dtype, copy=False)

    def score_samples(self, X):
        """Log-likelihood of each row, over its observed entries."""
        rows = self.open_rows(X, reset=False)
        return rows.map(log_density, self._factor_model())

    def score(self, X, y=None, sample_weight=None):
        """Mean log-likelihood of the rows; rows without any observed value do not count."""
        rows = self.open_rows(X, reset=False, only_observed=True)
        weight = check_weights(sample_weight, rows)
        sums = rows.fold(sum_log_density, self._factor_model(), along=(weight,))
        return float(sums.log_density / sums.weight)

    def get_covariance(self):
        """Covariance of the model, W W' + noise."""
        check_is_fitted(self)
        _, W, noise, unit = self._factor_model()
        covariance = dense_times(W, W.T)
        covariance.flat[:: len(covariance) + 1] += noise
        return squares_out_of_units(covariance, unit)

    def get_precision(self):
        """Inverse of the covariance, by the matrix inversion lemma."""
        check_is_fitted(self)
        _, W, noise, unit = self._factor_model()
        return squares_out_of_units(precision_of(W, noise), 1.0 / unit)

    def plot(self, *, axes=None):
        """What each component explains, and what it is made of.

        Left the share of the variance that each component explains; right the loadings of the first
        ten for columns of unit variance: correlations of columns and components, between -1 and 1
        (after an oblique rotation the pattern, which may be larger).

        Parameters
        ----------
        axes : pair of matplotlib Axes or None, default=None
            Where to draw; None opens a new figure.

        Returns
        -------
        ndarray of two matplotlib Axes
        """
        from lowdim.plots import loadings_heatmap, scree

        check_is_fitted(self)
        if self._n_features_out == 0:
            raise ValueError("n_components=0: there are no components to draw.")
        loadings, shares = self._standard_loadings()[:, :MOST_LOADINGS], self._variance_shares()
        if axes is not None and np.size(axes) != 2:
            raise ValueError(f"axes={axes!r} must be two matplotlib Axes: for shares and loadings.")
        left, right = _side_by_side(*loadings.shape) if axes is None else np.ravel(axes)
        scree(shares, chosen=len(shares), ax=left)
        numbers = [f"{self._component_name}{j + 1}" for j in range(loadings.shape[1])]
        loadings_heatmap(loadings, getattr(self, "feature_names_in_", None), numbers, ax=right)
        return np.array([left, right])

    def _standard_loadings(self) -> np.ndarray:
        """Loadings of columns of unit variance, (d, k); 0 for constant columns."""
        _, W, noise, unit = self._factor_model()
        std = np.sqrt(np.sum(W**2, axis=1) + noise)[:, None]
        L = in_units(self._loadings(), unit)
        return np.divide(L, std, out=np.zeros_like(L), where=std > 0)

    def _loadings(self) -> np.ndarray:
        """Covariances of columns and components of unit variance, (d, k)."""
        return self.components_.T.astype(np.float64)

    def _variance_shares(self) -> np.ndarray:
        """The part of the variance of all columns that each component explains, (k,)."""
        _, W, noise, unit = self._factor_model()
        L = in_units(self._loadings(), unit)
        return np.sum(L**2, axis=0) / (np.sum(W**2) + noise.sum())

    @property
    def _n_features_out(self):
        return self.components_.shape[0]


class ExpectedCodes(FactorModelMethods):
    """The code of a row is the expectation of z, given what is observed of the row."""

    def transform(self, X, return_std=False):
        """E[z | observed entries] of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the posterior standard deviation of each code: larger for rows with missing
            values. Factor analysis gives those of the unrotated factors.
        """
        rows = self.open_rows(X, reset=False)
        if return_std:
            return rows.map(encode_with_std, self._factor_model())
        return rows.map(*self._encoding())

    def inverse_transform(self, Z):
        """Rows W z + mean."""
        check_is_fitted(self)
        Z = check_codes(self, Z, self.components_.shape[0])
        X = dense_times(Z, self.components_)
        X += self.mean_
        return X

    def _encoding(self):
        """What gives the codes of a block, and its arguments."""
        return encode, self._factor_model()


def precision_of(W: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """(W W' + diag(noise))^-1, (d, d), in O(d^2 k) unless hardly any noise would cost digits."""
    V = W / noise[:, None]
    std = np.sqrt(np.sum(W**2, axis=1) + noise)
    least = float((noise / std**2).min())
    if least < LITTLE_NOISE:
        # what cancels in 1 / noise - V (...)^-1 V' is 1 / least; the correlations may be far from
        # singular all the same, where factors explain a column and no other
        R = (W / std[:, None]) @ (W / std[:, None]).T
        np.fill_diagonal(R, 1.0)
        values, axes = scipy.linalg.eigh(R)
        if values[0] > least:
            return (axes / values) @ axes.T / np.outer(std, std)
    precision = -V @ np.linalg.solve(np.eye(W.shape[1]) + W.T @ V, V.T)
    precision.flat[:: len(precision) + 1] += 1.0 / noise
    return precision


def encode(X: Any, model: MeasuredModel) -> np.ndarray:
    """E[z | observed entries] of every row of a block."""
    return missing.encode(in_units(dense(X), model.unit), *model.model)


def encode_with_std(X: Any, model: MeasuredModel) -> tuple[np.ndarray, np.ndarray]:
    """The same, and the standard deviation of every code."""
    return missing.encode_with_std(in_units(dense(X), model.unit), *model.model)


def expectation(X: Any, model: MeasuredModel, *, apart: bool = False) -> np.ndarray:
    """One block with its missing values filled; `apart`: each row as if alone, to the bit."""
    Y = missing.expectation(in_units(dense(X), model.unit), *model.model, apart=apart)
    return out_of_units(Y, model.unit)


def expectation_with_std(
    X: Any, model: MeasuredModel, *, apart: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The same, and the standard deviation of every missing entry; 0 for observed ones."""
    std = missing.conditional_std(in_units(dense(X), model.unit), *model.model, apart=apart)
    return expectation(X, model, apart=apart), out_of_units(std, model.unit)


def log_density(X: Any, model: MeasuredModel) -> np.ndarray:
    """Log-density of every row of a block over its observed entries."""
    X = dense(X)
    density = missing.log_density(in_units(X, model.unit), *model.model)
    if model.unit != 1.0:  # of x, not of x / unit
        density -= np.count_nonzero(~np.isnan(X), axis=1) * np.log(model.unit)
    return density


def dense(X: Any) -> np.ndarray:
    """A block as an array: a density needs every entry of a row."""
    return X.toarray() if sp.issparse(X) else X


def filled(X: np.ndarray, model: MeasuredModel) -> np.ndarray:
    """A block with its missing values filled; X itself if nothing is missing."""
    with np.errstate(over="ignore", invalid="ignore"):  # of finite values it may still overflow
        is_whole = np.isfinite(X.sum())
    return X if is_whole or not np.isnan(X).any() else expectation(X, model)


class _DensitySum(NamedTuple):
    weight: float
    log_density: float


def sum_log_density(X: Any, model: MeasuredModel, weight: np.ndarray | None) -> _DensitySum:
    """What one block adds to the log-likelihood, and to the number of rows."""
    density = log_density(X, model)
    if weight is None:
        return _DensitySum(float(len(density)), density.sum())
    return _DensitySum(weight.sum(), weight @ density)


def _side_by_side(d: int, k: int) -> np.ndarray:
    """Two Axes of a new figure: a curve, and a table of d rows and k columns."""
    from lowdim.plots import house_style

    with house_style():
        import matplotlib.pyplot as plt

        table, height = 0.62 * k + 2.4, float(np.clip(0.24 * d + 0.8, 3.8, 14.0))
        return plt.subplots(
            1, 2, figsize=(4.6 + table, height), width_ratios=(4.6, table), layout="constrained"
        )[1]
