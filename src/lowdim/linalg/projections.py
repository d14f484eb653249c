"""Orthogonal projection of rows onto a subspace, given by the columns of a basis.

    minimise over Z     ||X - Z B'||_F^2          codes Z = X (B^+)',   projection Z B' = X P

    orthonormal W:   Z = X W,   P = W W'
    any basis B:     P = B B^+, the pseudo-inverse; only the span of B matters, so columns may
                     depend on each other, be zero or differ in scale.

With an orthonormal basis of the span (an SVD of B, O(d k^2)) the second case becomes the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.checks import as_dense, as_matrix


@single_threaded_blas()
def orthonormal_basis(B: Any) -> np.ndarray:
    """An orthonormal basis (d, r) of the span of the columns of B (d, k); r is their rank.

    Columns count by their direction, not their length: each is measured in its own unit.
    """
    B = as_dense("B", B)
    longest = np.abs(B).max(axis=0)
    B = B[:, longest > 0] / longest[longest > 0]
    if B.shape[1] == 0:
        return B
    B = B / np.linalg.norm(B, axis=0)
    U, s, _ = scipy.linalg.svd(B, full_matrices=False, check_finite=False)
    return U[:, s > max(B.shape) * np.finfo(B.dtype).eps * s[0]]


@single_threaded_blas()
def coordinates(X: Any, B: Any) -> np.ndarray:
    """Codes Z (n, k) of the rows of X in the basis B: the smallest Z that minimises ||X - Z B'||.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    B : array of shape (d, k)
        Any columns; for orthonormal ones Z = X B.

    Examples
    --------
    >>> from lowdim.linalg import coordinates
    >>> coordinates([[3.0, 5.0]], [[1.0, 1.0], [0.0, 1.0]])
    array([[-2.,  5.]])
    """
    X, B = _rows_and_basis(X, B)
    return X @ scipy.linalg.pinv(B, check_finite=False).T


@single_threaded_blas()
def project(X: Any, B: Any) -> np.ndarray:
    """The points of span(B) nearest to the rows of X, for any basis B: X B B^+.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    B : array of shape (d, k)
        Any columns, linearly independent or not.

    Examples
    --------
    >>> from lowdim.linalg import project
    >>> project([[3.0, 5.0, 7.0]], [[2.0, 2.0], [0.0, 1e9], [0.0, 0.0]]).round(12)
    array([[3., 5., 0.]])
    """
    X, B = _rows_and_basis(X, B)
    W = orthonormal_basis(B)
    return (X @ W) @ W.T


@single_threaded_blas()
def project_orthonormal(X: Any, W: Any) -> np.ndarray:
    """The points of span(W) nearest to the rows of X, for orthonormal columns W: X W W'.

    Raises
    ------
    ValueError
        If the columns of W are not orthonormal; then use `project`.
    """
    X, W = _rows_and_basis(X, W, basis_name="W")
    _check_orthonormal(W)
    return (X @ W) @ W.T


@single_threaded_blas()
def residuals(X: Any, B: Any) -> np.ndarray:
    """X minus its projection onto span(B): what the basis cannot explain.

    Orthogonal to B up to rounding. The result is dense, whatever X is.
    """
    X, B = _rows_and_basis(X, B)
    W = orthonormal_basis(B)
    R = (X.toarray() if sp.issparse(X) else X) - (X @ W) @ W.T
    return R - (R @ W) @ W.T  # once more: rounding of the large part may exceed a small residual


@single_threaded_blas()
def projector(B: Any) -> np.ndarray:
    """The matrix P = B B^+ (d, d) of the orthogonal projection onto span(B)."""
    W = orthonormal_basis(B)
    return W @ W.T


@single_threaded_blas()
def principal_angles(B: Any, C: Any) -> np.ndarray:
    """Angles between span(B) and span(C) in radians, increasing, min(rank B, rank C) of them.

    All zero if one subspace holds the other, pi/2 for directions that are orthogonal to it. Small
    angles are as accurate as large ones (Knyazev and Argentati 2002).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg import principal_angles
    >>> np.degrees(principal_angles([[1.0], [0.0]], [[1.0], [1.0]])).round(12)
    array([45.])
    """
    B, C = as_dense("B", B), as_dense("C", C)
    if len(B) != len(C):
        raise ValueError(f"B has {len(B)} rows and C has {len(C)}; both live in the same space.")
    B, C = orthonormal_basis(B), orthonormal_basis(C)
    if 0 in (B.shape[1], C.shape[1]):
        return np.zeros(0)
    return scipy.linalg.subspace_angles(B, C)[::-1]


def _rows_and_basis(X: Any, B: Any, basis_name: str = "B") -> tuple[Any, np.ndarray]:
    X, B = as_matrix("X", X), as_dense(basis_name, B)
    if X.shape[1] != len(B):
        raise ValueError(
            f"X has {X.shape[1]} columns and {basis_name} has {len(B)} rows; the columns of "
            f"{basis_name} must be vectors of the space of the rows of X. "
            "Components in rows go in transposed."
        )
    return X, B


def _check_orthonormal(W: np.ndarray) -> None:
    far = np.abs(W.T @ W - np.eye(W.shape[1])).max(initial=0.0)
    if far > np.sqrt(np.finfo(W.dtype).eps):
        raise ValueError(
            f"W has columns that are not orthonormal (W'W is {far:.1e} away from the identity); "
            "use project(X, W), which takes any basis."
        )
