"""One step of EM for Gaussian mixtures: sums over rows, and the parameters that follow.

    statistics   r_j = weight_j N(x; mean_j, C_j) / sum over components        of every row, in logs
                 sum r_j,  sum r_j (x - mean_j),  sum r_j (x - mean_j)(x - mean_j)'
    update       weight_j = sum r_j / sum w,   mean_j and C_j: mean and covariance of these sums

Sums are taken about the present means: data far from zero keep their digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import add
from lowdim.mixture.collapse import LEAST_SHARE, POINT, restarted
from lowdim.mixture.gaussian import missing as gaussian_missing
from lowdim.mixture.gaussian.covariances import KINDS, Gaussians
from lowdim.mixture.gaussian.density import complete_log_joint, is_complete, runs_of_rows
from lowdim.mixture.gaussian.units import Space
from lowdim.mixture.methods import normalized


class GaussianParams(NamedTuple):
    """The parameters in the units of a Space, and what became of the components."""

    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    covariances: np.ndarray  # (K, d, d), tied (d, d), else (K, d)
    collapsed: np.ndarray  # (K,)  whether a component is a point, or without rows
    restarts: np.ndarray  # (K,)  how often it started anew


class Sums(NamedTuple):
    """What the E step adds up."""

    weight: float  # sum w
    sum_resp: np.ndarray  # (K,)    sum w r_j
    sum_x: np.ndarray  # (K, d)  sum w r_j (y - mean_j)
    sum_xx: np.ndarray  # in the shape of the covariances
    objective: float  # J


def fresh(weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> GaussianParams:
    """A mixture of which no component has collapsed yet."""
    weights = np.maximum(weights, LEAST_SHARE)
    none = np.zeros(len(weights), dtype=np.int64)
    return GaussianParams(weights / weights.sum(), means, covariances, none.astype(bool), none)


def prepared(name: str, mixture: GaussianParams, space: Space) -> Gaussians:
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
    for rows in runs_of_rows(len(X), *model.means.shape):
        Y = model.measured(X[rows])
        w = np.ones(len(Y)) if weight is None else weight[rows]
        whole = is_complete(Y)
        if whole.any():
            own = slice(None) if whole.all() else whole
            sums = add(sums, _complete_statistics(Y[own], model, w[own]))
        if not whole.all():
            sums = add(sums, _missing_statistics(Y[~whole], model, w[~whole]))
    return sums


def _complete_statistics(Y: np.ndarray, model: Gaussians, w: np.ndarray) -> Sums:
    resp, density = normalized(complete_log_joint(Y, model), axis=0)
    resp *= w
    sum_x, sum_xx = KINDS[model.kind].scatter(Y, resp, model.means)
    return Sums(float(w.sum()), resp.sum(axis=1), sum_x, sum_xx, -float(w @ density))


def _missing_statistics(Y: np.ndarray, model: Gaussians, w: np.ndarray) -> Sums:
    sums = _nothing(model)
    for some in gaussian_missing.conditional_rows(Y, model):
        own = w[some.rows]
        resp, density = normalized(some.log_density + model.log_weights[:, None], axis=0)
        resp *= own
        part = gaussian_missing.scatter(some, resp, model)
        sums = add(sums, Sums(float(own.sum()), resp.sum(axis=1), *part, -float(own @ density)))
    return sums


def _nothing(model: Gaussians) -> Sums:
    """The sums over no rows."""
    zeros = (np.zeros(len(model.means)), np.zeros(model.means.shape))
    return Sums(0.0, *zeros, np.zeros(model.covariances.shape), 0.0)


def update(
    sums: Sums, old: GaussianParams, name: str, floor: np.ndarray, *, may_restart: bool = True
) -> GaussianParams:
    """The mixture that follows from the sums at `old`: EM's step, which never raises J."""
    kind = KINDS[name]
    shares = sums.sum_resp / sums.weight
    has_rows = shares > LEAST_SHARE
    count = np.maximum(sums.sum_resp, LEAST_SHARE * sums.weight)
    shift = np.where(has_rows[:, None], sums.sum_x / count[:, None], 0.0)
    spread = kind.spread(count, shift, sums.sum_xx)
    covariances = kind.floored(spread, floor, old.covariances)
    weights = np.maximum(shares, LEAST_SHARE)
    mixture = GaussianParams(
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
