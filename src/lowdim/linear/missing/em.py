"""One step of EM: what a block of rows adds up, and the model that follows from the sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.packed import diagonal, outer_products, packed_times, sweep, triangle, unpacked
from lowdim.linear.missing.model import FactorModel, noise_std
from lowdim.linear.missing.pieces import pieces
from lowdim.linear.missing.posterior import group_log_density, row_groups


class Sums(NamedTuple):
    """What the E step adds up, in units of the noise; triangles of zz' are packed.

    e = y - V z is what a model leaves of an entry. Sums of e, not of y, keep their digits where
    there is hardly any noise, and their part (z, 1) is the gradient: zero at the optimum.
    """

    sum_zz: np.ndarray  # (d, h)      of (z, 1)(z, 1)' over the rows that observe a column
    sum_ez: np.ndarray  # (d, k + 1)  of e (z, 1)' over them
    sum_ee: np.ndarray  # (d,)        of e^2
    sum_all: np.ndarray  # (h,)        of (z, 1)(z, 1)' over all rows with something observed
    objective: float  #             J, the negative log-likelihood

    @property
    def n_observed(self) -> np.ndarray:
        """How many rows observe each column."""
        return self.sum_zz[:, -1]

    @property
    def by_entry(self) -> float:
        """J by observed entry."""
        return float(self.objective / self.n_observed.sum())


def statistics(
    X: np.ndarray,
    mean: np.ndarray,
    W: np.ndarray,
    noise: np.ndarray,
    weight: np.ndarray | None = None,
) -> Sums:
    """What one block of rows adds up."""
    d, k = W.shape
    h, hk = triangle(k + 1), triangle(k)
    sum_zz, sum_c = np.zeros((d, h)), np.zeros((d, hk))
    sum_ez, sum_ee = np.zeros((d, k + 1)), np.zeros(d)
    sum_all, objective = np.zeros(h), 0.0
    for part in row_groups(X, mean, W, noise):
        w = np.ones(len(part.left)) if weight is None else weight[part.rows]
        M = outer_products(np.vstack([part.Z, np.ones(len(w))])) * w  # (h, b)   of means
        C = part.C * w  # (hk, b)  covariances
        if len(part.observed) == 1:  # one pattern for all rows: they go on as one
            M, C = M.sum(axis=1, keepdims=True), C.sum(axis=1, keepdims=True)
        for columns in pieces(d, h):
            O = part.observed[:, columns].T
            sum_zz[columns] += O @ M.T
            sum_c[columns] += O @ C.T
        left = part.left * w[:, None]
        sum_ez[:, :k] += left.T @ part.Z.T
        sum_ez[:, k] += left.sum(axis=0)
        sum_ee += np.einsum("if,if->f", left, part.left)
        seen = part.observed.any(axis=1)
        sum_all += M @ seen
        sum_all[:hk] += C @ seen
        objective -= float(w @ group_log_density(part))
    # the means of z are in; its covariance C adds C to zz', -C v to e z' and v'C v to e^2
    V = W / noise_std(W, noise)[:, None]
    CV = packed_times(sum_c, V)
    sum_zz[:, :hk] += sum_c
    sum_ez[:, :k] -= CV
    sum_ee += np.einsum("fj,fj->f", V, CV)
    return Sums(sum_zz, sum_ez, sum_ee, sum_all, objective)


def update(
    sums: Sums, model: FactorModel, isotropic: bool, least_noise: np.ndarray | float
) -> FactorModel:
    """The model that follows from the sums at `model`: EM's step, which never raises J."""
    d, k = model.W.shape
    std = noise_std(model.W, model.noise)
    slope, left = regression(sums)
    V, shift = model.W / std[:, None] + slope[:, :k], slope[:, k]
    noise = std**2 * left
    if isotropic:
        noise = np.full(d, sums.n_observed / sums.n_observed.sum() @ noise)

    # over all rows z has mean a and covariance R; V a and V R^(1/2) say the same with N(0, I)
    moments = unpacked(sums.sum_all / sums.sum_all[-1])
    a = moments[k, :k]
    variances, axes = np.linalg.eigh(moments[:k, :k] - np.outer(a, a))
    root = (axes * np.sqrt(np.maximum(variances, 0.0))) @ axes.T
    return FactorModel(
        model.mean + std * (shift + V @ a),
        std[:, None] * (V @ root),
        np.maximum(noise, least_noise),
    )


def regression(sums: Sums) -> tuple[np.ndarray, np.ndarray]:
    """For each column: coefficients (d, k + 1) of e on (z, 1), and the variance they leave (d,)."""
    d, k = len(sums.sum_ee), sums.sum_ez.shape[1] - 1
    h = triangle(k + 1)
    tiny = np.finfo(np.float64).tiny
    count = np.maximum(sums.n_observed, tiny)
    slope, left = np.empty((d, k + 1)), np.empty(d)
    for columns in pieces(d, 2 * h):
        T = np.vstack([sums.sum_zz[columns].T, sums.sum_ez[columns].T, sums.sum_ee[columns]])
        T /= count[columns]
        # a pivot that is all rounding means: these rows do not determine the coefficient
        sweep(T, np.maximum(1e-14 * T[diagonal(k + 1)], tiny))
        slope[columns], left[columns] = T[h:-1].T, np.maximum(T[-1], 0.0)
    return slope, left
