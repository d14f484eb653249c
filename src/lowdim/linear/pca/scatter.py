"""The scatter S as something to multiply by, formed or not."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.linalg.eigen import Product
from lowdim.linalg.moments import column_variances, covariance, frame_of
from lowdim.linalg.products import dense_times
from lowdim.linalg.sparse import sparse_products, with_small_indices
from lowdim.linear.pca.axes import Axes, AxesProblem, require_finite, rounding_of, top_of


class Scatter(NamedTuple):
    """S as something to multiply by: formed once if it is small, else added up in each product."""

    weight: float
    mean: np.ndarray
    total: float
    unit: float
    dim: int
    dtype: np.dtype
    times: Product
    factors: tuple[Product, Product] | None = None  # S = B'B: V -> B V and U -> B'U


def scatter_operator(problem: AxesProblem, *, form: bool) -> Scatter:
    """S as an operator."""
    rows, w = problem.rows, problem.weight
    if form:
        weight, mean, S, unit = covariance(rows, w)
        require_finite(S)
        total = float(np.trace(S))
        return Scatter(
            weight, mean, total, unit, rows.n_columns, rows.dtype, partial(dense_times, S)
        )
    weight, mean, columns, unit = column_variances(rows, w)
    require_finite(columns)
    about, total = mean.astype(rows.dtype), float(columns.sum())
    measured = (weight, mean, total, unit, rows.n_columns, rows.dtype)
    if sp.issparse(rows.in_memory):
        centred, back = centred_products(rows.in_memory, about, w, unit)
        return Scatter(*measured, lambda V: back(centred(V)), (centred, back))
    # near zero centring afterwards costs no digits worth a copy of each block
    copies = bool(frame_of(rows).pilot.any())

    def times(V: np.ndarray) -> np.ndarray:
        V = V.astype(rows.dtype, copy=False) / rows.dtype.type(unit)
        if copies:
            return rows.fold(scatter_product, V, about, along=(w,)).T / unit
        sums = rows.fold(uncentred_scatter_product, V, about @ V, along=(w,))
        return (sums.sum_yx - np.outer(sums.sum_y, mean)).T / unit

    return Scatter(*measured, times)


def centred_products(
    X: Any, mean: np.ndarray, weight: np.ndarray | None, unit: float
) -> tuple[Product, Product]:
    """B V and B'U for B = w^1/2 (X - mean) / unit of sparse rows in memory, never written down."""
    plain, plain_back = sparse_products(with_small_indices(X))
    scale, dtype = X.dtype.type(unit), X.dtype
    root = None if weight is None else np.sqrt(weight).astype(dtype)[:, None]

    def times(V: np.ndarray) -> np.ndarray:
        V = V.astype(dtype, copy=False) if unit == 1.0 else (V / scale).astype(dtype)
        product = plain(V)
        product -= mean @ V
        if root is not None:
            product *= root
        return product

    def back(U: np.ndarray) -> np.ndarray:
        U = U.astype(dtype, copy=False) if root is None else root * U.astype(dtype)
        product = plain_back(U)
        product -= np.outer(mean, U.sum(axis=0))
        if unit != 1.0:
            product /= scale
        return product

    return times, back


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


def ritz_axes_of_two(S: Scatter, P: np.ndarray, SP: np.ndarray, Q: np.ndarray, k: int) -> Axes:
    """The best k axes within the span of orthonormal Q and of P, whose product SP is known.

    After a power iteration, P is where it came from: looking at both costs no further product, and
    tells the axes apart as one iteration more would.
    """
    SQ = S.times(Q)
    length = np.maximum(np.linalg.norm(P, axis=0), np.finfo(float).tiny)
    within = Q.T @ (P / length)
    U, s, Vt = scipy.linalg.svd(P / length - Q @ within, full_matrices=False)
    # divided by s, rounding grows; and what lies in the span of Q up to s costs s^2
    new = s > float(np.finfo(S.dtype).eps) ** 0.25
    SU = (SP / length - SQ @ within) @ (Vt[new].T / s[new])
    basis, product = np.hstack([Q, U[:, new]]), np.hstack([SQ, SU])
    inner = basis.T @ product
    values, rotation = top_of((inner + inner.T) / 2, k)
    return axes_of(S, basis @ rotation, values)


def axes_of(S: Scatter, W: np.ndarray, values: np.ndarray) -> Axes:
    values, rounding = np.maximum(values, 0.0), rounding_of(S.dtype)
    return Axes(S.weight, S.mean, W, values, S.total, S.unit, S.dtype, rounding)
