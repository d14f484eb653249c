"""What keeps the clusters of a mixture of factor analyzers sound where rows are few: a prior.

A cluster of a dozen rows has loadings for every column. What its rows do not determine is made up,
and a value far out then has no limits: errors of thousands of standard deviations. So each cluster
also answers for a few imaginary rows, which say that it is like the others:

    C_j = W_j W_j' + diag(noise_j),     C_0 and mean_0: of all rows, C_0 about their clusters' means

    minimise     J = - log p(X) + sum_j cost_j
    cost_j      nu E[-log N(mean_j + e; mean_j, C_j)]     nu rows of the pooled model, e ~ N(0, C_0)
                + kappa (-log N(mean_0; mean_j, C_j))     kappa rows at the mean of all
                + 1/2 sum_f |w_jf|^2 / variance_f         loadings not larger than their column

    t = min(1, 4 K (k + 1) / n),    nu = (k + 1) t,    kappa = t / 2

t compares parameters with values, for a column: with many rows it vanishes, and so does what the
prior says. The sums of the imaginary rows are closed forms, so a step of EM is what it was: regress
x on (z, 1), and what z ~ N(a, R) over all rows comes to. The last term makes the first a ridge
regression, and R the solution of

    N R + R G R = S,     N the rows, S = sum (z - a)(z - a)',  G = sum_f w_f w_f' / variance_f

Each of these maximises over some parameters with the others held: J never rises. One cluster alone
is the pooled model, and has no prior: it is factor analysis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.gaussian import LOG_2PI
from lowdim.linalg.packed import diagonal, unpacked
from lowdim.linear import missing
from lowdim.linear.missing import FactorModel
from lowdim.linear.missing.em import regression
from lowdim.linear.missing.model import noise_std

VALUES_PER_PARAMETER = 4.0  # as many in a column, and the prior counts for less than all of itself
ROWS_AT_MEAN = 0.5  # imaginary rows at the mean of all rows, where it counts in full
POWER_STEPS = 5
MOST_EXPLAINED = 0.9  # of a column's variance, by the loadings of the pooled model


class FactorPrior(NamedTuple):
    """What each cluster is shrunk towards, and how much."""

    pooled: FactorModel  # of the rows about their clusters' means; its mean is that of all rows
    n_pooled: float  # nu
    n_at_mean: float  # kappa
    ridge: np.ndarray  # (d,)  1 / variance of each column


class Pull(NamedTuple):
    """What the imaginary rows of a cluster add up, in the units of `missing.Sums`."""

    sum_zz: np.ndarray  # (k, k)      of the rows of the pooled model, about the cluster's own mean
    sum_ez: np.ndarray  # (d, k)
    sum_ee: np.ndarray  # (d,)
    at_mean: np.ndarray  # (k + 1, k + 1)  of (z, 1)(z, 1)' for the rows at the mean of all
    left_at_mean: np.ndarray  # (d, k + 1)  of e (z, 1)'
    squares_at_mean: np.ndarray  # (d,)  of e^2
    cost: float


def no_prior(d: int, k: int) -> FactorPrior:
    """That of one cluster alone."""
    nothing = FactorModel(np.zeros(d), np.zeros((d, k)), np.zeros(d))
    return FactorPrior(nothing, 0.0, 0.0, np.zeros(d))


def in_data(prior: FactorPrior, mean: np.ndarray, scale: np.ndarray) -> FactorPrior:
    """The prior of scale times these rows, and mean."""
    _, W, noise = prior.pooled
    pooled = FactorModel(mean, W * scale[:, None], noise * scale**2)
    return prior._replace(pooled=pooled, ridge=prior.ridge / scale**2)


def shortage(n_clusters: int, k: int, n: float) -> float:
    """t: parameters of a column by its n values, from 0 (many values) to 1."""
    return min(1.0, VALUES_PER_PARAMETER * n_clusters * (k + 1) / n)


def prior_of(
    Y: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    k: int,
    isotropic: bool,
    t: float,
    random: np.random.Generator,
) -> FactorPrior:
    """The prior that follows from rows (m, d) in units of their columns, NaN where missing.

    Of the variance of the pooled model, t is that about the mean of all rows: a column that does
    not vary within clusters of few rows may yet do so.
    """
    observed = ~np.isnan(Y)
    D = np.where(observed, Y, 0.0)
    n_observed = np.maximum(weight @ observed, np.finfo(np.float64).tiny)
    variance = t * (weight @ np.square(D)) / n_observed
    for j in range(labels.max() + 1):
        own = labels == j
        w = weight[own, None] * observed[own]
        mean = (w * D[own]).sum(axis=0) / np.maximum(w.sum(axis=0), np.finfo(np.float64).tiny)
        D[own] -= np.where(observed[own], mean, 0.0)
    variance += (1.0 - t) * (weight @ np.square(D)) / n_observed
    if isotropic:
        variance[:] = variance.mean()
    D *= np.sqrt(weight)[:, None] * (np.sqrt(weight.sum()) / n_observed)  # D'D: as without missing
    W = leading_loadings(D, k, random)
    explained = np.square(W).sum(axis=1)
    if isotropic:
        explained[:] = explained.mean()
    W *= np.sqrt(np.minimum(1.0, _ratio(MOST_EXPLAINED * variance, explained)))[:, None]
    noise = variance - np.minimum(explained, MOST_EXPLAINED * variance)
    pooled = FactorModel(np.zeros(len(W)), W, noise)
    return FactorPrior(pooled, (k + 1) * t, ROWS_AT_MEAN * t, np.ones(len(W)))


def leading_loadings(D: np.ndarray, k: int, random: np.random.Generator) -> np.ndarray:
    """W (d, k) along the leading axes of D'D, roughly: a few steps of the power method."""
    Q, _ = np.linalg.qr(random.normal(size=(D.shape[1], k)))
    for _ in range(POWER_STEPS):
        Q, _ = np.linalg.qr(D.T @ (D @ Q))
    return Q * np.sqrt(np.square(D @ Q).sum(axis=0))


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.ones_like(a), where=b > 0)


