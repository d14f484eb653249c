"""What every mixture can say of rows, once it has their joint densities with the components.

    log joint         log weight_j + log f_j(x_o)             of every row and component, (b, K)
    log density       log p(x_o) = log sum_j exp(log joint)
    responsibility    p(j | x_o) = exp(log joint - log density)

A mixture gives the first, for one block of rows; what it means for predictions, scores and
information criteria is the same for all of them, and is here. So are the doors of `fit` and
`sample`, behind which each has its own way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import Blocks
from lowdim.core.loop import fitting
from lowdim.core.random import generator_of
from lowdim.core.validation import check_at_least, check_weights

LogJoint = Callable[..., np.ndarray]


class MixtureMethods(DensityMixin, ABC):
    """The doors of a mixture: learn, predict, judge, draw.

    A class gives `_learn(rows, weight)`, which sets the learned attributes; `_opened(X)`: the rows,
    a module-level function log_joint, and params, such that log_joint(block, *params) is (b, K);
    `_drawn(counts, random)` and `_n_parameters()`.
    """

    open_rows: Any
    weights_: np.ndarray

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the components from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values. Sparse X, where it is accepted, is not made dense; its zeros
            are values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        self._learn(rows, check_weights(sample_weight, rows))
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """Learn from X, and the most likely component (cluster) of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    # ---- which component -------------------------------------------------------------------------

    def predict(self, X):
        """The most likely component (cluster) of each row, given its observed entries."""
        return self._map(most_likely, X)

    def predict_proba(self, X):
        """Probability of each component (cluster), for each row."""
        return self._map(responsibilities, X)

    # ---- judge -----------------------------------------------------------------------------------

    def score_samples(self, X):
        """Log-likelihood of each row, over its observed entries."""
        return self._map(log_density, X)

    def score(self, X, y=None, sample_weight=None):
        """Mean log-likelihood of the rows; those without any value do not count."""
        total = self._total(X, sample_weight)
        return float(total.log_density / total.weight)

    def aic(self, X, sample_weight=None):
        """Akaike's criterion -2 log p(X) + 2 (number of parameters): the lower the better."""
        total = self._total(X, sample_weight)
        return float(-2.0 * total.log_density + 2.0 * self._n_parameters())

    def bic(self, X, sample_weight=None):
        """Schwarz's criterion -2 log p(X) + log n (number of parameters): the lower the better."""
        total = self._total(X, sample_weight)
        return float(-2.0 * total.log_density + np.log(total.weight) * self._n_parameters())

    # ---- draw ------------------------------------------------------------------------------------

    def sample(self, n_samples=1, random_state=None):
        """New rows, and the component (cluster) of each; rows of one component come together.

        Without a `random_state` here, that of the constructor is used, as in scikit-learn.
        """
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = generator_of(self, random_state)
        weights = self.weights_.astype(np.float64)
        counts = random.multinomial(n_samples, weights / weights.sum())
        return self._drawn(counts, random), np.repeat(np.arange(len(counts)), counts)

    # ---- inside ----------------------------------------------------------------------------------

    @abstractmethod
    def _learn(self, rows: Blocks, weight: np.ndarray | None) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def _drawn(self, counts: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """New rows, so many of each component, one component after the other."""

    @abstractmethod
    def _opened(self, X: Any, only_observed: bool = False) -> tuple[Blocks, LogJoint, tuple]:
        """The rows, the function of a block that gives the log joint, and what else it needs.

        With only_observed, rows without any value are left out.
        """

    @abstractmethod
    def _n_parameters(self) -> int:
        """Free parameters of the fitted mixture."""

    def _map(self, function: Callable, X: Any) -> Any:
        rows, log_joint, params = self._opened(X)
        return rows.map(function, log_joint, params)

    def _total(self, X: Any, sample_weight: Any) -> DensitySum:
        rows, log_joint, params = self._opened(X, only_observed=True)
        weight = check_weights(sample_weight, rows)
        return rows.fold(sum_log_density, log_joint, params, along=(weight,))


class DensitySum(NamedTuple):
    weight: float  # sum w
    log_density: float  # sum w log p(x_o)


# ---- what is done to a block ---------------------------------------------------------------------


def most_likely(X: Any, log_joint: LogJoint, params: tuple) -> np.ndarray:
    """The component of the largest responsibility."""
    return log_joint(X, *params).argmax(axis=1)


def responsibilities(X: Any, log_joint: LogJoint, params: tuple) -> np.ndarray:
    """p(j | x_o) of every row and component, (b, K)."""
    return np.ascontiguousarray(normalized(log_joint(X, *params))[0], dtype=X.dtype)


def log_density(X: Any, log_joint: LogJoint, params: tuple) -> np.ndarray:
    """log p(x_o) of every row."""
    return normalized(log_joint(X, *params))[1]


def sum_log_density(
    X: Any, log_joint: LogJoint, params: tuple, weight: np.ndarray | None
) -> DensitySum:
    density = log_density(X, log_joint, params)
    w = np.ones(len(density)) if weight is None else weight
    return DensitySum(float(w.sum()), float(w @ density))


def normalized(joint: np.ndarray, axis: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Responsibilities, written into `joint`, and log p(x_o); components go along `axis`.

    Of a row that is too far from all components for a number, log p is -inf and they are NaN.
    """
    largest = np.maximum(joint.max(axis=axis, keepdims=True), np.finfo(np.float64).min)
    joint -= largest
    resp = np.exp(joint, out=joint)
    total = resp.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        resp /= total
        return resp, (largest + np.log(total)).squeeze(axis)
