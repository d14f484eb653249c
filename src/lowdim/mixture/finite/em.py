"""EM for finite mixtures: each row comes from one of K components, and nobody says from which.

    c ~ weights,   x | c = j ~ f(x; theta_j)          f of a family (`families.py`)

    minimise     J = - sum_i w_i log sum_j weight_j f(x_i; theta_j)
                     - s sum_j [T . eta_j - A_j] at the mean T of all rows

by EM. The last line stands for s rows like the average of the table, added to each component: what
a component has not seen is unlikely then, but not impossible, and no variance goes to 0.

    statistics   r_ij = weight_j f(x_i; theta_j) / sum over components     of every row, in logs
                 sum r_ij,   sum r_ij T(x_i) over the observed entries of each column
    update       weight_j = sum r_ij / sum w_i,   theta_j: T has the mean that it has in the rows

Columns are independent within a component, so that tables with columns of several types are no
harder than others: their log densities add up. And a missing entry has none: it drops out.

Cost of a pass: O(n d K) time, for sparse rows O(stored entries K); memory for sums of d K numbers
beside one block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.mixture.collapse import LEAST_SHARE
from lowdim.mixture.families import Params
from lowdim.mixture.finite.parts import Part, decoded, encoded
from lowdim.mixture.methods import normalized


class FiniteParams(NamedTuple):
    """The parameters."""

    weights: np.ndarray  # (K,)
    params: tuple[Params, ...]  # of each part


class Sums(NamedTuple):
    """What the E step adds up."""

    weight: float  # sum w
    sum_resp: np.ndarray  # (K,)  sum w r_j
    counts: tuple[np.ndarray, ...]  # of each part (K, d): sum w r_j over observed entries
    sums: tuple[tuple[np.ndarray, ...], ...]  # of each part and T (K, m): sum w r_j T
    objective: float  # - sum w log p(x)


class Terms(NamedTuple):
    """A block's rows as the family of a part sees them."""

    T: tuple[Any, ...]  # (b, m)
    observed: np.ndarray | None  # (b, d); None: all
    base: np.ndarray  # (b,)  h(x)
    d: int


def statistics(
    X: Any, parts: tuple[Part, ...], mixture: FiniteParams, weight: np.ndarray | None
) -> Sums:
    """What one block of rows adds up."""
    terms = [terms_of(X, part) for part in parts]
    resp, density = normalized(_log_joint(terms, parts, mixture))
    w = np.ones(len(resp)) if weight is None else weight
    resp *= w[:, None]
    counts, sums = weighted_sums(terms, resp)
    return Sums(float(w.sum()), resp.sum(axis=0), counts, sums, -float(w @ density))


def update(sums: Sums, parts: tuple[Part, ...], average: Sums, smoothing: float) -> FiniteParams:
    """The mixture that follows from the sums: EM's step, which never raises J."""
    weights = np.maximum(sums.sum_resp / sums.weight, LEAST_SHARE)
    params = []
    for part, count, parts_of_sum, mean in zip(
        parts, sums.counts, sums.sums, average.sums, strict=True
    ):
        n = part.family.by_statistic(count) + smoothing
        means = (
            np.where(n > 0, (one + smoothing * m) / np.where(n > 0, n, 1.0), m)
            for one, m in zip(parts_of_sum, mean, strict=True)
        )
        params.append(part.family.update(*means))
    return FiniteParams(weights / weights.sum(), tuple(params))


def sums_of_all(X: Any, parts: tuple[Part, ...], weight: np.ndarray | None) -> Sums:
    """What one block adds up for a single component that has all rows."""
    terms = [terms_of(X, part) for part in parts]
    resp = (np.ones(X.shape[0]) if weight is None else weight)[:, None]
    total = float(resp.sum())
    return Sums(total, np.array([total]), *weighted_sums(terms, resp), 0.0)


def average_of(whole: Sums, parts: tuple[Part, ...]) -> Sums:
    """The same for one row: the mean of T over all rows that observe it."""
    means = tuple(
        tuple(one / part.family.by_statistic(count) for one in sums)
        for part, count, sums in zip(parts, whole.counts, whole.sums, strict=True)
    )
    return Sums(1.0, np.ones(1), tuple(map(np.ones_like, whole.counts)), means, 0.0)


