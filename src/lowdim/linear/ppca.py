"""Probabilistic PCA: a row is a point on a plane, seen through equal noise in all directions.

    x = W z + mean + e,    z ~ N(0, I),  e ~ N(0, noise I)

    minimise over mean, W, noise     J = 1/2 sum_i w_i [ log|C| + (x_i - mean)' C^-1 (x_i - mean) ],
                                     C = W W' + noise I

Complete rows: the solution is known. With eigenvalues l_j and eigenvectors V of the covariance
(divided by n), noise = mean of the l_j left out, W = V (L - noise)^(1/2). Rows with missing
values: EM over the observed entries (`linear/missing/`).

    encode    E[z | x] = (W'W + noise I)^-1 W'(x - mean), over what is observed of x
    decode    x = W z + mean
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1, NOT_NEGATIVE, RANDOM_STATE
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Given, Maybe
from lowdim.core.validation import check_at_most, check_weights, observed_rows
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear import missing
from lowdim.linear.factor_model import ExpectedCodes, sum_log_density
from lowdim.linear.missing.units import (
    MeasuredModel,
    learned_noise_std,
    measured,
    squares_out_of_units,
)
from lowdim.linear.pca.axes import AxesProblem, NotFiniteError
from lowdim.linear.pca.solvers import principal_axes


class ProbabilisticPCA(ExpectedCodes, Estimator):
    """Probabilistic PCA: x = W z + mean + noise, with the same noise variance in all columns.

    Minimises  -log p(X) = 1/2 sum_i [ log|C| + (x_i - mean)' C^-1 (x_i - mean) ] + const,
               C = W W' + noise I,  in closed form; with NaN by EM over the observed entries.

    Cost: that of PCA for complete rows. With NaN O(n d k^2) per pass, some dozens of passes and
    O(d k^2) memory beside one block.
    Use it for missing values with honest uncertainty, and for a density. If columns have different
    noise (different units, say), FactorAnalysis fits better.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of latent dimensions k, less than the number of columns; None means all but one, 0
        none: the mean and the noise alone.
    tol : float, default=1e-7
        With NaN: stop when an iteration lowers J per observed entry by less.
    max_iter : int, default=1000
        With NaN: iterations at the most.
    random_state : int, Generator, RandomState or None, default=None
        For the start with NaN, and for large matrices.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        W', orthogonal rows by decreasing length; in each the entry of largest size is positive.
    W_ : ndarray of shape (d, k)
        W itself.
    mean_ : ndarray of shape (d,)
    noise_variance_ : float
    loglike_ : float
        Log-likelihood of the (observed) training entries.
    n_iter_, history_, converged_ : int, ndarray, bool
        With NaN: the iterations and J per observed entry at each.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    PCA : the same axes, codes as projections instead of expectations.
    FactorAnalysis : a noise variance for each column.

    Notes
    -----
    Maximum likelihood divides by n, where PCA's variances divide by n - 1. W is known only up to a
    rotation of z; we give the one with orthogonal columns.

    References
    ----------
    Tipping and Bishop (1999), Probabilistic principal component analysis, equations 7 and 8.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(1000, 2)) @ random.normal(size=(2, 8))
    >>> X += 0.5 * random.normal(size=X.shape)
    >>> model = lowdim.ProbabilisticPCA(2).fit(X)
    >>> round(model.noise_variance_, 2)
    0.25
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "n_components": Given("k"),
        "mean_": ("d",),
        "components_": ("k", "d"),
        "noise_variance_": (),
        "loglike_": (),
        "_noise_std": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_0, None],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
    }

    def __init__(self, n_components=None, *, tol=1e-7, max_iter=1000, random_state=None):
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn W, the mean and the noise from X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X, check_finite=False)
        weight = check_weights(sample_weight, rows)
        d = rows.n_columns
        k = max(d - 1, 1) if self.n_components is None else self.n_components
        if k > 0:
            check_at_most("n_components", k, max(d - 1, 1), "columns of X less one")
        random = random_generator(self.random_state)
        self.history_, self.n_iter_, self.converged_ = np.array([]), 1, True  # unless it iterates
        try:
            model = _closed_form(AxesProblem(self, rows, weight, k, random))
        except NotFiniteError:
            rows, weight, _, is_complete = observed_rows(self, rows, weight)
            problem = AxesProblem(self, rows, weight, k, random)
            model = _closed_form(problem) if is_complete else _from_observed(problem)
        self._publish(model, rows.dtype, k)
        sums = rows.fold(sum_log_density, self._factor_model(), along=(weight,))
        self.loglike_ = float(sums.log_density)
        return self

    @property
    def W_(self):
        return self.components_.T

    def _publish(self, model, dtype, k):
        W = np.zeros((len(model.mean), k))
        W[:, : model.W.shape[1]] = model.W * model.unit
        noise = float(model.noise.mean())
        self.mean_ = (model.mean * model.unit).astype(dtype)
        self.components_ = deterministic_signs(W.T).astype(dtype)
        self.noise_variance_ = float(squares_out_of_units(noise, model.unit))
        self._noise_std = float(np.sqrt(noise)) * model.unit

    def _factor_model(self):
        W = self.components_.T.astype(np.float64)
        return measured(self.mean_.astype(np.float64), W, np.full(len(W), learned_noise_std(self)))


_TINY = float(np.finfo(np.float64).tiny)


def _closed_form(problem: AxesProblem) -> MeasuredModel:
    """Tipping and Bishop's solution from the eigenvalues and eigenvectors of the covariance."""
    assert problem.k is not None
    d = problem.rows.n_columns
    axes = principal_axes(problem)
    variance = axes.scatter / axes.weight
    total = axes.total / axes.weight
    left = d - problem.k
    noise = max(total - variance.sum(), 0.0) / left if left else 0.0
    # exactly flat data have no noise: keep a density, at the limit of what the sums resolve
    noise = max(noise, axes.rounding * variance.max(initial=0.0), _TINY)
    W = axes.W * np.sqrt(np.maximum(variance - noise, 0.0))
    return MeasuredModel(axes.mean / axes.unit, W, np.full(d, noise), axes.unit)


def _from_observed(problem: AxesProblem) -> MeasuredModel:
    """EM over the observed entries."""
    estimator, d = problem.estimator, problem.rows.n_columns
    assert problem.k is not None
    return missing.fit_missing(
        estimator,
        problem.rows,
        min(problem.k, d - 1),
        isotropic=True,
        weight=problem.weight,
        max_iter=estimator.max_iter,
        tol=estimator.tol,
        random=problem.random,
    )
