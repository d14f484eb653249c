"""Gaussian mixture: each row comes from one of K Gaussians.

    minimise     J = - sum_i w_i log sum_j weight_j N(x_i; mean_j, C_j)

by EM. A row belongs to component j with probability r_j; sums over rows, weighted with r_j, give
weights, means and covariances.

    statistics   r_j = weight_j N(x; mean_j, C_j) / sum over components        of every row, in logs
                 sum r_j,  sum r_j (x - mean_j),  sum r_j (x - mean_j)(x - mean_j)'
    update       weight_j = sum r_j / sum w,   mean_j and C_j: mean and covariance of these sums

Neither can raise J. `gaussian_covariances` has the forms of C_j, `gaussian_missing` the sums for
rows with holes, whose missing values are integrated out, and `gaussian_collapse` what happens to a
component that shrinks to a point. Rows are measured from their mean, in units of their columns'
size, and sums are taken about the present means: data far from zero keep their digits.

One pass: O(n K d^2) time (diagonal: O(n K d)), O(K d^2) memory beside one block of rows.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from lowdim.cluster.coreset import draw_coreset
from lowdim.cluster.kmeans.lloyd import Part, lloyd, part_in_memory, run, seeds
from lowdim.cluster.kmeans.seeding import random_rows
from lowdim.core.blocks import ArrayBlocks, Blocks, add, rows_per_block
from lowdim.core.config import config_context
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_columns_observed,
    check_weights,
)
from lowdim.linalg.gaussian import LOG_2PI
from lowdim.linalg.observed import observed_columns, standardized
from lowdim.mixture.collapse import (
    LEAST_SHARE,
    POINT,
    CollapsedComponentWarning,
    restarted,
)
from lowdim.mixture.gaussian import missing as gaussian_missing
from lowdim.mixture.gaussian.covariances import KINDS, LEAST_VARIANCE, Gaussians, scaled_squares
from lowdim.mixture.methods import MixtureMethods, normalized

# The start looks at a coreset of so many rows, or of so many for each column of each component, up
# to a limit
START_ROWS = 5_000
START_ROWS_PER_COLUMN = 10
MOST_START_ROWS = 20_000
# k-means begins so often on all rows, or on a coreset: there a bad start costs many more rows' time
KMEANS_RUNS = 4
CORESET_RUNS = 8
# with so many steps each; the best goes on for so many at the most
KMEANS_FIRST_STEPS = 5
KMEANS_STEPS = 30
# With many more rows than that, up to so many starts are tried, with so many steps of EM each
MOST_TRIALS = 4
START_STEPS = 5

# Responsibilities of a turn of rows take about so many numbers
TURN_NUMBERS = 2**17


class GaussianMixture(MixtureMethods, Estimator):
    """Gaussian mixture: a density with K bumps, and soft clusters.

    Minimises  -log p(X) = - sum_i w_i log sum_j weight_j N(x_i; mean_j, C_j)  by EM from k-means.
               NaN are integrated out.

    Cost: O(n K d^2) per pass, diagonal O(n K d); O(K d^2) memory beside one block of rows. With
    NaN, O(K d m^2) more at the most for each pattern of holes in a block, where m columns are
    missing, or observed if these are fewer.
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
        Added to the diagonal of every covariance. Not less than 1e-13 of the columns' variance is
        added, so that 0 is safe, too.
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
        Whether a further `fit` starts from the present result; `n_init` then counts as 1.
    verbose : int, default=0
        1 shows a progress bar, whatever the configuration says.
    verbose_interval : int, default=10
        Not used; it is here because scikit-learn has it.

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
    of its standard deviation, or of their mean for spherical and unit covariances. Rows with
    holes take part with the column's mean in their place. With many more rows, the most likely of
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

    # ---- learn -----------------------------------------------------------------------------------

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn weights, means and covariances from X.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            NaN marks missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        n_rows = rows.shape[0] if weight is None else int(np.count_nonzero(weight))
        check_at_most("n_components", self.n_components, n_rows, "rows of X")
        given = check_start(self, rows.n_columns)
        columns = observed_columns(rows, weight)
        check_columns_observed(columns.n_observed, getattr(self, "feature_names_in_", None))
        space = _space(columns.mean, columns.std, self.covariance_type)
        random = random_generator(self.random_state)
        rows = _in_small_blocks(rows, self.n_components)

        progress = config_context(progress=True) if self.verbose else nullcontext()
        with progress, single_threaded_blas():  # matrices between the passes are small
            found = [
                self._fit_from(start, rows, weight, space)
                for start in self._starts(rows, weight, space, given, random)
            ]
        best = min(found, key=lambda one: (one.mixture.collapsed.any(), one.objective))
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_ = len(best.history)
        self.lower_bound_, self.lower_bounds_ = -best.objective, -best.history
        _warn_of_collapse(best.mixture)
        self._publish(best.mixture, space, rows.dtype)
        return self

    # ---- fill and draw ---------------------------------------------------------------------------

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
        function = expectation_with_std if return_std else expectation
        return rows.map(function, self._gaussians())

    def sample(self, n_samples=1, *, random_state=None):
        """New rows, and the component of each; rows of one component come together.

        Without a `random_state` here, that of the constructor is used, as in scikit-learn.
        """
        model = self._gaussians()
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = random_generator(self.random_state if random_state is None else random_state)
        kind = KINDS[model.kind]
        weights = np.exp(model.log_weights)
        counts = random.multinomial(n_samples, weights / weights.sum())
        Z = random.normal(size=(n_samples, model.means.shape[1]))
        parts = [
            mean + kind.rows(model.covariances, part, j)
            for j, (mean, part) in enumerate(
                zip(model.means, np.split(Z, np.cumsum(counts)[:-1]), strict=True)
            )
        ]
        X = model.center + model.scale * np.concatenate(parts)
        return X.astype(self.means_.dtype, copy=False), np.repeat(np.arange(len(counts)), counts)

    # ---- inside ----------------------------------------------------------------------------------

    def _starts(self, rows, weight, space, given, random):
        if self.warm_start and hasattr(self, "weights_"):
            yield self._present_mixture(space)
            return
        for _ in range(self.n_init):
            yield start(self, rows, weight, space, given, random)

    def _fit_from(self, mixture, rows, weight, space):
        """EM from one start."""
        if self.max_iter == 0:
            return Found(mixture, np.inf, np.empty(0), False)
        name, floor = self.covariance_type, space.floor(self.reg_covar)
        loop = iterate(self, mixture, max_iter=self.max_iter, tol=self.tol)
        for mixture in loop:
            sums = rows.fold(statistics, prepared(name, mixture, space), along=(weight,))
            is_last = loop.n_iter + 1 == self.max_iter
            moved = update(sums, mixture, name, floor, may_restart=not is_last)
            anew = (moved.restarts != mixture.restarts).any()
            loop.record(sums.objective / sums.weight, change=np.inf if anew else None)
            loop.params = moved
        return Found(loop.params, loop.history[-1], np.array(loop.history), loop.converged)

    def _publish(self, mixture, space, dtype):
        kind, model = KINDS[self.covariance_type], prepared(self.covariance_type, mixture, space)
        self.weights_ = mixture.weights.astype(dtype)
        self.means_ = (space.center + space.scale * mixture.means).astype(dtype)
        cholesky = kind.cholesky_to_user(model.whiten, space.scale)
        self.covariances_ = kind.to_user(mixture.covariances, space.scale).astype(dtype)
        self.precisions_cholesky_ = cholesky.astype(dtype)
        self.precisions_ = kind.precisions(cholesky).astype(dtype)

    def _present_mixture(self, space):
        """The fitted mixture in the units of a fit."""
        kind, k = KINDS[self.covariance_type], len(self.weights_)
        means = (self.means_.astype(np.float64) - space.center) / space.scale
        covariances = kind.from_user(self.covariances_.astype(np.float64), space.scale, k)
        return fresh(self.weights_.astype(np.float64), means, covariances)

    def _gaussians(self):
        """The fitted mixture, ready to look at rows."""
        check_is_fitted(self)
        kind = KINDS[self.covariance_type]
        weights, means = self.weights_.astype(np.float64), self.means_.astype(np.float64)
        k, d = means.shape
        center = weights @ means
        covariances = self.covariances_.astype(np.float64)
        one = np.ones(d)
        variances = kind.variances(kind.from_user(covariances, one, k)).mean(axis=0)
        scale = _powers_of_two(np.broadcast_to(np.sqrt(variances), d))
        whiten, log_det = kind.cholesky_from_user(
            self.precisions_cholesky_.astype(np.float64), scale, k
        )
        covariances = kind.from_user(covariances, scale, k)
        means = (means - center) / scale
        log_weights = np.log(weights / weights.sum())
        return Gaussians(
            self.covariance_type, log_weights, means, covariances, whiten, log_det, center, scale
        )

    def _opened(self, X):
        return self.open_rows(X, reset=False), log_joint, (self._gaussians(),)

    def _n_parameters(self):
        """Free parameters: of the covariances, the means, and the weights, whose sum is 1."""
        k, d = self.means_.shape
        return KINDS[self.covariance_type].n_parameters(k, d) + k * d + k - 1


