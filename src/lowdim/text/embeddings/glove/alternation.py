"""Exact half-steps: all words given the contexts, all contexts given the words.

    fixed C, b_v:   each (w, b_w) is a weighted ridge regression of log n - b_v on (c, 1)
    fixed W, b_w:   each (c, b_v) likewise on (w, 1)

Neither can raise H. The ones beside vectors stay ones: a bias is a number of its regression, never
a factor that moves (notes that absorb biases into vectors must project). With f = 1 these are the
half-steps of `lowdim.ALS` on log n (`linalg/ridge.py`).

Cost of both for N pairs: O(N d^2 + (n + v) d^3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.completion.als.start import spectral_factors
from lowdim.linalg.ridge import Regression, solve_rows
from lowdim.linalg.sparse import by_column, product_at, sparse_times, with_values
from lowdim.text.embeddings.glove.objective import Pairs, Vectors, residuals

# Of the mean square of the other vectors, where pairs do not determine a vector: the larger, the
# less of it is rounding; the smaller, the less is taken away
RIDGE, RIDGE_OF_CODES = 1.5e-8, 1e-6
BACKFITTING = 5  # rounds in which the first biases are found


class Alternation(NamedTuple):
    """The pairs by row and by column."""

    by_row: Any  # csr_array (n, v)
    by_column: Any  # csr_array (v, n)
    row_weight: np.ndarray
    column_weight: np.ndarray
    penalty: float
    bias: bool

    def step(self, at: Vectors) -> Vectors:
        """Both half-steps."""
        W, word_bias = regressed(
            self.by_row, self.row_weight, at.C, at.bias, self.penalty, self.bias
        )
        C, bias = regressed(
            self.by_column, self.column_weight, W, word_bias, self.penalty, self.bias
        )
        return Vectors(W, C, word_bias, bias)


def both_sides(pairs: Pairs, penalty: float, bias: bool) -> Alternation:
    """The pairs of a fit, twice."""
    twin, weight = by_column(pairs.logs), by_column(with_values(pairs.logs, pairs.weight)).data
    return Alternation(pairs.logs, twin, pairs.weight, weight, penalty, bias)


def regressed(
    logs: Any,
    weight: np.ndarray,
    F: np.ndarray,
    offset: np.ndarray,
    penalty: float,
    bias: bool,
    ridge: float = RIDGE,
) -> tuple[np.ndarray, np.ndarray]:
    """The best vectors and biases of the rows of `logs`, given those of its columns.

    Of vectors that explain a row alike the shortest.
    """
    used, unit = np.flatnonzero(F.any(axis=0)), power_of_four(weight)
    m, d = len(F), len(used)
    size = float(np.sqrt(np.mean(F**2))) or 1.0  # in place of 1 beside F: digits are lost otherwise
    on = np.hstack([F[:, used], np.full((m, 1), size)]) if bias else F[:, used]
    prices = np.zeros(on.shape[1])
    prices[:d] = penalty / unit if penalty > 0 else ridge * size**2
    regression = Regression(np.ascontiguousarray(on), offset, prices, by_count=penalty == 0)
    Z = solve_rows(logs, regression, weight=weight / unit, with_loss=False).Z
    if penalty == 0:  # what the ridge has taken away, once more: it only chooses
        fit = product_at(logs, Z, regression.F)
        left = with_values(logs, logs.data - offset[logs.indices] - fit)
        regression = regression._replace(offset=np.zeros(m))
        Z += solve_rows(left, regression, weight=weight / unit, with_loss=False).Z
    W = np.zeros((len(Z), F.shape[1]))
    W[:, used] = Z[:, :d]
    return W, size * Z[:, d] if bias else np.zeros(len(Z))


def power_of_four(weight: np.ndarray) -> float:
    """About the largest weight: tiny ones are numbers then, and nothing is rounded by it.

    Roots of systems that are multiplied by a power of four are not, either: so the code of a row
    has the same bits whatever rows stand beside it.
    """
    largest = float(weight.max(initial=0.0))
    return float(4.0 ** np.floor(np.log2(largest) / 2.0)) if largest > 0 else 1.0


def first_vectors(pairs: Pairs, d: int, bias: bool, random: np.random.Generator) -> Vectors:
    """Vectors of the contexts by what biases leave of the pairs."""
    n, v = pairs.logs.shape
    none = np.zeros((n, d)), np.zeros((v, d))
    word_bias, context_bias = first_biases(pairs) if bias else (np.zeros(n), np.zeros(v))
    weight = pairs.weight / power_of_four(pairs.weight)
    left = residuals(pairs, Vectors(*none, word_bias, context_bias))
    Y = with_values(pairs.logs, weight * left)
    twin = by_column(Y)

    def gram_times(Q: np.ndarray) -> np.ndarray:
        return sparse_times(twin, sparse_times(Y, Q))

    C = spectral_factors(gram_times, n, v, d, float(weight.sum()) / (n * v), random)
    return Vectors(none[0], C, word_bias, context_bias)


def first_biases(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """Biases of words and of contexts that explain most of the log counts without vectors."""
    n, v = pairs.logs.shape
    F = with_values(pairs.logs, pairs.weight / power_of_four(pairs.weight))
    weighted = with_values(F, F.data * pairs.logs.data)
    by_word, by_context = weighted @ np.ones(v), weighted.T @ np.ones(n)
    of_word, of_context = F @ np.ones(v), F.T @ np.ones(n)
    del weighted  # there are many pairs
    context_bias = np.zeros(v)
    for _ in range(BACKFITTING):
        word_bias = _ratio(by_word - F @ context_bias, of_word)
        context_bias = _ratio(by_context - F.T @ word_bias, of_context)
    return word_bias, context_bias


def _ratio(total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted means; 0 where there is nothing."""
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
