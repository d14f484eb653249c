"""Oja's rule: the axes follow each batch of rows by a small step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.blocks import blend
from lowdim.core.gains import power_of
from lowdim.core.loop import iterate
from lowdim.linalg.moments import column_variances
from lowdim.linear.pca.axes import (
    COLUMNS_FOR_COVARIANCE,
    Axes,
    AxesProblem,
    largest_turn,
    require_finite,
)
from lowdim.linear.pca.scatter import ritz_axes, scatter_operator


class OjaParams(NamedTuple):
    W: np.ndarray  # (d, k)  the axes so far
    variance: np.ndarray  # (k,)    along them, as the last batches showed it
    t: int  #         batches seen


def oja(problem: AxesProblem) -> Axes:
    """Oja's rule: the axes follow each batch of rows by a small step.

    An iteration is a pass over the rows; the last one turns the axes by less than tol.
    """
    rows, w, estimator = problem.rows, problem.weight, problem.estimator
    weight, mean, columns, unit = column_variances(rows, w)
    require_finite(columns)
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
        for X, part in rows.batches(estimator.batch_size, along=(w,)):
            D = ((X.toarray() if sp.issparse(X) else X) - mean) / unit
            part = np.ones(len(D)) if part is None else part
            rate = gain(estimator.learning_rate, new.t + 1) * min(part.sum() / usual, 1.0)
            new = oja_step(D, new, rate, part)
            captured += float(part @ np.sum((D @ new.W) ** 2, axis=1))
        loop.record(
            1.0 - captured / max(variance * weight, np.finfo(float).tiny),
            change=largest_turn(params.W, new.W),
        )
        loop.params = new
    S = scatter_operator(problem, form=d <= COLUMNS_FOR_COVARIANCE)
    return ritz_axes(S, loop.params.W, k)


def gain(learning_rate: float | str, t: int) -> float:
    """Step of batch t: constant, or falling with t.

    t^-0.6 still moves axes of nearly equal variance apart, for which 1/t is too small too soon.
    """
    if isinstance(learning_rate, str):
        return (1.0 + t / 50.0) ** -power_of(learning_rate)
    return float(learning_rate)


def oja_step(D: np.ndarray, params: OjaParams, rate: float, weight: np.ndarray) -> OjaParams:
    """W + rate * (mean of x y') / (largest variance), made orthonormal in order; y = W'x.

    To first order in the rate this is Oja's rule for several axes (1992), w_j + rate y_j (x - y_j
    w_j - 2 sum_{i<j} y_i w_i); Sanger's has 1 in place of 2. Making W orthonormal exactly keeps it
    stable for any rate, and measuring the step in units of the largest variance makes the rate mean
    the same for any data.
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