class Mixture(NamedTuple):
    """The parameters in the units of a Space, and what became of the components."""

    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    covariances: np.ndarray  # (K, d, d), tied (d, d), else (K, d)
    collapsed: np.ndarray  # (K,)  whether a component is a point, or without rows
    restarts: np.ndarray  # (K,)  how often it started anew


class Space(NamedTuple):
    """y = (x - center) / scale is about 1 in size."""

    center: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)  powers of two, so that no digit changes
    size: np.ndarray  # (d,)  standard deviations of y: between 0.7 and 1.4

    def floor(self, reg_covar: float) -> np.ndarray:
        """What is added to the variances of columns."""
        return np.maximum(reg_covar / np.square(self.scale), LEAST_VARIANCE)


class Found(NamedTuple):
    """Where EM came to from one start."""

    mixture: Mixture
    objective: float
    history: np.ndarray
    converged: bool


class Sums(NamedTuple):
    """What the E step adds up."""

    weight: float  # sum w
    sum_resp: np.ndarray  # (K,)    sum w r_j
    sum_x: np.ndarray  # (K, d)  sum w r_j (y - mean_j)
    sum_xx: np.ndarray  # in the shape of the covariances
    objective: float  # J


def prepared(name: str, mixture: Mixture, space: Space) -> Gaussians:
    """The mixture, ready to look at rows."""
    whiten, log_det = KINDS[name].whitening(mixture.covariances, len(mixture.weights))
    return Gaussians(
        name,
        np.log(mixture.weights),
        mixture.means,
        mixture.covariances,
        whiten,
        log_det,
        space.center,
        space.scale,
    )


