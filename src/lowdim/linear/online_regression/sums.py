"""Least squares from sums over rows, of which older ones may count less.

    sum w x x',  sum w x y,  sum w y y'       about a pilot, in float64

Rows add to the sums, block by block; the coefficients follow from them at any time. With
forgetting < 1 the sums so far shrink by it with each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.linalg.moments import Frame, Moments, moments

ROUNDING = 1e-12  # of entries of unit vectors


class LearnedSums(NamedTuple):
    x: Frame
    y: Frame
    sums: Moments  # of (x, y) side by side, in deviations from the frames
    t: int


def nothing_summed(x: Frame, y: Frame) -> LearnedSums:
    """What is known before the first row."""
    size = len(x.pilot) + len(y.pilot)
    return LearnedSums(x, y, Moments(0.0, np.zeros(size), np.zeros((size, size))), 0)


def more_rows(
    learned: LearnedSums, rows: Blocks, Y: np.ndarray, weight: np.ndarray | None, forgetting: float
) -> LearnedSums:
    """What is known after these rows, too."""
    n = len(Y) if weight is None else int(np.count_nonzero(weight))
    old = learned.sums
    if forgetting < 1.0:
        weight = np.ones(len(Y)) if weight is None else weight
        old = Moments(*(forgetting ** weight.sum() * part for part in old))
        weight = by_age(weight, forgetting)
    new = rows.fold(statistics, learned.x, learned.y, along=(Y, weight))
    sums = Moments(*(a + b for a, b in zip(old, new, strict=True)))
    return learned._replace(sums=sums, t=learned.t + n)


def by_age(weight: np.ndarray, forgetting: float) -> np.ndarray:
    """What rows of these weights count after the last of them; one of weight 2 is a row twice.

    sum over j < w of forgetting^(age + j) = forgetting^age (1 - forgetting^w) / (1 - forgetting)
    """
    age, log = weight.sum() - np.cumsum(weight), math.log(forgetting)
    return np.exp(age * log) * np.expm1(weight * log) / math.expm1(log)


@np.errstate(over="ignore", invalid="ignore")  # `solution` says what is no number
def statistics(X, x, y, Y, weight):
    """What one block adds up: weight, sum and second moments of (x, y) side by side."""
    # the products of x alone are `moments` of rows that are not copied, unless they lie far from 0
    D, E = (f.deviations(part.astype(np.float64, copy=False)) for f, part in ((x, X), (y, Y)))
    as_they_are, d = Frame(np.zeros(1), 1.0), D.shape[1]
    of_x, of_y = (moments(part, as_they_are, weight) for part in (D, E))
    sum_xx = np.empty((d + E.shape[1],) * 2)
    sum_xx[:d, :d], sum_xx[d:, d:] = of_x.sum_xx, of_y.sum_xx
    sum_xx[:d, d:] = D.T @ (E if weight is None else E * weight[:, None])
    sum_xx[d:, :d] = sum_xx[:d, d:].T
    return Moments(of_x.weight, np.concatenate([of_x.sum_x, of_y.sum_x]), sum_xx)


def solution(
    learned: LearnedSums, fit_intercept: bool, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """(coefficients (q, d), intercepts (q,)) that follow from the sums."""
    x, y, sums, _ = learned
    d = len(x.pilot)
    if not np.isfinite(sums.sum_xx).all():
        raise ValueError(
            "X or y has values so much larger than those of the first rows that their squares are "
            "no numbers; give all rows in the same units."
        )
    shift = sums.sum_x / sums.weight if fit_intercept else np.zeros_like(sums.sum_x)
    C = sums.sum_xx / sums.weight - np.outer(shift, shift)
    with np.errstate(over="ignore"):
        penalty = np.float64(alpha) / x.unit / x.unit
    if np.isfinite(penalty):
        A = C[:d, :d] + penalty * np.eye(d)
        coef = shortest_solution(A, C[:d, d:]).T * (y.unit / x.unit)
    else:  # beside it, rows so small count for nothing
        coef = np.zeros((len(y.pilot), d))
    center = x.pilot + x.unit * shift[:d]
    intercept = y.pilot + y.unit * shift[d:] - coef @ center
    return coef, intercept if fit_intercept else np.zeros_like(intercept)


def shortest_solution(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Of the solutions of A Z = B, A semidefinite with B in its range, that of least norm.

    Whether a direction counts is asked of A with a diagonal of 1: units of columns do not matter.
    """
    scale = np.sqrt(np.maximum(np.diag(A), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    values, V = scipy.linalg.eigh(A / scale / scale[:, None])
    used = values > 8 * max(len(A), 10) * np.finfo(np.float64).eps * values[-1]
    U = V[:, used]
    Z = (U @ ((U.T @ (B / scale[:, None])) / values[used, None])) / scale[:, None]
    if used.all():
        return Z
    N = V[:, ~used]
    N = np.where(np.abs(N) > ROUNDING, N, 0.0)  # in a small unit it would count
    ignored, _ = scipy.linalg.qr(N / scale[:, None] * scale.min(), mode="economic")
    return Z - ignored @ (ignored.T @ Z)


def mean_square(learned: LearnedSums, coef: np.ndarray, intercept: np.ndarray) -> float:
    """Mean over the rows that were added up of |y - w'x - b|^2, in units of y squared."""
    x, y, sums, _ = learned
    V = np.vstack([-coef.T * (x.unit / y.unit), np.eye(len(y.pilot))])  # (d + q, q)
    b = (intercept - y.pilot + coef @ x.pilot) / y.unit
    total = np.sum(V * (sums.sum_xx @ V)) - 2.0 * sums.sum_x @ V @ b + sums.weight * b @ b
    return max(float(total) / sums.weight, 0.0) * y.unit * y.unit


def first_rows(weight: np.ndarray | None, n: int, most: int | None) -> np.ndarray | None:
    """Weights of 0 for all but the first `most` rows that count."""
    if most is None:
        return weight
    weight = np.ones(n) if weight is None else weight
    return np.where(np.cumsum(weight > 0) <= most, weight, 0.0)


def pieces(
    rows: Blocks, Y: np.ndarray, weight: np.ndarray | None, size: int
) -> Iterator[tuple[Blocks, np.ndarray, np.ndarray | None]]:
    """(rows, y, weight) of `size` rows after the other, until no more rows count."""
    last = len(Y) if weight is None else int(np.flatnonzero(weight)[-1]) + 1
    done = 0
    for X, part, w in rows.batches(size, along=(Y, weight)):
        if done >= last:
            return
        done += len(part)
        yield ArrayBlocks(X), part, w
