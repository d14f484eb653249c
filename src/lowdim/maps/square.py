"""Square matrices from outside: dissimilarities, weights of pairs, similarities.

Errors name the argument, what was found, and what to do. They hold scikit-learn's words where its
tests look for them.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import squareform

from lowdim.core.numeric import frame_of, numeric_array

ASYMMETRY = 1e-6  # of the largest entry: what rounding in float32 may leave


def square_matrix(
    given: Any,
    name: str,
    who: str,
    *,
    nan: bool = False,
    negative: bool = False,
    zero_diagonal: bool = True,
) -> np.ndarray:
    """What was given as a symmetric float64 array (n, n), in C order; perhaps without a copy.

    Parameters
    ----------
    given : array or data frame of shape (n, n), or a vector of its n (n - 1) / 2 pairs
        As SciPy's `pdist` gives them.
    name, who : str
        For messages: the argument, and what needs it.
    nan, negative : bool
        Whether entries may be missing, and may be negative.
    zero_diagonal : bool
        Whether the diagonal has to be 0.
    """
    A = any_square(given, name, who)
    _check_finite(A, name, who, nan)
    low, high = (float(np.nan_to_num(f.reduce(A, axis=None))) for f in (np.fmin, np.fmax))
    largest = max(high, -low)
    if not negative and low < 0:
        i, j = np.argwhere(A < 0)[0]
        raise ValueError(
            f"{name} has a negative entry ({A[i, j]:g} for {i} and {j}); {who} needs values of 0 "
            "or more. Of similarities or correlations, lowdim.dissimilarity makes some."
        )
    _check_symmetric(A, name, largest, nan)
    if zero_diagonal:
        diagonal = np.abs(np.diagonal(A))
        if (diagonal > ASYMMETRY * largest).any():
            i = int(np.nanargmax(diagonal))
            raise ValueError(
                f"{name} has {A[i, i]:g} on its diagonal (for {i}); nothing differs from itself. "
                "If these are similarities, use lowdim.dissimilarity, else set the diagonal to 0."
            )
    return A


def any_square(given: Any, name: str, who: str) -> np.ndarray:
    """What was given as a float64 array (n, n), in C order, whatever its numbers are."""
    A = _as_array(given, name, who)
    if A.ndim == 1:
        A = _from_pairs(A, name)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(
            f"{name} has shape {A.shape}; array must be 2-dimensional and square, with a row and a "
            "column for each object."
        )
    if not len(A):
        raise ValueError(f"{name} is empty (shape {A.shape}); at least one object is needed.")
    return A


def _as_array(given: Any, name: str, who: str) -> np.ndarray:
    if sp.issparse(given):
        raise TypeError(
            f"{name} is sparse; {who} needs all pairs, and pairs that are not stored would be 0. "
            f"Give {name}.toarray() if that is meant."
        )
    frame = frame_of(given, name)
    if isinstance(frame, nw.DataFrame):
        given = frame.to_numpy()
    return np.asarray(numeric_array(given, name, who), dtype=np.float64, order="C")


def _from_pairs(pairs: np.ndarray, name: str) -> np.ndarray:
    n = round((1 + np.sqrt(1 + 8 * len(pairs))) / 2)
    if n * (n - 1) // 2 != len(pairs):
        raise ValueError(
            f"{name} is a vector of {len(pairs)} values; array must be 2-dimensional and square, "
            "or have one value for each pair of n objects, n (n - 1) / 2 in all."
        )
    return np.ascontiguousarray(squareform(pairs, checks=False))


def _check_finite(A: np.ndarray, name: str, who: str, nan: bool) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(A.sum()):  # unless a value is not, or the sum overflows: then look closer
            return
    if np.isinf(A).any():
        i, j = np.argwhere(np.isinf(A))[0]
        raise ValueError(
            f"{name} has infinity for {i} and {j}; {who} needs finite values. Pairs that nothing "
            "joins need a large one, or NaN where MDS is told to leave them out."
        )
    if not nan and np.isnan(A).any():
        i, j = np.argwhere(np.isnan(A))[0]
        raise ValueError(
            f"{name} has NaN in {int(np.isnan(A).sum())} places (first: {i} and {j}); {who} needs "
            "all pairs. lowdim.MDS leaves out pairs that are NaN."
        )


def _check_symmetric(A: np.ndarray, name: str, largest: float, nan: bool) -> None:
    size = max(1, 2**20 // len(A))
    for start in range(0, len(A), size):
        rows, columns = A[start : start + size], A[:, start : start + size].T
        differs = ~(np.abs(rows - columns) <= ASYMMETRY * largest)
        if nan:
            differs &= ~(np.isnan(rows) & np.isnan(columns))
        if differs.any():
            i, j = np.argwhere(differs)[0]
            i += start
            raise ValueError(
                f"Array must be symmetric: {name} has {A[i, j]:g} for {i} and {j}, and {A[j, i]:g} "
                f"for {j} and {i}. Give ({name} + {name}.T) / 2, if their mean is meant."
            )
