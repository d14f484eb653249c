"""Principal coordinates: places whose products are those that the dissimilarities imply.

    minimise over Y (n, k)     |Y Y' - B|^2,     B = -1/2 J D^2 J,     J = I - 1 w' / sum w

D^2 are squared dissimilarities. With B = U L U', eigenvalues decreasing, Y = U_k L_k^(1/2). Rows
that count w times: the eigenvectors are those of w^(1/2) B w^(1/2), and Y = B w^(1/2) U L^(-1/2).

    a new row with squares d^2 to the others (Gower 1968)     y = 1/2 L^-1 Y'w (m - d^2)

m are the means of the rows of D^2. Of a row that was there, this is its own place.

Cost: up to `ALL` rows O(n^3), all eigenvalues; above, block Lanczos, O(n^2 k) per product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.linalg.eigen import top_eigen
from lowdim.linalg.products import dense_times, times_row_by_row

ALL = 500  # rows, up to which all eigenvalues are found
TOL = 1e-11  # of Lanczos' residuals
ROUNDING = 1e-11  # part of the largest eigenvalue below which one is 0
BLOCK = 2**17  # entries that are worked on at a time
NEAR_TIE = 1e-6  # entries of a column that count as equally large


class Coordinates(NamedTuple):
    """Places, and what is known of B, in the units of the dissimilarities."""

    Y: np.ndarray  # (n, k)
    values: np.ndarray  # (k,)  the largest eigenvalues, decreasing; 0 for those below
    spectrum: np.ndarray  # (m,)  all that were found, decreasing
    means: np.ndarray  # (n,)  of the rows of D^2
    trace: float  # of B: the sum of all eigenvalues
    axes: np.ndarray  # (n, k)  w Y / L: a new row is at 1/2 (m - d^2) axes


@single_threaded_blas()
def principal_coordinates(
    squares: np.ndarray, k: int, weight: np.ndarray | None = None, *, whole: bool = True
) -> Coordinates:
    """Places in k dimensions, from squared dissimilarities, which are overwritten.

    Parameters
    ----------
    squares : ndarray of shape (n, n)
        float64, in C order, symmetric; overwritten by B.
    k : int
        At most n.
    weight : ndarray of shape (n,), default=None
        How often each row counts.
    whole : bool
        Find all eigenvalues of at most `ALL` rows: of 300 rows it takes three times as long.

    Returns
    -------
    Coordinates
        A column of an eigenvalue that is 0 or less is 0.
    """
    means = centre_twice(squares, weight)
    B = squares
    root = None if weight is None else np.sqrt(weight)
    trace = float(np.diagonal(B) @ (np.ones(len(B)) if weight is None else weight))
    spectrum, U = _eigenpairs(B, k, root, whole)
    size = np.abs(spectrum).max(initial=0.0)
    values = np.where(spectrum[:k] > ROUNDING * size, spectrum[:k], 0.0)
    known = np.where(values > 0, values, 1.0)
    U = np.where(values > 0, U, 0.0)
    if root is None:
        Y = U * np.sqrt(values)
    else:
        Y = dense_times(B, np.ascontiguousarray(root[:, None] * U)) / np.sqrt(known)
    Y = Y * column_signs(Y)
    axes = (Y if weight is None else Y * weight[:, None]) / known
    return Coordinates(Y, values, spectrum, means, trace, axes)


def squared(D: np.ndarray, constant: float = 0.0, weight: np.ndarray | None = None) -> np.ndarray:
    """(D + constant)^2 off the diagonal, on it 0; a new array, in float64.

    A row that counts w times is w rows, which are `constant` apart: on the diagonal is the mean
    over all pairs of them, constant^2 (w - 1) / w.
    """
    squares = np.empty(D.shape)

    def work(rows: slice) -> None:
        np.add(D[rows], constant, out=squares[rows])
        np.multiply(squares[rows], squares[rows], out=squares[rows])

    run_over_rows(work, D.shape)
    if constant and D.shape[0] == D.shape[1]:
        copies = np.ones(len(D)) if weight is None else np.where(weight > 0, weight, 1.0)
        np.fill_diagonal(squares, constant * constant * (copies - 1.0) / copies)
    return squares


def centre_twice(squares: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Overwrite symmetric squares by B; the (weighted) means of their rows."""
    n = len(squares)
    share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
    means = np.empty(n)

    def add_up(rows: slice) -> None:
        means[rows] = squares[rows] @ share

    def centre(rows: slice) -> None:
        block = squares[rows]
        block -= means
        block -= (means[rows] - whole)[:, None]
        block *= -0.5

    run_over_rows(add_up, squares.shape)
    whole = float(means @ share)
    run_over_rows(centre, squares.shape)
    return means


