"""The ways to find principal axes; each returns the same `Axes`.

    minimise over orthonormal V, m     sum_i w_i ||x_i - m - V V'(x_i - m)||^2

m is the mean, and the columns of V are the top eigenvectors of the scatter S = sum w (x-m)(x-m)'.
The solvers differ in what they add up over the rows:

    covariance_eigh   S itself, in one pass                            d x d memory
    gram              X X' instead, for few rows and many columns      n x n memory
    full, arpack      LAPACK's and ARPACK's SVD of the centred matrix  in memory
    randomized        S R, S S R, ... for a random R                   few passes, any size
    krylov            the same, keeping all of R, S R, S S R, ...      fewest passes, any size
    power             S v, one axis after the other                    the lecture's power method
    em                S W, by Ahn and Oh's constrained EM
    oja               Sanger's rule, a batch of rows at a time
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from lowdim.core.blocks import ArrayBlocks, Blocks, blend
from lowdim.core.loop import iterate
from lowdim.core.threads import single_threaded_blas
from lowdim.linalg.eigen import (
    gain_ahead,
    lanczos_result,
    lanczos_start,
    lanczos_step,
    power_deflation,
    residuals_below,
)
from lowdim.linalg.moments import column_variances, covariance, frame_of
from lowdim.linalg.svd import centered


class NotFiniteError(ArithmeticError):
    """The sums over X are not finite, so X holds NaN or infinity: the caller says what follows."""


# Up to this many columns S is formed once (128 MB) and iterations need no further pass
COLUMNS_FOR_COVARIANCE = 4000


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


class Problem(NamedTuple):
    """What a solver is given."""

    estimator: Any
    rows: Blocks
    weight: np.ndarray | None
    k: int | None  # None: all axes are needed
    random: np.random.Generator


def choose_solver(rows: Blocks, k: int | None) -> str:
    """The solver of least work for these rows: by shape, sparsity and k."""
    d = rows.n_columns
    in_memory = rows.in_memory is not None
    n = rows.shape[0] if in_memory else np.inf
    few = k is not None and k < 0.2 * min(n, d)
    if rows.is_sparse:
        return "krylov" if few and d > 200 else "covariance_eigh"
    if not in_memory:
        return "covariance_eigh" if d <= COLUMNS_FOR_COVARIANCE or not few else "krylov"
    if max(n, d) <= 500:
        return "full"
    if n >= d and (d <= 1000 or not few):
        return "covariance_eigh" if n >= 2 * d else "full"
    if few:
        return "krylov"
    return "gram" if d >= 2 * n else "full"


# ---- exact, from a matrix of moments ---------------------------------------------------------


def covariance_eigh(problem: Problem) -> Axes:
    """Eigenvectors of S, added up in one pass."""
    weight, mean, scatter, unit = covariance(problem.rows, problem.weight)
    _require_finite(scatter)
    values, W = top_of(scatter, problem.k or len(scatter))
    dtype = problem.rows.dtype
    return Axes(weight, mean, W, values, float(np.trace(scatter)), unit, dtype, _rounding(dtype))


def gram(problem: Problem) -> Axes:
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
    W, _ = scipy.linalg.qr(W.astype(np.float64), mode="economic")
    rounding = _rounding(X.dtype)
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


# ---- exact, from the matrix itself -----------------------------------------------------------


def full(problem: Problem) -> Axes:
    """LAPACK's singular value decomposition of the centred matrix."""
    X, w, weight, mean, unit = _matrix(problem)
    D = X - mean
    D /= X.dtype.type(unit)
    if w is not None:
        D *= np.sqrt(w)[:, None].astype(D.dtype)
    _, s, Vt = scipy.linalg.svd(D, full_matrices=False, overwrite_a=True, check_finite=False)
    squares = s.astype(np.float64) ** 2
    k = min(problem.k or len(s), len(s))
    rounding = _rounding(X.dtype) ** 2  # of singular values, not of their squares
    total = float(squares.sum())
    return Axes(weight, mean, Vt[:k].T, squares[:k], total, unit, X.dtype, rounding)


def arpack(problem: Problem) -> Axes:
    """ARPACK's truncated SVD of the implicitly centred matrix."""
    weight, mean, columns, unit = column_variances(problem.rows, problem.weight)
    _require_finite(columns)
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
    rounding = _rounding(X.dtype)
    return Axes(weight, mean, W, scatter, float(columns.sum()), unit, X.dtype, rounding)


