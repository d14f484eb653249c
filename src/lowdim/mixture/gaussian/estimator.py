"""Gaussian mixture: each row comes from one of K Gaussians.

    minimise     J = - sum_i w_i log sum_j weight_j N(x_i; mean_j, C_j)

by EM. A row belongs to component j with probability r_j; sums over rows, weighted with r_j, give
weights, means and covariances.

    statistics   r_j = weight_j N(x; mean_j, C_j) / sum over components        of every row, in logs
                 sum r_j,  sum r_j (x - mean_j),  sum r_j (x - mean_j)(x - mean_j)'
    update       weight_j = sum r_j / sum w,   mean_j and C_j: mean and covariance of these sums

Neither can raise J. `em.py` has both steps, `start.py` where they begin, `covariances.py` the forms
of C_j, `missing.py` the sums for rows with missing values, which are integrated out, and
`collapse.py` what happens to a component that shrinks to a point. Rows are measured from their
mean, in units of their columns' size, and sums are taken about the present means: data far from
zero keep their digits.

One pass: O(n K d^2) time (diagonal: O(n K d)), O(K d^2) memory beside one block of rows.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.cluster.plane import ClusterPlot, named, plane_of
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.imputation import ImputeMixin
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.mixture.em import EMRun, Step, check_enough_rows, checked_columns, fit_from_starts
from lowdim.mixture.gaussian.covariances import KINDS, Gaussians
from lowdim.mixture.gaussian.density import (
    expectation,
    expectation_with_std,
    in_small_blocks,
    log_joint,
)
from lowdim.mixture.gaussian.em import GaussianParams, fresh, prepared, statistics, update
from lowdim.mixture.gaussian.start import check_start, start
from lowdim.mixture.gaussian.units import dtype_of_squares, powers_of_two, space_of
from lowdim.mixture.methods import MixtureMethods


class GaussianMixture(ImputeMixin, ClusterPlot, MixtureMethods, Estimator):
    """Gaussian mixture: a density with K bumps, and soft clusters.

    Minimises  -log p(X) = - sum_i w_i log sum_j weight_j N(x_i; mean_j, C_j)  by EM from k-means.
               NaN are integrated out.

    Cost: O(n K d^2) per pass, diagonal O(n K d); O(K d^2) memory beside one block of rows. With
    NaN, O(K d m^2) more at the most for each pattern of missing values in a block, where m
    columns are missing, or observed if these are fewer.
    Use it for clusters with a shape, or as a density; for many columns use `covariance_type="diag"`
    or MixtureOfFactorAnalyzers, which need fewer rows.

    Parameters
    ----------
    n_components : int, default=1
        Number of components K, at most the number of rows.
    covariance_type : {'full', 'tied', 'diag', 'spherical', 'unit'}, default='full'
        Each component has its own matrix; all have one; a variance for each column; one variance;
        or the identity, which is soft k-means.
    tol : float, default=1e-3
        Stop when an iteration raises the log-likelihood per row by at most this.
    reg_covar : float, default=1e-6
        This part of the columns' variances (spherical: of their mean) is added to the diagonal of
        every covariance, so that units do not matter; for columns of variance 1 it is
        scikit-learn's. Not less than 1e-13 is added, so that 0 is safe, too.
    max_iter : int, default=100
        Iterations at the most, each a pass over the rows; 0 keeps the start.
    n_init : int, default=1
        Starts, of which the best result is kept.
    init_params : {'kmeans', 'k-means++', 'random', 'random_from_data'}, default='kmeans'
        Where to start: from the clusters of k-means, from the rows nearest to seeds drawn far
        apart, from responsibilities at random, or from the rows nearest to some random rows.
    weights_init : array of shape (K,), default=None
        Weights to start from.
    means_init : array of shape (K, d), default=None
        Means to start from.
    precisions_init : array, default=None
        Inverse covariances to start from, in the shape of `covariances_`.
    random_state : int, Generator, RandomState or None, default=None
        For the start, and for `sample`.
    warm_start : bool, default=False
        Whether a further `fit` starts from the present result; `n_init` then counts as 1, and its
        first iteration is compared with the last one of the fit before.
    verbose : int, default=0
        Above 0: show progress bars, also where none would be (`lowdim.set_config(progress=...)`).
    verbose_interval : int, default=10
        Accepted for compatibility with scikit-learn; ignored.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Share of the rows in each component.
    means_ : ndarray of shape (K, d)
    covariances_ : ndarray
        C_j: (K, d, d) if full, (d, d) if tied, (K, d) if diag, (K,) if spherical or unit.
    precisions_ : ndarray
        Inverse covariances, in the same shape.
    precisions_cholesky_ : ndarray
        U_j with precision U_j U_j', upper triangular; its square root where it is a number.
    converged_ : bool
    n_iter_ : int
        Iterations of the best start.
    lower_bound_ : float
        Log-likelihood per row at the last iteration, before its update.
    lower_bounds_ : ndarray of shape (n_iter_,)
        The same of every iteration.
    history_ : ndarray of shape (n_iter_,)
        J per row at every iteration: it falls, save where a component was restarted.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MixtureOfFactorAnalyzers : d k parameters for each component in place of d^2.

    Notes
    -----
    k-means looks at all rows, or at a coreset of many (5000, more for many components and columns,
    20000 at the most), which keeps the few that lie far from the others; with every column in units
    of its standard deviation, or of their mean for spherical and unit covariances. Missing values
    take part as the column's mean. With many more rows, the most likely of
    up to four starts is taken, after five steps of EM on the coreset.

    A component that shrinks to a point, or that has no rows left, starts anew as one half of the
    largest component, and a CollapsedComponentWarning says so.

    References
    ----------
    Dempster, Laird and Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm.
    Ghahramani and Jordan (1994), Supervised learning from incomplete data via an EM approach.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import GaussianMixture
    >>> random = np.random.default_rng(0)
    >>> X = np.vstack([random.normal(size=(300, 2)), random.normal(size=(100, 2)) + 6])
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> np.sort(model.weights_).round(2)
    array([0.25, 0.75])
    >>> model.impute([[6.0, np.nan]]).round()
    array([[6., 6.]])
    """

    accepts_nan: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "weights_": ("k",),
        "means_": ("k", "d"),
        "lower_bound_": (),
        "lower_bounds_": Maybe(("steps",)),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "covariance_type": [StrOptions(set(KINDS))],
        "tol": [NOT_NEGATIVE],
        "reg_covar": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_0],
        "n_init": [AT_LEAST_1],
        "init_params": [StrOptions({"kmeans", "k-means++", "random", "random_from_data"})],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
        "random_state": RANDOM_STATE,
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "verbose_interval": [AT_LEAST_1],
    }

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weights_init=None,
        means_init=None,
        precisions_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    def _shapes(self):
        covariances = {
            "full": ("k", "d", "d"),
            "tied": ("d", "d"),
            "diag": ("k", "d"),
            "spherical": ("k",),
            "unit": ("k",),
        }[self.covariance_type]
        names = ("covariances_", "precisions_", "precisions_cholesky_")
        return {**super()._shapes(), **dict.fromkeys(names, covariances)}

    # ---- inside ----------------------------------------------------------------------------------

    def _learn(self, rows, weight):
        """EM from several starts; the best is published."""
        check_enough_rows("n_components", self.n_components, rows, weight)
        given = check_start(self, rows.n_columns)
        columns = checked_columns(self, rows, weight)
        name = self.covariance_type
        space = space_of(columns.mean, columns.std, name)
        floor = space.floor(self.reg_covar)
        random = random_generator(self.random_state)
        rows = in_small_blocks(rows, self.n_components)

        def step(mixture, is_last):
            sums = rows.fold(statistics, prepared(name, mixture, space), along=(weight,))
            moved = update(sums, mixture, name, floor, may_restart=not is_last)
            anew = (moved.restarts != mixture.restarts).any()
            return Step(moved, sums.objective / sums.weight, change=np.inf if anew else None)

        starts = self._starts(rows, weight, space, given, random)
        before = -getattr(self, "lower_bound_", -np.inf) if self._goes_on() else None
        mixture = fit_from_starts(self, starts, step, best=_best, trouble=_trouble, before=before)
        self.lower_bounds_ = -self.history_
        self._publish(mixture, space, rows.dtype)

    def _goes_on(self):
        """Whether a fit starts from the present result."""
        return self.warm_start and hasattr(self, "weights_")

    def _starts(self, rows, weight, space, given, random):
        if self._goes_on():
            yield self._present_mixture(space)
            return
        for _ in range(self.n_init):
            yield start(self, rows, weight, space, given, random)

    def _publish(self, mixture, space, dtype):
        kind, model = KINDS[self.covariance_type], prepared(self.covariance_type, mixture, space)
        self.weights_ = mixture.weights.astype(dtype)
        self.means_ = (space.center + space.scale * mixture.means).astype(dtype)
        cholesky = kind.cholesky_to_user(model.whiten, space.scale)
        self.precisions_cholesky_ = cholesky.astype(dtype)
        wide = dtype_of_squares(space.scale, dtype)
        with np.errstate(over="ignore", under="ignore"):  # squares of 1e200 are no numbers
            self.covariances_ = kind.to_user(mixture.covariances, space.scale).astype(wide)
            self.precisions_ = kind.precisions(cholesky).astype(wide)

    def _present_mixture(self, space):
        """The fitted mixture in the units of a fit."""
        means = (self.means_.astype(np.float64) - space.center) / space.scale
        covariances, _, _ = self._covariances_in(space.scale)
        return fresh(self.weights_.astype(np.float64), means, covariances)

    def _gaussians(self):
        """The fitted mixture, ready to look at rows."""
        check_is_fitted(self)
        weights, means = self.weights_.astype(np.float64), self.means_.astype(np.float64)
        k, d = means.shape
        center = weights @ means
        scale = powers_of_two(np.broadcast_to(self._sizes(k, d), d))
        covariances, whiten, log_det = self._covariances_in(scale)
        means = (means - center) / scale
        log_weights = np.log(weights / weights.sum())
        return Gaussians(
            self.covariance_type, log_weights, means, covariances, whiten, log_det, center, scale
        )

    def _sizes(self, k, d):
        """Standard deviations of the columns, roughly."""
        kind = KINDS[self.covariance_type]
        if not self._has_squares():
            return kind.sizes(self.precisions_cholesky_.astype(np.float64))
        covariances = kind.from_user(self.covariances_.astype(np.float64), np.ones(d), k)
        return np.sqrt(kind.variances(covariances).mean(axis=0))

    def _covariances_in(self, scale):
        """Covariances, A with A'A = C^-1, and log |C| of the fitted mixture in these units."""
        kind, k = KINDS[self.covariance_type], len(self.weights_)
        whiten, log_det = kind.cholesky_from_user(
            self.precisions_cholesky_.astype(np.float64), scale, k
        )
        if not self._has_squares():
            return kind.from_whitening(whiten), whiten, log_det
        covariances = kind.from_user(self.covariances_.astype(np.float64), scale, k)
        return covariances, whiten, log_det

    def _has_squares(self):
        """Whether variances of the columns are numbers, which squares of 1e200 are not."""
        kind, (k, d) = KINDS[self.covariance_type], self.means_.shape
        variances = kind.variances(kind.from_user(self.covariances_, np.ones(d), k))
        return bool(((variances > 0) & np.isfinite(variances)).all())

    def _opened(self, X, only_observed=False):
        rows = self.open_rows(X, reset=False, only_observed=only_observed)
        return rows, log_joint, (self._gaussians(),)

    def _filling(self, return_std):
        return expectation_with_std if return_std else expectation, self._gaussians()

    def _drawn(self, counts, random):
        model = self._gaussians()
        kind = KINDS[model.kind]
        Z = random.normal(size=(counts.sum(), model.means.shape[1]))
        parts = [
            mean + kind.rows(model.covariances, part, j)
            for j, (mean, part) in enumerate(
                zip(model.means, np.split(Z, np.cumsum(counts)[:-1]), strict=True)
            )
        ]
        X = model.center + model.scale * np.concatenate(parts)
        return X.astype(self.means_.dtype, copy=False)

    def _draw_clusters(self, ax, rows, sample):
        from lowdim.plots import cluster_map

        model = self._gaussians()
        labels = log_joint(sample, model).argmax(axis=1)
        filled = expectation(sample, model)
        names = getattr(self, "feature_names_in_", None)
        own_units = self.covariance_type not in ("spherical", "unit")
        plane = plane_of(filled, names, by_deviation=own_units)
        means = plane.points(self.means_.astype(np.float64))
        axes = model.scale[:, None] * plane.axes
        covariances = KINDS[model.kind].projected(model.covariances, axes, len(means))
        ax = cluster_map(plane.points(filled), labels, means=means, covariances=covariances, ax=ax)
        if own_units:
            ax.set_aspect("auto")
        return named(ax, plane)

    def _n_parameters(self):
        """Free parameters: of the covariances, the means, and the weights, whose sum is 1."""
        k, d = self.means_.shape
        return KINDS[self.covariance_type].n_parameters(k, d) + k * d + k - 1


def _best(runs: list[EMRun]) -> EMRun:
    """The most likely of those in which no component is collapsed at the end, if there are any."""
    return min(runs, key=lambda run: (run.params.collapsed.any(), run.objective))


def _trouble(mixture: GaussianParams) -> str | None:
    """What to say of components that collapsed on the way."""
    restarts, collapsed = mixture.restarts > 0, mixture.collapsed
    if not (restarts.any() or (collapsed.any() and len(collapsed) > 1)):
        return None
    which = np.flatnonzero(restarts | collapsed)
    end = f"{collapsed.sum()} of them are so at the end" if collapsed.any() else "all recovered"
    return (
        f"{len(which)} of {len(collapsed)} components (first: {which[0]}) collapsed onto a point "
        f"or lost their rows, and were restarted; {end}. Try fewer n_components, a larger n_init "
        "or reg_covar, or covariance_type='tied'."
    )
