"""How certain a completer is of what it fills in.

The code of a row is a ridge regression on its entries, y = F_o z + noise, in units of `scale_`. If
codes have second moments S, as those of the fitted rows, and the noise has variance s^2, it is off
by

    cov (z - z_hat) = A^-1 (s^2 F_o'F_o + P S P) A^-1         A = F_o'F_o + P,  P: the penalties
    var (x_j - x_hat_j) = scale_j^2 (s^2 + f_j' cov f_j)

(noise that the code follows, and what the penalty takes away; if P = s^2 / S is the prior itself,
this is s^2 A^-1, the posterior). A row without entries has cov = S.

Both follow from what the codes leave of the entries, r. An entry pulls its own prediction by
h = f_j'A^-1 f_j of its value through the code of its row, and by about g through the factors of its
column:

    s^2 = sum r^2 / sum (1 - h)(1 - g)              g = tr (S + P / c)^-1 S / c
    e^2 = mean r^2 / ((1 - h)(1 - g))^2             the error of an entry that is left out

where columns have c entries on average. Then s^2 and S are multiplied by one number, so that the
entries that are missing get e^2 on average: what the components have learned of the noise is in
it. A model that meets all its entries (SVT) takes them to be without noise, and says too little
of the error if they are not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.completion.coding import Coding, fill, standardized
from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import solve_rows
from lowdim.linalg.sparse import product_at, row_numbers, with_values

MOST_ROWS = 128  # that the noise is learned from, evenly spaced: some thousand entries
MOST_PULL = 0.9  # of an entry on the factors of its column
ROWS_AT_A_TIME = 256  # whose matrices A are held together
PRODUCTS_AT_A_TIME = 2**18
ROUNDING = 1e-12  # less of 1 - h is rounding
MOST_WORK = 2**26  # multiplications that the noise may cost
LEAST_ROWS = 16  # that it is learned from all the same


class WeightedSample(NamedTuple):
    """Rows that the noise is learned from, and how much they count."""

    X: Any  # csr_array (m, d)
    by_entry: np.ndarray | None = None  # (entries,)
    by_row: np.ndarray | None = None  # (m,)


def evenly_spaced(numbers: np.ndarray) -> np.ndarray:
    """At most MOST_ROWS of the numbers."""
    if len(numbers) <= MOST_ROWS:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, MOST_ROWS).round().astype(int)]


@single_threaded_blas()
def second_moments(Z: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """S of the codes of fitted rows; those of rows without entries are 0 and do not count."""
    used = np.flatnonzero(np.any(Z, axis=1))
    Z = Z[used].astype(np.float64)
    w = np.ones(len(Z)) if weight is None else weight[used]
    return (Z * w[:, None]).T @ Z / max(w.sum(), np.finfo(np.float64).tiny)


class Noise(NamedTuple):
    """What errors of filled entries follow from, in units of `scale_`."""

    std: float  # s
    codes: np.ndarray  # (q, q)  S


@single_threaded_blas()
def learned_noise(rows: WeightedSample, coding: Coding, S: np.ndarray, by_column: float) -> Noise:
    """Noise and spread of the codes, such that entries that are left out get their mean error.

    Parameters
    ----------
    rows : WeightedSample
    coding : Coding
    S : array of shape (q, q)
        Second moments of the codes of the fitted rows.
    by_column : float
        Weight of the entries of a column, on average.
    """
    rows = _fewer(rows, coding.on.F.size * coding.on.F.shape[1])
    X, by_entry, by_row = rows
    Y = standardized(X, coding)
    Z = solve_rows(Y, coding.on, weight=by_entry, method=coding.method, with_loss=False).Z
    i, j = row_numbers(Y), Y.indices
    left = Y.data - product_at(Y, Z, coding.on.F).astype(np.float64)
    w = np.ones(Y.nnz) if by_entry is None else by_entry
    systems = _systems(_pattern(with_values(Y, w)), coding)
    stays = np.maximum(1.0 - w * _pull(systems, coding)[i, j], ROUNDING)
    w = w if by_row is None else w * by_row[i]
    if not w @ stays > 0:
        return Noise(0.0, S)
    column_stays = 1.0 - _pull_by_column(S, coding, by_column)
    noise = Noise(float(np.sqrt(w @ np.square(left) / (w @ stays * column_stays))), S)
    left_out = float(np.sqrt(w @ np.square(left / stays) / w.sum())) / column_stays
    missing = 1.0 - _pattern(with_values(Y, np.ones(Y.nnz)))
    missing *= 1.0 if by_row is None else by_row[:, None]
    missing = missing if missing.any() else np.ones_like(missing)
    expected = float(np.average(_variances(systems, coding, noise), weights=missing))
    ratio = left_out / np.sqrt(expected) if expected > 0 else 1.0
    return Noise(float(ratio * noise.std), ratio * ratio * S)


def _pull(systems: _Systems, coding: Coding) -> np.ndarray:
    """f_j'A^-1 f_j = |L^-1 f_j|^2 of all columns (m, d), where A = L L'.

    1 - h may be 1e-8: A^-1 would lose it, squares of L^-1 f_j do not.
    """
    L = np.linalg.cholesky(_definite(systems.seen + systems.penalty))
    F = coding.on.F.T.astype(np.float64)
    pulls = np.empty((len(L), F.shape[1]))
    for i, root in enumerate(np.linalg.inv(L)):
        G = root @ F
        pulls[i] = np.einsum("rj,rj->j", G, G)
    return pulls


def _fewer(rows: WeightedSample, work: int) -> WeightedSample:
    """So many of the rows that the work, so much for each, is small beside a fit."""
    n = rows.X.shape[0]
    m = max(LEAST_ROWS, MOST_WORK // work)
    if n <= m:
        return rows
    kept = np.linspace(0, n - 1, m).round().astype(int)
    by_entry = None if rows.by_entry is None else with_values(rows.X, rows.by_entry)[kept].data
    by_row = None if rows.by_row is None else rows.by_row[kept]
    return WeightedSample(rows.X[kept], by_entry, by_row)


def _pull_by_column(S: np.ndarray, coding: Coding, by_column: float) -> float:
    """g, for a column of the usual number of entries."""
    P = np.diag(_penalty(coding, by_column) / by_column)
    return min(float(np.trace(np.linalg.solve(_definite(S + P), S))) / by_column, MOST_PULL)


def _penalty(coding: Coding, weight: Any) -> np.ndarray:
    """P of rows of this weight; where it goes with the weight, that of no entries counts as 1."""
    if not coding.on.by_count:
        return coding.on.penalty * np.ones_like(weight)[..., None]
    return coding.on.penalty * np.where(weight > 0, weight, 1.0)[..., None]


def _definite(A: np.ndarray) -> np.ndarray:
    """A, or many of them, with 1 on the diagonal where a component is all 0."""
    q = A.shape[-1]
    diagonal = A[..., np.arange(q), np.arange(q)]
    A[..., np.arange(q), np.arange(q)] = np.where(diagonal > 0, diagonal, 1.0)
    return A


def fill_with_std(
    X: Any, components: np.ndarray, mean: np.ndarray, coding: Coding, noise: Noise
) -> tuple[np.ndarray, np.ndarray]:
    """A block of rows with what is missing filled in, and the standard deviation of each entry."""
    filled = fill(X, components, mean, coding)
    entries, std = observed(X), np.empty(X.shape, dtype=filled.dtype)
    for first in range(0, len(std), ROWS_AT_A_TIME):
        part = entries[first : first + ROWS_AT_A_TIME]
        here = _pattern(with_values(part, np.ones(part.nnz)))
        deviation = coding.scale * np.sqrt(_variances(_systems(here, coding), coding, noise))
        std[first : first + ROWS_AT_A_TIME] = np.where(here > 0, 0.0, deviation)
    return filled, std


def _pattern(X: Any) -> np.ndarray:
    """The entries of a csr_array as an array, 0 elsewhere."""
    here = np.zeros(X.shape)
    here[row_numbers(X), X.indices] = X.data
    return here


class _Systems(NamedTuple):
    """Of rows."""

    seen: np.ndarray  # (m, q, q)  F_o'F_o
    penalty: np.ndarray  # (m, q, q)  P
    inverse: np.ndarray  # (m, q, q)  A^-1


def _systems(weight: np.ndarray, coding: Coding) -> _Systems:
    """Of rows whose entries (m, d) have these weights, 0 where there is none."""
    F = coding.on.F.astype(np.float64)
    q = F.shape[1]
    seen = np.zeros((len(weight), q * q))
    for columns in _pieces(F):
        seen += weight[:, columns] @ _products(F[columns])
    seen = seen.reshape(-1, q, q)
    penalty = np.einsum("ir,rs->irs", _penalty(coding, weight.sum(axis=1)), np.eye(q))
    return _Systems(seen, penalty, np.linalg.inv(_definite(seen + penalty)))


def _variances(systems: _Systems, coding: Coding, noise: Noise) -> np.ndarray:
    """Variances of all entries (m, d) of rows, in units of `scale_`."""
    square = noise.std**2
    seen, penalty, inverse = systems
    cov = inverse @ (square * seen + penalty @ noise.codes @ penalty) @ inverse
    return square + np.maximum(_quadratic(cov, coding.on.F), 0.0)


def _quadratic(A: np.ndarray, F: np.ndarray) -> np.ndarray:
    """f_j'A_i f_j of many matrices and all columns, (m, d)."""
    F = F.astype(np.float64)
    found, flat = np.empty((len(A), len(F))), A.reshape(len(A), -1)
    for columns in _pieces(F):
        found[:, columns] = flat @ _products(F[columns]).T
    return found


def _pieces(F: np.ndarray) -> list[slice]:
    """Runs of columns whose products f f' fit into little memory."""
    d, q = F.shape
    size = max(1, PRODUCTS_AT_A_TIME // (q * q))
    return [slice(first, first + size) for first in range(0, d, size)]


def _products(F: np.ndarray) -> np.ndarray:
    """f f' of each column, (d, q q)."""
    return np.einsum("jr,js->jrs", F, F).reshape(len(F), -1)