class ClusterStep(NamedTuple):
    """What follows for one cluster; its noise is left to those that share it."""

    mean: np.ndarray  # (d,)
    W: np.ndarray  # (d, k)
    left: np.ndarray  # (d,)  sum of squares that the new loadings leave of each column
    n_observed: np.ndarray  # (d,)  rows that have it, imaginary ones included
    cost: float  # of the parameters before


def step(sums: missing.Sums, model: FactorModel, prior: FactorPrior) -> ClusterStep:
    """The cluster's parameters that follow from the sums at `model`, and from the prior."""
    k = model.W.shape[1]
    std, ridge = noise_std(model.W, model.noise), prior.ridge
    V, penalty = model.W / std[:, None], ridge * std**2
    added = pull(model, prior)

    zz = added.at_mean.copy()
    zz[:k, :k] += added.sum_zz
    sum_zz = sums.sum_zz + zz[np.tril_indices(k + 1)]
    sum_zz[:, diagonal(k)] += penalty[:, None]
    sum_ez = sums.sum_ez + added.left_at_mean
    sum_ez[:, :k] += added.sum_ez - penalty[:, None] * V
    ee = sums.sum_ee + added.sum_ee + added.squares_at_mean + penalty * np.square(V).sum(axis=1)
    sums = missing.Sums(sum_zz, sum_ez, ee, sums.sum_all, sums.objective)
    slope, left = regression(sums)
    V = V + slope[:, :k]
    left = left * sums.n_observed - penalty * np.square(V).sum(axis=1)

    W = std[:, None] * V
    moments = unpacked(sums.sum_all) + added.at_mean
    a, root = _codes(moments, added.sum_zz, prior.n_pooled, (W * ridge[:, None]).T @ W)
    cost = added.cost + 0.5 * float(ridge @ np.square(model.W).sum(axis=1))
    return ClusterStep(
        model.mean + std * slope[:, k] + W @ a,
        W @ root,
        np.maximum(left, 0.0) * std**2,
        sums.n_observed + prior.n_pooled,
        cost,
    )


def _codes(
    moments: np.ndarray, sum_zz: np.ndarray, n_pooled: float, G: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean a (k,) and a root of the covariance R (k, k) of the codes of all rows.

    `moments` is the sum of (z, 1)(z, 1)' over rows, `sum_zz` that of rows about the mean.

    With S = F F, R = F Y F for N Y + Y (F G F) Y = I, which has the eigenvectors of F G F.
    """
    k = len(sum_zz)
    n = moments[k, k]
    a = moments[k, :k] / n
    F = _root(moments[:k, :k] - n * np.outer(a, a) + sum_zz)
    values, axes = np.linalg.eigh(F @ G @ F)
    N = n + n_pooled
    y = 2.0 / (N + np.sqrt(N**2 + 4.0 * np.maximum(values, 0.0)))
    return a, F @ (axes * np.sqrt(y)) @ axes.T


def _root(A: np.ndarray) -> np.ndarray:
    values, axes = np.linalg.eigh(A)
    return (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T


def pull(model: FactorModel, prior: FactorPrior) -> Pull:
    """What the imaginary rows add up at a cluster's parameters."""
    std, nu, kappa = noise_std(model.W, model.noise), prior.n_pooled, prior.n_at_mean
    V = model.W / std[:, None]
    V0, noise0 = prior.pooled.W / std[:, None], prior.pooled.noise / std**2
    d, k = V.shape
    M = np.eye(k) + V.T @ V
    C = np.linalg.inv(M)
    B = C @ V.T  # E[z | y] = B y
    VC = V @ C
    constant = d * LOG_2PI + np.linalg.slogdet(M)[1] + 2.0 * np.log(std).sum()

    BV0, BB = B @ V0, (B * noise0) @ B.T
    left, own = V0 - V @ BV0, np.einsum("fj,jf->f", V, B)
    rest = V @ BB + VC
    sum_ez = left @ BV0.T + noise0[:, None] * B.T - rest
    of_left = np.square(left).sum(axis=1)
    sum_ee = of_left + noise0 * (1.0 - 2.0 * own) + np.einsum("fj,fj->f", rest, V)
    squares = of_left.sum() + np.square(BV0).sum() + noise0 @ (1.0 - own)

    y = (prior.pooled.mean - model.mean) / std
    z = B @ y
    e, code = y - V @ z, np.append(z, 1.0)
    at_mean, left_at_mean = np.outer(code, code), np.outer(e, code)
    at_mean[:k, :k] += C
    left_at_mean[:, :k] -= VC
    squares_at_mean = np.square(e) + np.einsum("fj,fj->f", VC, V)
    cost = nu * (constant + squares) + kappa * (constant + e @ e + z @ z)
    return Pull(
        nu * (BV0 @ BV0.T + BB + C),
        nu * sum_ez,
        nu * sum_ee,
        kappa * at_mean,
        kappa * left_at_mean,
        kappa * squares_at_mean,
        0.5 * float(cost),
    )
