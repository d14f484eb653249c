"""A vector for each text from those of its words.

mean    the mean of the vectors of its known words
sif     the mean weighted by a / (a + p(w)), which frequent words count less in, without the
        direction that the texts of the fit have in common (Arora et al. 2017)
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import sparse_times
from lowdim.text.tokens import Tokens

SMOOTH = 1e-3  # a
MOST_TEXTS = 10_000  # from which the common direction is learned


def word_weights(counts: np.ndarray, pooling: str) -> np.ndarray:
    """How much each word counts."""
    if pooling == "mean":
        return np.ones(len(counts))
    return SMOOTH / (SMOOTH + counts / max(counts.sum(), 1))


def pooled(tokens: Tokens, vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted mean of the words of each sentence; 0 for one without words."""
    counts = tokens.counts_by_sentence()
    n = np.maximum(np.diff(tokens.starts), 1)
    data = counts.data * weights[counts.indices] / np.repeat(n, np.diff(counts.indptr))
    shares = sp.csr_array(
        (data.astype(vectors.dtype), counts.indices, counts.indptr), shape=counts.shape
    )
    return np.asarray(sparse_times(shares, vectors))


def without_direction(Z: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Z without what it has of a direction of length 1."""
    return Z - np.outer(Z @ direction, direction)


def common_direction(tokens: Tokens, vectors: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The direction u of length 1 with the largest sum of (z.u)^2 over texts, pooled by 'sif'."""
    Z = pooled(some_sentences(tokens, MOST_TEXTS), vectors, word_weights(counts, "sif"))
    Z = Z.astype(np.float64)
    u = np.linalg.eigh(Z.T @ Z)[1][:, -1]
    return (u * np.sign(u[np.argmax(np.abs(u))])).astype(vectors.dtype)


def some_sentences(tokens: Tokens, most: int) -> Tokens:
    """At most so many sentences with words, evenly over the text."""
    lengths = np.diff(tokens.starts)
    chosen = np.flatnonzero(lengths)
    if len(chosen) > most:
        chosen = chosen[np.arange(most) * len(chosen) // most]
    starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
    first = np.repeat(tokens.starts[:-1][chosen] - starts[:-1], lengths[chosen])
    ids = tokens.ids[first + np.arange(starts[-1])]
    return Tokens(tokens.words, tokens.counts, ids, starts)