def placed(squares: np.ndarray, means: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Places (m, k) of new rows with these squared dissimilarities (m, n) to the others."""
    return times_row_by_row(0.5 * (means - squares), axes)


def goodness_of_fit(
    values: np.ndarray, spectrum: np.ndarray, between_copies: float = 0.0
) -> np.ndarray:
    """The part of the eigenvalues that a map has: of their sizes, and of the positive ones.

    As R's `cmdscale(...)$GOF`. Copies of a row that a constant keeps apart have eigenvalues of
    their own, constant^2 / 2 for each copy more: `between_copies` is their sum.
    """
    kept = values.sum()
    sizes = np.abs(spectrum).sum() + between_copies
    positive = np.maximum(spectrum, 0.0).sum() + between_copies
    return np.array([kept / sizes if sizes > 0 else 0.0, kept / positive if positive > 0 else 0.0])


def between_copies(constant: float, weight: np.ndarray | None) -> float:
    """The sum of the eigenvalues that copies of rows have which a constant keeps apart."""
    if weight is None:
        return 0.0
    return 0.5 * constant * constant * float(np.maximum(weight - 1.0, 0.0).sum())


def column_signs(Y: np.ndarray) -> np.ndarray:
    """For each column the sign that makes its largest entry positive; of near ties the first."""
    size = np.abs(Y)
    largest = np.argmax(size >= (1.0 - NEAR_TIE) * size.max(axis=0), axis=0)
    return np.where(Y[largest, np.arange(Y.shape[1])] < 0, -1.0, 1.0)


def all_eigenvalues(B: np.ndarray, root: np.ndarray | None = None) -> np.ndarray:
    """Eigenvalues of B, or of root B root, decreasing; O(n^3)."""
    A = B if root is None else root[:, None] * B * root
    return scipy.linalg.eigvalsh(A, check_finite=False)[::-1]


def _eigenpairs(
    B: np.ndarray, k: int, root: np.ndarray | None, whole: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of root B root that were found, decreasing, and the first k vectors (n, k)."""
    n = len(B)
    if n <= max(ALL, 2 * k):
        A = B if root is None else root[:, None] * B * root
        if whole or 4 * k > n:
            values, U = scipy.linalg.eigh(A, driver="evd", check_finite=False)
        else:
            values, U = scipy.linalg.eigh(A, subset_by_index=[n - k, n - 1], check_finite=False)
        return values[::-1], np.ascontiguousarray(U[:, ::-1][:, :k])

    def apply(V: np.ndarray) -> np.ndarray:
        if root is None:
            return dense_times(B, V)
        return root[:, None] * dense_times(B, np.ascontiguousarray(root[:, None] * V))

    found = top_eigen(apply, n, k, tol=TOL, random=0)
    return found.values, found.vectors


def run_over_rows(work: Callable[[slice], object], shape: tuple[int, ...]) -> None:
    """work(rows) for blocks of rows of an array of this shape, on threads."""
    n, m = shape
    size = max(1, BLOCK // max(m, 1))
    for _ in ordered_map(work, [slice(s, min(s + size, n)) for s in range(0, n, size)]):
        pass
