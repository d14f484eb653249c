"""Minka's choice of the number of components: the evidence of probabilistic PCA.

    log p(X | k)  by Laplace's method around the maximum-likelihood solution,
                  from the eigenvalues of the covariance alone

Minka (2000), "Automatic choice of dimensionality for PCA", equations 30 and 77 ff.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def minka_evidence(variance: np.ndarray, k: int, n: float, floor: float = 0.0) -> float:
    """log p(X | k) for eigenvalues `variance` (d,), decreasing, of n rows; 0 <= k < d.

    Variances up to `floor` are rounding: no axis has one, and the noise is taken as no less.
    """
    d = len(variance)
    kept, left = variance[:k], variance[k:]
    noise = max(left.mean(), floor)
    if noise <= 0 or (k and kept[-1] <= floor):
        return -np.inf  # an exact fit: the density has no maximum; or an axis of rounding
    if k and kept[-1] - left[0] <= floor:
        return -np.inf  # of equal variances, one axis is as good as the other: keep all or none
    m = d * k - k * (k + 1) / 2  # free parameters of the axes
    i = np.arange(1, k + 1)
    log_prior = -k * np.log(2) + np.sum(gammaln((d - i + 1) / 2) - np.log(np.pi) * (d - i + 1) / 2)
    log_likelihood = -n / 2 * (np.log(kept).sum() + (d - k) * np.log(noise))
    return float(
        log_prior
        + log_likelihood
        + np.log(2 * np.pi) * (m + k) / 2
        - _log_hessian(variance, noise, k, n, floor) / 2
        - k * np.log(n) / 2
    )


def minka_rank(variance: np.ndarray, n: float, rounding: float = 0.0) -> int:
    """The k in 1..d-1 of largest evidence (1 if there is a single column).

    Variances below the part `rounding` of the largest say nothing. So redundant columns get the
    rank of the others.
    """
    candidates = range(1, len(variance))
    floor = rounding * variance.max(initial=0.0)
    evidence = [minka_evidence(variance, k, n, floor) for k in candidates]
    return candidates[int(np.argmax(evidence))] if evidence else 1


def _log_hessian(variance: np.ndarray, noise: float, k: int, n: float, floor: float = 0.0) -> float:
    """log|A_Z|: curvature of the evidence in the directions of the axes.

    Axes of equal variance turn into each other freely: they have no curvature, and no part in it.
    """
    modelled = np.concatenate([variance[:k], np.full(len(variance) - k, noise)])
    total = 0.0
    for i in range(k):
        later = slice(i + 1, None)
        gap = variance[i] - variance[later]
        curvature = 1.0 / modelled[later] - 1.0 / modelled[i]
        apart = gap > floor
        total += float(np.sum(np.log(gap[apart] * curvature[apart]) + np.log(n)))
    return total
