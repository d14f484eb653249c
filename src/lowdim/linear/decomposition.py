"""The largest singular values of rows that are not centred, and their right vectors.

    X'X V        V (d, b): rows of any kind, added up block by block
    X (X'U)      U (n, b): where X is in memory and has fewer rows than columns

What is found is sharpened once: the codes X V of the axes (or X'U) have a small decomposition of
their own, whose singular values are those of X to full accuracy and whose rotation is put into V.
Small matrices are decomposed whole.

    V found  ->  X V = P diag(s) R'   ->  axes V R
    U found  ->  X'U = Q diag(s) R'   ->  axes Q,  codes U R diag(s)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from lowdim.core.blocks import Blocks
from lowdim.core.validation import check_at_most
from lowdim.linalg.eigen import combined, lanczos_result, straightening
from lowdim.linalg.moments import column_variances, unit_for
from lowdim.linalg.products import (
    ROWS_AT_A_TIME,
    dense_times,
    gram,
    orthonormal,
    thin_svd,
)
from lowdim.linalg.sparse import sparse_products, with_small_indices
from lowdim.linear.pca.axes import rounding_of, top_of, with_unit_vectors
from lowdim.linear.pca.iterative import (
    krylov_basis_size,
    krylov_block_size,
    lanczos_search,
    power_axes,
)
from lowdim.linear.pca.scatter import Scatter

SMALL = 500  # rows and columns of matrices that LAPACK decomposes before others have begun
LANES = 16  # numbers of a row of V that a product with sparse rows takes at a time
LITTLE_WORK = 2**27  # multiplications of sparse entries, for X X' or X'X of such a size
ENTRIES_FOR_SKETCH = 2**22  # below, a pass of the search costs no more than what begins it
SKETCHED = 8  # of so many rows, one
BLOCKS_KEPT = 12  # of vectors, with their products
ALGORITHMS = ("arpack", "krylov", "randomized")

# Where squares of singular values are below this part of the largest, rounding in B'B tilts axes
ILL_CONDITIONED = {"float64": 1e-5, "float32": 1e-2}


class Decomposition(NamedTuple):
    """The largest singular values of X / unit, and what else `TruncatedSVD` says of X."""

    components: np.ndarray  # (k, d)  orthonormal rows, the largest entry of each positive
    s: np.ndarray  # (k,)    decreasing
    variance: np.ndarray  # (k,)    of the codes
    total: float  # variance of all columns together
    weight: float  # rows
    mean: np.ndarray  # (d,)  of X itself
    unit: float
    dtype: np.dtype
    codes: np.ndarray | None = None  # (n, k)  X / unit V, where the search has found it, too


class Measured(NamedTuple):
    """Rows, and the unit in which their squares are numbers."""

    rows: Blocks
    weight: float
    mean: np.ndarray  # (d,)
    total: float  # variance of all columns, in units squared
    squares: float  # sum x^2, in units squared
    unit: float


class Axes(NamedTuple):
    """What was found, before it is made presentable."""

    components: np.ndarray  # (k, d)
    s: np.ndarray  # (k,)
    variance: np.ndarray  # (k,)
    rounding: float  # singular values below this part of the largest are rounding
    codes: np.ndarray | None = None  # (n, k)


def decomposition(
    estimator: Any, rows: Blocks, k: int, random: np.random.Generator, *, at_most: bool = False
) -> Decomposition:
    """The k largest singular values by the algorithm of an estimator.

    With at_most: as many as there are, if X has fewer rows than k.
    """
    estimator.history_, estimator.n_iter_, estimator.converged_ = np.array([]), 1, True
    rows_known = measured(rows)
    limit = min(int(rows_known.weight), rows.n_columns)
    if at_most:
        k = min(k, limit)
    k = check_at_most("n_components", k, limit, "that X allows, min(n_samples, n_features)")
    algorithm = estimator.algorithm
    if algorithm == "arpack" and at_most and k == limit:
        algorithm = "krylov"  # which takes all components, or decomposes X whole
    found = _found(estimator, algorithm, rows_known, k, random)
    components, s = completed(found.components, found.s, k, found.rounding)
    rank = np.count_nonzero(s)
    codes = None if rank < k else found.codes
    if codes is not None:
        codes *= _signs(components)
    variance = np.concatenate([found.variance[:rank], np.zeros(k - rank)])
    return Decomposition(
        turn(components),
        s,
        variance,
        rows_known.total,
        rows_known.weight,
        rows_known.mean,
        rows_known.unit,
        rows.dtype,
        codes,
    )


def measured(rows: Blocks) -> Measured:
    """Number, mean and squares of rows, in one pass."""
    weight, mean, columns, unit = column_variances(rows)
    spread = float(np.sqrt(columns.max(initial=0.0) / weight)) * unit
    larger = unit_for(max(spread, float(np.abs(mean).max(initial=0.0))), rows.dtype)
    about = mean / larger
    total = float(columns.sum()) * (unit / larger) ** 2
    return Measured(
        rows, weight, mean, total / weight, total + weight * float(about @ about), larger
    )


def _found(
    estimator: Any, algorithm: str, about: Measured, k: int, random: np.random.Generator
) -> Axes:
    X = about.rows.in_memory
    if algorithm == "arpack":
        return _by_arpack(estimator, about, k, random)
    n, d = int(about.weight), about.rows.n_columns
    width = krylov_block_size(k, in_memory=X is not None)
    if sp.issparse(X) and width > LANES:  # the last vectors are multiplied for nothing
        width = -(-width // LANES) * LANES
    size = min(n, d) if X is not None else d
    is_small = size <= max(krylov_basis_size(k, width), 2 * k)
    if X is not None and not sp.issparse(X) and (is_small or max(n, d) <= SMALL):
        return _whole(X, about, k)
    if is_small or (sp.issparse(X) and size <= SMALL and X.nnz * size <= LITTLE_WORK):
        return _by_second_moments(about, k)
    products = products_of(about)
    S = Scatter(
        about.weight, about.mean, about.squares, 1.0, size, about.rows.dtype, products.squared
    )
    if algorithm == "krylov":
        first = None if products.sketch is None else products.sketch(width, random)
        state = lanczos_search(estimator, S, k, width, random, first)
        if products.in_span is not None:
            return products.in_span(state.basis, state.rotation[:, :k])
        vectors, accurate = lanczos_result(state, k, True).vectors, True
    else:
        vectors, accurate = power_axes(estimator, S, k, estimator.n_iter, random).W, False
    return products.sharpened(vectors.astype(about.rows.dtype), accurate)


def _whole(X: np.ndarray, about: Measured, k: int) -> Axes:
    U, s, Vt = thin_svd(_in_unit(X, about.unit), k)
    s = s[:k].astype(np.float64)
    rounding = float(np.finfo(X.dtype).eps) * max(X.shape)
    return Axes(Vt, s, _variance(U * s), rounding)


def _by_arpack(estimator: Any, about: Measured, k: int, random: np.random.Generator) -> Axes:
    X = about.rows.in_memory
    if X is None:
        raise ValueError(
            "algorithm='arpack' needs X in memory; for streams and Dask choose 'krylov'."
        )
    if k >= min(X.shape):
        raise ValueError(
            f"n_components={k} must be less than {min(X.shape)}, the smaller side of X "
            f"(n_samples={X.shape[0]}, n_features={X.shape[1]}), with algorithm='arpack'; choose "
            "'krylov' for all components."
        )
    start = random.uniform(-1, 1, size=min(X.shape)).astype(X.dtype)
    U, s, Vt = svds(_in_unit(X, about.unit), k=k, tol=estimator.tol, v0=start)
    order = np.argsort(-s, kind="stable")
    s = s[order].astype(np.float64)
    rounding = float(np.sqrt(rounding_of(X.dtype)))
    return Axes(Vt[order], s, _variance(U[:, order] * s), rounding)


def _by_second_moments(about: Measured, k: int) -> Axes:
    """X'X in one pass, or X X' of few sparse rows, formed and decomposed."""
    X = about.rows.in_memory
    if X is not None and X.shape[0] < X.shape[1]:
        A = _in_unit(X, about.unit).astype(np.float64)
        S = (A @ A.T).toarray()
    else:
        S = about.rows.fold(_second_moments, about.unit)
    vectors = top_of(S, k)[1]
    return products_of(about).sharpened(vectors.astype(about.rows.dtype), True)


def _second_moments(X: Any, unit: float) -> np.ndarray:
    A = _in_unit(X, unit)
    if sp.issparse(A):
        A = A.astype(np.float64)
        return (A.T @ A).toarray()
    return A.T @ A


# ---- products ------------------------------------------------------------------------------------


class Products(NamedTuple):
    """X / unit as something to multiply by."""

    squared: Callable[[np.ndarray], np.ndarray]  # V -> X'X V, or U -> X X'U
    # vectors that were found, and whether they are accurate -> axes of X
    sharpened: Callable[[np.ndarray, bool], Axes]
    # the same of Q Z, for orthonormal blocks Q that were multiplied before
    in_span: Callable[[tuple[np.ndarray, ...], np.ndarray], Axes] | None = None
    # so many vectors near the best ones, from a part of the rows
    sketch: Callable[[int, np.random.Generator], np.ndarray] | None = None


def products_of(about: Measured) -> Products:
    """The products for rows of this kind: on their smaller side, if they are in memory."""
    X, unit = about.rows.in_memory, about.unit
    if X is None:
        return Products(*_of_blocks(about))
    if sp.issparse(X):
        A = with_small_indices(_in_unit(X, unit))
        times, back = sparse_products(A)
    else:
        A = _in_unit(X, unit)
        times, back = _dense_product(A), _dense_product(A.T)
    if X.shape[0] < X.shape[1]:

        def from_left(U: np.ndarray, accurate: bool) -> Axes:
            if accurate:  # X V = U diag(s), without a product
                return _from_left(back(U), U)
            V = _orthonormal(back(U))
            return _from_right(times(V), V)

        return Products(lambda U: times(back(U)), from_left)
    if not sp.issparse(X):
        return Products(_of_blocks(about)[0], lambda V, accurate: _from_right(times(V), V))
    halves = Halves(times)

    def in_span(basis: tuple[np.ndarray, ...], Z: np.ndarray) -> Axes:
        V, Y = halves.in_span(basis, Z)
        return _from_right(Y, V, straightening(V))

    sketch = partial(_sketch, A) if A.nnz >= ENTRIES_FOR_SKETCH else None
    return Products(
        lambda V: back(halves.times(V)),
        lambda V, accurate: _from_right(times(V), V),
        in_span,
        sketch,
    )


class Halves:
    """X V of orthonormal blocks V, kept: vectors in their span have codes without a product."""

    def __init__(self, times: Callable[[np.ndarray], np.ndarray]):
        self._times = times
        self._kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by id: (V, X V)

    def times(self, V: np.ndarray) -> np.ndarray:
        Y = self._times(V)
        if len(self._kept) == BLOCKS_KEPT:
            self._kept.clear()
        self._kept[id(V)] = V, Y
        return Y

    def in_span(
        self, basis: tuple[np.ndarray, ...], Z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """V = Q Z for the blocks Q, and X V; what is kept is given free."""
        V, kept = combined(basis, Z), self._kept
        self._kept = {}
        # whether there was a restart, not what is kept: a fit that was taken up again has less
        if len(basis) > BLOCKS_KEPT or any(Q.shape != basis[0].shape for Q in basis):
            return V, self._times(V)
        products = [kept.pop(id(Q))[1] if id(Q) in kept else self._times(Q) for Q in basis]
        return V, combined(products, Z)


def _sketch(A: sp.csr_array, width: int, random: np.random.Generator) -> np.ndarray:
    """Random vectors (d, width) after two products with B'B, for every eighth row B of A.

    It costs a quarter of a product with A'A, and saves one.
    """
    B = sp.csr_array(A[::SKETCHED])
    times, back = sparse_products(B)
    V = random.standard_normal((A.shape[1], width), dtype=A.dtype)
    return back(times(orthonormal(back(times(V)))))


def _dense_product(A: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    return lambda V: dense_times(A, V.astype(A.dtype, copy=False))


def _of_blocks(about: Measured) -> tuple[Callable, Callable]:
    """Rows that are not in memory: a pass for each product."""
    rows, unit = about.rows, about.unit

    def squared(V: np.ndarray) -> np.ndarray:
        return rows.fold(_squared_product, V.astype(rows.dtype, copy=False), unit).T

    def sharpened(V: np.ndarray, accurate: bool) -> Axes:
        codes = about.mean / unit @ V
        G, C = rows.fold(_code_moments, V, codes, unit)
        values, R = top_of(G, len(G))
        variance = np.einsum("ij,ik,kj->j", R, C, R) / about.weight
        components = dense_times(np.ascontiguousarray(R.T, dtype=V.dtype), V.T)
        rounding = float(np.sqrt(rounding_of(rows.dtype)))
        return Axes(components, np.sqrt(values), variance, rounding)

    return squared, sharpened


def _squared_product(X: Any, V: np.ndarray, unit: float) -> np.ndarray:
    """What one block adds to V'X'X, (b, d)."""
    A = _in_unit(X, unit)
    Y = A @ V
    return (A.T @ Y).T if sp.issparse(A) else Y.T @ A


class CodeMoments(NamedTuple):
    about_zero: np.ndarray  # (k, k)  sum z z'
    about_mean: np.ndarray  # (k, k)  sum (z - mean)(z - mean)'


def _code_moments(X: Any, V: np.ndarray, mean: np.ndarray, unit: float) -> CodeMoments:
    Z = (_in_unit(X, unit) @ V).astype(np.float64, copy=False)
    D = Z - mean
    return CodeMoments(Z.T @ Z, D.T @ D)


def _from_right(Y: np.ndarray, V: np.ndarray, M: np.ndarray | None = None) -> Axes:
    """Y = X V for orthonormal V (d, k); or for V whose V M are orthonormal."""
    M = np.eye(V.shape[1]) if M is None else M
    values, R = top_of(M.T @ gram(Y) @ M, Y.shape[1])
    if values[-1] <= ILL_CONDITIONED["float64"] * values[0]:
        U, s, Rt = thin_svd(dense_times(Y, M.astype(Y.dtype)), Y.shape[1])
        Z, T = U * s, M @ Rt.T
    else:  # nothing is divided by s
        s, T = np.sqrt(values), M @ R
        Z = dense_times(Y, T.astype(Y.dtype))
    components = dense_times(np.ascontiguousarray(T.T, dtype=V.dtype), V.T)
    return Axes(components, s.astype(np.float64), _variance(Z), _rounding(V), Z)


def _from_left(B: np.ndarray, U: np.ndarray) -> Axes:
    """B = X'U for orthonormal U (n, k): B is about as large as the result."""
    squares = _squares(B, ILL_CONDITIONED[B.dtype.name])
    if squares is None:
        Q, s, Rt = thin_svd(B, B.shape[1])
        components = Q.T
    else:
        s, Rt = np.sqrt(squares[0]), squares[1].T
        components = dense_times(np.ascontiguousarray(Rt / s[:, None], dtype=B.dtype), B.T)
    s = s.astype(np.float64)
    return Axes(components, s, _variance((U @ Rt.T.astype(U.dtype)) * s), _rounding(U))


