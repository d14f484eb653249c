"""What GloVe minimises: squared errors of log counts, weighted.

    H = sum_{n > 0} f(n) (log n - w.c - b_w - b_v)^2  +  penalty (|W|^2 + |C|^2)

    f(n) = min(1, (n / x_max)^alpha),     or 1 for every pair that was seen

Only pairs that were seen take part. With f = 1 it is the completion of the matrix log n.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, is_dask
from lowdim.linalg.entries import positive_entries, with_short_indices
from lowdim.linalg.sparse import product_at, with_values

PAIRS_AT_A_TIME = 2**20


class Pairs(NamedTuple):
    """The pairs that were seen, row by row."""

    logs: Any  # csr_array (n, v), float64
    weight: np.ndarray  # (pairs,)  f

    @property
    def total(self) -> float:
        """sum f."""
        return float(self.weight.sum())


class Vectors(NamedTuple):
    """What is learned; biases are 0 where there are none."""

    W: np.ndarray  # (n, d)
    C: np.ndarray  # (v, d)
    word_bias: np.ndarray  # (n,)
    bias: np.ndarray  # (v,)


def seen_pairs(rows: Blocks) -> sp.csr_array:
    """The positive counts of all rows, in memory."""
    found = rows.map(positive_entries)
    return found.compute() if is_dask(found) else found


def weighted_pairs(N: sp.csr_array, x_max: float, alpha: float, weighting: str) -> Pairs:
    """log n and f(n) of counts."""
    N = with_short_indices(N)
    logs = np.log(N.data)
    weight = np.ones(N.nnz)
    if weighting == "power":
        np.subtract(logs, np.log(x_max), out=weight)
        weight *= alpha
        np.exp(np.minimum(weight, 0.0, out=weight), out=weight)
    return Pairs(with_values(N, logs), weight)


def residuals(pairs: Pairs, at: Vectors) -> np.ndarray:
    """log n - w.c - b_w - b_v of each pair."""
    return pairs.logs.data - explained(pairs, at)


def explained(pairs: Pairs, at: Vectors) -> np.ndarray:
    """w.c + b_w + b_v of each pair."""
    n, v = pairs.logs.shape
    L = np.hstack([at.W, at.word_bias[:, None], np.ones((n, 1), at.W.dtype)])
    R = np.hstack([at.C, np.ones((v, 1), at.C.dtype), at.bias[:, None]])
    return product_at(pairs.logs, L, R)


def mean_square(pairs: Pairs, at: Vectors) -> float:
    """sum f r^2 / sum f."""
    found, squares = explained(pairs, at), 0.0
    for first in range(0, len(found), PAIRS_AT_A_TIME):  # there are many: none is stored twice
        some = slice(first, first + PAIRS_AT_A_TIME)
        r = pairs.logs.data[some] - found[some]
        squares += float(pairs.weight[some] @ (r * r))
    total = pairs.total
    return squares / total if total > 0 else 0.0


def penalised(pairs: Pairs, at: Vectors, penalty: float) -> float:
    """H / sum f."""
    squares = 0.0
    if penalty > 0:
        squares = sum(float(np.square(t, dtype=np.float64).sum()) for t in (at.W, at.C))
    return mean_square(pairs, at) + penalty * squares / (pairs.total or 1.0)
