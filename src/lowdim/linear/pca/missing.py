"""Principal axes of rows with missing values: those of probabilistic PCA, learned by EM."""

from __future__ import annotations

import numpy as np

from lowdim.linear.missing import fit_missing
from lowdim.linear.pca.axes import Axes, AxesProblem, completed


def axes_from_observed(problem: AxesProblem) -> Axes:
    """Axes of the probabilistic model, learned by EM from the observed entries."""
    rows, d = problem.rows, problem.rows.n_columns
    # d - 1 factors and isotropic noise give every covariance matrix there is
    k = d if problem.k is None else problem.k
    model = fit_missing(
        problem.estimator,
        rows,
        min(k, d - 1),
        isotropic=True,
        weight=problem.weight,
        max_iter=problem.estimator.max_iter,
        tol=problem.estimator.tol or 1e-7,
        random=problem.random,
    )
    V, s, _ = np.linalg.svd(model.W, full_matrices=k == d)
    noise = float(model.noise.mean())
    variance = np.full(min(k, V.shape[1]), noise)
    variance[: len(s)] += s**2
    n = rows.shape[0] if problem.weight is None else problem.weight.sum()
    axes = Axes(
        float(n),
        model.mean * model.unit,
        V[:, :k],
        variance * n,
        float(n * (np.sum(s**2) + d * noise)),
        model.unit,
        rows.dtype,
        0.0,
    )
    return axes if problem.k is None else completed(axes, problem.k)
