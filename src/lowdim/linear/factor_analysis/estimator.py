"""Factor analysis: a few common factors explain how columns go together.

    x = W z + mean + e,    z ~ N(0, I),  e ~ N(0, diag(psi))

    minimise over W, psi     J = n/2 [ log|C| + trace(C^-1 S) + d log 2 pi ],   C = W W' + diag(psi)

J depends on the rows only through their covariance S (divided by n): one pass over the rows, then
all work is d x d. For given psi the best W is known (Joreskog 1967). With the eigenvalues g and
eigenvectors U of psi^-1/2 S psi^-1/2,

    W = psi^1/2 U_k (G_k - I)^1/2        for the k largest g, as far as they exceed 1

and what is left to minimise is a function of t = log psi alone (explained g, and those left):

    f(t) = sum_i t_i + sum_explained log g + sum_left (g - 1),    df/dt_i = sum_left (1 - g) u_i^2

by Newton steps that never raise it. Rows with missing values: EM over the observed entries
(`linear/missing/`).
An iteration costs O(k d^3), and there are about ten.
"""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np
import scipy.linalg

from lowdim.core.calling import level_of_caller
from lowdim.core.constraints import AT_LEAST_0, AT_LEAST_1, NOT_NEGATIVE, RANDOM_STATE, StrOptions
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_at_most, check_weights, observed_rows
from lowdim.linalg.moments import covariance
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear import missing
from lowdim.linear.factor_analysis.em import EMParams, plain_em, principal_axes_of
from lowdim.linear.factor_analysis.newton import newton
from lowdim.linear.factor_model import ExpectedCodes, encode
from lowdim.linear.missing.units import (
    learned_noise_std,
    measured,
    narrowed,
    squares_out_of_units,
)
from lowdim.linear.rotation import METHODS as ROTATIONS
from lowdim.linear.rotation import rotate

# A noise variance stays above this part of its column's variance; if the columns depend on each
# other (fewer rows than columns, say), above the second, since the likelihood has no maximum there
NOISE_FLOOR = 1e-8
SINGULAR_NOISE_FLOOR = 5e-3


class HeywoodWarning(UserWarning):
    """A noise variance ran to 0: the factors explain a column entirely, which data rarely mean."""


