"""The probability that a row picks another one as its neighbour, at a given perplexity.

    p_j|i = exp(-d_ij^2 / (2 sigma_i^2)) / sum_k exp(-d_ik^2 / (2 sigma_i^2))

    sigma_i such that the entropy  H_i = - sum_j p_j|i log p_j|i = log(perplexity)

With beta = 1 / (2 sigma^2) and e_j = d_j^2 - min d^2 (the same p, and nothing underflows at the
nearest row), S = sum exp(-beta e), E and V the mean and variance of e under p:

    H = log S + beta E,     dH / d log beta = - beta^2 V

H falls with beta: Newton's steps in log beta, halved intervals where these lead outside. All is in
units of the distance at the rank of the perplexity, so the units of the rows do not matter. What
weighs less than e^-50 at the smallest beta that is still possible is not looked at again.

Where more rows than the perplexity are nearest, all at one distance, the entropy is larger for
every sigma: these rows have equal shares, the limit for sigma to 0. Where a row has no more
neighbours than the perplexity, all have equal shares, the limit for sigma to infinity.

Cost: some five looks at each distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

PIECE = 2**17  # distances that one thread takes at a time
TOL = 1e-9  # of the entropy
NEGLIGIBLE = 50.0  # exp(-50) = 2e-22


class Conditional(NamedTuple):
    """What rows' neighbours weigh; rows sum to 1."""

    p: np.ndarray  # (n, k)  p_j|i of the neighbours, in the order of the distances
    bandwidths: np.ndarray  # (n,) sigma_i in float64; (n, m) for m perplexities


def conditional(distances: np.ndarray, perplexity: float | Sequence[float]) -> Conditional:
    """p_j|i from distances to neighbours, at a perplexity.

    Parameters
    ----------
    distances : array of shape (n, k), float32 or float64
        From each row to its neighbours, in any order, without the row itself; inf is no neighbour:
        its share is 0.
    perplexity : float or sequence of floats, at least 1
        How many neighbours have a say. For several, p is the mean of what each one gives, and the
        bandwidths have a column for each.
    """
    distances = np.ascontiguousarray(distances)
    several = np.ndim(perplexity) > 0
    values = [float(value) for value in np.atleast_1d(np.asarray(perplexity, dtype=np.float64))]
    n, k = distances.shape
    p = np.zeros((n, k), dtype=distances.dtype)
    bandwidths = np.empty((n, len(values)))

    def work(rows: slice) -> None:
        for m, value in enumerate(values):
            bandwidths[rows, m] = _add_shares(distances[rows], value, 1 / len(values), p[rows])

    for _ in ordered_map(work, _pieces(n, k)):
        pass
    return Conditional(p, bandwidths if several else bandwidths[:, 0])


def _add_shares(D: np.ndarray, perplexity: float, weight: float, P: np.ndarray) -> np.ndarray:
    """Add weight * p_j|i to P; returns sigma_i."""
    rank = min(ceil(perplexity), D.shape[1])
    ends = np.partition(D, [0, rank - 1], axis=1)[:, [0, rank - 1]].astype(np.float64)
    few = np.isfinite(D).sum(axis=1) <= perplexity
    bandwidth = np.where(few, inf, 0.0)
    equal = few | (ends[:, 0] == ends[:, 1])
    if equal.any():
        limit = np.where(few, np.finfo(np.float64).max, ends[:, 0])[equal]
        chosen = D[equal] <= limit[:, None]
        P[equal] += (chosen * (weight / np.maximum(chosen.sum(axis=1), 1))[:, None]).astype(P.dtype)
    rest = slice(None) if not equal.any() else np.flatnonzero(~equal)
    unit, k = ends[rest, 1:], D.shape[1]
    low = ends[rest, :1] / unit
    with np.errstate(over="ignore"):
        a = D[rest] / unit
        e = (a - low) * (a + low)  # of what is no neighbour: inf
    beta, total = 1.0 / ((1.0 - low) * (1.0 + low)), np.ones_like(low)
    _find_betas(e, log(perplexity), np.empty(k), beta, total)
    with np.errstate(under="ignore"):
        P[rest] += (np.exp(-beta * e) * (weight / total)).astype(P.dtype)
    bandwidth[rest] = (unit * np.sqrt(0.5 / beta))[:, 0]
    return bandwidth


def uniform(distances: np.ndarray, perplexity: float | Sequence[float]) -> Conditional:
    """p_j|i = 1 / k for the k = perplexity (rounded) nearest, 0 for the others.

    Of equal distances, the first. The entropy is that of the perplexity. The bandwidth is the
    distance to the last of them.
    """
    several = np.ndim(perplexity) > 0
    values = np.atleast_1d(np.asarray(perplexity, dtype=np.float64))
    order = np.argsort(distances, axis=1, kind="stable")
    nearest = np.take_along_axis(distances, order, axis=1)
    p = np.zeros(distances.shape, dtype=distances.dtype)
    bandwidths = np.empty((len(distances), len(values)))
    for m, value in enumerate(values):
        k = max(1, min(round(value), distances.shape[1]))
        there = np.isfinite(nearest[:, :k])
        count = np.maximum(there.sum(axis=1), 1)
        share = np.where(there, 1.0 / (count * len(values))[:, None], 0.0)
        previous = np.take_along_axis(p, order[:, :k], axis=1)
        np.put_along_axis(p, order[:, :k], (previous + share).astype(p.dtype), axis=1)
        last = np.take_along_axis(nearest, (count - 1)[:, None], axis=1)[:, 0]
        bandwidths[:, m] = np.where(there.any(axis=1), last, inf)
    return Conditional(p, bandwidths if several else bandwidths[:, 0])


def _pieces(n: int, k: int) -> list[slice]:
    step = max(1, PIECE // max(k, 1))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


@kernel
def _find_betas(E, entropy, e, beta, total):
    """Beta of each row of E at which the entropy is this, from a first guess, and sum exp(-beta e).

    beta, total are (n, 1); e is to work in.
    """
    for i in range(E.shape[0]):
        m = 0
        for j in range(E.shape[1]):
            if E[i, j] < inf:
                e[m] = E[i, j]
                m += 1
        b, below, above = beta[i, 0], 0.0, inf  # beta lies between
        s0 = 1.0
        for _ in range(200):
            s0 = s1 = s2 = 0.0
            for j in range(m):
                if b * e[j] < NEGLIGIBLE:
                    w = exp(-b * e[j])
                    s0 += w
                    s1 += w * e[j]
                    s2 += w * e[j] * e[j]
            mean = s1 / s0
            excess = log(s0) + b * mean - entropy
            if abs(excess) <= TOL:
                break
            if excess > 0.0:
                below = b
                here = 0
                for j in range(m):  # what is negligible from now on is left out
                    if b * e[j] < NEGLIGIBLE:
                        e[here] = e[j]
                        here += 1
                m = here
            else:
                above = b
            slope = b * b * (s2 / s0 - mean * mean)
            step = excess / slope if slope > 0.0 else excess * inf
            step = 3.0 if step > 3.0 else (-3.0 if step < -3.0 else step)
            new = b * exp(step)
            if not below < new < above:
                new = sqrt(below) * sqrt(above)  # 0 or inf only if a step led nowhere
            if not below < new < above:
                break
            b = new
        beta[i, 0], total[i, 0] = b, s0
