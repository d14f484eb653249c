"""Rows with holes under Gaussians: what is missing follows its conditional distribution.

    y = (observed o, missing m),    y ~ N(mean, C)

    log density    of y_o under N(mean_o, C_oo)
    expected       E[y_m | y_o]   = mean_m + C_mo C_oo^-1 (y_o - mean_o)
    left over      Cov[y_m | y_o] = C_mm - C_mo C_oo^-1 C_om

Rows with the same holes share everything but the products with their values: one Cholesky factor
for each pattern and component. A pattern's C_oo is C with the rows and columns of the identity
where values are missing, so that factors of many patterns are taken in one call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.cluster.gaussian_covariances import Gaussians

# What is computed for some rows or patterns at a time takes about so many numbers
TURN_NUMBERS = 2**17


class Turn(NamedTuple):
    """Some rows and what each of K components says of them."""

    rows: np.ndarray  # (b,)  their numbers
    observed: np.ndarray  # (b, d) or (1, d)  True where a value is known
    log_density: np.ndarray  # (K, b)  of the observed values
    expected: np.ndarray  # (K, b, d)  E[y | y_o] - mean
    variance: np.ndarray  # (K, b, d), (K, 1, d) or (1, 1, d)  of y | y_o: 0 where observed
    covariance: np.ndarray | None  # (K, d, d) or (1, d, d), or None if diagonal


def turns(Y: np.ndarray, model: Gaussians) -> Iterator[Turn]:
    """The rows, some at a time, with their conditional Gaussians."""
    if not len(Y):
        return iter(())
    return _by_pattern(Y, model) if model.kind in ("full", "tied") else _by_column(Y, model)


def scatter(turn: Turn, resp: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """sum r E[y - mean], (K, d), and sum r E[(y - mean)(y - mean)'] in the shape of the kind."""
    sum_x = np.einsum("jb,jbf->jf", resp, turn.expected)
    if turn.covariance is None:
        return sum_x, np.einsum("jb,jbf->jf", resp, np.square(turn.expected) + turn.variance)
    weighted = turn.expected * resp[:, :, None]
    sum_xx = np.swapaxes(weighted, 1, 2) @ turn.expected
    sum_xx += resp.sum(axis=1)[:, None, None] * turn.covariance
    return sum_x, sum_xx.sum(axis=0) if kind == "tied" else sum_xx


def _by_column(Y: np.ndarray, model: Gaussians) -> Iterator[Turn]:
    """Without correlations a hole says nothing of the rest of its row."""
    k, d = model.means.shape
    log_variance = np.log(model.covariances)
    for rows in _runs(np.arange(len(Y)), k * d):
        y = Y[rows]
        observed = ~np.isnan(y)
        D = np.where(observed, y - model.means[:, None], 0.0)  # (K, b, d)
        squares = np.einsum("jbf,jf->jb", np.square(D), np.square(model.whiten))
        constant = _constant(observed, model)
        density = constant - 0.5 * (log_variance @ observed.T + squares)
        variance = np.where(observed, 0.0, model.covariances[:, None])
        yield Turn(rows, observed, density, D, variance, None)


def _by_pattern(Y: np.ndarray, model: Gaussians) -> Iterator[Turn]:
    k, d = model.means.shape
    C = model.covariances.reshape(-1, d, d)  # one matrix if tied
    patterns, members = _patterns(~np.isnan(Y))
    for some in _runs(np.arange(len(patterns)), 4 * len(C) * d * d):
        observed = patterns[some]
        A, log_det, B, left = _conditionals(C, observed)
        for p, number in enumerate(some):
            o = observed[p : p + 1]
            variance = np.diagonal(left[p], axis1=1, axis2=2)[:, None]
            for rows in _runs(members[number], 3 * k * d):
                D = np.where(o, Y[rows] - model.means[:, None], 0.0)  # (K, b, d)
                Z = D @ np.swapaxes(A[p], 1, 2)
                squares = np.einsum("jbf,jbf->jb", Z, Z)
                density = _constant(o, model) - 0.5 * (log_det[p][:, None] + squares)
                expected = np.where(o, D, D @ np.swapaxes(B[p], 1, 2))
                yield Turn(rows, o, density, expected, variance, left[p])


def _conditionals(
    C: np.ndarray, observed: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A with A'A = C_oo^-1, log |C_oo|, C C_oo^-1 and Cov[y | y_o] of patterns and components.

    All are (patterns, components, d, d), and log |C_oo| is (patterns, components).
    """
    o = observed.astype(np.float64)
    both = (o[:, :, None] * o[:, None, :])[:, None]  # (patterns, 1, d, d)
    filled = C * both
    diagonal = np.arange(C.shape[-1])
    filled[:, :, diagonal, diagonal] += 1.0 - o[:, None]
    L = np.linalg.cholesky(filled)
    log_det = 2.0 * np.log(np.diagonal(L, axis1=2, axis2=3)).sum(axis=2)
    A = np.linalg.inv(L) * both
    A_t = np.swapaxes(A, 2, 3)
    root = C @ A_t  # C C_oo^-1 C = root root'
    B = root @ A
    left = C - root @ np.swapaxes(root, 2, 3)
    missing = 1.0 - o
    left *= (missing[:, :, None] * missing[:, None, :])[:, None]
    return A, log_det, B, left


def _patterns(observed: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The different patterns, and the rows that have each."""
    bits = np.packbits(observed, axis=1)
    order = np.lexsort(bits.T)
    new = (bits[order[1:]] != bits[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    return observed[order[starts]], np.split(order, starts[1:])


def _constant(observed: np.ndarray, model: Gaussians) -> Any:
    """-1/2 log 2 pi - log scale, for each observed value, (b,)."""
    return -(observed @ (0.5 * np.log(2.0 * np.pi) + np.log(model.scale)))


def _runs(index: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """The index cut into runs, for which each takes so many numbers."""
    size = max(1, TURN_NUMBERS // numbers)
    return (index[start : start + size] for start in range(0, len(index), size))
