"""How any estimator is asked for entries that it has not seen, or for the likelihood of rows.

A model fills missing values by the first of these that it has:

    impute(X)                                              models of lowdim
    the center nearest in what a row has observed          k-means and its relatives
    predict_proba(X) means_                                mixtures of scikit-learn
    transform(X), where that keeps what is observed        imputers of scikit-learn
    inverse_transform(transform(X))                        other transformers

A model that does not take NaN is given column means in their place, those of training entries.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from lowdim.core.estimator import Estimator
from lowdim.selection.splits import Columns, columns_of

MEANS_FOR_MISSING = "column means stand for missing values"
NOT_CENTERED = "columns scaled, not centred"

# learned attributes that say what a model expects of a row; what else is stored follows from them
PARAMETERS = (
    *("components_", "mean_", "noise_variance_", "cluster_centers_"),
    *("weights_", "means_", "covariances_"),
)


class ColumnMeans(Estimator):
    """The baseline: every entry is its column's mean; columns are normal and independent."""

    accepts_nan: ClassVar[bool] = True
    accepts_stream: ClassVar[bool] = False
    accepts_dask: ClassVar[bool] = False

    def fit(self, X: np.ndarray, y: Any = None) -> ColumnMeans:
        """Learn mean and standard deviation of the columns."""
        self.mean_, self.std_ = columns_of(X)
        return self

    def impute(self, X: np.ndarray, return_std: bool = False) -> Any:
        """X with the means for missing values; also, if asked, their standard deviations."""
        missing = np.isnan(X)
        filled = np.where(missing, self.mean_, X)
        return (filled, np.where(missing, self.std_, 0.0)) if return_std else filled

    def score_samples(self, X: np.ndarray) -> np.ndarray:
        """Log-likelihood of what each row has observed."""
        terms = ((X - self.mean_) / self.std_) ** 2 + np.log(2 * np.pi) + 2 * np.log(self.std_)
        return -np.nansum(terms, axis=1) / 2

    def _n_parameters(self) -> int:
        return len(self.mean_)


class Units(NamedTuple):
    """The units in which a model sees the columns: (x - shift) / scale."""

    shift: np.ndarray
    scale: np.ndarray
    columns: Columns  # standardised units, in which models are judged

    def to_model(self, X: np.ndarray) -> np.ndarray:
        """What the model is given for X."""
        return (X - self.shift) / self.scale

    def standardised(self, Y: np.ndarray) -> np.ndarray:
        """What the model says, in standardised units."""
        center, spread = self.columns
        return Y * (self.scale / spread) + (self.shift - center) / spread

    def log_density_standardised(self, log_density: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Log-densities of rows, from the model's units (Y) to standardised ones."""
        return log_density + ~np.isnan(Y) @ np.log(self.columns.spread / self.scale)


def units_for(model: Any, columns: Columns, standardize: bool) -> Units:
    """Standardised columns, not centred for models of non-negative numbers; or as they are."""
    center, spread = columns
    zero, one = np.zeros_like(center), np.ones_like(center)
    if not standardize:
        return Units(zero, one, columns)
    return Units(zero if takes_only_positive(model) else center, spread, columns)


def takes_nan(model: Any) -> bool:
    """Whether the model learns from rows with missing values."""
    return hasattr(model, "impute") or bool(get_tags(model).input_tags.allow_nan)


def takes_only_positive(model: Any) -> bool:
    """Whether the model is one of non-negative numbers."""
    return bool(get_tags(model).input_tags.positive_only)


def with_means(X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """X with the means for missing values."""
    return np.where(np.isnan(X), mean, X)


def needs_means(model: Any, training: np.ndarray, question: np.ndarray) -> bool:
    """Whether column means stand for missing values in what the model is given."""
    if takes_nan(model):
        return False
    asked = not hasattr(model, "cluster_centers_") and bool(np.isnan(question).any())
    return asked or bool(np.isnan(training).any())


def filled(model: Any, X: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """X filled by a fitted model; `mean` are the training means, in its units."""
    if hasattr(model, "impute"):
        return np.asarray(model.impute(X), dtype=np.float64)
    if hasattr(model, "cluster_centers_"):
        centers = np.asarray(model.cluster_centers_, dtype=np.float64)
        return centers[nearest_in_observed(X, centers, mean)]
    given = X if takes_nan(model) else with_means(X, mean)
    if hasattr(model, "predict_proba") and hasattr(model, "means_"):
        return np.asarray(model.predict_proba(given) @ model.means_, dtype=np.float64)
    if hasattr(model, "transform"):
        Z = np.asarray(model.transform(given), dtype=np.float64)
        observed = ~np.isnan(X)
        if Z.shape == X.shape and np.array_equal(Z[observed], X[observed]):
            return Z
        if hasattr(model, "inverse_transform"):
            return np.asarray(model.inverse_transform(Z), dtype=np.float64)
    raise TypeError(
        f"{type(model).__name__} has no way to predict entries: it needs impute, cluster_centers_, "
        "or transform with inverse_transform"
    )


def nearest_in_observed(X: np.ndarray, centers: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The center nearest to each row in the columns that the row has observed."""
    # sum_o (x - c)^2 = sum_o c^2 - 2 x.c + const, measured from the means to keep its digits
    C, observed = centers - mean, ~np.isnan(X)
    return np.argmin(observed @ (C**2).T - 2 * (with_means(X, mean) - mean) @ C.T, axis=1)


def log_likelihood(model: Any, X: np.ndarray) -> np.ndarray:
    """log p of each row under a fitted model."""
    if not hasattr(model, "score_samples") or is_outlier_detector(model):
        raise TypeError(
            f"{type(model).__name__} has no likelihood (score_samples); criterion='error' can "
            "judge it"
        )
    if np.isnan(X).any() and not takes_nan(model):
        raise ValueError(
            f"{type(model).__name__} cannot score rows with NaN, which X has; criterion='error' "
            "can judge it"
        )
    return np.asarray(model.score_samples(X), dtype=np.float64)


def n_parameters(model: Any) -> int | None:
    """How many numbers describe a fitted model; None where nobody can say."""
    if hasattr(model, "best_estimator_"):
        return n_parameters(model.best_estimator_)
    if isinstance(model, Pipeline):
        return n_parameters(model[-1])
    if hasattr(model, "_n_parameters"):
        return int(model._n_parameters())
    weights = getattr(model, "weights_", None)
    if isinstance(weights, dict):  # of a network, by name
        return sum(map(np.size, weights.values()))
    return sum(np.size(getattr(model, name, ())) for name in PARAMETERS) or None
