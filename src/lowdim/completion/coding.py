"""One block of rows at a time: codes from what rows have observed, and values from codes.

    minimise over z     sum_o ((x_j - mean_j - z'components_j) / scale_j)^2 + sum_r penalty_r z_r^2

`model.py` says what components, mean, scale and penalties are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import Regression, Solved, solve_rows
from lowdim.linalg.sparse import product_at, row_numbers, with_values


class Coding(NamedTuple):
    """How codes follow from a row: standardise it, then regress it."""

    on: Regression
    mean: np.ndarray  # (d,)
    scale: np.ndarray  # (d,)
    method: str = "cholesky"
    confidence: float | None = None  # implicit feedback: entries x count 1 + confidence x
    refined: bool = False  # whether the penalty only chooses, and is to take nothing away


def encode(X: Any, coding: Coding) -> np.ndarray:
    """Codes of a block of rows."""
    Y = standardized(observed(X), coding)
    Z = solve_rows(Y, coding.on, method=coding.method, with_loss=False).Z
    if coding.refined and coding.method == "cholesky":
        # what a small penalty has taken away is coded once more: of a direction in which the row
        # has entries of square size a, not penalty / a is lost but its square
        left = with_values(Y, Y.data - product_at(Y, Z, coding.on.F))
        Z += solve_rows(left, coding.on, method=coding.method, with_loss=False).Z
    return Z


def coded(X: Any, coding: Coding) -> Solved:
    """Codes of a block of rows, and the minimum that each row reaches."""
    return solve_rows(standardized(observed(X), coding), coding.on, method=coding.method)


def standardized(X: Any, coding: Coding) -> Any:
    """The entries of a csr_array as the regression takes them."""
    if coding.confidence is not None:
        return with_values(X, coding.confidence * X.data)
    y = (X.data - coding.mean[X.indices]) / coding.scale[X.indices]
    return with_values(X, y.astype(coding.on.F.dtype))


def fill(X: Any, components: np.ndarray, mean: np.ndarray, coding: Coding) -> np.ndarray:
    """A block of rows with what is missing filled in."""
    filled = encode(X, coding) @ components + mean
    if sp.issparse(X):
        entries = observed(X)
        filled[row_numbers(entries), entries.indices] = entries.data
        return filled
    here = ~np.isnan(X)
    filled[here] = X[here]
    return filled


class Errors(NamedTuple):
    squares: float  # of errors in some unit
    count: int  # type: ignore[assignment]


def errors(X: Any, components: np.ndarray, mean: np.ndarray, unit: float, coding: Coding) -> Errors:
    """Sum of squared errors of the observed entries of a block, and how many they are."""
    return errors_given(X, components, mean, unit, encode(X, coding))


def errors_given(
    X: Any, components: np.ndarray, mean: np.ndarray, unit: float, Z: np.ndarray
) -> Errors:
    """The same, given the codes of the rows."""
    X = observed(X)
    left = X.data - values_at(row_numbers(X), X.indices, Z, components, mean)
    left = left.astype(np.float64, copy=False) / unit
    return Errors(float(np.dot(left, left)), X.nnz)


def values_at(
    i: np.ndarray, j: np.ndarray, Z: np.ndarray, components: np.ndarray, mean: np.ndarray
) -> np.ndarray:
    """z_i'components_j + mean_j of pairs (i, j), some pairs at a time."""
    values = np.empty(len(i), dtype=np.result_type(Z, components))
    W = np.ascontiguousarray(components.T)
    size = max(1, 2**18 // W.shape[1])
    for first in range(0, len(i), size):
        a, b = i[first : first + size], j[first : first + size]
        values[first : first + size] = np.einsum("er,er->e", Z[a], W[b]) + mean[b]
    return values


def with_zeros(F: np.ndarray, numbers: np.ndarray, size: int) -> np.ndarray:
    """Factors of `size` rows, of which these numbers have the factors F and others 0."""
    if len(numbers) == size:
        return F
    whole = np.zeros((size, F.shape[1]), F.dtype)
    whole[numbers] = F
    return whole
