"""Principal axes from a whole matrix: the covariance, the Gram matrix, or X itself.

covariance_eigh   S itself, in one pass                            d x d memory
gram              X X' instead, for few rows and many columns      n x n memory
full, arpack      LAPACK's and ARPACK's SVD of the centred matrix  in memory
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from lowdim.core.blocks import ArrayBlocks
from lowdim.linalg.moments import column_variances, covariance
from lowdim.linalg.products import orthonormal, right_svd
from lowdim.linalg.svd import centered
from lowdim.linear.pca.axes import Axes, AxesProblem, require_finite, rounding_of, top_of

# ---- from a matrix of moments --------------------------------------------------------------------


def covariance_eigh(problem: AxesProblem) -> Axes:
    """Eigenvectors of S, added up in one pass."""
    weight, mean, scatter, unit = covariance(problem.rows, problem.weight)
    require_finite(scatter)
    values, W = top_of(scatter, problem.k or len(scatter))
    dtype = problem.rows.dtype
    return Axes(weight, mean, W, values, float(np.trace(scatter)), unit, dtype, rounding_of(dtype))


def no_axes(problem: AxesProblem) -> Axes:
    """The mean and the variance in all directions: all there is to know of no axes."""
    weight, mean, columns, unit = column_variances(problem.rows, problem.weight)
    require_finite(columns)
    none, dtype = np.zeros((len(mean), 0)), problem.rows.dtype
    total = float(columns.sum())
    return Axes(weight, mean, none, np.zeros(0), total, unit, dtype, rounding_of(dtype))


def gram(problem: AxesProblem) -> Axes:
    """Eigenvectors of the n x n matrix X X', turned into axes by X'.

    The columns of X are the rows of X', so X X' is a fold over blocks of columns.
    """
    X, w, weight, mean, unit = _matrix(problem)
    columns = ArrayBlocks(X.T)
    root = None if w is None else np.sqrt(w)
    G = columns.fold(_gram_part, root, unit, along=(mean,))
    values, U = top_of(G, min(problem.k or len(G), *X.shape))
    W = columns.map(_gram_axes, U, root, unit, along=(mean,))
    # the axes of vanishing variance have no direction of their own: any orthonormal completion
    W = orthonormal(W.astype(np.float64))
    rounding = rounding_of(X.dtype)
    return Axes(weight, mean, W, values, float(np.trace(G)), unit, X.dtype, rounding)


def _gram_part(columns: np.ndarray, root: np.ndarray | None, unit: float, mean: np.ndarray) -> Any:
    D = _centred_columns(columns, root, unit, mean)
    return D.T @ D


def _gram_axes(
    columns: np.ndarray, U: np.ndarray, root: np.ndarray | None, unit: float, mean: np.ndarray
) -> np.ndarray:
    return _centred_columns(columns, root, unit, mean) @ U.astype(columns.dtype)


def _centred_columns(
    columns: np.ndarray, root: np.ndarray | None, unit: float, mean: np.ndarray
) -> np.ndarray:
    D = (columns - mean[:, None]) / columns.dtype.type(unit)  # (columns of X, rows of X)
    return D if root is None else D * root.astype(D.dtype)


# ---- from the matrix itself ----------------------------------------------------------------------


def full(problem: AxesProblem) -> Axes:
    """Singular value decomposition of the centred matrix, from its R if it is tall or wide."""
    X, w, weight, mean, unit = _matrix(problem)
    D = X - mean
    D /= X.dtype.type(unit)
    if w is not None:
        D *= np.sqrt(w)[:, None].astype(D.dtype)
    k = min(problem.k or max(D.shape), *D.shape)
    s, Vt = right_svd(D, k)
    squares = s.astype(np.float64) ** 2
    rounding = rounding_of(X.dtype) ** 2  # of singular values, not of their squares
    total = float(squares.sum())
    return Axes(weight, mean, Vt.T, squares[:k], total, unit, X.dtype, rounding)


def arpack(problem: AxesProblem) -> Axes:
    """ARPACK's truncated SVD of the implicitly centred matrix."""
    weight, mean, columns, unit = column_variances(problem.rows, problem.weight)
    require_finite(columns)
    X = problem.rows.in_memory
    if X is None:
        raise ValueError(
            "svd_solver='arpack' needs X in memory; for streams and Dask choose 'krylov'."
        )
    k = problem.k
    if k is None or k >= min(X.shape):
        raise ValueError(
            f"n_components={k} must be less than {min(X.shape)}, the smaller side of X "
            f"(n_samples={X.shape[0]}, n_features={X.shape[1]}), with svd_solver='arpack'; choose "
            "another solver for all components."
        )
    X = X / unit if unit != 1.0 else X
    A = centered(X, (mean / unit).astype(X.dtype))
    if problem.weight is not None:
        root = sp.linalg.aslinearoperator(sp.diags_array(np.sqrt(problem.weight)))
        A = root @ A
    start = problem.random.uniform(-1, 1, size=min(X.shape))
    _, s, Vt = svds(A, k=k, tol=problem.estimator.tol, v0=start)
    order = np.argsort(-s)
    W, scatter = Vt[order].T, s[order].astype(np.float64) ** 2
    rounding = rounding_of(X.dtype)
    return Axes(weight, mean, W, scatter, float(columns.sum()), unit, X.dtype, rounding)


def _matrix(problem: AxesProblem) -> tuple[np.ndarray, np.ndarray | None, float, np.ndarray, float]:
    """X, weights, their sum, mean and unit, for solvers that need the matrix in memory."""
    X, w = problem.rows.in_memory, problem.weight
    if X is None or sp.issparse(X):
        found = "in files or on a cluster" if X is None else "sparse"
        raise TypeError(
            f"svd_solver={problem.estimator.svd_solver!r} needs a dense X in memory, X is {found}; "
            "choose 'krylov' or 'covariance_eigh'."
        )
    weight, mean, columns, unit = column_variances(problem.rows, w)
    require_finite(columns)
    return X, w, weight, mean.astype(X.dtype), unit
