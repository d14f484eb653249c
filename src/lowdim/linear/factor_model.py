"""What every model x = W z + mean + noise can do, once its parameters are known.

PCA, probabilistic PCA and factor analysis learn W, the mean and the noise in different ways. What
follows from them is the same: a density, samples, and the expectation of what is missing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.random import random_generator
from lowdim.core.validation import check_at_least, check_weights
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel


class FactorModelMethods:
    """Methods of an estimator that has `_factor_model()`: mean, W and noise."""

    mean_: np.ndarray
    open_rows: Any

    def _factor_model(self) -> FactorModel:
        raise NotImplementedError

    def impute(self, X, return_std=False):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).

        Returns
        -------
        filled : ndarray of shape (n, d)
        std : ndarray of shape (n, d), if return_std
        """
        rows = self.open_rows(X, reset=False)
        model = self._factor_model()
        filled = rows.map(expectation, model)
        return (filled, rows.map(conditional_std, model)) if return_std else filled

    def sample(self, n_samples=1, random_state=None):
        """New rows x = W z + mean + noise, with z and the noise drawn at random."""
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = random_generator(random_state)
        mean, W, noise = self._factor_model()
        rows = random.normal(size=(n_samples, W.shape[1])) @ W.T + mean
        rows += np.sqrt(noise) * random.normal(size=rows.shape)
        return rows.astype(self.mean_.dtype, copy=False)

    def score_samples(self, X):
        """Log-likelihood of each row, over its observed entries."""
        rows = self.open_rows(X, reset=False)
        return rows.map(log_density, self._factor_model())

    def score(self, X, y=None, sample_weight=None):
        """Mean log-likelihood of the rows."""
        rows = self.open_rows(X, reset=False)
        weight = check_weights(sample_weight, rows)
        sums = rows.fold(_sum_log_density, self._factor_model(), along=(weight,))
        return float(sums.log_density / sums.weight)

    def get_covariance(self):
        """Covariance of the model, W W' + noise."""
        check_is_fitted(self)
        _, W, noise = self._factor_model()
        covariance = W @ W.T
        covariance.flat[:: len(covariance) + 1] += noise
        return covariance

    def get_precision(self):
        """Inverse of the covariance, by the matrix inversion lemma."""
        check_is_fitted(self)
        _, W, noise = self._factor_model()
        V = W / noise[:, None]
        inner = np.eye(W.shape[1]) + W.T @ V
        precision = -V @ np.linalg.solve(inner, V.T)
        precision.flat[:: len(precision) + 1] += 1.0 / noise
        return precision


def encode(X: Any, model: FactorModel) -> np.ndarray:
    """E[z | observed entries] of every row of a block."""
    return missing.encode(dense(X), *model)


def encode_with_std(X: Any, model: FactorModel) -> tuple[np.ndarray, np.ndarray]:
    """The same, and the standard deviation of every code."""
    return missing.encode_with_std(dense(X), *model)


def expectation(X: Any, model: FactorModel) -> np.ndarray:
    """One block with its holes filled."""
    return missing.expectation(dense(X), *model)


def filled(X: np.ndarray, model: FactorModel) -> np.ndarray:
    """The same; X itself if nothing is missing."""
    return missing.expectation(X, *model) if np.isnan(X.sum()) else X


def conditional_std(X: Any, model: FactorModel) -> np.ndarray:
    """Standard deviation of every missing entry of a block; 0 for observed ones."""
    return missing.conditional_std(dense(X), *model)


def log_density(X: Any, model: FactorModel) -> np.ndarray:
    """Log-density of every row of a block over its observed entries."""
    return missing.log_density(dense(X), *model)


def dense(X: Any) -> np.ndarray:
    """A block as an array: a density needs every entry of a row."""
    return X.toarray() if sp.issparse(X) else X


class _DensitySum(NamedTuple):
    weight: float
    log_density: float


def _sum_log_density(X: Any, model: FactorModel, weight: np.ndarray | None) -> _DensitySum:
    density = log_density(X, model)
    if weight is None:
        return _DensitySum(float(len(density)), density.sum())
    return _DensitySum(weight.sum(), weight @ density)
