"""Where the search for vectors begins: the best low rank for log p(w, v) / p(w) p(v) of seen pairs.

    A_wv = (N_w N_v)^1/2 (log N_wv / (N_w N_v) + a_v)  of the pairs that were seen, else 0
    A = U S V',    W = U S^1/2 / N_w^1/2,    C = V S^1/2 / N_v^1/2

a_v is what a bias would say, where the model has none. From random vectors a search may end in a
poor minimum (8 of 24 did on the four words of the tests), and its first passes gain less.
Some noise is added, so that every direction can grow.

Cost: five passes with two products of N each (`linalg/subspace.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, is_dask
from lowdim.linalg.sparse import row_numbers, with_values
from lowdim.linalg.subspace import leading_directions
from lowdim.text.embeddings.skip_gram.losses import log_or_0

ROUNDING = 1e-10  # a square below this part of the largest is 0
NOISE = 0.01


class Margins(NamedTuple):
    """Sums of the shares of all pairs."""

    by_row: np.ndarray  # (n,)
    by_column: np.ndarray  # (v,)


def margins_of(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the columns of a block of counts, and of its rows."""
    X = sp.csr_array(X)
    by_row = np.bincount(row_numbers(X), X.data, X.shape[0])
    return np.bincount(X.indices, X.data, X.shape[1]), by_row


def spectral_vectors(
    rows: Blocks,
    margins: Margins,
    offset: np.ndarray,
    d: int,
    random: np.random.Generator,
    *,
    tied: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """First vectors of the words (n, d) and of the contexts (v, d); tied: the same of both.

    `rows` are shares; `offset` is a.
    """
    by_row, by_column = margins
    v, along = len(by_column), (by_row,)

    def gram(Q: np.ndarray) -> np.ndarray:
        return rows.fold(gram_times, Q, by_column, offset, along=along)

    squares, V = leading_directions(gram, v, d, random)
    kept = squares > ROUNDING * max(squares[0], 0.0)
    squares, V = squares[kept], V[:, kept]
    roots = squares**0.25
    AV = rows.map(times, V, by_column, offset, along=along)
    AV = np.asarray(AV.compute() if is_dask(AV) else AV, dtype=np.float64)
    if tied:  # A = V diag(l) V' nearly: what is negative has no x_w.x_v
        roots = np.where(np.einsum("ij,ij->j", V, AV) > 0, roots, 0.0)
    C = _with_noise(roots * V * _inverse_root(by_column)[:, None], d, random)
    if tied:
        return C, C
    return _with_noise(AV / roots * _inverse_root(by_row)[:, None], d, random), C


def gram_times(
    N: Any, Q: np.ndarray, by_column: np.ndarray, offset: np.ndarray, by_row: np.ndarray
) -> np.ndarray:
    """What one block adds to A'A Q."""
    A = relations(N, by_row, by_column, offset)
    return A.T @ (A @ Q)


def times(
    N: Any, Q: np.ndarray, by_column: np.ndarray, offset: np.ndarray, by_row: np.ndarray
) -> np.ndarray:
    """A Q of one block."""
    return relations(N, by_row, by_column, offset) @ Q


def relations(
    N: sp.csr_array, by_row: np.ndarray, by_column: np.ndarray, offset: np.ndarray
) -> sp.csr_array:
    """A of one block."""
    share = by_row[row_numbers(N)] * by_column[N.indices]
    ratio = np.divide(N.data, share, out=np.zeros(N.nnz), where=share > 0)
    return with_values(N, np.sqrt(share) * (log_or_0(ratio) + offset[N.indices]))


def _inverse_root(shares: np.ndarray) -> np.ndarray:
    return np.divide(1.0, np.sqrt(shares), out=np.zeros_like(shares), where=shares > 0)


def _with_noise(vectors: np.ndarray, d: int, random: np.random.Generator) -> np.ndarray:
    noisy = NOISE * random.normal(size=(len(vectors), d))
    noisy[:, : vectors.shape[1]] += vectors
    return noisy