def statistics(X: np.ndarray, model: Gaussians, weight: np.ndarray | None) -> Sums:
    """What one block of rows adds up."""
    sums = _nothing(model)
    for rows in _turns(len(X), *model.means.shape):
        Y = model.measured(X[rows])
        w = np.ones(len(Y)) if weight is None else weight[rows]
        whole = _complete(Y)
        if whole.any():
            own = slice(None) if whole.all() else whole
            sums = add(sums, _complete_statistics(Y[own], model, w[own]))
        if not whole.all():
            sums = add(sums, _missing_statistics(Y[~whole], model, w[~whole]))
    return sums


def _complete_statistics(Y: np.ndarray, model: Gaussians, w: np.ndarray) -> Sums:
    resp, density = normalized(_complete_log_joint(Y, model), axis=0)
    resp *= w
    sum_x, sum_xx = KINDS[model.kind].scatter(Y, resp, model.means)
    return Sums(float(w.sum()), resp.sum(axis=1), sum_x, sum_xx, -float(w @ density))


def _missing_statistics(Y: np.ndarray, model: Gaussians, w: np.ndarray) -> Sums:
    sums = _nothing(model)
    for turn in gaussian_missing.turns(Y, model):
        own = w[turn.rows]
        resp, density = normalized(turn.log_density + model.log_weights[:, None], axis=0)
        resp *= own
        part = gaussian_missing.scatter(turn, resp, model)
        sums = add(sums, Sums(float(own.sum()), resp.sum(axis=1), *part, -float(own @ density)))
    return sums


def _nothing(model: Gaussians) -> Sums:
    """The sums over no rows."""
    zeros = (np.zeros(len(model.means)), np.zeros(model.means.shape))
    return Sums(0.0, *zeros, np.zeros(model.covariances.shape), 0.0)


