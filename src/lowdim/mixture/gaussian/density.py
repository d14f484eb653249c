"""What a Gaussian mixture says of the rows of a block: densities, and what is missing.

    log joint      log weight_j + log N(x_o; mean_j, C_j)        of every row and component
    expectation    sum_j r_j E_j[x | x_o]                        in the place of missing values

Complete rows go through products of matrices, some at a time; those with missing values through
`missing.py`.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.blocks import ArrayBlocks, Blocks, rows_per_block
from lowdim.linalg.gaussian import LOG_2PI
from lowdim.mixture.gaussian import missing as gaussian_missing
from lowdim.mixture.gaussian.covariances import KINDS, Gaussians
from lowdim.mixture.methods import normalized

# Responsibilities of the rows of one run take about so many numbers
RUN_NUMBERS = 2**17


def log_joint(X: np.ndarray, model: Gaussians) -> np.ndarray:
    """log weight_j + log N(x_o; ...) of every row and component, (b, K)."""
    joint = np.empty((len(model.means), len(X)))
    for rows in runs_of_rows(len(X), *model.means.shape):
        Y = model.measured(X[rows])
        whole = is_complete(Y)
        if whole.all():
            joint[:, rows] = complete_log_joint(Y, model)
            continue
        part = joint[:, rows]
        part[:, whole] = complete_log_joint(Y[whole], model)
        incomplete = np.flatnonzero(~whole)
        for some in gaussian_missing.conditional_rows(Y[incomplete], model):
            part[:, incomplete[some.rows]] = some.log_density + model.log_weights[:, None]
    return joint.T


def expectation(X: np.ndarray, model: Gaussians) -> np.ndarray:
    """E[x | x_o] = sum_j r_j E_j[x | x_o]; observed entries stay as they are, bit for bit."""
    return expectation_with_std(X, model)[0]


def expectation_with_std(X: np.ndarray, model: Gaussians) -> tuple[np.ndarray, np.ndarray]:
    """The same, and sqrt(sum_j r_j (var_j + (E_j - E)^2)); 0 where X is observed."""
    filled, std = X.copy(), np.zeros_like(X)
    incomplete = np.flatnonzero(np.isnan(X).any(axis=1))
    Y = model.measured(X[incomplete])
    for some in gaussian_missing.conditional_rows(Y, model):
        rows = incomplete[some.rows]
        resp = normalized(some.log_density + model.log_weights[:, None], axis=0)[0]
        each = some.expected + model.means[:, None]  # (K, b, d)
        mean = np.einsum("jb,jbf->bf", resp, each)
        spread = gaussian_missing.variances(some, model) + np.square(each - mean)
        variance = np.einsum("jb,jbf->bf", resp, spread)
        filled[rows] = np.where(some.observed, X[rows], model.center + model.scale * mean)
        std[rows] = np.where(some.observed, 0.0, model.scale * np.sqrt(variance))
    return filled, std


def complete_log_joint(Y: np.ndarray, model: Gaussians) -> np.ndarray:
    """The same for complete rows in the units of the means, (K, b)."""
    d = Y.shape[1]
    constant = -0.5 * (d * LOG_2PI + model.log_det) - np.log(model.scale).sum()
    joint = KINDS[model.kind].squares(Y, model)
    joint *= -0.5
    joint += (model.log_weights + constant)[:, None]
    return joint


def runs_of_rows(n: int, k: int, d: int) -> list[slice]:
    """Rows at a time, for which responsibilities and deviations stay small."""
    size = rows_of_a_run(k, d)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def rows_of_a_run(k: int, d: int) -> int:
    return max(64, RUN_NUMBERS // (k + d))


def in_small_blocks(rows: Blocks, k: int) -> Blocks:
    """The same rows; in memory, as blocks of one run: a row takes K times the work of its size."""
    if rows.in_memory is None:
        return rows
    d = rows.n_columns
    size = min(rows_per_block(rows.in_memory), max(rows_of_a_run(k, d), 2 * d))
    return ArrayBlocks(rows.in_memory, block_rows=size)


def is_complete(Y: np.ndarray) -> np.ndarray:
    """Which rows are complete: sums of finite values are finite here, as these are about 1."""
    return ~np.isnan(Y.sum(axis=1))
