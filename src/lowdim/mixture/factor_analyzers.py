"""Mixture of factor analyzers: clusters, and in each of them a few factors.

    c ~ weights,   x = mean_c + W_c z + e,    z ~ N(0, I),  e ~ N(0, diag(noise_c))

    minimise     J = - sum_i w_i log sum_j weight_j N(x_i; mean_j, W_j W_j' + diag(noise_j))

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
from lowdim.core.shapes import Given
from lowdim.core.validation import check_at_most
from lowdim.linalg.observed import column_sizes
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel
from lowdim.mixture.collapse import LEAST_SHARE
from lowdim.mixture.em import (
    Step,
    check_enough_rows,
    checked_columns,
    fit_from_starts,
)
from lowdim.mixture.methods import MixtureMethods, normalized

START_STEPS = 5  # of the power method, for the first loadings
START_JITTER = 0.01  # random part of the first loadings, so that no symmetry holds the search


class MixtureOfFactorAnalyzers(Transformer, ImputeMixin, MixtureMethods, Estimator):
    """Mixture of factor analyzers: clusters, each a plane of its own with noise around it.

    Minimises  -log p(X) = - sum_i log sum_j weight_j N(x_i; mean_j, W_j W_j' + diag(noise_j)),
               by EM from k-means. NaN are integrated out.

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
        Log-likelihood per row at the last iteration.
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
        return {**super()._shapes(), "noise_variance_": noise}

    def transform(self, X):
        """Codes E[z | observed entries] within the most likely cluster, as `predict` gives it."""
        return self.open_rows(X, reset=False).map(encode, self._mixture())

    # ---- inside ----------------------------------------------------------------------------------

    @property
    def _n_features_out(self):
        return self.components_.shape[1]

    def _learn(self, rows, weight):
        """EM from several starts; the best is published."""
        check_at_most("n_components", self.n_components, rows.n_columns, "columns of X")
        check_enough_rows("n_clusters", self.n_clusters, rows, weight)
        columns = checked_columns(self, rows, weight)
        space = Space(columns.mean, column_sizes(columns.std, together=self.isotropic))
        least_noise = self.reg_noise * space.scale**2
        random = random_generator(self.random_state)

        def step(mixture, is_last):
            sums = rows.fold(statistics, mixture, along=(weight,))
            moved = update(sums, mixture, self.shared_noise, self.isotropic, least_noise)
            return Step(moved, sums.objective / sums.weight)

        def trouble(mixture):
            return _trouble(mixture, self.shared_noise, least_noise)

        starts = (_start(self, rows, space, weight, random) for _ in range(self.n_init))
        self._publish(fit_from_starts(self, starts, step, trouble=trouble), rows.dtype)

    def _publish(self, mixture, dtype):
        self.weights_ = mixture.weights.astype(dtype)
        self.means_ = mixture.means.astype(dtype)
        self.components_ = np.stack([_ordered(W) for W in mixture.W]).astype(dtype)
        noise = mixture.noise[0] if self.shared_noise else mixture.noise
        self.noise_variance_ = noise.astype(dtype)

    def _opened(self, X):
        return self.open_rows(X, reset=False), log_joint, (self._mixture(),)

    def _filling(self, return_std):
        return expectation_with_std if return_std else expectation, self._mixture()

    def _drawn(self, counts, random):
        parts = []
        for count, (mean, W, noise) in zip(counts, self._mixture().models, strict=True):
            rows = random.normal(size=(count, W.shape[1])) @ W.T + mean
            parts.append(rows + np.sqrt(noise) * random.normal(size=rows.shape))
        return np.concatenate(parts).astype(self.means_.dtype, copy=False)

    def _mixture(self):
        check_is_fitted(self)
        means = self.means_.astype(np.float64)
        weights = self.weights_.astype(np.float64)
        noise = np.broadcast_to(self.noise_variance_.astype(np.float64), means.shape)
        W = self.components_.astype(np.float64).transpose(0, 2, 1)
        return FactorAnalyzersParams(weights / weights.sum(), means, W, noise)

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
    shared_noise: bool,
    isotropic: bool,
    least_noise: np.ndarray,
) -> FactorAnalyzersParams:
    """The mixture that follows from the sums at `old`: EM's step, which never raises J."""
    shares = sums.sum_resp / sums.weight
    models = [
        missing.update(part, model, isotropic, 0.0) if share > LEAST_SHARE else model
        for share, part, model in zip(shares, sums.by_cluster, old.models, strict=True)
    ]
    noise = np.stack([model.noise for model in models])
    if shared_noise:
        observed = np.stack([part.n_observed for part in sums.by_cluster])  # (K, d)
        if isotropic:
            observed = np.broadcast_to(observed.sum(axis=1, keepdims=True), noise.shape)
        noise = np.broadcast_to((observed * noise).sum(axis=0) / observed.sum(axis=0), noise.shape)
    weights = np.maximum(shares, LEAST_SHARE)
    return FactorAnalyzersParams(
        weights / weights.sum(),
        np.stack([model.mean for model in models]),
        np.stack([model.W for model in models]),
        np.maximum(noise, least_noise),
    )


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


