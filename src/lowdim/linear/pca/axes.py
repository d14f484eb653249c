"""What every solver of PCA is given and returns, and what they share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.blocks import Blocks

# Up to this many columns S is formed once (128 MB) and iterations need no further pass
COLUMNS_FOR_COVARIANCE = 4000


class NotFiniteError(ArithmeticError):
    """The sums over X are not finite, so X holds NaN or infinity: the caller says what follows."""


class Axes(NamedTuple):
    """What every solver returns. Variances are sums of squares in units of `unit` squared."""

    weight: float  # sum w: the number of rows
    mean: np.ndarray  # (d,)
    W: np.ndarray  # (d, k)  orthonormal columns, by decreasing variance
    scatter: np.ndarray  # (k,)    sum w (v'(x - mean))^2
    total: float  #         sum w ||x - mean||^2
    unit: float
    dtype: np.dtype  # of the rows
    rounding: float  # a scatter below this part of the largest is rounding


class AxesProblem(NamedTuple):
    """What a solver is given."""

    estimator: Any
    rows: Blocks
    weight: np.ndarray | None
    k: int | None  # None: all axes are needed
    random: np.random.Generator


def completed(axes: Axes, k: int) -> Axes:
    """The same k axes whatever solver found them, those without variance included.

    Where the data have no variance an axis is whatever rounding made of it, or not there at all
    (weights may count few rows as many). Unit vectors, made orthogonal in order, take its place.
    """
    known = axes.scatter > axes.rounding * axes.scatter.max(initial=0.0)
    V = axes.W[:, known][:, :k].astype(np.float64)
    lacking = k - V.shape[1]
    if lacking == 0:
        return axes
    scatter = np.concatenate([axes.scatter[known][:k], np.zeros(lacking)])
    return axes._replace(W=with_unit_vectors(V, lacking), scatter=scatter)


def with_unit_vectors(V: np.ndarray, count: int) -> np.ndarray:
    """Orthonormal columns V and `count` more: the first unit vectors that point away from them."""
    basis = np.hstack([V, np.zeros((len(V), count))])
    outside = 1.0 - np.sum(V**2, axis=1)  # squared length of each unit vector's part outside
    for j in range(V.shape[1], basis.shape[1]):
        f = int(np.argmax(outside >= outside.max() / 2))
        v = -basis @ basis[f]
        v[f] += 1.0
        v -= basis @ (basis.T @ v)
        basis[:, j] = v / np.linalg.norm(v)
        outside -= basis[:, j] ** 2
    return basis


def top_of(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues of S, decreasing and not negative, and their vectors."""
    d = len(S)
    if k == 0:
        return np.zeros(0), np.zeros((d, 0))
    few = k < 0.3 * d
    values, vectors = scipy.linalg.eigh(
        S,
        subset_by_index=(d - k, d - 1) if few else None,
        driver="evr" if few else "evd",
        overwrite_a=False,
        check_finite=False,
    )
    return np.maximum(values[::-1][:k], 0.0), vectors[:, ::-1][:, :k]


def rounding_of(dtype: np.dtype) -> float:
    return 30.0 * float(np.finfo(dtype).eps)


def require_finite(sums: Any) -> None:
    if not np.isfinite(sums).all():
        raise NotFiniteError


def largest_turn(W: np.ndarray, W_new: np.ndarray) -> float:
    """How far the farthest column of unit length has moved, up to its sign."""
    same, opposite = (np.linalg.norm(W_new - sign * W, axis=0) for sign in (1.0, -1.0))
    return float(np.minimum(same, opposite).max(initial=0.0))
