"""Rows with missing values under Gaussians: what is missing follows its conditional distribution.

    y = (observed o, missing m),    y ~ N(mean, C),    P = C^-1

                   where little is missing             where little is observed
    log |C_oo|     log |C| + log |P_mm|                log |C_oo|
    E[y_m | y_o]   mean_m - P_mm^-1 P_mo (y_o - mean_o)  mean_m + C_mo C_oo^-1 (y_o - mean_o)
    Cov[y_m | y_o] P_mm^-1                             C_mm - C_mo C_oo^-1 C_om
    square of y_o  that of (y_o, E[y_m | y_o])         (y_o - mean_o)' C_oo^-1 (y_o - mean_o)

The columns say the same; each needs a Cholesky factor of the smaller block only, for each pattern
of missing values and component. The square of a filled row is the least that any values in their
place give, so that errors in these count by their squares. P has lost digits where a column nearly
follows from the others: such components take the right column for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.linalg.gaussian import LOG_2PI
from lowdim.linalg.small import factor_block, solve_factored
from lowdim.mixture.gaussian.covariances import NEGLIGIBLE, Gaussians

# What is computed for some rows at a time takes about so many numbers
RUN_NUMBERS = 2**17

# P is used where no column's variance, given all others, is less than this part of its variance:
# half of the 16 digits are left
LEAST_OWN_VARIANCE = 1e-8


class ConditionalRows(NamedTuple):
    """Some rows and what each of K components says of them."""

    rows: np.ndarray  # (b,)  their numbers
    observed: np.ndarray  # (b, d)  True where a value is known
    log_density: np.ndarray  # (K, b)  of the observed values
    expected: np.ndarray  # (K, b, d)  E[y | y_o] - mean
    conditionals: Conditionals | None  # None where columns are not correlated


class Conditionals(NamedTuple):
    """What Cov[y | y_o] needs: the patterns of missing values, and the covariances."""

    columns: np.ndarray  # (p, d)  of each pattern: the observed ones, then the missing ones
    n_observed: np.ndarray  # (p,)
    starts: np.ndarray  # (p + 1,)  rows starts[i] to starts[i + 1] have pattern i
    matrices: Matrices

    def by_precision(self, i: int) -> bool:
        """Whether to take the missing block of the i-th precision; these patterns agree."""
        few_missing = 2 * self.n_observed[0] >= self.columns.shape[1]
        return bool(few_missing and self.matrices.has_precision[i])

    def left_over(self, i: int, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """sum weight Cov[y | y_o], (d, d), and the variances, (p, d), for the i-th covariance."""
        p, d = self.columns.shape
        total, variance = np.zeros((d, d)), np.zeros((p, d))
        by_precision = self.by_precision(i)
        run: Any = _left_over_by_precision if by_precision else _left_over_by_covariance
        matrix = (self.matrices.precision if by_precision else self.matrices.covariance)[i]
        space = (np.empty((d, d)), np.empty(d))
        run(matrix, self.columns, self.n_observed, weight, *space, total, variance)
        return total, variance


class Matrices(NamedTuple):
    """The c different covariances of a mixture: c = 1 if tied, else K."""

    covariance: np.ndarray  # (c, d, d)
    precision: np.ndarray  # (c, d, d)
    whiten: np.ndarray  # (c, d, d)  A with A'A = precision
    log_det: np.ndarray  # (c,)  of the covariances
    has_precision: np.ndarray  # (c,)  whether the precision has digits enough


def conditional_rows(Y: np.ndarray, model: Gaussians) -> Iterator[ConditionalRows]:
    """The rows, some at a time, with their conditional Gaussians."""
    if not len(Y):
        return iter(())
    return _by_pattern(Y, model) if model.kind in ("full", "tied") else _by_column(Y, model)


def scatter(
    some: ConditionalRows, resp: np.ndarray, model: Gaussians
) -> tuple[np.ndarray, np.ndarray]:
    """sum r E[y - mean], (K, d), and sum r E[(y - mean)(y - mean)'] in the shape of the kind."""
    if some.conditionals is None:
        sum_x = np.einsum("jb,jbf->jf", resp, some.expected)
        sum_xx = np.einsum("jb,jbf->jf", resp, np.square(some.expected))
        return sum_x, sum_xx + (resp @ ~some.observed) * model.covariances
    k, d = model.means.shape
    sum_x, sum_xx = np.empty((k, d)), np.empty((k, d, d))
    for j in range(k):
        own = np.flatnonzero(resp[j] > NEGLIGIBLE)
        root = np.sqrt(resp[j, own])
        D = some.expected[j].take(own, axis=0)
        D *= root[:, None]
        sum_x[j] = root @ D
        np.matmul(D.T, D, out=sum_xx[j])
    sum_xx = sum_xx.reshape(-1, *model.covariances.shape).sum(axis=0)
    return sum_x, sum_xx + _sum_left_over(some.conditionals, resp).reshape(sum_xx.shape)


def _sum_left_over(conditionals: Conditionals, resp: np.ndarray) -> np.ndarray:
    """sum r Cov[y | y_o] over rows and the components that share a covariance, (c, d, d)."""
    c = len(conditionals.matrices.covariance)
    shared = resp.reshape(c, -1, resp.shape[1]).sum(axis=1)
    weight = np.add.reduceat(shared, conditionals.starts[:-1], axis=1)  # (c, p)
    return np.stack([conditionals.left_over(i, weight[i])[0] for i in range(c)])


def variances(some: ConditionalRows, model: Gaussians) -> np.ndarray:
    """Var[y | y_o], (K, b, d), or (1, b, d) if tied; 0 where observed."""
    if some.conditionals is None:
        return np.where(some.observed, 0.0, model.covariances[:, None])
    conditionals = some.conditionals
    each, c = np.ones(len(conditionals.columns)), len(conditionals.matrices.covariance)
    left = np.stack([conditionals.left_over(i, each)[1] for i in range(c)])
    return np.repeat(left, np.diff(conditionals.starts), axis=1)


def _by_column(Y: np.ndarray, model: Gaussians) -> Iterator[ConditionalRows]:
    """Without correlations a missing value says nothing of the rest of its row."""
    k, d = model.means.shape
    log_variance = np.log(model.covariances)
    for rows in _runs(np.arange(len(Y)), k * d):
        y = Y[rows]
        observed = ~np.isnan(y)
        D = np.where(observed, y - model.means[:, None], 0.0)  # (K, b, d)
        squares = np.einsum("jbf,jf->jb", np.square(D), np.square(model.whiten))
        density = _constant(observed, model) - 0.5 * (log_variance @ observed.T + squares)
        yield ConditionalRows(rows, observed, density, D, None)


def _by_pattern(Y: np.ndarray, model: Gaussians) -> Iterator[ConditionalRows]:
    """Rows with the same missing columns together, those with few apart from those with many."""
    k, d = model.means.shape
    matrices = _matrices(model)
    observed = ~np.isnan(Y)
    bits = np.packbits(observed, axis=1)
    few_missing = 2 * observed.sum(axis=1) >= d
    for part in (few_missing, ~few_missing):
        rows = np.flatnonzero(part)
        for some in _runs(rows[np.lexsort(bits[rows].T)], 3 * k * d):
            yield _conditional(some, Y[some], observed[some], model, matrices)


def _conditional(
    rows: np.ndarray, Y: np.ndarray, observed: np.ndarray, model: Gaussians, matrices: Matrices
) -> ConditionalRows:
    """Rows sorted by their patterns, with their conditional Gaussians."""
    (k, d), (b, c) = model.means.shape, (len(Y), len(matrices.covariance))
    conditionals = Conditionals(*_patterns(observed), matrices)
    lengths = np.diff(conditionals.starts)
    expected, density = np.empty((k, b, d)), np.empty((k, b))
    constant = _constant(observed, model)
    for i in range(c):
        own = slice(i * (k // c), (i + 1) * (k // c))  # components with this covariance
        D = np.where(observed[:, None], Y[:, None] - model.means[own], 0.0)  # (b, K / c, d)
        log_det, squares = _fill(D.reshape(-1, d), k // c, conditionals, i)
        expected[own] = D.swapaxes(0, 1)
        squares = squares.reshape(b, -1).T
        density[own] = constant - 0.5 * (np.repeat(log_det, lengths) + squares)
    return ConditionalRows(rows, observed, density, expected, conditionals)


def _fill(
    D: np.ndarray, repeats: int, conditionals: Conditionals, i: int
) -> tuple[np.ndarray, np.ndarray]:
    """Put E[y_m | y_o] - mean_m in the place of missing deviations; each row of D is repeated.

    Returns log |C_oo| of the patterns, (p,), and the squares of the rows' observed values.
    """
    columns, n_observed, starts, matrices = conditionals
    (p, d), squares = columns.shape, np.empty(len(D))
    log_det = np.empty(p)
    patterns = (columns, n_observed, repeats * starts)
    space = (np.empty((d, d)), np.empty(d))
    if not conditionals.by_precision(i):
        _fill_by_covariance(D, matrices.covariance[i], *patterns, *space, log_det, squares)
        return log_det, squares
    P = matrices.precision[i]
    _fill_by_precision(D, D @ P, P, *patterns, *space, log_det)
    Z = D @ matrices.whiten[i].T
    return matrices.log_det[i] + log_det, np.einsum("bf,bf->b", Z, Z, out=squares)


def _matrices(model: Gaussians) -> Matrices:
    d = model.means.shape[1]
    C, A = model.covariances.reshape(-1, d, d), model.whiten.reshape(-1, d, d)
    P = np.swapaxes(A, 1, 2) @ A
    # C_ff P_ff: the variance of a column by its variance given all others
    inflation = np.diagonal(C, axis1=1, axis2=2) * np.diagonal(P, axis1=1, axis2=2)
    has_precision = inflation.max(axis=1) * LEAST_OWN_VARIANCE <= 1.0
    return Matrices(C, P, A, model.log_det[: len(C)], has_precision)


def _patterns(observed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of rows that are sorted by their patterns: columns, n_observed and starts of each."""
    new = (observed[1:] != observed[:-1]).any(axis=1)
    first = np.flatnonzero(np.concatenate([[True], new]))
    missing = ~observed[first]
    columns = np.argsort(missing, axis=1, kind="stable")
    return columns, observed.shape[1] - missing.sum(axis=1), np.append(first, len(observed))


def _constant(observed: np.ndarray, model: Gaussians) -> np.ndarray:
    """-1/2 log 2 pi - log scale, for each observed value, (b,)."""
    return -(observed @ (0.5 * LOG_2PI + np.log(model.scale)))


def _runs(index: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """The index cut into runs, for which each takes so many numbers."""
    size = max(1, RUN_NUMBERS // numbers)
    return (index[start : start + size] for start in range(0, len(index), size))


# ---- kernels: a block of a matrix for each pattern -----------------------------------------------


@kernel
def _fill_by_precision(D, G, precision, columns, n_observed, starts, U, z, log_det):
    """D_m = -P_mm^-1 G_m for G = D P, in place; log |P_mm| of the patterns."""
    p, d = columns.shape
    for i in range(p):
        first = n_observed[i]
        log_det[i] = factor_block(precision, columns, i, first, d, U)
        for row in range(starts[i], starts[i + 1]):
            for a in range(d - first):
                z[a] = -G[row, columns[i, first + a]]
            solve_factored(U, z, d - first)
            for a in range(d - first):
                D[row, columns[i, first + a]] = z[a]


@kernel
def _fill_by_covariance(D, covariance, columns, n_observed, starts, U, z, log_det, squares):
    """D_m = C_mo C_oo^-1 D_o, in place; log |C_oo| of the patterns and D_o' C_oo^-1 D_o of rows."""
    p, d = columns.shape
    for i in range(p):
        n = n_observed[i]
        log_det[i] = factor_block(covariance, columns, i, 0, n, U)
        for row in range(starts[i], starts[i + 1]):
            for a in range(n):
                z[a] = D[row, columns[i, a]]
            squares[row] = solve_factored(U, z, n)
            for b in range(n, d):
                m = columns[i, b]
                total = 0.0
                for a in range(n):
                    total += covariance[m, columns[i, a]] * z[a]
                D[row, m] = total


@kernel
def _left_over_by_precision(precision, columns, n_observed, weight, U, z, total, variance):
    """Cov[y_m | y_o] = P_mm^-1, column by column: sum weight Cov (d, d), variances (p, d)."""
    p, d = columns.shape
    for i in range(p):
        if weight[i] <= NEGLIGIBLE:
            continue
        first = n_observed[i]
        factor_block(precision, columns, i, first, d, U)
        for b in range(d - first):
            for a in range(d - first):
                z[a] = 0.0
            z[b] = 1.0
            solve_factored(U, z, d - first)
            m = columns[i, first + b]
            variance[i, m] = z[b]
            for a in range(d - first):
                total[m, columns[i, first + a]] += weight[i] * z[a]


@kernel
def _left_over_by_covariance(covariance, columns, n_observed, weight, U, z, total, variance):
    """Cov[y_m | y_o] = C_mm - C_mo C_oo^-1 C_om, likewise."""
    p, d = columns.shape
    for i in range(p):
        if weight[i] <= NEGLIGIBLE:
            continue
        n = n_observed[i]
        factor_block(covariance, columns, i, 0, n, U)
        for b in range(n, d):
            m = columns[i, b]
            for a in range(n):
                z[a] = covariance[columns[i, a], m]
            solve_factored(U, z, n)
            for e in range(n, d):
                other = columns[i, e]
                left = covariance[m, other]
                for a in range(n):
                    left -= covariance[other, columns[i, a]] * z[a]
                total[m, other] += weight[i] * left
                if other == m:
                    variance[i, m] = left if left > 0.0 else 0.0