def log_density_of_average(average: Sums, parts: tuple[Part, ...], mixture: FiniteParams) -> float:
    """sum_j [T . eta_j - A_j] at the mean of T."""
    total = 0.0
    for part, params, means in zip(parts, mixture.params, average.sums, strict=True):
        for mean, eta in zip(means, part.family.natural(params), strict=True):
            total += float((mean * eta).sum())
        A = part.family.log_partition(params)
        total -= 0.0 if A is None else float(A.sum())
        if part.unit is not None:
            total -= len(mixture.weights) * float(np.log(part.unit).sum())
    return total


def terms_of(X: Any, part: Part) -> Terms:
    V = encoded(X, part)
    T, observed = part.family.terms(V)
    base = part.family.row_base(V)
    if part.unit is not None:  # the density of x is that of (x - origin) / unit, divided by unit
        log_unit = np.log(part.unit)
        base = base - (log_unit.sum() if observed is None else observed @ log_unit)
    return Terms(T, observed, base, V.shape[1])


def weighted_sums(terms: list[Terms], resp: np.ndarray) -> tuple[tuple, tuple]:
    """For each part: sum of resp over the observed entries of a column, and sums of resp T."""
    counts, sums = [], []
    for T, observed, _, d in terms:
        if observed is None:
            counts.append(np.repeat(resp.sum(axis=0)[:, None], d, axis=1))
        else:
            counts.append(resp.T @ observed)
        sums.append(tuple(np.ascontiguousarray((one.T @ resp).T) for one in T))
    return tuple(counts), tuple(sums)


def _log_joint(terms: list[Terms], parts: tuple[Part, ...], mixture: FiniteParams) -> np.ndarray:
    """log weight_j + log f(x_o; theta_j) of every row and component, (b, K)."""
    joint = np.tile(np.log(mixture.weights), (len(terms[0].base), 1))
    for (T, observed, base, _), part, params in zip(terms, parts, mixture.params, strict=True):
        for one, eta in zip(T, part.family.natural(params), strict=True):
            joint += one @ eta.T
        A = part.family.log_partition(params)
        if A is not None:
            joint -= A.sum(axis=1) if observed is None else observed @ A.T
        joint += base[:, None]
    return joint


# ---- what is done to a block ---------------------------------------------------------------------


def log_joint(X: Any, parts: tuple[Part, ...], mixture: FiniteParams) -> np.ndarray:
    """log weight_j + log f(x_o; theta_j) of every row and component, (b, K)."""
    return _log_joint([terms_of(X, part) for part in parts], parts, mixture)


def expectation(X: Any, parts: tuple[Part, ...], mixture: FiniteParams) -> Any:
    """E[x | x_o] in the place of missing values; observed entries stay as they are, bit for bit."""
    return _filled(X, parts, mixture, "fill", X)


def expectation_with_std(X: Any, parts: tuple[Part, ...], mixture: FiniteParams) -> tuple[Any, Any]:
    """The same, and how uncertain it is; 0 where X is observed."""
    return expectation(X, parts, mixture), _filled(X, parts, mixture, "doubt", np.zeros_like(X))


def _filled(
    X: Any, parts: tuple[Part, ...], mixture: FiniteParams, what: str, otherwise: np.ndarray
) -> Any:
    """`otherwise`, with what the families say of them where values of X are missing."""
    if sp.issparse(X):
        return otherwise
    result, missing = otherwise.copy(), np.isnan(X)
    some = missing.any(axis=1)
    if some.any():
        rows = X[some]
        resp, _ = normalized(log_joint(rows, parts, mixture))
        said = np.empty(rows.shape)
        for part, params in zip(parts, mixture.params, strict=True):
            if what == "fill":
                said[:, part.place] = decoded(part.family.fill(params, resp), part)
            else:
                doubt = part.family.doubt(params, resp)
                said[:, part.place] = doubt if part.unit is None else doubt * part.unit
        result[some] = np.where(missing[some], said, otherwise[some])
    return result
