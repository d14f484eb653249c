"""The scatter S as something to multiply by, formed or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.moments import column_variances, covariance, frame_of
from lowdim.linear.pca.axes import Axes, AxesProblem, require_finite, rounding_of, top_of


class Scatter(NamedTuple):
    """S as something to multiply by: formed once if it is small, else added up in each product."""

    weight: float
    mean: np.ndarray
    total: float
    unit: float
    dim: int
    dtype: np.dtype
    times: Callable[[np.ndarray], np.ndarray]


def scatter_operator(problem: AxesProblem, *, form: bool) -> Scatter:
    """S as an operator."""
    rows, w = problem.rows, problem.weight
    if form:
        weight, mean, S, unit = covariance(rows, w)
        require_finite(S)
        total = float(np.trace(S))
        return Scatter(weight, mean, total, unit, rows.n_columns, rows.dtype, S.__matmul__)
    weight, mean, columns, unit = column_variances(rows, w)
    require_finite(columns)
    about = mean.astype(rows.dtype)
    # near zero (and for sparse rows) centring afterwards costs no digits worth a copy of each block
    copies = bool(frame_of(rows).pilot.any())

    def times(V: np.ndarray) -> np.ndarray:
        V = V.astype(rows.dtype, copy=False) / rows.dtype.type(unit)
        if copies:
            return rows.fold(scatter_product, V, about, along=(w,)).T / unit
        sums = rows.fold(uncentred_scatter_product, V, about @ V, along=(w,))
        return (sums.sum_yx - np.outer(sums.sum_y, mean)).T / unit

    total = float(columns.sum())
    return Scatter(weight, mean, total, unit, rows.n_columns, rows.dtype, times)


def scatter_product(
    X: np.ndarray, V: np.ndarray, mean: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """What one block adds to V'S = sum w y (x - mean)', where y = V'(x - mean)."""
    D = X - mean
    return _weighted(D @ V, weight).T @ D


class UncentredProduct(NamedTuple):
    sum_yx: np.ndarray  # (m, d)  sum w y x'
    sum_y: np.ndarray  # (m,)    sum w y


def uncentred_scatter_product(
    X: Any, V: np.ndarray, shift: np.ndarray, weight: np.ndarray | None
) -> UncentredProduct:
    """The same with the mean left in x, to be taken out of the sums: sparse rows stay sparse."""
    Y = _weighted(X @ V - shift, weight)
    sum_yx = (X.T @ Y).T if sp.issparse(X) else Y.T @ X
    return UncentredProduct(sum_yx, Y.sum(axis=0))


def _weighted(Y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return Y if weight is None else Y * weight[:, None].astype(Y.dtype)


def ritz_axes(S: Scatter, Q: np.ndarray, k: int) -> Axes:
    """The best k axes within span(Q), for orthonormal Q."""
    values, rotation = top_of(Q.T @ S.times(Q), k)
    return axes_of(S, Q @ rotation, values)


def nystroem_axes(S: Scatter, Q: np.ndarray, k: int) -> Axes:
    """The k leading axes of S Q (Q'S Q)^-1 Q'S, for orthonormal Q.

    As many products as `ritz_axes`, which looks for axes in the span of Q; these lie in the span of
    S Q, one power iteration further. A multiple of Q, as large as the rounding of S Q, keeps
    Q'S Q positive (Tropp et al. 2017, algorithm 3).
    """
    Y = S.times(Q)
    with single_threaded_blas():  # all that is left is small
        shift = max(rounding_of(S.dtype) * float(np.linalg.norm(Y)), np.finfo(float).tiny)
        Y = Y + shift * Q
        inner = Q.T @ Y
        half = scipy.linalg.cholesky((inner + inner.T) / 2, check_finite=False)  # half'half = Q'Y
        B = scipy.linalg.solve_triangular(half, Y.T, trans="T", check_finite=False).T
        W, s, _ = scipy.linalg.svd(B, full_matrices=False, check_finite=False)
    return axes_of(S, W[:, :k], s[:k] ** 2 - shift)


def axes_of(S: Scatter, W: np.ndarray, values: np.ndarray) -> Axes:
    values, rounding = np.maximum(values, 0.0), rounding_of(S.dtype)
    return Axes(S.weight, S.mean, W, values, S.total, S.unit, S.dtype, rounding)
