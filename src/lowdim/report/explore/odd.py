"""Odd rows: those that a factor model finds unlikely, and the columns that make them so.

Under x ~ N(mean, C), C = W W' + noise I, the observed entries o of a row have

    m^2 = (x_o - mean_o)' C_oo^-1 (x_o - mean_o)  ~  chi^2 with as many degrees as entries,

so rows with different missing values can be compared by the chance of a larger m^2. What a column b
should be given the others follows from P = C_oo^-1:

    x_b - E[x_b | others] = P_bb^-1 (P (x_o - mean_o))_b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from lowdim.report.explore.preparing import Encoded
from lowdim.tables.codecs import CategoryCodec, Codec

LEAST_NOISE = 1e-6  # of the columns' variance: a model without noise finds every row impossible
MOST_ROWS = 10
MOST_REASONS = 3
BLOCK = 4096


class Reason(NamedTuple):
    """A column that makes a row odd."""

    column: str
    value: str
    expected: str
    deviations: float  # how many standard deviations the value is from what was expected


class OddRow(NamedTuple):
    row: int
    log10_chance: float  # of a row at least as unlikely, under the model
    reasons: list[Reason]


class Oddness(NamedTuple):
    """How odd rows are.

    Attributes
    ----------
    log10_chance : ndarray (n,)
        Of each row, the chance of one at least as unlikely.
    n_odd : int
        Rows with a chance below 1 in 20 n: that few are expected in one table of twenty.
    rows : list of OddRow
        The oddest, most odd first.
    """

    log10_chance: np.ndarray
    n_odd: int
    rows: list[OddRow]


def odd_rows(encoded: Encoded, mean: np.ndarray, W: np.ndarray, noise: float) -> Oddness:
    """The rows that the model finds least likely."""
    noise = max(noise, LEAST_NOISE * (float((W**2).sum()) / len(W) + noise))
    degrees = np.zeros(len(encoded.X), dtype=np.int64)
    for column in encoded.used:
        degrees += np.where(column.empty, 0, _degrees(column.codec))
    squares = squared_distances(encoded.X, mean, W, noise)
    chance = chi2.logsf(squares, np.maximum(degrees, 1)) / np.log(10)
    chance = np.where(degrees > 0, chance, 0.0)
    oddest = np.argsort(chance, kind="stable")[:MOST_ROWS]
    C = W @ W.T + noise * np.eye(len(W))
    rows = [
        OddRow(int(i), float(chance[i]), _reasons(encoded, int(i), mean, C))
        for i in oddest
        if degrees[i] > 0
    ]
    n_odd = int((chance < -np.log10(20 * len(chance))).sum())
    return Oddness(chance, n_odd, rows)


def _degrees(codec: Codec) -> int:
    """How many numbers of a column are free: the levels of a category add up to a constant."""
    all_levels = isinstance(codec, CategoryCodec) and codec.left_out < 0
    return codec.width - all_levels


def squared_distances(X: np.ndarray, mean: np.ndarray, W: np.ndarray, noise: float) -> np.ndarray:
    """m^2 of each row over its observed entries, (n,).

    By the Woodbury identity C_oo^-1 = (I - W_o (noise I + W_o'W_o)^-1 W_o') / noise.
    """
    d, k = W.shape
    outer = (W[:, :, None] * W[:, None, :]).reshape(d, k * k)
    squares = np.empty(len(X))
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        observed = ~np.isnan(block)
        residual = np.where(observed, block - mean, 0.0)
        M = noise * np.eye(k) + (observed @ outer).reshape(-1, k, k)
        b = residual @ W  # (n, k)
        solved = np.linalg.solve(M, b[:, :, None])[:, :, 0]
        total = (residual**2).sum(axis=1) - (b * solved).sum(axis=1)
        squares[start : start + BLOCK] = np.maximum(total, 0.0) / noise
    return squares


def _reasons(encoded: Encoded, row: int, mean: np.ndarray, C: np.ndarray) -> list[Reason]:
    x = encoded.X[row]
    observed = np.flatnonzero(~np.isnan(x))
    P = np.linalg.inv(C[np.ix_(observed, observed)])
    u = P @ (x - mean)[observed]
    found = []
    for column, span in zip(encoded.used, encoded.spans, strict=True):
        inside = np.flatnonzero((observed >= span.start) & (observed < span.stop))
        if len(inside) == 0:
            continue
        P_bb = P[np.ix_(inside, inside)]
        away = np.linalg.solve(P_bb, u[inside])  # x_b - E[x_b | others]
        square = max(float(away @ P_bb @ away), 0.0)
        deviations = float(np.sqrt(square / max(_degrees(column.codec), 1)))
        value, expected = column.show(row), column.show_decoded(x[span] - away)
        if value != expected:  # of a category that was expected, only its strength is odd
            found.append(Reason(column.name, value, expected, deviations))
    found.sort(key=lambda reason: -reason.deviations)
    return found[:MOST_REASONS]
