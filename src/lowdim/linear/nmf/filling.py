"""What NMF fills in: what it expects of a row, given what the row has observed.

The code that explains best what a row has observed may say anything of the rest: a part that
hardly touches the observed columns is free. So what is filled in follows from what codes are
usually like (mean m and spread C; `uncertainty.py`), as much as entries leave open:

    minimise over z >= 0    sum_o (x_j - v_j'z)^2 / v  +  s^2 (z - m)'C^-1 (z - m)

v is the variance of an entry in units of s^2, 1 on squares; else it is that at m, then at the first
answer. With much data, or little noise, this is the code of `transform`; without any, it is m.

Cost of a row of c entries: O(c k^2), and some sweeps of O(k^2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.entries import observed
from lowdim.linalg.sparse import row_numbers, with_values
from lowdim.linear.nmf.codes import Coding
from lowdim.linear.nmf.objective import has_missing, in_unit
from lowdim.linear.nmf.uncertainty import (
    Noise,
    covariances,
    expected_codes,
    quadratic,
    usual_code,
    variance_of,
)

ROWS_AT_A_TIME = 256
ROUNDS = 4  # of variances that follow from the last answer; more change little


def fill(X: Any, by: Coding, noise: Noise) -> np.ndarray:
    """A block with what is missing filled in."""
    filled = X.toarray() if sp.issparse(X) else X.copy()
    if not has_missing(X):
        return filled
    for first in range(0, len(filled), ROWS_AT_A_TIME):
        rows = filled[first : first + ROWS_AT_A_TIME]
        missing = np.isnan(rows)
        rows[missing] = (_expected_rows(_entries_of(rows, by), by, noise) * by.unit)[missing]
    return filled


def fill_with_std(X: Any, by: Coding, noise: Noise) -> tuple[np.ndarray, np.ndarray]:
    """A block with what is missing filled in, and the standard deviation of each entry."""
    X = X.toarray() if sp.issparse(X) else X
    filled = fill(X, by, noise)
    std = np.zeros(X.shape, filled.dtype)
    if not has_missing(X):
        return filled, std
    for first in range(0, len(std), ROWS_AT_A_TIME):
        part = slice(first, first + ROWS_AT_A_TIME)
        missing, entries = np.isnan(X[part]), _entries_of(X[part], by)
        Y = _expected_rows(entries, by, noise)
        cov = covariances(entries, _weights(entries, Y, by), by.V, noise)
        variance = noise.variance * _variance(Y, by) + quadratic(cov, by.V)
        std[part][missing] = (by.unit * np.sqrt(variance))[missing]
    return filled, std


def _expected_rows(X: Any, by: Coding, noise: Noise) -> np.ndarray:
    """What the model says of all entries of some rows, in the unit."""
    Y = np.broadcast_to(by.V @ usual_code(by), X.shape)
    for _ in range(1 if by.beta == 2.0 else ROUNDS):
        Y = expected_codes(X, _weights(X, Y, by), by, noise) @ by.V.T
    return Y


def _weights(X: Any, Y: np.ndarray, by: Coding) -> np.ndarray:
    """1 / v of the entries of X."""
    return 1.0 / _variance(Y, by)[row_numbers(X), X.indices]


def _variance(Y: np.ndarray, by: Coding) -> np.ndarray:
    return variance_of(Y, float(np.mean(by.V @ usual_code(by))), by.beta)


def _entries_of(rows: np.ndarray, by: Coding) -> Any:
    entries = observed(in_unit(rows, by.unit))
    return with_values(entries, entries.data.astype(np.float64))
