"""The vector and the bias of a new row of counts, with the contexts as they are.

    minimise over w, b     sum f(n) (log n - b_v - b - w.c)^2 + penalty |w|^2

A row without counts has the vector 0. Of vectors that explain a row alike, it is the shortest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove.alternation import RIDGE_OF_CODES, regressed
from lowdim.text.embeddings.glove.objective import (
    Pairs,
    Vectors,
    residuals,
    weighted_pairs,
)


class Coding(NamedTuple):
    """What new rows are coded with."""

    C: np.ndarray  # (v, d)  float64
    bias: np.ndarray  # (v,)
    weights: tuple[float, float, str]  # x_max, alpha, weighting
    penalty: float
    with_bias: bool


def encode(X: Any, coding: Coding, dtype: str) -> np.ndarray:
    """Vectors of the rows of a block of counts, (b, d)."""
    return _coded(X, coding)[1].W.astype(dtype)


def squares(X: Any, coding: Coding) -> np.ndarray:
    """(sum f r^2, sum f) of a block, at its best vectors."""
    pairs, at = _coded(X, coding)
    r = residuals(pairs, at)
    return np.array([pairs.weight @ (r * r), pairs.weight.sum()])


def _coded(X: Any, coding: Coding) -> tuple[Pairs, Vectors]:
    pairs = weighted_pairs(positive_entries(X), *coding.weights)
    on = (coding.C, coding.bias, coding.penalty, coding.with_bias)
    W, word_bias = regressed(pairs.logs, pairs.weight, *on, ridge=RIDGE_OF_CODES)
    return pairs, Vectors(W, coding.C, word_bias, coding.bias)
