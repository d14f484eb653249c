"""Principal axes from products with S: any size, few passes.

randomized        S R, S S R, ... for a random R                   few passes
krylov            the same, keeping all of R, S R, S S R, ...      fewest passes
power             S v, one axis after the other                    the lecture's power method
em                S W, by Ahn and Oh's constrained EM
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.loop import iterate
from lowdim.linalg.eigen import (
    Lanczos,
    Product,
    gain_ahead,
    lanczos_result,
    lanczos_start,
    lanczos_step,
    power_deflation,
    residuals_below,
)
from lowdim.linalg.products import orthonormal
from lowdim.linear.pca.axes import (
    COLUMNS_FOR_COVARIANCE,
    Axes,
    AxesProblem,
    largest_turn,
    top_of,
)
from lowdim.linear.pca.exact import covariance_eigh
from lowdim.linear.pca.scatter import (
    Scatter,
    axes_of,
    ritz_axes,
    ritz_axes_of_two,
    scatter_operator,
)

LANES = 8  # vectors that a product with sparse rows takes in the time of half as many
NEGLIGIBLE = 1e-13  # a square beside the largest, or beside the sum of all: rounding


def krylov(problem: AxesProblem) -> Axes:
    """Block Lanczos on S: of all methods with as many passes, the one that knows most."""
    rows = problem.rows
    k = problem.k or min(rows.shape)
    width = krylov_block_size(k, in_memory=rows.in_memory is not None)
    if rows.is_sparse:
        width = max(width, LANES)
    if rows.n_columns <= max(krylov_basis_size(k, width), 2 * k):  # no larger than the basis
        return covariance_eigh(problem._replace(k=k))
    S = scatter_operator(problem, form=False)
    if S.factors is not None and rows.shape[0] < rows.n_columns:
        return axes_from_gram(problem, S, S.factors, k, width)
    return lanczos_axes(problem.estimator, S, k, width, problem.random)


def axes_from_gram(
    problem: AxesProblem, S: Scatter, factors: tuple[Product, Product], k: int, width: int
) -> Axes:
    """The k best axes of S = B'B as B'U, for the best eigenvectors U of B B', which is smaller."""
    estimator, n = problem.estimator, problem.rows.shape[0]
    times, back = factors
    gram = S._replace(dim=n, times=lambda U: times(back(U)))
    if n <= max(krylov_basis_size(k, width), 2 * k):
        values, U = top_of(gram.times(np.eye(n, dtype=S.dtype)), k)
    else:
        state = lanczos_search(estimator, gram, k, width, problem.random)
        found = lanczos_result(state, k, estimator.converged_)
        values, U = found.values, found.vectors
    return axes_of(S, orthonormal(back(U)), values)


def lanczos_axes(
    estimator: Any, S: Scatter, k: int, width: int, random: np.random.Generator
) -> Axes:
    """The k best axes of S by block Lanczos, blocks of `width` vectors."""
    state = lanczos_search(estimator, S, k, width, random)
    found = lanczos_result(state, k, estimator.converged_)
    return axes_of(S, found.vectors, found.values)


def lanczos_search(
    estimator: Any,
    S: Scatter,
    k: int,
    width: int,
    random: np.random.Generator,
    first: np.ndarray | None = None,
) -> Lanczos:
    """What block Lanczos has found when it is as accurate as asked; `first` begins it."""
    start = lanczos_start(S.dim, width, random, start=first, dtype=S.dtype)
    basis_size = krylov_basis_size(k, width)
    # residuals enter the captured variance squared, so 1e-6 leaves 1e-12 of it; where variances lie
    # close together and axes hardly matter, 1e-9 of it is enough
    tol = estimator.tol or (1e-4 if S.dtype == np.float32 else 1e-6)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=tol)
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
    return loop.params


def krylov_basis_size(k: int, width: int) -> int:
    """Vectors in memory before a restart."""
    return k + max(8 * width, 2 * k + 20)