def update(
    sums: Sums, old: Mixture, name: str, floor: np.ndarray, *, may_restart: bool = True
) -> Mixture:
    """The mixture that follows from the sums at `old`: EM's step, which never raises J."""
    kind = KINDS[name]
    shares = sums.sum_resp / sums.weight
    has_rows = shares > LEAST_SHARE
    count = np.maximum(sums.sum_resp, LEAST_SHARE * sums.weight)
    shift = np.where(has_rows[:, None], sums.sum_x / count[:, None], 0.0)
    spread = kind.spread(count, shift, sums.sum_xx)
    covariances = kind.floored(spread, floor, old.covariances)
    weights = np.maximum(shares, LEAST_SHARE)
    mixture = Mixture(
        weights / weights.sum(),
        old.means + shift,
        kind.chosen(covariances, old.covariances, has_rows),
        ~has_rows | _is_point(kind.variances(spread), name),
        old.restarts,
    )
    return restarted(kind, mixture, spread) if may_restart and len(weights) > 1 else mixture


def _is_point(variances: np.ndarray, name: str) -> np.ndarray:
    """Whether the rows of a component are all in one place; `variances` of all rows are about 1.

    Where a component has no size of its own, it cannot shrink.
    """
    return np.all(variances <= POINT, axis=1) & (name not in ("tied", "unit"))


# ---- what is done to a block ---------------------------------------------------------------------


def log_joint(X: np.ndarray, model: Gaussians) -> np.ndarray:
    """log weight_j + log N(x_o; ...) of every row and component, (b, K)."""
    joint = np.empty((len(model.means), len(X)))
    for rows in _turns(len(X), *model.means.shape):
        Y = model.measured(X[rows])
        whole = _complete(Y)
        if whole.all():
            joint[:, rows] = _complete_log_joint(Y, model)
            continue
        part = joint[:, rows]
        part[:, whole] = _complete_log_joint(Y[whole], model)
        holes = np.flatnonzero(~whole)
        for turn in gaussian_missing.turns(Y[holes], model):
            part[:, holes[turn.rows]] = turn.log_density + model.log_weights[:, None]
    return joint.T


def expectation(X: np.ndarray, model: Gaussians) -> np.ndarray:
    """E[x | x_o] = sum_j r_j E_j[x | x_o]; observed entries stay as they are, bit for bit."""
    return expectation_with_std(X, model)[0]


def expectation_with_std(X: np.ndarray, model: Gaussians) -> tuple[np.ndarray, np.ndarray]:
    """The same, and sqrt(sum_j r_j (var_j + (E_j - E)^2)); 0 where X is observed."""
    filled, std = X.copy(), np.zeros_like(X)
    holes = np.flatnonzero(np.isnan(X).any(axis=1))
    Y = model.measured(X[holes])
    for turn in gaussian_missing.turns(Y, model):
        rows = holes[turn.rows]
        resp = normalized(turn.log_density + model.log_weights[:, None], axis=0)[0]
        each = turn.expected + model.means[:, None]  # (K, b, d)
        mean = np.einsum("jb,jbf->bf", resp, each)
        spread = gaussian_missing.variances(turn, model) + np.square(each - mean)
        variance = np.einsum("jb,jbf->bf", resp, spread)
        filled[rows] = np.where(turn.observed, X[rows], model.center + model.scale * mean)
        std[rows] = np.where(turn.observed, 0.0, model.scale * np.sqrt(variance))
    return filled, std


def _complete_log_joint(Y: np.ndarray, model: Gaussians) -> np.ndarray:
    """The same for complete rows in the units of the means, (K, b)."""
    d = Y.shape[1]
    constant = -0.5 * (d * LOG_2PI + model.log_det) - np.log(model.scale).sum()
    joint = KINDS[model.kind].squares(Y, model)
    joint *= -0.5
    joint += (model.log_weights + constant)[:, None]
    return joint


