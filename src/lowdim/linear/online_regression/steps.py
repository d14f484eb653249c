"""A step of the coefficients for each row.

sgd        w += gain_t e x            e = y - w'x - b, before the step
nlms       w += gain_t e x / |x|^2
adagrad    w += eta0 e x / sqrt(sum of squared gradients so far + eps), entry by entry
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.kernel import kernel
from lowdim.linalg.moments import column_variances

WINDOW = 2**16  # rows that are shuffled together
WINDOW_BYTES = 2**28  # or so many bytes of them
EPS = 1e-8  # what adagrad adds to its sums
RULES = {"sgd": 0, "nlms": 1, "adagrad": 2}


class Scales(NamedTuple):
    """Steps are made for (x - center) / unit and (y - shift) / y_unit."""

    center: np.ndarray  # (d,)
    unit: float
    shift: np.ndarray  # (q,)
    y_unit: float


class LearnedSteps(NamedTuple):
    scales: Scales
    eta0: float
    coefs: np.ndarray  # (3, q, d)  the last ones, their mean over steps, squares of gradients
    biases: np.ndarray  # (3, q)
    t: int


class Pass(NamedTuple):
    learned: LearnedSteps
    seed: int
    errors: np.ndarray  # of all rows, after every m steps


class Window(NamedTuple):
    X: np.ndarray
    Y: np.ndarray
    weight: np.ndarray
    order: np.ndarray  # of the rows that count


def scales_of(rows: Blocks, Y: np.ndarray, weight: np.ndarray | None, centered: bool) -> Scales:
    """Where rows and targets are measured from, and root mean squares by column."""
    found: list[Any] = []
    for part in (rows, ArrayBlocks(Y)):
        n, mean, squares, power = column_variances(part, weight)
        square = float(squares.sum()) / n
        if not centered or square == 0.0:  # of one row, or of equal ones: their size
            square += float(np.sum((mean / power) ** 2))
        unit = power * math.sqrt(square / part.n_columns)
        found += [mean if centered else np.zeros_like(mean), unit if unit > 0 else 1.0]
    return Scales(np.asarray(found[0], np.float64), found[1], found[2], found[3])


def windows_of(
    rows: Blocks, Y: np.ndarray, weight: np.ndarray | None, key: Any
) -> Generator[Window, None, None]:
    """Rows in the order in which they are learned from: shuffled by the key, or as they come."""
    size = max(1, min(WINDOW, WINDOW_BYTES // (8 * rows.n_columns)))
    for number, (X, part, w) in enumerate(rows.batches(size, along=(Y, weight))):
        order = np.arange(len(part))
        if key is not None:
            order = np.random.default_rng([*key, number]).permutation(len(part))
        w = np.ones(len(part)) if w is None else w
        X, part, w = (np.require(a, np.float64, ["C", "W"]) for a in (X, part, w))
        yield Window(X, part, w, order if weight is None else order[w[order] > 0])


@kernel(any_order=True)
def step_by_row(
    X, Y, weight, order, center, by_unit, shift, by_y_unit, rule, eta0, power, alpha,
    with_bias, careful, average, t, z, W, W_mean, W_squares, b, b_mean, b_squares,
):  # fmt: skip
    """A step for each row; returns the sum of w e^2, e before the step."""
    d, loss = X.shape[1], 0.0
    for place in range(len(order)):
        i = order[place]
        w = weight[i]
        t += 1
        square = 1.0 if with_bias else 0.0
        for f in range(d):
            z[f] = (X[i, f] - center[f]) * by_unit
            square += z[f] * z[f]
        rate = eta0 * float(t) ** -power if power > 0.0 else eta0
        if rule == 1:
            rate = rate / square if square > 0.0 else 0.0
        rate *= w
        if careful and rule < 2 and rate * square > 1.0:
            rate = 1.0 / square
        for j in range(W.shape[0]):
            dot = b[j]
            for f in range(d):
                dot += W[j, f] * z[f]
            e = (Y[i, j] - shift[j]) * by_y_unit - dot
            loss += w * e * e
            if rule == 2:
                for f in range(d):
                    g = w * (alpha * W[j, f] - e * z[f])
                    W_squares[j, f] += g * g
                    W[j, f] -= eta0 * g / np.sqrt(W_squares[j, f] + EPS)
                if with_bias:
                    b_squares[j] += w * e * w * e
                    b[j] += eta0 * w * e / np.sqrt(b_squares[j] + EPS)
            else:
                step, kept = rate * e, 1.0 - rate * alpha
                for f in range(d):
                    W[j, f] = kept * W[j, f] + step * z[f]
                if with_bias:
                    b[j] += step
            if average:
                share = 1.0 / t
                for f in range(d):
                    W_mean[j, f] += share * (W[j, f] - W_mean[j, f])
                b_mean[j] += share * (b[j] - b_mean[j])
    return loss
