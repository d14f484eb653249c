"""PCA one block of rows after another: what `PCA.partial_fit` knows between blocks.

moments   sum x, sum xx' about a pilot mean: exact, d^2 memory       (up to 4000 columns)
sketch    the axes so far, decomposed anew with each block's rows    (more columns)
Oja       axes that follow each batch by a step                      (svd_solver='oja')
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.blocks import add, blend
from lowdim.core.shapes import Either
from lowdim.linalg.moments import Frame, Moments, frame_of, moments
from lowdim.linear.pca.axes import COLUMNS_FOR_COVARIANCE, Axes, AxesProblem, rounding_of, top_of
from lowdim.linear.pca.oja import OjaParams, gain, oja_step

SPARE_AXES = 10  # a sketch keeps a few axes more than asked for: what it drops, it drops for good


class LearnedMoments(NamedTuple):
    frame: Frame
    sums: Moments


class LearnedSketch(NamedTuple):
    weight: float
    mean: np.ndarray  # (d,)
    axes: np.ndarray  # (k, d)  each axis times its singular value
    total: float  # sum w ||x - mean||^2


class LearnedOja(NamedTuple):
    weight: float
    mean: np.ndarray  # (d,)
    total: float  # variance in all directions
    params: OjaParams


Learned = LearnedMoments | LearnedSketch | LearnedOja
SHAPES = Either(
    (
        {
            "frame": {"pilot": ("d",), "unit": ()},
            "sums": {"weight": (), "sum_x": ("d",), "sum_xx": ("d", "d")},
        },
        {"weight": (), "mean": ("d",), "axes": ("sketched", "d"), "total": ()},
        {
            "weight": (),
            "mean": ("d",),
            "total": (),
            "params": {"W": ("d", "k"), "variance": ("k",), "t": ()},
        },
    )
)


def learn(learned: Learned | None, problem: AxesProblem) -> Learned:
    """What is known after these rows, too."""
    if problem.estimator.svd_solver == "oja" and problem.k != 0:
        return _learn_oja(learned, problem)  # type: ignore[arg-type]
    if problem.rows.n_columns <= COLUMNS_FOR_COVARIANCE or problem.k is None:
        return _learn_moments(learned, problem)  # type: ignore[arg-type]
    return _learn_sketch(learned, problem)  # type: ignore[arg-type]


def axes(learned: Learned, k: int | None, dtype: np.dtype) -> Axes:
    """The axes that follow from what is known."""
    if isinstance(learned, LearnedMoments):
        frame, sums = learned
        shift = sums.sum_x / sums.weight
        scatter = sums.sum_xx - sums.weight * np.outer(shift, shift)
        values, W = top_of(scatter, len(scatter) if k is None else k)
        mean, total = frame.pilot + shift * frame.unit, float(np.trace(scatter))
        rounding = rounding_of(dtype)
        return Axes(sums.weight, mean, W, values, total, frame.unit, dtype, rounding)
    if isinstance(learned, LearnedSketch):
        length = np.linalg.norm(learned.axes, axis=1)[:k]
        W = (learned.axes[:k] / np.where(length > 0, length, 1.0)[:, None]).T
        return Axes(learned.weight, learned.mean, W, length**2, learned.total, 1.0, dtype, 0.0)
    (W, variance, _), n = learned.params, learned.weight
    order = np.argsort(-variance, kind="stable")
    total = max(learned.total, float(variance.sum()))
    scale = max(n - 1.0, 1.0)
    return Axes(
        n, learned.mean, W[:, order], variance[order] * scale, total * scale, 1.0, dtype, 0.0
    )


def _learn_moments(learned: LearnedMoments | None, problem: AxesProblem) -> LearnedMoments:
    frame = frame_of(problem.rows) if learned is None else learned.frame
    new = problem.rows.fold(moments, frame, along=(problem.weight,))
    return LearnedMoments(frame, new if learned is None else add(learned.sums, new))


def _learn_sketch(learned: LearnedSketch | None, problem: AxesProblem) -> LearnedSketch:
    """SVD of (axes so far; new rows; the step of the mean) for each batch (Ross et al. 2008)."""
    assert problem.k is not None
    keep = problem.k + SPARE_AXES
    for X, w in problem.rows.batches(4 * keep, along=(problem.weight,)):
        D = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
        w = np.ones(len(D)) if w is None else w
        weight, mean = float(w.sum()), w @ D / max(w.sum(), np.finfo(float).tiny)
        if weight == 0.0:
            continue
        D = (D - mean) * np.sqrt(w)[:, None]
        total = float(np.sum(D**2))
        if learned is not None:
            both = learned.weight + weight
            step = np.sqrt(learned.weight * weight / both) * (mean - learned.mean)
            D = np.vstack([learned.axes, D, step])
            total += learned.total + float(step @ step)
            mean = learned.mean + weight / both * (mean - learned.mean)
            weight = both
        _, s, Vt = scipy.linalg.svd(D, full_matrices=False)
        learned = LearnedSketch(weight, mean, s[:keep, None] * Vt[:keep], total)
    assert learned is not None
    return learned


def _learn_oja(learned: LearnedOja | None, problem: AxesProblem) -> LearnedOja:
    estimator, d = problem.estimator, problem.rows.n_columns
    k = d if problem.k is None else problem.k
    if learned is None:
        W, _ = scipy.linalg.qr(problem.random.normal(size=(d, k)), mode="economic")
        learned = LearnedOja(0.0, np.zeros(d), 0.0, OjaParams(W, np.zeros(k), 0))
    for X, w in problem.rows.batches(estimator.batch_size, along=(problem.weight,)):
        X = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
        w = np.ones(len(X)) if w is None else w
        if not w.any():
            continue
        t = learned.params.t + 1
        rate = max(gain(estimator.learning_rate, t), 1.0 / t)  # the first batch is taken whole
        mean = blend(learned.mean, w @ X / w.sum(), rate)
        D = X - mean
        total = blend(learned.total, float(w @ np.sum(D**2, axis=1) / w.sum()), rate)
        params = oja_step(D, learned.params, gain(estimator.learning_rate, t), w)
        learned = LearnedOja(learned.weight + float(w.sum()), mean, total, params)
    return learned
