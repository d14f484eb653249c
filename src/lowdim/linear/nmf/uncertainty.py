"""How certain NMF is of what it fills in.

An entry varies about what the model says of it, y, by s^2 v with v = y^(2-b): the variance that the
beta-divergence assumes (squares: the same everywhere; Kullback-Leibler: in proportion to y, as
counts do). Codes spread about their mean by C, as those of the fitted rows do that have observed
most: codes that follow from few entries may be anything. So a row that has observed the entries o
has a code of covariance

    cov = (sum_o v_j v_j' / (s^2 v) + C^-1)^-1,     var(x_j) = s^2 v + v_j' cov v_j.

With C = LL' and A = sum_o v_j v_j' / v it is L s^2 (L'A L + s^2)^-1 L', which holds, too, where a
row has fewer entries than there are parts, and next to no noise: there the spread of codes is left.

Both follow from what the codes of some rows leave of their entries, r = x - y. An entry pulls its
own prediction by h = v_j'cov v_j / (s^2 v) of its value through its code, and by about g = k / c
through the components, if columns have c entries:

    s^2 = sum (r^2 / v) / sum (1 - h)(1 - g)
    e^2 = mean (r / ((1 - h)(1 - g)))^2 / v             the error of an entry that is left out

Then s^2 and C are multiplied by one number, so that missing entries get e^2 on average.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import Regression, row_systems
from lowdim.linalg.small import solve_nonnegative
from lowdim.linalg.sparse import product_at, row_numbers, with_values
from lowdim.linear.nmf.codes import Coding
from lowdim.linear.nmf.objective import in_unit
from lowdim.linear.nmf.observed import whole

MOST_ROWS, LEAST_ROWS = 128, 4  # that the noise is learned from, evenly spaced
MOST_WORK = 2**26  # multiplications that this may cost
MOST_ENTRIES = 2**17  # of complete rows, a dozen arrays of which are made
EM_STEPS = 10
TYPICAL = 1 / 3  # of the rows, those that have observed most, say how codes spread
MOST_PULL = 0.9  # of an entry on the components
LEAST_LEFT = 0.05  # of 1 - h
LEAST_MEAN = 0.05  # part of the mean of y below which v is no smaller
RIDGE = 1e-6  # of C, as a part of its mean diagonal
LEAST_NOISE = 1e-12  # s^2 as a part of the largest diagonal of L'A L: what is below it is rounding
PRODUCTS_AT_A_TIME = 2**17
ROWS_AT_A_TIME = 1024


class Noise(NamedTuple):
    """In the unit of X."""

    variance: float  # s^2
    codes: np.ndarray  # (k, k)  C


def sample_of(n: int, d: int, k: int, *, complete: bool = False) -> np.ndarray:
    """The numbers of the rows that the noise is learned from; complete ones have d entries each."""
    fit = MOST_ENTRIES // d if complete else MOST_ROWS
    most = min(MOST_ROWS, max(LEAST_ROWS, min(MOST_WORK // (d * k * k), fit)))
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def entries_of_rows(X: Any) -> np.ndarray:
    """How many entries each row of a csr_array has."""
    return np.diff(X.indptr)


def typical_rows(observed: np.ndarray) -> np.ndarray:
    """Which rows have observed most, given how many entries each has: a third of them or more."""
    return np.asarray(observed >= np.quantile(observed, 1.0 - TYPICAL, method="lower"))


def spread_of(W: np.ndarray, weight: np.ndarray | None, root: float = 1.0) -> np.ndarray:
    """C of codes W / root, with a ridge; some rows at a time."""
    w = np.ones(len(W)) if weight is None else weight
    mean, C = np.average(W, axis=0, weights=w), np.zeros((W.shape[1], W.shape[1]))
    for first in range(0, len(W), ROWS_AT_A_TIME):
        run = slice(first, first + ROWS_AT_A_TIME)
        D = (W[run].astype(np.float64, copy=False) - mean) / root
        C += (D * w[run, None]).T @ D
    C /= w.sum()
    ridge = RIDGE * np.trace(C) / len(C)
    return C + (ridge or 1.0) * np.eye(len(C))


def learned_noise(
    X: Any,
    by: Coding,
    W: np.ndarray,
    C: np.ndarray,
    by_column: float,
    *,
    observed_only: bool = False,
    by_entry: Any = None,
) -> tuple[Noise, np.ndarray]:
    """From some rows X (in the units of the user) and their codes; also m, in the unit.

    Parameters
    ----------
    X : array, or csr_array
    by : Coding
    W : array of shape (m, k)
    C : array of shape (k, k)
        Spread of the codes of typical rows, in the unit.
    by_column : float
        Entries of a column, on average.
    observed_only : bool
        Whether entries that a csr_array does not store are missing, and not 0.
    by_entry : csr_array of their weights, or None
    """
    if sp.issparse(X) and not observed_only:
        X = X.toarray()
    Z, V = np.ascontiguousarray(W, np.float64) / by.root, np.ascontiguousarray(by.V)
    if by.beta >= 2.0 and not observed_only:
        return _noise_of_complete_rows(in_unit(X, by.unit), Z, by, C, by_column), usual_code(by)
    X = observed(in_unit(X, by.unit))
    X = with_values(X, X.data.astype(np.float64, copy=False))
    w = np.ones(X.nnz) if by_entry is None else by_entry.data
    y, i, j = product_at(X, Z, V), row_numbers(X, np.int32), X.indices
    v = variance_of(y, y.mean() if len(y) else 0.0, by.beta)
    square = w * (X.data - y) ** 2 / v
    noise = Noise(float(square.sum() / w.sum()), C)
    if not noise.variance > 0.0:
        return Noise(np.finfo(np.float64).tiny, C), usual_code(by)
    cov = covariances(X, w / v, V, noise)
    left = _left(w * quadratic(cov, V)[i, j] / (noise.variance * v), V.shape[1], by_column)
    noise = noise._replace(variance=float(square.sum() / (w @ left)))
    left_out = float((square / left**2).sum() / w.sum())
    mean = usual_code(by)
    if X.nnz < np.prod(X.shape):
        noise, mean = _settled(X, w / v, by, noise)
    ratio = left_out / _expected(X, Z, V, w / v, noise, by)
    return Noise(ratio * noise.variance, ratio * noise.codes), mean


def _noise_of_complete_rows(
    X: np.ndarray, Z: np.ndarray, by: Coding, C: np.ndarray, by_column: float
) -> Noise:
    """The same where v = 1 and nothing is missing: the codes of all rows have one covariance."""
    square = (X - Z @ by.V.T) ** 2
    noise = Noise(float(square.mean()), C)
    if not noise.variance > 0.0:
        return Noise(np.finfo(np.float64).tiny, C)
    left = _left(_variance_by_code(by.V, noise) / noise.variance, by.V.shape[1], by_column)
    by_entry = square.mean(axis=0)
    noise = noise._replace(variance=float(by_entry.sum() / left.sum()))
    left_out = float((by_entry / left**2).mean())
    ratio = left_out / (noise.variance + float(_variance_by_code(by.V, noise).mean()))
    return Noise(ratio * noise.variance, ratio * noise.codes)


def _variance_by_code(V: np.ndarray, noise: Noise) -> np.ndarray:
    """v_j'cov v_j of a row that has observed everything, where v = 1."""
    cov = _covariances((V.T @ V)[None], noise)[0]
    return np.maximum(np.einsum("jr,jr->j", V @ cov, V), 0.0)


