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
    oja               Oja's rule, a batch of rows at a time
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.linear.pca.axes import COLUMNS_FOR_COVARIANCE, Axes, AxesProblem, completed
from lowdim.linear.pca.exact import arpack, covariance_eigh, full, gram, no_axes
from lowdim.linear.pca.iterative import em, krylov, power, randomized
from lowdim.linear.pca.oja import oja

SOLVERS: dict[str, Callable[[AxesProblem], Axes]] = {
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


def principal_axes(problem: AxesProblem, solver: str = "auto") -> Axes:
    """The leading axes by a solver; 'auto' is the one of least work."""
    k = problem.k
    if k == 0:
        return no_axes(problem)
    name = choose_solver(problem.rows, k) if solver == "auto" else solver
    axes = SOLVERS[name](problem)
    return axes if k is None else completed(axes, k)