# ---- from products with S: any size, few passes ----------------------------------------------


class Scatter(NamedTuple):
    """S as something to multiply by: formed once if it is small, else added up in each product."""

    weight: float
    mean: np.ndarray
    total: float
    unit: float
    dim: int
    dtype: np.dtype
    times: Callable[[np.ndarray], np.ndarray]


def scatter_operator(problem: Problem, *, form: bool) -> Scatter:
    """S as an operator."""
    rows, w = problem.rows, problem.weight
    if form:
        weight, mean, S, unit = covariance(rows, w)
        _require_finite(S)
        total = float(np.trace(S))
        return Scatter(weight, mean, total, unit, rows.n_columns, rows.dtype, S.__matmul__)
    weight, mean, columns, unit = column_variances(rows, w)
    _require_finite(columns)
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


def krylov(problem: Problem) -> Axes:
    """Block Lanczos on S: of all methods with as many passes, the one that knows most."""
    rows, estimator = problem.rows, problem.estimator
    k = problem.k or min(rows.shape)
    width = krylov_block_size(k, in_memory=rows.in_memory is not None)
    basis_size = k + max(8 * width, 2 * k + 20)
    if rows.n_columns <= max(basis_size, 2 * k):  # S is no larger than the basis: form it
        return covariance_eigh(problem._replace(k=k))
    S = scatter_operator(problem, form=False)
    start = lanczos_start(S.dim, width, problem.random, dtype=rows.dtype)
    # residuals enter the captured variance squared, so 1e-6 leaves 1e-12 of it; where variances lie
    # close together and axes hardly matter, 1e-9 of it is enough
    tol = estimator.tol or (1e-4 if rows.dtype == np.float32 else 1e-6)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=tol)
    with (
        single_threaded_blas()
    ):  # beside the passes all is small: threads would wait for each other
        for state in loop:
            state = lanczos_step(state, S.times(state.block), k, basis_size)
            values = state.values[:k]
            captured = float(values.sum()) * state.unit
            missed = 1.0 - captured / S.total if S.total else 0.0
            shares = [1.0 - share for share in (*loop.history, missed)]
            accurate = len(values) >= k and (
                residuals_below(state, k, tol) or gain_ahead(shares) <= tol**1.5
            )
            worst = float((state.residuals[:k] / np.maximum(values, np.finfo(float).tiny)).max())
            loop.record(missed, change=0.0 if accurate else worst)
            loop.params = state
        found = lanczos_result(loop.params, k, loop.converged)
    return _axes(S, found.vectors, found.values)