def log_joint(X: np.ndarray, mixture: FactorAnalyzersParams) -> np.ndarray:
    """log weight_j + log N(x_o; ...) of every row and cluster, (b, K)."""
    joint = np.empty((len(X), len(mixture.weights)))
    for j, model in enumerate(mixture.models):
        joint[:, j] = missing.log_density(X, *model) + np.log(mixture.weights[j])
    return joint


def encode(X: np.ndarray, mixture: FactorAnalyzersParams) -> np.ndarray:
    """E[z | x_o] in the most likely cluster."""
    labels = log_joint(X, mixture).argmax(axis=1)
    Z = np.empty((len(X), mixture.W.shape[2]), dtype=X.dtype)
    for j, model in enumerate(mixture.models):
        own = labels == j
        if own.any():
            Z[own] = missing.encode(X[own], *model)
    return Z


def expectation(X: np.ndarray, mixture: FactorAnalyzersParams) -> np.ndarray:
    """E[x | x_o] = sum_j r_j E_j[x | x_o]; observed entries stay as they are, bit for bit."""
    filled, missing_entries = X.copy(), np.isnan(X)
    some = missing_entries.any(axis=1)
    if some.any():
        rows = X[some]
        fit = _mean_of_clusters(rows, mixture, normalized(log_joint(rows, mixture))[0])
        filled[some] = np.where(missing_entries[some], fit, rows)
    return filled


def expectation_with_std(
    X: np.ndarray, mixture: FactorAnalyzersParams
) -> tuple[np.ndarray, np.ndarray]:
    """The same, and sqrt(sum_j r_j (var_j + (E_j - E)^2)); 0 where X is observed."""
    filled, std = X.copy(), np.zeros_like(X)
    missing_entries = np.isnan(X)
    some = missing_entries.any(axis=1)
    if some.any():
        rows = X[some]
        resp = normalized(log_joint(rows, mixture))[0]
        fit = _mean_of_clusters(rows, mixture, resp)
        variance = np.zeros(rows.shape)
        for model, r in zip(mixture.models, resp.T, strict=True):
            apart = missing.expectation(rows.astype(np.float64), *model) - fit
            spread = missing.conditional_std(rows.astype(np.float64), *model)
            variance += r[:, None] * (np.square(spread) + np.square(apart))
        filled[some] = np.where(missing_entries[some], fit, rows)
        std[some] = np.where(missing_entries[some], np.sqrt(variance), 0.0)
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


def _start(
    estimator: Any,
    rows: Blocks,
    space: Space,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> FactorAnalyzersParams:
    """k-means, and the leading axes of every cluster."""
    part = part_in_memory(rows, random, weight)
    Y = np.nan_to_num((part.rows - space.mean) / space.scale, nan=0.0)
    clusters = lloyd(Y, estimator.n_clusters, random, part.weight)
    models, counts = [], []
    for j, center in enumerate(clusters.centers):
        own = clusters.labels == j
        w = part.weight[own]
        models.append(
            _leading_axes(Y[own] - center, w, estimator.n_components, estimator.isotropic, random)
        )
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


def _leading_axes(
    D: np.ndarray, weight: np.ndarray, k: int, isotropic: bool, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """W (d, k) and noise (d,) of centred rows, roughly: a few steps of the power method."""
    d = D.shape[1]
    w = weight / max(weight.sum(), np.finfo(np.float64).tiny)
    Q, _ = np.linalg.qr(random.normal(size=(d, k)))
    for _ in range(START_STEPS):
        Q, _ = np.linalg.qr(D.T @ (w[:, None] * (D @ Q)))
    W = Q * np.sqrt(w @ np.square(D @ Q))
    variance = w @ np.square(D)
    noise = np.maximum(variance - np.square(W).sum(axis=1), 0.1 * variance)
    if isotropic:
        noise = np.full(d, noise.mean())
    return W + START_JITTER * random.normal(size=(d, k)), noise


def _ordered(W: np.ndarray) -> np.ndarray:
    """W' of the same W W', with orthogonal rows, the longest first."""
    U, s, _ = np.linalg.svd(W, full_matrices=False)
    return deterministic_signs((U * s).T)