def _left(pull: np.ndarray, k: int, by_column: float) -> np.ndarray:
    """(1 - h)(1 - g)"""
    return np.maximum(1.0 - pull, LEAST_LEFT) * (1.0 - min(k / by_column, MOST_PULL))


def _settled(X: Any, weight: np.ndarray, by: Coding, noise: Noise) -> tuple[Noise, np.ndarray]:
    """m and C by EM: each row counts as far as its entries say what its code is."""
    for _ in range(EM_STEPS if X.shape[0] > len(noise.codes) else 0):
        Z = expected_codes(X, weight, by, noise)
        C = spread_of(Z, None) + covariances(X, weight, by.V, noise).mean(axis=0)
        by, noise = by._replace(mean=Z.mean(axis=0)), noise._replace(codes=C)
    return noise, usual_code(by)


def expected_codes(X: Any, weight: np.ndarray, by: Coding, noise: Noise) -> np.ndarray:
    """What the codes of rows are expected to be; `weight` is 1 / v of the entries of X."""
    k = by.V.shape[1]
    systems = row_systems(X, Regression(by.V, np.zeros(len(by.V)), np.zeros(k)), weight=weight)
    A, inverse, m = whole(systems.A), np.linalg.inv(noise.codes), usual_code(by)
    size = np.einsum("irr,rr->ir", A, noise.codes).max(axis=1)
    s2 = np.maximum(noise.variance, LEAST_NOISE * size)[:, None]
    A += s2[:, :, None] * inverse
    Z = np.repeat(m[None], X.shape[0], axis=0)
    solve_nonnegative(A, systems.b + s2 * (inverse @ m), Z)
    return Z