class FactorAnalysis(ExpectedCodes, Estimator):
    """Factor analysis: x = W z + mean + noise, each column with its own noise variance.

    Minimises  -log p(X) = 1/2 sum_i [ log|C| + (x_i - mean)' C^-1 (x_i - mean) ] + const,
               C = W W' + diag(psi),  from one pass over the rows; with NaN by EM over the
               observed entries.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes.

    Cost: O(n d^2) for the pass and O(k d^3) per iteration, about ten; O(d^2) memory beside one
    block. With NaN O(n d k^2) per pass, some dozens of passes and O(d k^2) memory.
    Use it when columns have different noise; if the noise is equal, ProbabilisticPCA says the same
    with fewer parameters.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of factors k, at most the number of columns; None means as many as columns, 0 none:
        the columns' means and variances alone.
    tol : float, default=1e-2
        Stop when an iteration raises the log-likelihood of all rows by less.
    copy : bool, default=True
        Accepted for compatibility with scikit-learn; ignored. X is never written to.
    max_iter : int, default=1000
        Iterations at the most.
    noise_variance_init : array of shape (d,), default=None
        Where to start; None takes Joreskog's (1 - k / 2d) / diag(S^-1), 'em' the variances.
    svd_method : {'lapack', 'randomized'}, default='randomized'
        Accepted for compatibility with scikit-learn; ignored. The rows are not decomposed.
    iterated_power : int, default=3
        Accepted for compatibility with scikit-learn; ignored.
    rotation : str or None, default=None
        'varimax', 'quartimax', 'equamax', 'ordered' (orthogonal columns by decreasing variance),
        'lower' (lower triangular), or with correlated factors 'oblimin', 'promax'; see `rotate`.
    random_state : int, Generator, RandomState or None, default=0
        For the start with NaN.
    kaiser : bool, default=False
        Scale rows of the loadings to unit length for the rotation (Kaiser's normalisation).
        scikit-learn does not; R and SPSS do.
    solver : {'newton', 'em'}, default='newton'
        'em' is plain EM from the principal axes of the correlations, the lecture's algorithm: many
        more iterations.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The loadings W', rotated.
    noise_variance_ : ndarray of shape (d,)
        psi: what the factors leave unexplained of each column.
    mean_ : ndarray of shape (d,)
    factor_correlations_ : ndarray of shape (k, k)
        The identity, unless the rotation is oblique.
    rotation_matrix_ : ndarray of shape (k, k)
        T in (rotated loadings) = (unrotated loadings) T.
    loglike_ : list of float
        Log-likelihood of all rows at each iteration.
    n_iter_, history_, converged_ : int, ndarray, bool
        The iterations, J at each (with NaN: per observed entry), and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    rotate : rotations of loadings, on their own.
    ProbabilisticPCA : one noise variance for all columns.

    Notes
    -----
    The covariance is divided by n. A noise variance is kept above 1e-8 of its column's variance
    (0.005, as in R, if columns are linearly dependent, where the likelihood has no maximum); one
    that ends there (a Heywood case) is named in a `HeywoodWarning`.

    References
    ----------
    Joreskog (1967), Some contributions to maximum likelihood factor analysis. Clarke (1970), A
    rapidly convergent method for maximum-likelihood factor analysis, for the second derivatives.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> W, noise = random.normal(size=(6, 2)), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> X = random.normal(size=(5000, 2)) @ W.T + np.sqrt(noise) * random.normal(size=(5000, 6))
    >>> lowdim.FactorAnalysis(2).fit(X).noise_variance_.round(1)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    """

    accepts_nan: ClassVar[bool] = True
    accepts_sparse: ClassVar[bool] = False
    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "mean_": ("d",),
        "components_": ("k", "d"),
        "noise_variance_": ("d",),
        "rotation_matrix_": Maybe(("k", "k")),
        "factor_correlations_": Maybe(("k", "k")),
        "loglike_": Maybe(("steps",)),
        "_noise_std": Maybe(("d",)),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_0, None],
        "tol": [NOT_NEGATIVE],
        "copy": ["boolean"],
        "max_iter": [AT_LEAST_1],
        "noise_variance_init": ["array-like", None],
        "svd_method": [StrOptions({"lapack", "randomized"})],
        "iterated_power": [AT_LEAST_1],
        "rotation": [StrOptions(set(ROTATIONS)), None],
        "random_state": RANDOM_STATE,
        "kaiser": ["boolean"],
        "solver": [StrOptions({"newton", "em"})],
    }

    def __init__(
        self,
        n_components=None,
        *,
        tol=1e-2,
        copy=True,
        max_iter=1000,
        noise_variance_init=None,
        svd_method="randomized",
        iterated_power=3,
        rotation=None,
        random_state=0,
        kaiser=False,
        solver="newton",
    ):
        self.n_components = n_components
        self.tol = tol
        self.copy = copy
        self.max_iter = max_iter
        self.noise_variance_init = noise_variance_init
        self.svd_method = svd_method
        self.iterated_power = iterated_power
        self.rotation = rotation
        self.random_state = random_state
        self.kaiser = kaiser
        self.solver = solver

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn loadings and noise from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X, check_finite=False)
        weight = check_weights(sample_weight, rows)
        d = rows.n_columns
        k = d if self.n_components is None else self.n_components
        if k > 0:
            check_at_most("n_components", k, d, "columns of X")
        n, mean, scatter, unit = covariance(rows, weight)
        if not np.isfinite(scatter).all():
            rows, weight, _, is_complete = observed_rows(self, rows, weight)
            n = rows.shape[0] if weight is None else weight.sum()
            if is_complete:
                n, mean, scatter, unit = covariance(rows, weight)
        if np.isfinite(scatter).all():
            W, noise, floor = self._fit_covariance(scatter / n, n, k, unit)
        else:
            random = random_generator(self.random_state)
            mean, W, noise, unit = missing.fit_missing(
                self,
                rows,
                k,
                isotropic=False,
                weight=weight,
                max_iter=self.max_iter,
                tol=self.tol / n,
                random=random,
            )
            mean = mean * unit
            floor = missing.NOISE_FLOOR * (np.sum(W**2, axis=1) + noise)
        self._warn_of_heywood_cases(noise <= 1.01 * floor)
        self._publish(mean, W, noise, unit, rows.dtype)
        return self

    def _fit_covariance(self, S, n, k, unit):
        """W, noise and its floor in this unit, from the covariance of complete rows in it."""
        variance = np.diag(S).copy()
        used = variance > 0
        scale = np.sqrt(np.where(used, variance, 1.0))
        R = S / np.outer(scale, scale)  # correlations: factor analysis does not know units
        R.flat[:: len(R) + 1] = np.where(used, 1.0, NOISE_FLOOR)
        floor = noise_floor(R)
        log_scale = np.sum(np.log(scale)) + len(R) * np.log(unit)
        given = self.noise_variance_init
        psi = None
        if given is not None:
            psi = np.square(np.sqrt(self._check_noise(given, len(R))) / (scale * unit))
        if self.solver == "newton":
            W, psi = newton(self, R, n, k, psi, log_scale, floor)
        else:
            psi = np.ones(len(R)) if psi is None else psi
            W, psi = plain_em(self, R, n, EMParams(principal_axes_of(R, k), psi), log_scale, floor)
        self.loglike_ = (-self.history_).tolist()
        return W * scale[:, None], psi * scale**2, floor * scale**2

    def _check_noise(self, noise, d):
        noise = np.asarray(noise, dtype=np.float64)
        if noise.shape != (d,):
            raise ValueError(
                f"noise_variance_init has shape {noise.shape}; X has {d} columns, one value for "
                "each is needed."
            )
        return noise

    def _warn_of_heywood_cases(self, at_floor):
        if at_floor.any():
            names = getattr(self, "feature_names_in_", np.arange(len(at_floor)))
            listed = ", ".join(
                repr(name) if isinstance(name, str) else str(name)
                for name in np.asarray(names)[at_floor][:5]
            )
            warnings.warn(
                f"The noise variance of {np.count_nonzero(at_floor)} of {len(at_floor)} columns "
                f"ran to 0 ({listed}): a Heywood case. Try fewer factors, or more rows.",
                HeywoodWarning,
                stacklevel=level_of_caller(),
            )

    def _publish(self, mean, W, noise, unit, dtype):
        k = W.shape[1]
        W = W * unit
        L, T, phi = deterministic_signs(W.T).T, np.eye(k), np.eye(k)
        if self.rotation is not None and k > 0:
            L, T, phi, _ = rotate(L, self.rotation, kaiser=self.kaiser)
        self.mean_ = mean.astype(dtype)
        self.components_ = L.T.astype(dtype)
        self.noise_variance_ = narrowed(squares_out_of_units(noise, unit), dtype)
        self._noise_std = np.sqrt(noise) * unit
        self.rotation_matrix_ = T
        self.factor_correlations_ = phi

    def _variance_shares(self):
        # of columns of unit variance: factor analysis does not know units
        L = self._standard_loadings()
        return np.sum(L * (L @ self.factor_correlations_), axis=0) / len(L)

    def _encoding(self):
        # codes of the unrotated factors go with the inverse: W z = (W T)(T^-1 z)
        return _encode_rotated, self._factor_model(), np.linalg.inv(self.rotation_matrix_).T

    def _factor_model(self):
        W = np.linalg.solve(self.rotation_matrix_.T, self.components_.astype(np.float64)).T
        std = np.asarray(learned_noise_std(self), dtype=np.float64)
        return measured(self.mean_.astype(np.float64), W, std)


def _encode_rotated(X, model, rotation):
    return encode(X, model) @ rotation.astype(X.dtype)


def noise_floor(R: np.ndarray) -> float:
    """The least noise variance: larger where R is singular."""
    return NOISE_FLOOR if scipy.linalg.eigvalsh(R)[0] > NOISE_FLOOR else SINGULAR_NOISE_FLOOR