def _orthonormal(B: np.ndarray) -> np.ndarray:
    """Orthonormal columns (d, k) that span those of B."""
    squares = _squares(B, ILL_CONDITIONED[B.dtype.name])
    if squares is None:
        return np.ascontiguousarray(thin_svd(B, B.shape[1]).U)
    values, R = squares
    return dense_times(B, np.ascontiguousarray(R / np.sqrt(values), dtype=B.dtype))


def _squares(B: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Eigenvalues and vectors of B'B; None where some are below `least` of the largest.

    They take a fifth of the time of an SVD of B, and have its digits only for the larger ones.
    """
    values, R = top_of(gram(B), B.shape[1])
    return None if values[-1] <= least * values[0] else (values, R)


def _rounding(V: np.ndarray) -> float:
    """Axes come from products with X'X, which know singular values by their squares."""
    return float(np.sqrt(rounding_of(V.dtype)))


def _variance(Z: np.ndarray) -> np.ndarray:
    """Of the columns, in float64; a run of rows at a time."""
    mean, squares = Z.mean(axis=0, dtype=np.float64), np.zeros(Z.shape[1])
    for first in range(0, len(Z), ROWS_AT_A_TIME):
        D = Z[first : first + ROWS_AT_A_TIME] - mean
        squares += np.einsum("ij,ij->j", D, D)
    return squares / len(Z)


def _in_unit(X: Any, unit: float) -> Any:
    return X if unit == 1.0 else X / X.dtype.type(unit)


# ---- what is shown -------------------------------------------------------------------------------


def completed(
    components: np.ndarray, s: np.ndarray, k: int, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """The same k components whatever found them, those beyond the rank included.

    Where singular values are rounding, so are the axes: unit vectors, made orthogonal in order,
    take their place.
    """
    known = s > rounding * s.max(initial=0.0)
    lacking = k - int(known.sum())
    if lacking == 0:
        return components, s
    V = with_unit_vectors(components[known].T.astype(np.float64), lacking)
    return V.T.astype(components.dtype), np.concatenate([s[known], np.zeros(lacking)])


def _signs(components: np.ndarray) -> np.ndarray:
    """What `turn` multiplies each row by."""
    largest = [row[np.abs(row).argmax()] for row in components]
    return np.where(np.array(largest) < 0, -1, 1).astype(components.dtype)


def turn(components: np.ndarray) -> np.ndarray:
    """Rows in C order, each turned so that its entry of largest size is positive; in place."""
    components = np.ascontiguousarray(components)
    if not components.flags.writeable or not components.flags.owndata:
        components = components.copy()
    for row in components:
        if row[np.abs(row).argmax()] < 0:
            row *= -1
    return components