def _turns(n: int, k: int, d: int) -> list[slice]:
    """Rows at a time, for which responsibilities and deviations stay small."""
    size = _turn_rows(k, d)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _turn_rows(k: int, d: int) -> int:
    return max(64, TURN_NUMBERS // (k + d))


def _in_small_blocks(rows: Blocks, k: int) -> Blocks:
    """The same rows; in memory, as blocks of one turn: a row takes K times the work of its size."""
    if rows.in_memory is None:
        return rows
    d = rows.n_columns
    size = min(rows_per_block(rows.in_memory), max(_turn_rows(k, d), 2 * d))
    return ArrayBlocks(rows.in_memory, block_rows=size)


def _complete(Y: np.ndarray) -> np.ndarray:
    """Which rows have no holes: sums of finite values are finite here, as these are about 1."""
    return ~np.isnan(Y.sum(axis=1))


def _warn_of_collapse(mixture: Mixture) -> None:
    restarts, collapsed = mixture.restarts > 0, mixture.collapsed
    if not (restarts.any() or (collapsed.any() and len(collapsed) > 1)):
        return
    which = np.flatnonzero(restarts | collapsed)
    end = f"{collapsed.sum()} of them are so at the end" if collapsed.any() else "all recovered"
    warnings.warn(
        f"{len(which)} of {len(collapsed)} components (first: {which[0]}) collapsed onto a point "
        f"or lost their rows, and were restarted; {end}. Try fewer n_components, a larger n_init "
        "or reg_covar, or covariance_type='tied'.",
        CollapsedComponentWarning,
        stacklevel=4,
    )


# ---- the start -----------------------------------------------------------------------------------


class Given(NamedTuple):
    """What the user gave to start from, in the units of X; None where nothing."""

    weights: np.ndarray | None  # (K,)
    means: np.ndarray | None  # (K, d)
    covariances: np.ndarray | None  # in the shape of covariances_


def check_start(estimator: Any, d: int) -> Given:
    """The constructor's weights, means and precisions, checked."""
    k, kind = estimator.n_components, KINDS[estimator.covariance_type]
    weights = _checked("weights_init", estimator.weights_init, (k,))
    if weights is not None and ((weights < 0).any() or not np.isclose(weights.sum(), 1.0)):
        raise ValueError(
            f"weights_init has the sum {weights.sum():g} and the smallest value "
            f"{weights.min():g}; weights must be 0 or more, with the sum 1."
        )
    precisions = _checked("precisions_init", estimator.precisions_init, kind.shape(k, d))
    covariances = None
    if precisions is not None:
        try:
            covariances = kind.from_precisions(precisions)
        except ValueError as error:
            raise ValueError(
                f"precisions_init is {error}; {estimator.covariance_type!r} precisions must be "
                "symmetric and positive definite (numbers: positive)."
            ) from None
    return Given(weights, _checked("means_init", estimator.means_init, (k, d)), covariances)


def _checked(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    if value is None:
        return None
    array = check_array(value, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name)
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; {shape} is needed.")
    return array


def start(
    estimator: Any,
    rows: Blocks,
    weight: np.ndarray | None,
    space: Space,
    given: Given,
    random: np.random.Generator,
) -> Mixture:
    """The mixture that EM starts from: what is given, and the rest from some rows."""
    name, k, d = estimator.covariance_type, estimator.n_components, rows.n_columns
    kind = KINDS[name]
    means = None if given.means is None else (given.means - space.center) / space.scale
    identity = np.ones(k) if name == "unit" and given.covariances is None else given.covariances
    covariances = None if identity is None else kind.from_user(identity, space.scale, k)
    if given.weights is not None and means is not None and covariances is not None:
        return fresh(given.weights, means, covariances)

    size = int(np.clip(START_ROWS_PER_COLUMN * k * d, START_ROWS, MOST_START_ROWS))
    n_rows = rows.shape[0] if weight is None else int(np.count_nonzero(weight))
    part = some_rows(rows, weight, space, random, None if n_rows <= size else size)
    Z, Y = part.rows, part.rows * space.size
    floor = space.floor(estimator.reg_covar)

    n_trials = int(np.clip(n_rows // (2 * size), 1, MOST_TRIALS))
    if estimator.init_params != "kmeans":
        n_trials = 1
    n_runs = KMEANS_RUNS if n_rows <= size else CORESET_RUNS
    if n_trials > 1:  # the likelihood will choose
        n_runs = 1

    def trial() -> Mixture:
        resp = first_responsibilities(estimator.init_params, Z, k, random, part.weight, n_runs)
        found = from_responsibilities(resp, Y, part.weight, name, floor)
        return fresh(
            found.weights if given.weights is None else given.weights,
            found.means if means is None else means,
            found.covariances if covariances is None else covariances,
        )

    if n_trials == 1:
        return trial()
    trials = [some_steps(trial(), Y, part.weight, name, floor) for _ in range(n_trials)]
    return min(trials, key=lambda found: found.objective).mixture


def some_rows(
    rows: Blocks,
    weight: np.ndarray | None,
    space: Space,
    random: np.random.Generator,
    size: int | None = None,
) -> Part:
    """All rows, or a coreset of this size, with columns of variance 1 and holes at their mean."""
    unit = space.scale * space.size
    if size is not None:
        standard = rows.seen(standardized, space.center, unit)
        return Part(*draw_coreset(standard, size, random, weight))
    part = part_in_memory(rows, random, weight)
    return Part(standardized(part.rows, space.center, unit), part.weight)


def from_responsibilities(
    resp: np.ndarray, Y: np.ndarray, weight: np.ndarray, name: str, floor: np.ndarray
) -> Mixture:
    """The mixture that follows from rows and responsibilities, (K, m)."""
    kind = KINDS[name]
    resp = resp * weight
    count = np.maximum(resp.sum(axis=1), LEAST_SHARE * weight.sum())
    means = resp @ Y / count[:, None]
    sum_x, sum_xx = kind.scatter(Y, resp, means)
    spread = kind.spread(count, sum_x / count[:, None], sum_xx)
    return fresh(count / count.sum(), means, kind.floored(spread, floor, spread))


def some_steps(
    mixture: Mixture, Y: np.ndarray, weight: np.ndarray, name: str, floor: np.ndarray
) -> Found:
    """A few steps of EM on a part of the rows, in the units of the means."""
    d = Y.shape[1]
    rows = _in_small_blocks(ArrayBlocks(Y), len(mixture.weights))
    here = Space(np.zeros(d), np.ones(d), np.ones(d))
    history = []
    for _ in range(START_STEPS):
        sums = rows.fold(statistics, prepared(name, mixture, here), along=(weight,))
        history.append(sums.objective / sums.weight)
        mixture = update(sums, mixture, name, floor)
    begun_anew = fresh(mixture.weights, mixture.means, mixture.covariances)
    return Found(begun_anew, history[-1], np.array(history), False)


def first_responsibilities(
    init_params: str,
    Y: np.ndarray,
    k: int,
    random: np.random.Generator,
    weight: np.ndarray,
    n_runs: int,
) -> np.ndarray:
    """Responsibilities of rows before anything is known of the components, (K, m)."""
    if init_params == "random":
        resp = random.random((k, len(Y)))
        return resp / resp.sum(axis=0)
    if init_params == "kmeans":
        begun = lloyd(Y, k, random, weight, max_iter=KMEANS_FIRST_STEPS, n_init=n_runs)
        labels = run(Y, weight, begun.centers, KMEANS_STEPS).labels
    else:
        draw = seeds if init_params == "k-means++" else random_rows
        centers = draw(Y, k, random, weight)
        labels = scaled_squares(Y, centers, np.ones_like(centers)).argmin(axis=0)
    return (labels == np.arange(k)[:, None]).astype(np.float64)


def fresh(weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> Mixture:
    """A mixture of which no component has collapsed yet."""
    weights = np.maximum(weights, LEAST_SHARE)
    none = np.zeros(len(weights), dtype=np.int64)
    return Mixture(weights / weights.sum(), means, covariances, none.astype(bool), none)


def _space(mean: np.ndarray, std: np.ndarray, name: str) -> Space:
    """Units in which the columns (spherical and unit: all together) are about 1 in size."""
    largest = std.max() or 1.0
    typical = largest * np.sqrt(np.mean(np.square(std / largest))) or 1.0
    same = name in ("spherical", "unit")
    scale = np.full(len(std), typical) if same else np.where(std > 0, std, typical)
    powers = _powers_of_two(scale)
    return Space(mean, powers, scale / powers)


def _powers_of_two(scale: np.ndarray) -> np.ndarray:
    """The nearest power of two of each; their squares neither overflow nor vanish."""
    return np.exp2(np.clip(np.round(np.log2(scale)), -500, 500))