def usual_code(by: Coding) -> np.ndarray:
    """The mean code of rows, m."""
    return np.ones(by.V.shape[1]) if by.mean is None else by.mean


def _expected(
    X: Any, Z: np.ndarray, V: np.ndarray, weight: np.ndarray, noise: Noise, by: Coding
) -> float:
    """The mean variance of missing entries (of all, where none is), in units of v."""
    Y = Z @ V.T
    v = variance_of(Y, Y.mean(), by.beta)
    variance = noise.variance + quadratic(covariances(X, weight, V, noise), V) / v
    if X.nnz == Y.size:
        return float(variance.mean())
    missing = np.ones(Y.shape, bool)
    missing[row_numbers(X), X.indices] = False
    return float(variance[missing].mean())


def variance_of(Y: np.ndarray, mean: float, beta: float) -> np.ndarray:
    """v of entries; y below a part of the mean counts as that."""
    power = max(2.0 - beta, 0.0)
    if power == 0.0:
        return np.ones_like(Y)
    return np.maximum(Y, LEAST_MEAN * mean or 1.0) ** power


def covariances(X: Any, weight: np.ndarray, V: np.ndarray, noise: Noise) -> np.ndarray:
    """cov of the codes of rows, (m, k, k); `weight` is 1 / v of the entries of X."""
    on = Regression(V, np.zeros(len(V)), np.zeros(V.shape[1]))
    return _covariances(whole(row_systems(X, on, weight=weight).A), noise)


def _covariances(A: np.ndarray, noise: Noise) -> np.ndarray:
    """The same from A = sum_o v_j v_j' / v of each row."""
    L = np.linalg.cholesky(noise.codes)
    A = L.T @ A @ L
    diagonal = np.einsum("irr->ir", A)  # a view
    s2 = np.maximum(noise.variance, LEAST_NOISE * diagonal.max(axis=1))
    diagonal += s2[:, None]
    cov: np.ndarray = L @ (s2[:, None, None] * np.linalg.inv(A)) @ L.T
    return cov


def quadratic(A: np.ndarray, V: np.ndarray) -> np.ndarray:
    """v_j'A_i v_j of many matrices and all columns, (m, d)."""
    (d, k), flat = V.shape, A.reshape(len(A), -1)
    found, size = np.empty((len(A), d)), max(1, PRODUCTS_AT_A_TIME // (k * k))
    for first in range(0, d, size):
        F = V[first : first + size]
        found[:, first : first + size] = flat @ np.einsum("jr,js->rsj", F, F).reshape(k * k, -1)
    return np.maximum(found, 0.0)
