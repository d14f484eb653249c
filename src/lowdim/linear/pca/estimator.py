"""Principal component analysis: a row is explained by its place on the k best axes.

    minimise over m, V (V'V = I)     J = sum_i w_i ||x_i - m - V V'(x_i - m)||^2

The mean and the top eigenvectors of the covariance solve it; `solvers.py` finds them. With
missing values the axes are those of the probabilistic model x = W z + m + noise, learned by EM from
the observed entries (`linear/missing/`), whose maximum-likelihood solution spans the same axes when
nothing is missing.

    encode    z = V'(x - m)           with missing values: the expectation of z given the rest
    decode    x = V z + m
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
    Integral,
    Interval,
    RealNotInt,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.gains import FALLING
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import (
    check_at_most,
    check_codes,
    check_columns_observed,
    check_finite_rows,
    check_weights,
    observed_rows,
)
from lowdim.linalg.products import dense_times
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear.factor_model import FactorModelMethods, filled
from lowdim.linear.missing.units import (
    MeasuredModel,
    learned_noise_std,
    narrowed,
    squares_out_of_units,
    unit_of,
)
from lowdim.linear.pca import online as pca_online
from lowdim.linear.pca.axes import AxesProblem, NotFiniteError, require_finite
from lowdim.linear.pca.correlations import correlations
from lowdim.linear.pca.iterative import NORMALIZERS
from lowdim.linear.pca.minka import minka_rank
from lowdim.linear.pca.missing import axes_from_observed
from lowdim.linear.pca.solvers import SOLVERS, principal_axes

# Times the spread of rows: to take out a mean so near zero afterwards costs three of 53 or 24 bits
NEAR = 8.0


class PCA(FactorModelMethods, Estimator):
    """Principal component analysis of data of any size, with or without missing values.

    Minimises  sum_i w_i ||x_i - m - V V'(x_i - m)||^2  over the mean m and orthonormal axes V.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes. In
    addition: missing values, `sample_weight`, streams, Dask, exact `partial_fit`, `impute` and
    `sample`.

    Cost: with svd_solver='covariance_eigh' one pass of O(n d^2) time and O(d^2) memory; 'krylov'
    and 'randomized' O(n d k) time per pass, a few passes and O(d k) memory; both beside one block
    of rows. With NaN, O(n d k^2) time per pass, some dozens of passes and O(d k^2) memory.

    Parameters
    ----------
    n_components : int, float, 'mle' or None, default=None
        How many axes: an int (0: the mean alone); a float between 0 and 1 for as many as explain
        that share of the variance; 'mle' for Minka's choice; None for min(n, d).
        `lowdim.choose_rank` offers more.
    copy : bool, default=True
        Accepted for compatibility with scikit-learn; ignored. X is never written to.
    whiten : bool, default=False
        Scale the codes to unit variance.
    svd_solver : str, default='auto'
        'full', 'covariance_eigh', 'gram', 'arpack', 'randomized', 'krylov', 'power', 'em' or 'oja'
        (see Notes). 'auto' takes, in memory: 'full' if X has at most 500 rows and columns, else
        'covariance_eigh' for at least twice as many rows as columns and up to 1000 columns, else
        'krylov' if fewer than a fifth of all components are wanted, else 'gram' for at least twice
        as many columns as rows, else 'covariance_eigh' or 'full'. For sparse X 'krylov', or
        'covariance_eigh' up to 200 columns. For streams and Dask 'covariance_eigh' up to 4000
        columns, else 'krylov'.
    tol : float, default=0.0
        Where iterative solvers stop; 0 means each solver's own default.
    iterated_power : int or 'auto', default='auto'
        Power iterations of 'randomized'; more are slower and closer to exact, and 0 counts as 1.
    n_oversamples : int, default=10
        Further random directions of 'randomized'.
    power_iteration_normalizer : {'auto', 'QR', 'LU', 'none'}, default='auto'
        How 'randomized' keeps its directions apart; 'auto' is QR.
    random_state : int, Generator, RandomState or None, default=None
        For 'arpack', 'randomized', 'krylov', 'power', 'em', 'oja' and for missing values.
    max_iter : int, default=1000
        Iterations at the most, of 'power', 'em', 'oja' and with missing values.
    learning_rate : float, 'decreasing', 'harmonic' or 'count', default='decreasing'
        Step of 'oja', relative to the largest variance: decreasing (like t^-0.6) settles down, the
        others (like 1/t) do so sooner; a constant keeps following a drift.
    batch_size : int, default=256
        Rows per step of 'oja'.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The axes V', by decreasing variance; in each the entry of largest size is positive.
    explained_variance_ : ndarray of shape (k,)
        Variance along each axis; divides by n - 1.
    explained_variance_ratio_ : ndarray of shape (k,)
        Its share of the total variance.
    singular_values_ : ndarray of shape (k,)
        sqrt((n - 1) explained_variance_).
    mean_ : ndarray of shape (d,)
    noise_variance_ : float
        Average variance of the axes left out.
    n_components_ : int
    n_samples_ : int
        Number of rows, or the sum of their weights.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of 'krylov', 'em', 'oja' or with missing values, the objective at each (the share
        of the variance not captured, or the negative log-likelihood) and whether they sufficed.

    See Also
    --------
    choose_rank : how many components the data support.

    Notes
    -----
    The covariance divides by n - 1, as scikit-learn's does; lecture notes divide by n.

    `transform` of a row with missing values gives E[V'(x - m) | observed entries]: the missing
    entries are replaced by their expectation, then the row is projected.

    With whiten=True, `get_covariance`, `get_precision` and `score` are those of X, as without;
    scikit-learn's scale the axes twice there.

    References
    ----------
    Tipping and Bishop (1999), Probabilistic principal component analysis, for `score`, `sample` and
    missing values. Halko, Martinsson and Tropp (2011), algorithm 4.4, for 'randomized'. Musco and
    Musco (2015) for 'krylov'. Ahn and Oh (2003) for 'em'. Oja (1982, 1992) for 'oja'.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(500, 2)) @ random.normal(size=(2, 6))
    >>> X[random.random(X.shape) < 0.2] = np.nan
    >>> pca = lowdim.PCA(n_components=2, random_state=0).fit(X)
    >>> pca.explained_variance_ratio_.sum().round(3)
    np.float64(1.0)
    >>> int(np.isnan(pca.impute(X)).sum())
    0
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2
    _component_name: ClassVar[str] = "PC"

    shapes: ClassVar[dict] = {
        "n_components_": "k",
        "n_samples_": (),
        "mean_": ("d",),
        "components_": ("k", "d"),
        "explained_variance_": ("k",),
        "explained_variance_ratio_": ("k",),
        "singular_values_": ("k",),
        "noise_variance_": (),
        "_learned": Maybe(pca_online.SHAPES),
        "_noise_std": Maybe(()),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [
            AT_LEAST_0,
            Interval(RealNotInt, 0, 1, closed="neither"),
            StrOptions({"mle"}),
            None,
        ],
        "copy": ["boolean"],
        "whiten": ["boolean"],
        "svd_solver": [StrOptions({"auto", *SOLVERS})],
        "tol": [NOT_NEGATIVE],
        "iterated_power": [AT_LEAST_0, StrOptions({"auto"})],
        "n_oversamples": [AT_LEAST_1],
        "power_iteration_normalizer": [StrOptions({"auto", *NORMALIZERS})],
        "random_state": RANDOM_STATE,
        "max_iter": [AT_LEAST_1],
        "learning_rate": [POSITIVE, StrOptions(set(FALLING))],
        "batch_size": [AT_LEAST_1],
    }

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        max_iter=1000,
        learning_rate="decreasing",
        batch_size=256,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.batch_size = batch_size

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Find the mean and the axes of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts; a weight of 2 is a row twice.
        """
        rows = self.open_rows(X, check_finite=False)
        weight = check_weights(sample_weight, rows)
        self.history_, self.n_iter_, self.converged_ = np.array([]), 1, True  # unless it iterates
        random = random_generator(self.random_state)
        try:
            axes = principal_axes(self._problem(rows, weight, random), self.svd_solver)
        except NotFiniteError:
            rows, weight, n_observed, is_complete = observed_rows(self, rows, weight)
            check_columns_observed(n_observed, getattr(self, "feature_names_in_", None))
            problem = self._problem(rows, weight, random)
            if is_complete:
                axes = principal_axes(problem, self.svd_solver)
            else:
                axes = axes_from_observed(problem)
        self._publish(axes)
        self._learned = None
        return self

    @fitting
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from a further block of complete rows.

        Up to 4000 columns the sums over all blocks are kept (d^2 numbers), and the result is that
        of `fit` on all rows seen. With more columns the axes so far and the new rows are decomposed
        together, keeping n_components of them. With svd_solver='oja' every batch moves the axes by
        one step of the learning rate, from the first row on. After `fit` it starts anew.
        """
        learned = getattr(self, "_learned", None)
        rows = self.open_rows(X, reset=learned is None, check_finite=False, min_rows=1)
        if check_finite_rows(self, rows, allow_nan=True).nan.any():
            raise ValueError(
                "X has NaN; partial_fit learns from complete rows. Give all blocks to "
                "fit(lowdim.stream(...)), which learns from rows with missing values."
            )
        weight = check_weights(sample_weight, rows)
        problem = AxesProblem(
            self, rows, weight, self._wanted(rows.n_columns), random_generator(self.random_state)
        )
        self._learned = pca_online.learn(learned, problem)
        self._publish(pca_online.axes(self._learned, problem.k, rows.dtype))
        return self

    # ---- encode and decode -----------------------------------------------------------------------

    def transform(self, X):
        """Place of each row on the axes; with missing values, its expectation."""
        rows = self.open_rows(X, reset=False, check_finite=False)
        scale = self._axis_std().astype(self.components_.dtype) if self.whiten else None
        spread = np.sqrt(self.explained_variance_.sum(dtype=np.float64))
        is_near_zero = bool(np.linalg.norm(self.mean_.astype(np.float64)) <= NEAR * spread)
        how = (self.mean_, self.components_, scale, is_near_zero)
        if rows.in_memory is not None:
            try:  # most rows are finite, and that is seen in their codes without a further pass
                return rows.map(encode_finite, *how)
            except NotFiniteError:
                rows = self.open_rows(X, reset=False)  # says what is wrong, or lets NaN through
        else:
            rows = self.open_rows(X, reset=False)
        return rows.map(encode, *how, self._factor_model())

    def inverse_transform(self, Z):
        """Rows that lie at Z on the axes."""
        check_is_fitted(self)
        Z = check_codes(self, Z, self.n_components_)
        if self.whiten:
            Z = Z * self._axis_std().astype(self.components_.dtype)
        X = dense_times(Z, self.components_)
        X += self.mean_
        return X

    # ---- judge -----------------------------------------------------------------------------------

    def get_covariance(self):
        """Covariance of the probabilistic model: V (L - noise) V' + noise I."""
        check_is_fitted(self)
        excess = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        covariance = dense_times(self.components_.T * excess, self.components_)
        covariance.flat[:: len(covariance) + 1] += self.noise_variance_
        return covariance

    def get_precision(self):
        """Inverse of `get_covariance`."""
        if self.noise_variance_ > 0.0:
            return super().get_precision()
        return np.linalg.inv(self.get_covariance())

    def correlations(self, X):
        """How columns and rows of X go with the components.

        Returns
        -------
        Correlations
            `variables` (d, k): correlation of every column with every component, the coordinates of
            the correlation circle. `cos2` (n, k): share of a row's squared distance from the mean
            that each component explains. NaN count as what the model expects in their place.
        """
        rows = self.open_rows(X, reset=False)
        return correlations(rows, self.mean_, self.components_, self._factor_model())

    # ---- inside ----------------------------------------------------------------------------------

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver not in ("full", "gram")
        return tags

    def _problem(self, rows, weight, random):
        if weight is not None and weight.sum() <= 1.0:
            raise ValueError(
                f"sample_weight sums to {weight.sum():g}; weights count how often a row occurs, "
                "and their sum must be more than 1."
            )
        n = rows.known_rows if weight is None else int(weight.sum())
        limit = min(n or rows.n_columns, rows.n_columns)
        return AxesProblem(self, rows, weight, self._wanted(limit), random)

    def _wanted(self, limit):
        """n_components as an int; None if all axes must be known before it can be chosen."""
        k = self.n_components
        if k is None:
            return limit - 1 if self.svd_solver == "arpack" and limit > 1 else limit
        if isinstance(k, Integral):
            if k == 0 and self.svd_solver not in ("arpack", "randomized"):
                return 0
            return check_at_most(
                "n_components", k, limit, "that X allows, min(n_samples, n_features)"
            )
        if self.svd_solver in ("arpack", "randomized"):
            raise ValueError(
                f"n_components={k!r} needs all variances, which svd_solver={self.svd_solver!r} "
                "does not compute; choose 'auto', 'full' or 'covariance_eigh', or an int."
            )
        return None

    def _publish(self, axes):
        freedom = _freedom(axes.weight)
        variance, total, unit = axes.scatter / freedom, axes.total / freedom, axes.unit
        d = len(axes.mean)
        rank = min(int(axes.weight), d)
        k = self._chosen(variance, total, axes)
        left_out = max(total - variance[:k].sum(), 0.0)
        dtype = axes.dtype

        self.n_samples_ = int(axes.weight) if axes.weight.is_integer() else axes.weight
        self.n_components_ = k
        self.mean_ = axes.mean.astype(dtype)
        self.components_ = deterministic_signs(axes.W[:, :k].T).astype(dtype)
        self.explained_variance_ = narrowed(squares_out_of_units(variance[:k], unit), dtype)
        ratio = variance[:k] / total if total > 0 else np.zeros(k)
        self.explained_variance_ratio_ = ratio.astype(dtype)
        self.singular_values_ = (np.sqrt(axes.scatter[:k]) * unit).astype(dtype)
        noise = float(left_out / (rank - k)) if rank > k else 0.0
        self.noise_variance_ = float(squares_out_of_units(noise, unit))
        self._noise_std = float(np.sqrt(noise)) * unit

    def _chosen(self, variance, total, axes):
        if self.n_components == "mle":
            n, d = axes.weight, len(axes.mean)
            if n < d:
                raise ValueError(
                    "n_components='mle' needs at least as many rows as columns, X is "
                    f"{int(n)} x {d}; choose a number, or lowdim.choose_rank(X, method='parallel')."
                )
            return minka_rank(variance, n, axes.rounding)
        if isinstance(self.n_components, float | np.floating):
            share = np.cumsum(variance) / max(total, np.finfo(float).tiny)
            return min(int(np.searchsorted(share, self.n_components, side="right")) + 1, len(share))
        if self.n_components is None:  # rows of streams and partial_fit are counted by now
            return min(len(variance), max(int(axes.weight), 1))
        return len(variance)

    def _loadings(self):
        return self.components_.T.astype(np.float64) * self._axis_std()

    def _axis_std(self):
        """Standard deviation along each axis: a number also where its square is none."""
        return self.singular_values_.astype(np.float64) / np.sqrt(_freedom(self.n_samples_))

    def _variance_shares(self):
        return self.explained_variance_ratio_.astype(np.float64)

    def _factor_model(self):
        """Mean, loadings and noise of the probabilistic model, for what needs a density."""
        std, noise_std = self._axis_std(), learned_noise_std(self)
        unit = unit_of(max(std.max(initial=0.0), noise_std))
        variance, noise = np.square(std / unit), np.square(noise_std / unit)
        if noise <= 0.0:  # nothing left out: the smallest axis is the noise of all the others
            smallest = variance.min() if self.n_components_ == self.n_features_in_ else 0.0
            noise = max(smallest, np.finfo(self.components_.dtype).eps * variance.max(initial=0.0))
            noise = noise or np.finfo(np.float64).tiny
        W = self.components_.T * np.sqrt(np.maximum(variance - noise, 0.0))
        mean = self.mean_.astype(np.float64) / unit
        return MeasuredModel(mean, W, np.full(len(W), noise), unit)


def _freedom(n):
    """What variances divide by; partial_fit may know one row."""
    return float(n) - 1.0 if n > 1.0 else 1.0


# ---- what is done to a block ---------------------------------------------------------------------


def encode(X, mean, components, scale, is_near_zero, model):
    """Codes of one block: V'(x - mean), after filling missing values with their expectation."""
    Y = X if sp.issparse(X) else filled(X, model)
    return _codes(Y, mean, components, scale, is_near_zero)


def encode_finite(X, mean, components, scale, is_near_zero):
    """The same of finite rows; others raise, as does what overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = _codes(X, mean, components, scale, is_near_zero)
        require_finite(Z.sum())
    return Z


def _codes(X, mean, components, scale, is_near_zero):
    if sp.issparse(X) or is_near_zero:  # V'x - V'mean, without a copy of the rows
        Z = X @ components.T
        Z -= mean @ components.T
    else:
        Z = (X - mean) @ components.T
    return Z if scale is None else Z / np.where(scale > 0, scale, 1)
