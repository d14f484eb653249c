"""Distances that the user gives: what is said when they are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

SLACK = 1e-8  # of the largest distance: differences of D and D' that are rounding
ROWS_AT_A_TIME = 512


def check_square(n: int, d: int, *, affinity: bool = False) -> None:
    """Raise if a matrix of distances (or affinities) of n rows is not square."""
    if n != d and affinity:
        raise ValueError(
            f"X has shape ({n}, {d}), and metric='precomputed_affinity' needs a square matrix: the "
            "affinities of n rows to each other. For rows with columns choose metric='euclidean'."
        )
    if n != d:
        raise ValueError(
            f"X has shape ({n}, {d}), and metric='precomputed' needs a square distance matrix "
            "(the array must be 2-dimensional and square): the distances of n rows to each other. "
            "For rows with columns choose metric='euclidean'."
        )


def check_distances(
    D: Any, *, nan: bool = False, symmetric: bool = True, affinity: bool = False
) -> None:
    """Raise if a matrix is none of distances between rows; a sparse one is a graph of some.

    Parameters
    ----------
    D : array or csr_array of shape (n, n)
    nan : bool
        Whether distances may be missing.
    symmetric : bool
        Whether both directions must agree (in a sparse graph they need not be there at all).
    affinity : bool
        D are probabilities of pairs: the more, the nearer.
    """
    check_square(*D.shape, affinity=affinity)
    check_not_negative(D, affinity=affinity)
    if sp.issparse(D) or affinity:
        return
    if not nan and np.isnan(D).any():
        i, j = np.argwhere(np.isnan(D))[0]
        raise ValueError(
            f"X has NaN for the distance of rows {i} and {j}; all distances are needed here. "
            "lowdim.MDS takes distances of which some are missing."
        )
    if symmetric:
        _check_symmetric(D)
    diagonal, largest = np.nan_to_num(np.diagonal(D)), float(np.nan_to_num(np.fmax.reduce(D, None)))
    if (diagonal > SLACK * largest).any():
        i = int(np.argmax(diagonal))
        raise ValueError(
            f"X has {diagonal[i]:g} for the distance of row {i} to itself, which is 0. If X holds "
            "similarities, lowdim.dissimilarity(X) makes distances of them."
        )


def check_new_distances(D: Any, n: int) -> None:
    """Raise if rows of distances to n training rows are none."""
    check_not_negative(D)
    if D.shape[1] != n:
        raise ValueError(
            f"X has {D.shape[1]} columns; metric='precomputed' needs the distances of each new row "
            f"to the {n} training rows."
        )


def check_not_negative(D: Any, *, affinity: bool = False) -> None:
    """Raise if there is a distance (or an affinity) below 0."""
    values = D.data if sp.issparse(D) else D
    if not (values < 0).any():
        return
    if sp.issparse(D):
        D = D.tocoo()
        e = int(np.argmax(D.data < 0))
        i, j, value = D.coords[0][e], D.coords[1][e], D.data[e]
    else:
        i, j = np.argwhere(D < 0)[0]
        value = D[i, j]
    if affinity:
        raise ValueError(
            f"X has the negative affinity {value:g} of rows {i} and {j}; affinities are positive "
            "or 0, larger for pairs that are more alike."
        )
    raise ValueError(
        f"X has the negative distance {value:g} of rows {i} and {j}; distances are positive or 0. "
        "If X holds similarities, lowdim.dissimilarity(X) makes distances of them."
    )


def _check_symmetric(D: np.ndarray) -> None:
    with np.errstate(invalid="ignore"):
        largest = float(np.nan_to_num(np.fmax.reduce(D, axis=None)))
        for first in range(0, len(D), ROWS_AT_A_TIME):
            rows = slice(first, first + ROWS_AT_A_TIME)
            away = np.abs(D[rows] - D[:, rows].T)
            one_missing = np.isnan(D[rows]) != np.isnan(D[:, rows].T)
            bad = (away > SLACK * largest) | one_missing
            if bad.any():
                i, j = np.argwhere(bad)[0] + (first, 0)
                raise ValueError(
                    f"Array must be symmetric: X has the distance {D[i, j]:g} from row {i} to row "
                    f"{j}, and {D[j, i]:g} back. If both mean the same, give (X + X.T) / 2."
                )
