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
from lowdim.completion.entries import observed
from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.ridge import solve_rows
from lowdim.linalg.sparse import row_numbers

MOST_ROWS = 256  # that the noise is learned from, evenly spaced: some thousand entries
MOST_PULL = 0.9  # of an entry on the factors of its column
ROWS_AT_A_TIME = 256  # whose matrices A are held together
ROUNDING = 1e-12  # less of 1 - h is rounding


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


def second_moments(Z: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """S of the codes of fitted rows; those of rows without entries are 0 and do not count."""
    Z = Z.astype(np.float64)
    used = Z.any(axis=1)
    w = used.astype(np.float64) if weight is None else used * weight
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
    Y = standardized(rows.X, coding)
    F = coding.on.F.astype(np.float64)
    codes = solve_rows(Y, coding.on, weight=rows.by_entry, method=coding.method, with_loss=False).Z
    squares = freedom = left_out = total = 0.0
    for i in range(Y.shape[0]):
        own = slice(Y.indptr[i], Y.indptr[i + 1])
        w = np.ones(own.stop - own.start) if rows.by_entry is None else rows.by_entry[own]
        f = F[Y.indices[own]]
        left = Y.data[own] - f @ codes[i]
        A = _definite((f * w[:, None]).T @ f + np.diag(_penalty(coding, w.sum())))
        stays = np.maximum(1.0 - w * np.einsum("er,re->e", f, np.linalg.solve(A, f.T)), ROUNDING)
        w = w * (1.0 if rows.by_row is None else rows.by_row[i])
        squares += float(w @ (left * left))
        freedom += float(w @ stays)
        left_out += float(w @ np.square(left / stays))
        total += float(w.sum())
    if not freedom > 0:
        return Noise(0.0, S)
    stays = 1.0 - _pull_by_column(S, coding, by_column)
    noise = Noise(float(np.sqrt(squares / (freedom * stays))), S)
    expected = _mean_variance(rows, coding, noise)
    ratio = np.sqrt(left_out / total) / (stays * np.sqrt(expected)) if expected > 0 else 1.0
    return Noise(float(ratio * noise.std), ratio * ratio * S)


def _mean_variance(rows: WeightedSample, coding: Coding, noise: Noise) -> float:
    """Of the missing entries of rows, in units of `scale_`; of all, if none are missing."""
    X, _, by_row = rows
    often = np.ones(X.shape[0]) if by_row is None else by_row
    complete = X.nnz == X.shape[0] * X.shape[1]
    total = count = 0.0
    for first in range(0, X.shape[0], ROWS_AT_A_TIME):
        cut = slice(first, first + ROWS_AT_A_TIME)
        here = _pattern(X[cut])
        w = often[cut, None] * (here if complete else 1.0 - here)
        total += float((w * _variances(here, coding, noise)).sum())
        count += float(w.sum())
    return total / count if count > 0 else 0.0


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
        here = _pattern(entries[first : first + ROWS_AT_A_TIME])
        deviation = coding.scale * np.sqrt(_variances(here, coding, noise))
        std[first : first + ROWS_AT_A_TIME] = np.where(here > 0, 0.0, deviation)
    return filled, std


def _pattern(X: Any) -> np.ndarray:
    """1 where a csr_array has an entry, else 0."""
    here = np.zeros(X.shape)
    here[row_numbers(X), X.indices] = 1.0
    return here


def _variances(here: np.ndarray, coding: Coding, noise: Noise) -> np.ndarray:
    """Variances of all entries of rows (m, d) that have observed these, in units of `scale_`."""
    F, square = coding.on.F.astype(np.float64), noise.std**2
    d, q = F.shape
    products = np.einsum("jr,js->jrs", F, F).reshape(d, q * q)
    seen = (here @ products).reshape(-1, q, q)  # F_o'F_o
    penalty = np.einsum("ir,rs->irs", _penalty(coding, here.sum(axis=1)), np.eye(q))
    inverse = np.linalg.inv(_definite(seen + penalty))
    cov = inverse @ (square * seen + penalty @ noise.codes @ penalty) @ inverse
    return square + np.maximum(cov.reshape(-1, q * q) @ products.T, 0.0)