def krylov_block_size(k: int, in_memory: bool) -> int:
    """Vectors multiplied in a pass: few need the least work, many the fewest passes over files."""
    if in_memory:
        return max(4, k // 4)
    return max(8, k) if k <= 32 else max(32, (k + 1) // 2)


def randomized(problem: AxesProblem) -> Axes:
    """Power iterations on a random subspace (Halko, Martinsson and Tropp 2011, algorithm 4.4)."""
    S = scatter_operator(problem, form=False)
    estimator, n = problem.estimator, problem.rows.shape[0]
    k = problem.k or min(S.dim, n)
    n_power = estimator.iterated_power
    if n_power == "auto":  # as scikit-learn: fewer iterations where many components are kept
        n_power = 7 if k < 0.1 * min(S.dim, n) else 4
    return power_axes(estimator, S, k, n_power, problem.random)


def power_axes(
    estimator: Any, S: Scatter, k: int, n_power: int, random: np.random.Generator
) -> Axes:
    """The k best axes of S in what power iterations made of random directions."""
    size = min(k + estimator.n_oversamples, S.dim)
    normalizer = estimator.power_iteration_normalizer
    normalize = NORMALIZERS["QR" if normalizer == "auto" else normalizer]
    # S = A'A: each product with S is a whole power iteration; the first one is needed in any case
    Q = before = product = random.normal(size=(S.dim, size))
    for _ in range(max(n_power, 1)):
        before, product = Q, S.times(Q)
        Q = normalize(product)
    Q, _ = scipy.linalg.qr(Q, mode="economic", check_finite=False)
    return ritz_axes_of_two(S, before, product, Q, k)


def power(problem: AxesProblem) -> Axes:
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
    return ritz_axes(S, found.vectors, k)


class EMParams(NamedTuple):
    W: np.ndarray  # (d, k)


def em(problem: AxesProblem) -> Axes:
    """Ahn and Oh's constrained EM (2003): codes and axes are triangular in each other, so that W
    converges to the axes themselves and not to some basis of their span.

        E: Z = X W upper(W'W)^-1        M: W = X'Z upper(Z'Z)^-1,  columns scaled to length 1
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
        W_new = constrained_step(W, SW)
        residual = S.total - _scatter_within(W, SW)
        loop.record(residual / max(S.total, np.finfo(float).tiny), change=largest_turn(W, W_new))
        loop.params = EMParams(W_new)
    Q, _ = scipy.linalg.qr(loop.params.W, mode="economic")
    return ritz_axes(S, Q, k)


def _scatter_within(W: np.ndarray, SW: np.ndarray) -> float:
    """Of the scatter S the part in the span of W; columns of W may be in each other's span."""
    inverse = np.linalg.pinv(W.T @ W, rcond=NEGLIGIBLE, hermitian=True)
    return float(np.sum(inverse * (W.T @ SW)))


def constrained_step(W: np.ndarray, SW: np.ndarray) -> np.ndarray:
    """The axes (d, k) after one step of constrained EM, given their product with the scatter.

    The first axis sees nothing of the others, the second only the first, and so on: the first moves
    as in the power method, the others as if those before them had been taken out.
    """
    T = np.linalg.inv(np.triu(W.T @ W))  # Z = X W T
    sum_zz = T.T @ (W.T @ SW) @ T
    floor = NEGLIGIBLE * max(np.trace(sum_zz), np.finfo(float).tiny)
    beyond = np.diag(sum_zz) <= floor  # the rank of the data: those before have left nothing
    upper = np.triu(sum_zz) + np.diag(np.where(beyond, floor, 0.0))
    W_new = scipy.linalg.solve_triangular(upper, (SW @ T).T, trans="T").T
    W_new /= np.maximum(np.linalg.norm(W_new, axis=0), np.finfo(float).tiny)
    return np.where(beyond | ~np.isfinite(W_new).all(axis=0), W, W_new)


NORMALIZERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "QR": lambda Q: scipy.linalg.qr(Q, mode="economic", check_finite=False)[0],
    "LU": lambda Q: scipy.linalg.lu(Q, permute_l=True, check_finite=False)[0],
    "none": lambda Q: Q,
}
