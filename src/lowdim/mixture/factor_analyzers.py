"""Mixture of factor analyzers: clusters, and in each of them a few factors.

    c ~ weights,   x = mean_c + W_c z + e,    z ~ N(0, I),  e ~ N(0, diag(noise_c))

    minimise     J = - sum_i w_i log sum_j weight_j N(x_i; mean_j, W_j W_j' + diag(noise_j))
                     + what keeps clusters of few rows sound (`factor_prior.py`)

by EM. A row belongs to cluster j with probability r_j; given that, its code z is the one of factor
analysis. So the sums of factor analysis, weighted with r_j, are all that is needed of the rows:

    statistics   r_j = weight_j N(x; ...) / sum over clusters        of every row, in logs
                 sum r_j,  sum r_j (z, 1)(z, 1)',  sum r_j x (z, 1)',  sum r_j x^2
    update       weight_j = sum r_j / sum w;  mean_j, W_j: regress x on (z, 1)
                 noise: what that leaves, of each cluster or of all together

Missing values are integrated out, row by row (`missing.py`); the noise may be shared by clusters,
and isotropic: then it is the mixture of probabilistic PCAs.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.cluster.kmeans.lloyd import lloyd
from lowdim.cluster.kmeans.seeding import part_in_memory
from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, POSITIVE, RANDOM_STATE
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.imputation import ImputeMixin
from lowdim.core.random import random_generator
from lowdim.core.shapes import Given, Maybe
from lowdim.core.validation import check_at_most
from lowdim.linalg.observed import column_sizes
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel
from lowdim.linear.missing.units import learned_noise_std, narrowed, unit_of
from lowdim.mixture import factor_prior
from lowdim.mixture.collapse import LEAST_SHARE
from lowdim.mixture.em import (
    Step,
    check_enough_rows,
    checked_columns,
    fit_from_starts,
)
from lowdim.mixture.factor_prior import (
    FactorPrior,
    in_data,
    leading_loadings,
    no_prior,
    prior_of,
    shortage,
)
from lowdim.mixture.methods import MixtureMethods, normalized

START_JITTER = 0.01  # random part of the first loadings, so that no symmetry holds the search


class MixtureOfFactorAnalyzers(Transformer, ImputeMixin, MixtureMethods, Estimator):
    """Mixture of factor analyzers: clusters, each a plane of its own with noise around it.

    Minimises  J = - log p(X) + prior,  p(X) = prod_i sum_j weight_j N(x_i; mean_j, W_j W_j' +
               diag(noise_j)),  by EM from k-means. NaN are integrated out. The prior (see Notes)
               shrinks clusters of few rows towards the model of all clusters together.

    Cost: O(n d k K) per pass for complete rows, with NaN a factor k more; O(K d k^2) memory beside
    one block of rows.
    Use it as a Gaussian mixture for many columns: a cluster has d k parameters in place of d^2.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters K.
    n_components : int, default=1
        Number of factors k in each cluster, at most the number of columns.
    shared_noise : bool, default=True
        Whether all clusters have the same noise; else each has its own, which takes more rows.
    isotropic : bool, default=False
        Whether all columns have the same noise: the mixture of probabilistic PCAs.
    tol : float, default=1e-4
        Stop when an iteration raises the log-likelihood per row by less.
    max_iter : int, default=200
        Iterations at the most, each a pass over the rows.
    n_init : int, default=1
        Starts, of which the best result is kept.
    reg_noise : float, default=1e-6
        A noise variance is at least this part of its column's variance (isotropic: of the mean
        variance): a cluster cannot shrink to a point.
    random_state : int, Generator, RandomState or None, default=None
        For the start.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Share of the rows in each cluster.
    means_ : ndarray of shape (K, d)
    components_ : ndarray of shape (K, k, d)
        W_j' of each cluster, orthogonal rows by decreasing length; in each the entry of largest
        size is positive.
    noise_variance_ : ndarray of shape (d,), or (K, d) if the noise is not shared
    lower_bound_ : float
        -J per row at the last iteration: the log-likelihood, less what the prior costs.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of the best start, J per row at each, and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    FactorAnalysis : one cluster.
    ProbabilisticPCA : one cluster, isotropic noise.

    Notes
    -----
    k-means starts from at most 20000 rows at random; missing values take part as the
    column's mean. Columns count by their standard deviation there, unless `isotropic`.

    The prior: with t = min(1, 4 K (k + 1) / n), n the values of a column, every cluster answers for
    (k + 1) t imaginary rows from the pooled model (the factors and variances of all rows about
    their clusters' means, as k-means finds them) and t / 2 rows at the mean of all rows; and its
    loadings cost 1/2 sum (loading / standard deviation of the column)^2. With many rows, t and
    what all this changes vanish; in small wide tables it keeps errors of filled values at the size
    of the columns. A cluster without rows becomes the pooled model. One cluster has no prior.

    A code does not say which cluster it belongs to, so there is no `inverse_transform`; `predict`
    and `transform` together describe a row.

    References
    ----------
    Ghahramani and Hinton (1996), The EM algorithm for mixtures of factor analyzers. Tipping and
    Bishop (1999), Mixtures of probabilistic principal component analyzers.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import MixtureOfFactorAnalyzers
    >>> random = np.random.default_rng(0)
    >>> Z, E = random.normal(size=(2, 300, 1)), 0.1 * random.normal(size=(2, 300, 3))
    >>> X = np.vstack([Z[0] * [1, 2, 0] + E[0], Z[1] * [0, 1, 2] + E[1] + 5])
    >>> model = MixtureOfFactorAnalyzers(2, 1, random_state=0).fit(X)
    >>> np.bincount(model.predict(X))
    array([300, 300])
    """

    accepts_nan: ClassVar[bool] = True
    min_rows: ClassVar[int] = 2

    shapes: ClassVar[dict] = {
        "n_components": Given("k"),
        "weights_": ("c",),
        "means_": ("c", "d"),
        "components_": ("c", "k", "d"),
        "lower_bound_": (),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [AT_LEAST_1],
        "n_components": [AT_LEAST_1],
        "shared_noise": ["boolean"],
        "isotropic": ["boolean"],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "n_init": [AT_LEAST_1],
        "reg_noise": [POSITIVE],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_clusters=2,
        n_components=1,
        *,
        shared_noise=True,
        isotropic=False,
        tol=1e-4,
        max_iter=200,
        n_init=1,
        reg_noise=1e-6,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.shared_noise = shared_noise
        self.isotropic = isotropic
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.reg_noise = reg_noise
        self.random_state = random_state

    # ---- encode ----------------------------------------------------------------------------------

    def _shapes(self):
        noise = ("d",) if self.shared_noise else ("c", "d")
        return {**super()._shapes(), "noise_variance_": noise, "_noise_std": Maybe(noise)}

    def transform(self, X):
        """Codes E[z | observed entries] within the most likely cluster, as `predict` gives it."""
        return self.open_rows(X, reset=False).map(encode, *self._mixture())

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def _n_features_out(self):
        return self.components_.shape[1]

    def _learn(self, rows, weight):
        """EM from several starts; the best is published."""
        check_at_most("n_components", self.n_components, rows.n_columns, "columns of X")
        check_enough_rows("n_clusters", self.n_clusters, rows, weight)
        columns = checked_columns(self, rows, weight)
        unit = units_of(columns.std, self.isotropic)
        scale = column_sizes(columns.std / unit, together=self.isotropic)
        space = Space(columns.mean / unit, scale)
        rows = rows.seen(in_units, unit) if (unit != 1.0).any() else rows
        least_noise = self.reg_noise * scale**2
        unseen = columns.n_observed @ np.log(unit)  # log p of x, not of x / unit
        random = random_generator(self.random_state)
        first = _clusters(self, rows, space, weight, random)
        begin = _start(self, first, space, random)
        prior = _prior(self, first, space, columns.n_observed.mean(), random)

        def step(mixture, is_last):
            sums = rows.fold(statistics, mixture, along=(weight,))
            moved, cost = update(
                sums, mixture, prior, self.shared_noise, self.isotropic, least_noise
            )
            return Step(moved, (sums.objective + unseen + cost) / sums.weight)

        def trouble(mixture):
            return _trouble(mixture, self.shared_noise, least_noise)

        def starts():
            yield begin
            for _ in range(1, self.n_init):
                yield _start(self, _clusters(self, rows, space, weight, random), space, random)

        mixture = fit_from_starts(self, starts(), step, trouble=trouble)
        self._publish(mixture, unit, rows.dtype)

    def _publish(self, mixture, unit, dtype):
        self.weights_ = mixture.weights.astype(dtype)
        self.means_ = (mixture.means * unit).astype(dtype)
        # of W in the unit of its largest column: squares are numbers there
        largest = unit.max()
        W = mixture.W * (unit / largest)[:, None]
        self.components_ = (np.stack([_ordered(each) for each in W]) * largest).astype(dtype)
        noise = mixture.noise[0] if self.shared_noise else mixture.noise
        self._noise_std = np.sqrt(noise) * unit
        with np.errstate(over="ignore", under="ignore"):
            self.noise_variance_ = narrowed(noise * unit * unit, dtype)

    def _opened(self, X, only_observed=False):
        rows = self.open_rows(X, reset=False, only_observed=only_observed)
        return rows, log_joint, self._mixture()

    def _filling(self, return_std):
        return expectation_with_std if return_std else expectation, *self._mixture()

    def _drawn(self, counts, random):
        mixture, unit = self._mixture()
        parts = []
        for count, (mean, W, noise) in zip(counts, mixture.models, strict=True):
            rows = random.normal(size=(count, W.shape[1])) @ W.T + mean
            parts.append(rows + np.sqrt(noise) * random.normal(size=rows.shape))
        return (np.concatenate(parts) * unit).astype(self.means_.dtype, copy=False)

    def _mixture(self):
        """The learned mixture of x / unit, and the unit of each column."""
        check_is_fitted(self)
        means, W = self.means_.astype(np.float64), self.components_.astype(np.float64)
        std = np.broadcast_to(np.asarray(learned_noise_std(self), dtype=np.float64), means.shape)
        unit = units_of(np.maximum(std.max(axis=0), np.abs(W).max(axis=(0, 1))), self.isotropic)
        weights = self.weights_.astype(np.float64)
        noise = np.maximum(np.square(std / unit), np.finfo(np.float64).tiny)
        W = W.transpose(0, 2, 1) / unit[:, None]
        return FactorAnalyzersParams(weights / weights.sum(), means / unit, W, noise), unit

    def _n_parameters(self):
        n_clusters, k, d = self.components_.shape
        loadings = d * k - k * (k - 1) // 2  # W is known up to a rotation
        noise = (1 if self.isotropic else d) * (1 if self.shared_noise else n_clusters)
        return n_clusters - 1 + n_clusters * (d + loadings) + noise


class FactorAnalyzersParams(NamedTuple):
    """The parameters; a cluster's part of them is a factor model."""

    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    W: np.ndarray  # (K, d, k)
    noise: np.ndarray  # (K, d)

    @property
    def models(self) -> list[FactorModel]:
        return [FactorModel(*model) for model in zip(self.means, self.W, self.noise, strict=True)]


class Sums(NamedTuple):
    """What the E step adds up."""

    weight: float  #            sum w
    sum_resp: np.ndarray  # (K,)     sum w r_j
    by_cluster: tuple[missing.Sums, ...]  # those of factor analysis, rows weighted with w r_j
    objective: float  #            J


def statistics(X: np.ndarray, mixture: FactorAnalyzersParams, weight: np.ndarray | None) -> Sums:
    """What one block of rows adds up."""
    w = np.ones(len(X)) if weight is None else weight
    resp, density = normalized(log_joint(X, mixture))
    resp *= w[:, None]
    by_cluster = tuple(
        missing.statistics(X, *model, weight=r)
        for model, r in zip(mixture.models, resp.T, strict=True)
    )
    return Sums(float(w.sum()), resp.sum(axis=0), by_cluster, -float(w @ density))


def update(
    sums: Sums,
    old: FactorAnalyzersParams,
    prior: FactorPrior,
    shared_noise: bool,
    isotropic: bool,
    least_noise: np.ndarray,
) -> tuple[FactorAnalyzersParams, float]:
    """The mixture that follows from the sums at `old`: EM's step, which never raises J.

    Also what the prior adds to J at `old`.
    """
    steps = [
        factor_prior.step(part, model, prior)
        for part, model in zip(sums.by_cluster, old.models, strict=True)
    ]
    left = np.stack([step.left for step in steps])
    count = np.stack([step.n_observed for step in steps])
    if isotropic:
        left, count = left.sum(axis=1, keepdims=True), count.sum(axis=1, keepdims=True)
    if shared_noise:
        left, count = left.sum(axis=0), count.sum(axis=0)
    weights = np.maximum(sums.sum_resp / sums.weight, LEAST_SHARE)
    noise = np.broadcast_to(left / count, old.noise.shape)
    mixture = FactorAnalyzersParams(
        weights / weights.sum(),
        np.stack([step.mean for step in steps]),
        np.stack([step.W for step in steps]),
        np.maximum(noise, least_noise),
    )
    return mixture, sum(step.cost for step in steps)


def _trouble(
    mixture: FactorAnalyzersParams, shared_noise: bool, least_noise: np.ndarray
) -> str | None:
    """What to say of clusters without rows, or without noise."""
    at_floor = (mixture.noise <= 1.01 * least_noise).all(axis=1)
    empty = mixture.weights <= 2 * LEAST_SHARE
    collapsed = np.flatnonzero(empty | (at_floor & (not shared_noise)))
    if not len(collapsed):
        return None
    return (
        f"{len(collapsed)} of {len(empty)} clusters collapsed (first: {collapsed[0]}): "
        "they have no rows left, or all noise ran to 0, on a point or a plane. Try fewer "
        "n_clusters, a larger n_init or reg_noise, or shared_noise=True."
    )


# ---- what is done to a block -----------------------------------------------------------------


def log_joint(
    X: np.ndarray, mixture: FactorAnalyzersParams, unit: np.ndarray | None = None
) -> np.ndarray:
    """log weight_j + log N(x_o; ...) of every row and cluster, (b, K).

    Here and below, the mixture is that of x / unit; None is a unit of 1.
    """
    X = in_units(X, unit)
    joint = np.empty((len(X), len(mixture.weights)))
    for j, model in enumerate(mixture.models):
        joint[:, j] = missing.log_density(X, *model) + np.log(mixture.weights[j])
    if unit is not None and (unit != 1.0).any():
        joint -= (~np.isnan(X) @ np.log(unit))[:, None]
    return joint


def encode(
    X: np.ndarray, mixture: FactorAnalyzersParams, unit: np.ndarray | None = None
) -> np.ndarray:
    """E[z | x_o] in the most likely cluster."""
    Z = np.empty((len(X), mixture.W.shape[2]), dtype=X.dtype)
    X = in_units(X, unit)
    labels = log_joint(X, mixture).argmax(axis=1)
    for j, model in enumerate(mixture.models):
        own = labels == j
        if own.any():
            Z[own] = missing.encode(X[own], *model)
    return Z


def expectation(
    X: np.ndarray, mixture: FactorAnalyzersParams, unit: np.ndarray | None = None
) -> np.ndarray:
    """E[x | x_o] = sum_j r_j E_j[x | x_o]; observed entries stay as they are, bit for bit."""
    filled, missing_entries = X.copy(), np.isnan(X)
    some = missing_entries.any(axis=1)
    if some.any():
        rows = in_units(X[some], unit)
        fit = _mean_of_clusters(rows, mixture, normalized(log_joint(rows, mixture))[0])
        fit = fit if unit is None else fit * unit
        filled[some] = np.where(missing_entries[some], fit, X[some])
    return filled


def expectation_with_std(
    X: np.ndarray, mixture: FactorAnalyzersParams, unit: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The same, and sqrt(sum_j r_j (var_j + (E_j - E)^2)); 0 where X is observed."""
    filled, std = X.copy(), np.zeros_like(X)
    missing_entries = np.isnan(X)
    some = missing_entries.any(axis=1)
    if some.any():
        rows = in_units(X[some], unit)
        resp = normalized(log_joint(rows, mixture))[0]
        fit = _mean_of_clusters(rows, mixture, resp)
        variance = np.zeros(rows.shape)
        for model, r in zip(mixture.models, resp.T, strict=True):
            apart = missing.expectation(rows.astype(np.float64), *model) - fit
            spread = missing.conditional_std(rows.astype(np.float64), *model)
            variance += r[:, None] * (np.square(spread) + np.square(apart))
        unit = np.ones(X.shape[1]) if unit is None else unit
        filled[some] = np.where(missing_entries[some], fit * unit, X[some])
        std[some] = np.where(missing_entries[some], np.sqrt(variance) * unit, 0.0)
    return filled, std


def _mean_of_clusters(
    rows: np.ndarray, mixture: FactorAnalyzersParams, resp: np.ndarray
) -> np.ndarray:
    fit = np.zeros(rows.shape)
    for model, r in zip(mixture.models, resp.T, strict=True):
        fit += r[:, None] * missing.expectation(rows.astype(np.float64), *model)
    return fit


# ---- the start -----------------------------------------------------------------------------------


class Space(NamedTuple):
    """In which rows are about 1 in size, for k-means."""

    mean: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)


class Clustered(NamedTuple):
    """Some rows in a Space, NaN where missing, and their clusters."""

    Y: np.ndarray  # (m, d)
    weight: np.ndarray  # (m,)
    centers: np.ndarray  # (K, d)
    labels: np.ndarray  # (m,)


def _clusters(
    estimator: Any,
    rows: Blocks,
    space: Space,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> Clustered:
    """The clusters of k-means."""
    part = part_in_memory(rows, random, weight)
    Y = (part.rows - space.mean) / space.scale
    filled = np.nan_to_num(Y, nan=0.0)
    centers, labels, _ = lloyd(filled, estimator.n_clusters, random, part.weight)
    return Clustered(Y, part.weight, centers, labels)


def _start(
    estimator: Any, clusters: Clustered, space: Space, random: np.random.Generator
) -> FactorAnalyzersParams:
    """The leading axes of every cluster."""
    filled = np.nan_to_num(clusters.Y, nan=0.0)
    size = np.sqrt(np.average(np.square(filled), axis=0, weights=clusters.weight))
    models, counts = [], []
    for j, center in enumerate(clusters.centers):
        own = clusters.labels == j
        w = clusters.weight[own]
        D = filled[own] - center
        W, left = _first_model(D, w, estimator.n_components, estimator.isotropic, random)
        # in the unit of each column: one that hardly varies is not to follow from chance
        models.append((W + START_JITTER * size[:, None] * random.normal(size=W.shape), left))
        counts.append(w.sum())
    weights = np.maximum(counts, LEAST_SHARE * np.sum(counts))
    weights /= weights.sum()
    noise = np.stack([left for _, left in models])
    if estimator.shared_noise:
        noise = np.broadcast_to(weights @ noise, noise.shape)
    return FactorAnalyzersParams(
        weights,
        space.mean + space.scale * clusters.centers,
        np.stack([W for W, _ in models]) * space.scale[:, None],
        np.maximum(noise, estimator.reg_noise) * space.scale**2,
    )


def _first_model(
    D: np.ndarray, weight: np.ndarray, k: int, isotropic: bool, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """W (d, k) and noise (d,) of centred rows, roughly."""
    d = D.shape[1]
    D = D * np.sqrt(weight / max(weight.sum(), np.finfo(np.float64).tiny))[:, None]
    W, variance = leading_loadings(D, k, random), np.square(D).sum(axis=0)
    noise = np.maximum(variance - np.square(W).sum(axis=1), 0.1 * variance)
    return W, np.full(d, noise.mean()) if isotropic else noise


def _prior(
    estimator: Any, clusters: Clustered, space: Space, n: float, random: np.random.Generator
) -> FactorPrior:
    """What keeps clusters of few rows sound; n is the mean number of values in a column."""
    k, d = estimator.n_components, len(space.mean)
    if estimator.n_clusters == 1:
        return no_prior(d, k)
    t = shortage(estimator.n_clusters, k, n)
    Y, weight, _, labels = clusters
    prior = prior_of(Y, weight, labels, k, estimator.isotropic, t, random)
    return in_data(prior, *space)


def units_of(size: np.ndarray, together: bool) -> np.ndarray:
    """Units (d,) of columns of this size, powers of two: 1 unless squares could be no numbers."""
    largest = size.max(initial=0.0)
    return np.array([unit_of(largest if together else one) for one in size])


def in_units(X: np.ndarray, unit: np.ndarray | None) -> np.ndarray:
    """X / unit; X itself if that is the same."""
    return X if unit is None or (unit == 1.0).all() else X / unit


def _ordered(W: np.ndarray) -> np.ndarray:
    """W' of the same W W', with orthogonal rows, the longest first."""
    U, s, _ = np.linalg.svd(W, full_matrices=False)
    return deterministic_signs((U * s).T)
