"""Stochastic gradient descent: a step for one batch of rows after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.blocks import Blocks, blend
from lowdim.core.loop import iterate
from lowdim.linalg.moments import column_variances, unit_for
from lowdim.linear.autoencoder.layers import POWER_STEPS, Learned, Weights, random_weights
from lowdim.linear.factor_model import dense
from lowdim.linear.pca.axes import AxesProblem
from lowdim.linear.pca.oja import gain

TINY = float(np.finfo(np.float64).tiny)


def fit_sgd(problem: AxesProblem) -> Learned:
    """A gradient step for each batch of rows; an iteration is a pass over all of them."""
    estimator, rows = problem.estimator, problem.rows
    assert problem.k is not None
    n, mean, columns, unit = column_variances(rows, problem.weight)
    variance = max(float(columns.sum()) / n, TINY)
    usual = n * min(estimator.batch_size / rows.shape[0], 1.0)  # the weight of a whole batch
    start = nothing_learned(rows, problem.k, problem.random)
    start = start._replace(weight=float(n), mean=mean, unit=unit)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for learned in loop:
        error = 0.0
        for X, part in rows.batches(estimator.batch_size, along=(problem.weight,)):
            w = np.ones(X.shape[0]) if part is None else part
            if w.any():
                D = (dense(X) - mean) / unit
                share = min(w.sum() / usual, 1.0)  # the last batch may be a small one
                learned, squares = sgd_step(
                    learned,
                    D,
                    w,
                    share * gain(estimator.learning_rate, learned.t + 1),
                    estimator.tied,
                )
                error += squares
        loop.record(error / (n * variance))
        loop.params = learned
    return loop.params


def sgd_step(
    learned: Learned, D: np.ndarray, weight: np.ndarray, rate: float, tied: bool
) -> tuple[Learned, float]:
    """What is known after one more batch of centred rows D, and sum w |x - V W x|^2 before.

    Steps are measured in 1 / curvature: that of J is at most the largest variance times
    |V|^2 + |W|^2. So the rate means the same for any data, and up to 1 it is stable.
    """
    V, W = learned.weights
    D = D.astype(np.float64, copy=False)
    w = (weight / weight.sum())[:, None]
    axis = learned.axis
    for _ in range(1 if learned.t else POWER_STEPS):
        product = D.T @ (w[:, 0] * (D @ axis))
        found = float(np.linalg.norm(product))
        axis = product / found if found > 0 else axis
    largest = blend(learned.largest, found, max(rate, 1.0 / (learned.t + 1)))

    Z = D @ W.T
    error = Z @ V.T - D
    squares = float(weight @ np.einsum("if,if->i", error, error))
    error *= w
    G_V, G_W = error.T @ Z, (error @ V).T @ D
    curvature = max(largest, found) * (np.linalg.norm(V, 2) ** 2 + np.linalg.norm(W, 2) ** 2)
    if tied:
        G_W, curvature = G_W + G_V.T, 2.0 * curvature
        G_V = G_W.T
    step = rate / curvature if curvature > 0 else 0.0
    weights = Weights(V - step * G_V, W - step * G_W)
    return learned._replace(weights=weights, axis=axis, largest=largest, t=learned.t + 1), squares


def nothing_learned(rows: Blocks, k: int, random: np.random.Generator) -> Learned:
    d = rows.n_columns
    first = next(rows.batches(1))[0]
    unit = unit_for(float(np.abs(dense(first)).max()), rows.dtype)
    weights = random_weights(d, k, random)
    axis = random.normal(size=d)
    return Learned(0.0, np.zeros(d), unit, weights, axis / np.linalg.norm(axis), 0.0, 0)


def learn_batch(
    learned: Learned, X: Any, weight: np.ndarray | None, learning_rate: float | str, tied: bool
) -> Learned:
    """What is known after one more batch of rows as they come: the mean moves, too."""
    X = dense(X).astype(np.float64)
    w = np.ones(len(X)) if weight is None else weight
    if not w.any():
        return learned
    seen = learned.weight + float(w.sum())
    rate = gain(learning_rate, learned.t + 1)
    follow = 0.0 if isinstance(learning_rate, str) else rate
    mean = blend(learned.mean, w @ X / w.sum(), min(max(w.sum() / seen, follow), 1.0))
    learned = learned._replace(weight=seen, mean=mean)
    return sgd_step(learned, (X - mean) / learned.unit, w, rate, tied)[0]