def krylov_block_size(k: int, in_memory: bool) -> int:
    """Vectors multiplied in a pass: few need the least work, many the fewest passes over files."""
    if in_memory:
        return max(4, k // 4)
    return max(8, k) if k <= 32 else max(32, (k + 1) // 2)


def randomized(problem: Problem) -> Axes:
    """Power iterations on a random subspace (Halko, Martinsson and Tropp 2011, algorithm 4.4)."""
    S = scatter_operator(problem, form=False)
    estimator, n = problem.estimator, problem.rows.shape[0]
    k = problem.k or min(S.dim, n)
    size = min(k + estimator.n_oversamples, S.dim)
    n_power = estimator.iterated_power
    if n_power == "auto":  # as scikit-learn: fewer iterations where many components are kept
        n_power = 7 if k < 0.1 * min(S.dim, n) else 4
    normalizer = estimator.power_iteration_normalizer
    normalize = NORMALIZERS["QR" if normalizer == "auto" else normalizer]
    # S = A'A: each product with S is a whole power iteration
    Q = problem.random.normal(size=(S.dim, size))
    for _ in range(n_power):
        Q = normalize(S.times(Q))
    Q, _ = scipy.linalg.qr(Q, mode="economic", check_finite=False)
    return _ritz(S, Q, k)


def power(problem: Problem) -> Axes:
    """The power method, one axis after the other, each kept orthogonal to those before."""
    S = scatter_operator(problem, form=problem.rows.n_columns <= COLUMNS_FOR_COVARIANCE)
    estimator = problem.estimator
    k = problem.k or min(S.dim, problem.rows.shape[0])
    found = power_deflation(
        S.times,
        S.dim,
        k,
        tol=estimator.tol or 1e-9,
        max_iter=estimator.max_iter,
        random=problem.random,
    )
    return _ritz(S, found.vectors, k)


class EMParams(NamedTuple):
    W: np.ndarray  # (d, k)


def em(problem: Problem) -> Axes:
    """Ahn and Oh's constrained EM (2003): codes and axes are triangular in each other, so that W
    converges to the axes themselves and not to some basis of their span.

        E: Z = X W upper(W'W)^-1        M: W = X'Z lower(Z'Z)^-1,  columns scaled to length 1
    """
    S = scatter_operator(problem, form=problem.rows.n_columns <= COLUMNS_FOR_COVARIANCE)
    k = problem.k or min(S.dim, problem.rows.shape[0])
    W, _ = scipy.linalg.qr(problem.random.normal(size=(S.dim, k)), mode="economic")
    loop = iterate(
        problem.estimator,
        EMParams(W),
        max_iter=problem.estimator.max_iter,
        tol=problem.estimator.tol or 1e-8,
    )
    for (W,) in loop:
        SW = S.times(W)
        T = np.linalg.inv(np.triu(W.T @ W))  # Z = X W T
        sum_zz = T.T @ (W.T @ SW) @ T
        floor = np.finfo(float).eps * max(np.trace(sum_zz), np.finfo(float).tiny)
        lower = np.tril(sum_zz) + np.diag(np.where(np.diag(sum_zz) <= floor, floor, 0.0))
        W_new = scipy.linalg.solve_triangular(lower, (SW @ T).T, lower=True, trans="T").T
        W_new /= np.maximum(np.linalg.norm(W_new, axis=0), np.finfo(float).tiny)
        W_new = _completed(W_new, W)
        residual = S.total - float(np.trace(np.linalg.solve(W.T @ W, W.T @ SW)))
        loop.record(residual / max(S.total, np.finfo(float).tiny), change=_turn(W, W_new))
        loop.params = EMParams(W_new)
    Q, _ = scipy.linalg.qr(loop.params.W, mode="economic")
    return _ritz(S, Q, k)


# ---- online ----------------------------------------------------------------------------------


class OjaParams(NamedTuple):
    W: np.ndarray  # (d, k)  the axes so far
    variance: np.ndarray  # (k,)    along them, as the last batches showed it
    t: int  #         batches seen


def oja(problem: Problem) -> Axes:
    """Oja's and Sanger's rule: the axes follow each batch of rows by a small step.

    An iteration is a pass over the rows; the last one turns the axes by less than tol.
    """
    rows, w, estimator = problem.rows, problem.weight, problem.estimator
    weight, mean, columns, unit = column_variances(rows, w)
    _require_finite(columns)
    d, k = rows.n_columns, problem.k or min(rows.shape)
    W, _ = scipy.linalg.qr(problem.random.normal(size=(d, k)), mode="economic")
    variance = float(columns.sum()) / weight
    usual = weight * min(estimator.batch_size / rows.shape[0], 1.0)  # the weight of a whole batch
    loop = iterate(
        estimator,
        OjaParams(W, np.full(k, variance / d), 0),
        max_iter=estimator.max_iter,
        tol=estimator.tol or 1e-5,
    )
    for params in loop:
        new, captured = params, 0.0
        with single_threaded_blas():
            for X, part in rows.batches(estimator.batch_size, along=(w,)):
                D = ((X.toarray() if sp.issparse(X) else X) - mean) / unit
                part = np.ones(len(D)) if part is None else part
                rate = gain(estimator.learning_rate, new.t + 1) * min(part.sum() / usual, 1.0)
                new = oja_step(D, new, rate, part)
                captured += float(part @ np.sum((D @ new.W) ** 2, axis=1))
        loop.record(
            1.0 - captured / max(variance * weight, np.finfo(float).tiny),
            change=_turn(params.W, new.W),
        )
        loop.params = new
    S = scatter_operator(problem, form=d <= COLUMNS_FOR_COVARIANCE)
    return _ritz(S, loop.params.W, k)


def gain(learning_rate: float | str, t: int) -> float:
    """Step of batch t: constant, or decreasing.

    t^-0.6 meets Robbins and Monro's conditions (the steps add up to infinity, their squares do not)
    and still moves axes of nearly equal variance apart, for which 1/t is too small too soon.
    """
    return (1.0 + t / 50.0) ** -0.6 if learning_rate == "decreasing" else float(learning_rate)


def oja_step(D: np.ndarray, params: OjaParams, rate: float, weight: np.ndarray) -> OjaParams:
    """W + rate * (mean of x y') / (largest variance), made orthonormal in order; y = W'x.

    To first order in the rate this is Sanger's rule W + rate (x - W lower(y)) y'. Making W
    orthonormal exactly keeps it stable for any rate, and measuring the step in units of the largest
    variance makes the rate mean the same for any data.
    """
    W, variance, t = params
    total = weight.sum()
    if total == 0.0:
        return params
    Y = D @ W
    weighted = Y * (weight / total)[:, None]
    variance = blend(variance, np.einsum("ij,ij->j", Y, weighted), max(rate, 1.0 / (t + 1)))
    largest = float(variance.max(initial=0.0))
    if largest == 0.0:
        return OjaParams(W, variance, t + 1)
    W_new, R = scipy.linalg.qr(W + (rate / largest) * (D.T @ weighted), mode="economic")
    return OjaParams(W_new * np.where(np.diag(R) < 0, -1.0, 1.0), variance, t + 1)


SOLVERS: dict[str, Callable[[Problem], Axes]] = {
    "full": full,
    "covariance_eigh": covariance_eigh,
    "gram": gram,
    "arpack": arpack,
    "randomized": randomized,
    "krylov": krylov,
    "power": power,
    "em": em,
    "oja": oja,
}


# ---- helpers -----------------------------------------------------------------------------------


def top_of(S: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues of S, decreasing and not negative, and their vectors."""
    d = len(S)
    few = k < 0.3 * d
    values, vectors = scipy.linalg.eigh(
        S,
        subset_by_index=(d - k, d - 1) if few else None,
        driver="evr" if few else "evd",
        overwrite_a=False,
        check_finite=False,
    )
    return np.maximum(values[::-1][:k], 0.0), vectors[:, ::-1][:, :k]


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
    return axes._replace(W=_with_unit_vectors(V, lacking), scatter=scatter)


def _with_unit_vectors(V: np.ndarray, count: int) -> np.ndarray:
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


def _ritz(S: Scatter, Q: np.ndarray, k: int) -> Axes:
    """The best k axes within span(Q), for orthonormal Q."""
    values, rotation = top_of(Q.T @ S.times(Q), k)
    return _axes(S, Q @ rotation, values)


def _axes(S: Scatter, W: np.ndarray, values: np.ndarray) -> Axes:
    values, rounding = np.maximum(values, 0.0), _rounding(S.dtype)
    return Axes(S.weight, S.mean, W, values, S.total, S.unit, S.dtype, rounding)


def _rounding(dtype: np.dtype) -> float:
    return 30.0 * float(np.finfo(dtype).eps)


def _matrix(problem: Problem) -> tuple[np.ndarray, np.ndarray | None, float, np.ndarray, float]:
    """X, weights, their sum, mean and unit, for solvers that need the matrix in memory."""
    X, w = problem.rows.in_memory, problem.weight
    if X is None or sp.issparse(X):
        found = "in files or on a cluster" if X is None else "sparse"
        raise TypeError(
            f"svd_solver={problem.estimator.svd_solver!r} needs a dense X in memory, X is {found}; "
            "choose 'krylov' or 'covariance_eigh'."
        )
    weight, mean, columns, unit = column_variances(problem.rows, w)
    _require_finite(columns)
    return X, w, weight, mean.astype(X.dtype), unit


def _require_finite(sums: Any) -> None:
    if not np.isfinite(sums).all():
        raise NotFiniteError


def _completed(W: np.ndarray, old: np.ndarray) -> np.ndarray:
    """W, with columns that vanished (more components than the data's rank) left as they were."""
    lost = ~np.isfinite(W).all(axis=0) | (np.linalg.norm(W, axis=0) < 0.5)
    return np.where(lost, old, W)


def _turn(W: np.ndarray, W_new: np.ndarray) -> float:
    """How far the farthest column of unit length has moved, up to its sign."""
    same, opposite = (np.linalg.norm(W_new - sign * W, axis=0) for sign in (1.0, -1.0))
    return float(np.minimum(same, opposite).max(initial=0.0))


NORMALIZERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "QR": lambda Q: scipy.linalg.qr(Q, mode="economic", check_finite=False)[0],
    "LU": lambda Q: scipy.linalg.lu(Q, permute_l=True, check_finite=False)[0],
    "none": lambda Q: Q,
}
