"""Linear regression with few non-zero coefficients, by orthogonal matching pursuit.

    minimise over w, b     |y - X w - b|^2     with at most so many non-zeros in w

Both classes are scikit-learn's: the same arguments, learned attributes and choice by
cross-validation.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1, NOT_NEGATIVE, Integral, StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.numeric import frame_of, numeric_array
from lowdim.core.shapes import Either, Maybe
from lowdim.core.validation import numbers_of
from lowdim.sparse.pursuit.orthogonal_mp import SHARE, orthogonal_mp, steps_of_targets

LEAST_TRIED = 5  # non-zeros that cross-validation tries, if there are as many columns


class _LinearModel(RegressorMixin, SavedModel, BaseEstimator):
    """y = X w + b."""

    coef_: np.ndarray
    intercept_: Any

    def predict(self, X):
        """X w + b for each row.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return X @ self.coef_.T + self.intercept_


class OrthogonalMatchingPursuit(_LinearModel):
    """Linear regression with few non-zero coefficients.

    Minimises  |y - X w - b|^2  over w with at most n_nonzero_coefs non-zeros, one more at a time:
    the column that has most in common with what is left of y, then least squares on all chosen.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes.

    Cost: O(n d s) time for s non-zeros; with X'X O(n d^2 + d s^2).

    Parameters
    ----------
    n_nonzero_coefs : int, default=None
        How many at the most; None: a tenth of the columns, at least 1. No effect if tol is given.
    tol : float, default=None
        Stop when |y - X w - b|^2 is at most this.
    fit_intercept : bool, default=True
        Whether there is a b.
    precompute : bool or 'auto', default='auto'
        Whether to use X'X; 'auto': where that takes less time.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
        Non-zeros of each target.
    n_nonzero_coefs_ : int or None
        What was asked for; None if tol was.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), if X had names

    See Also
    --------
    OrthogonalMatchingPursuitCV : chooses how many by cross-validation.
    orthogonal_mp : the same as a function.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.random.default_rng(0).standard_normal((50, 20))
    >>> y = 3 * X[:, 4] - 2 * X[:, 11] + 1
    >>> model = lowdim.OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X, y)
    >>> np.flatnonzero(model.coef_), model.coef_[[4, 11]].round(6), round(model.intercept_, 6)
    (array([ 4, 11]), array([ 3., -2.]), np.float64(1.0))
    """

    shapes: ClassVar[dict] = {
        "coef_": Either((("d",), ("t", "d"))),
        "intercept_": Either(((), ("t",))),
        "n_iter_": Either(((), ("t",))),
        "n_nonzero_coefs_": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_nonzero_coefs": [AT_LEAST_1, None],
        "tol": [NOT_NEGATIVE, None],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "boolean"],
    }

    def __init__(self, *, n_nonzero_coefs=None, tol=None, fit_intercept=True, precompute="auto"):
        self.n_nonzero_coefs = n_nonzero_coefs
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.precompute = precompute

    def fit(self, X, y):
        """Find the coefficients.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        """
        self._validate_params()
        dtype = [np.float64, np.float32]
        X, y = _as_numbers(self, X, y)
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=dtype)
        y = y.astype(X.dtype, copy=False)
        if self.tol is not None:
            self.n_nonzero_coefs_ = None
        elif self.n_nonzero_coefs is None:
            self.n_nonzero_coefs_ = max(int(SHARE * X.shape[1]), 1)
        else:
            self.n_nonzero_coefs_ = self.n_nonzero_coefs
        X_mean, y_mean = _means(X, y, self.fit_intercept)
        coef, self.n_iter_ = orthogonal_mp(
            X - X_mean,
            y - y_mean,
            n_nonzero_coefs=self.n_nonzero_coefs_,
            tol=self.tol,
            precompute=self.precompute,
            return_n_iter=True,
        )
        coef = coef.reshape(X.shape[1], -1) if y.ndim == 2 else np.atleast_1d(coef)
        self.coef_ = coef.T
        self.intercept_ = y_mean - self.coef_ @ X_mean if self.fit_intercept else 0.0
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class OrthogonalMatchingPursuitCV(_LinearModel):
    """Linear regression with few non-zero coefficients; cross-validation says how many.

    Minimises  |y - X w - b|^2  as OrthogonalMatchingPursuit does, with the number of non-zeros
    whose mean squared error on held-out rows is least.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes.

    Parameters
    ----------
    copy : bool, default=True
        Accepted for compatibility with scikit-learn; ignored: X is never written to.
    fit_intercept : bool, default=True
        Whether there is a b.
    max_iter : int, default=None
        Non-zeros that are tried at the most; None: a tenth of the columns, at least 5 if there are
        as many.
    cv : int, splitter or iterable, default=None
        How to split the rows; None: into 5 parts.
    n_jobs : int, default=None
        Accepted for compatibility with scikit-learn; ignored.
    verbose : bool or int, default=False
        Accepted for compatibility with scikit-learn; ignored.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_nonzero_coefs_ : int
        The number that was chosen.
    n_iter_ : int
        Non-zeros of the final model.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), if X had names

    See Also
    --------
    OrthogonalMatchingPursuit : with a given number of non-zeros.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(1)
    >>> X = random.standard_normal((80, 20))
    >>> y = 3 * X[:, 4] - 2 * X[:, 11] + 0.1 * random.standard_normal(80)
    >>> int(lowdim.OrthogonalMatchingPursuitCV().fit(X, y).n_nonzero_coefs_)
    2
    """

    shapes: ClassVar[dict] = {"coef_": ("d",), "intercept_": (), "n_nonzero_coefs_": ()}

    _parameter_constraints: ClassVar[dict] = {
        "copy": ["boolean"],
        "fit_intercept": ["boolean"],
        "max_iter": [AT_LEAST_0, None],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, *, copy=True, fit_intercept=True, max_iter=None, cv=None, n_jobs=None, verbose=False
    ):
        self.copy = copy
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y):
        """Choose the number of non-zeros, then find the coefficients from all rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        self._validate_params()
        dtype = [np.float64, np.float32]
        X, y = _as_numbers(self, X, y)
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_features=2, dtype=dtype)
        y = y.astype(X.dtype, copy=False)
        d = X.shape[1]
        most = self.max_iter or min(max(int(SHARE * d), LEAST_TRIED), d)
        splits = check_cv(self.cv, classifier=False).split(X)
        errors = [
            held_out_errors(X, y, train, test, most, self.fit_intercept) for train, test in splits
        ]
        tried = min(map(len, errors))  # dependent columns may end a path early
        if tried == 0:
            raise ValueError(
                "No column of X explains anything of y in some split of cross-validation: columns "
                "are constant, or their squares are no numbers. Drop or scale them."
            )
        means = np.mean([part[:tried] for part in errors], axis=0)
        self.n_nonzero_coefs_ = np.argmin(means) + 1
        model = OrthogonalMatchingPursuit(
            n_nonzero_coefs=self.n_nonzero_coefs_, fit_intercept=self.fit_intercept
        ).fit(X, y)
        self.coef_, self.intercept_, self.n_iter_ = model.coef_, model.intercept_, model.n_iter_
        return self


def held_out_errors(
    X: np.ndarray, y: np.ndarray, train: Any, test: Any, most: int, fit_intercept: bool
) -> np.ndarray:
    """Mean squared errors on `test` with 1, 2, ... non-zeros, learned from `train`.

    With the chosen columns X_S = Q R and y_i = q_i'y, the columns of X_S R^-1 stand for the q_i in
    other rows, and what s columns predict there is the sum of the first s of them, times y_i.
    """
    X_mean, y_mean = _means(X[train], y[train], fit_intercept)
    (steps,) = steps_of_targets(X[train] - X_mean, (y[train] - y_mean)[:, None], most)
    chosen = X[np.ix_(test, steps.chosen)] - X_mean[steps.chosen]
    directions = solve_triangular(steps.R, chosen.T.astype(np.float64), trans="T").T
    left = (y[test] - y_mean)[:, None] - np.cumsum(directions * steps.y, axis=1)
    return (left**2).mean(axis=0)


def _as_numbers(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """X and y as scikit-learn can look at them, which believes what a sparse matrix says."""
    name = type(estimator).__name__
    if sp.issparse(X) or sp.issparse(y):
        kind = "X" if sp.issparse(X) else "y"
        raise TypeError(
            f"Sparse data was passed for {kind}, but dense data is required; {name} takes "
            f"{kind}.toarray()."
        )
    X = X if frame_of(X, "X") is not X or X is None else numbers_of(X, "X", name)
    return X, y if y is None else numeric_array(y, "y", name)


def _means(X: np.ndarray, y: np.ndarray, fit_intercept: bool) -> tuple[Any, Any]:
    if not fit_intercept:
        return np.zeros(X.shape[1], X.dtype), np.zeros(y.shape[1:], X.dtype)
    return X.mean(axis=0), y.mean(axis=0)
