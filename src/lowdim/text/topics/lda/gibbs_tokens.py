"""Counts as tokens: one entry for each word in each document, cut into blocks of documents.

A block is a run of documents. Within a block tokens come word by word, and those of a word document
by document: what a sweep needs of a word is made once for all of them (`gibbs_kernels.py`). The cut
depends on the counts alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

MOST_BLOCKS = 16
LEAST_TOKENS = 2**15  # of a block,
# and on the average for each word, which costs O(k) in each block; 8 takes 10% more time
TOKENS_PER_WORD = 16
MOST_TOKENS = 2**31 - 1  # of a corpus


class Tokens(NamedTuple):
    """The tokens of a matrix of counts."""

    doc: np.ndarray  # (tokens,)          number of the document, int32
    ptr: np.ndarray  # (blocks, words+1)  where each word begins, int64
    cuts: np.ndarray  # (blocks+1,)       the first document of each block, and the end
    length: np.ndarray  # (n,)            tokens of each document

    @property
    def n_words(self) -> int:
        return self.ptr.shape[1] - 1

    def block(self, number: int) -> tuple[slice, slice]:
        """The documents of a block, and its tokens."""
        documents = slice(int(self.cuts[number]), int(self.cuts[number + 1]))
        return documents, slice(int(self.ptr[number, 0]), int(self.ptr[number, -1]))


def tokens_of(X: Any) -> Tokens:
    """The tokens of a csr_array of counts."""
    check_whole(X, "learning_method='gibbs'", "learning_method='map'")
    length = np.asarray(X.sum(axis=1, dtype=np.float64)).astype(np.int64)
    cuts = _cuts(length, X.shape[1])
    doc = np.empty(length.sum(), dtype=np.int32)
    ptr = np.empty((len(cuts) - 1, X.shape[1] + 1), dtype=np.int64)
    start = 0
    for block, (first, stop) in enumerate(pairwise(cuts)):
        columns = X[first:stop].tocsc()
        number = columns.data.astype(np.int64)
        part = np.repeat(columns.indices, number)
        before = np.concatenate([[0], np.cumsum(number)])
        ptr[block] = start + before[columns.indptr]
        np.add(part, first, out=doc[start : start + len(part)], casting="same_kind")
        start += len(part)
    return Tokens(doc, ptr, cuts, length)


def check_whole(X: Any, who: str, instead: str) -> None:
    """Raise if a csr_array has values that are no whole numbers, or counts too many words.

    `who` needs whole numbers, and `instead` does not.
    """
    with np.errstate(invalid="ignore"):
        total = float(X.data.sum(dtype=np.float64))
    if not 0 <= total <= MOST_TOKENS:
        raise ValueError(
            f"X counts {total:.3g} words; {who} keeps a topic for each and takes at most "
            f"2**31 - 1. Use {instead}."
        )
    broken = np.trunc(X.data) != X.data
    if broken.any():
        at = int(np.argmax(broken))
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        raise ValueError(
            f"X has {X.data[at]:.6g} in row {row}, column {X.indices[at]}; {who} needs whole "
            f"counts of words. Give counts, not weights such as tf-idf, or use {instead}."
        )


def _cuts(length: np.ndarray, n_words: int) -> np.ndarray:
    """Where blocks of documents begin and end: a power of two of them, with equally many tokens."""
    total = int(length.sum())
    room = total // max(LEAST_TOKENS, TOKENS_PER_WORD * n_words)
    room = max(room, 2 if total >= LEAST_TOKENS else 1)  # two threads gain more than words cost
    blocks = 1
    while 2 * blocks <= min(room, MOST_BLOCKS):
        blocks *= 2
    inner = np.searchsorted(np.cumsum(length), total * np.arange(1, blocks) / blocks) + 1
    return np.unique(np.concatenate([[0], np.minimum(inner, len(length)), [len(length)]]))


def pieces_of_words(tokens: Tokens, pieces: int = 16) -> Iterator[tuple[int, int]]:
    """Runs of words with equally many tokens, for threads that count."""
    before = (tokens.ptr - tokens.ptr[:, :1]).sum(axis=0) + 8 * np.arange(tokens.n_words + 1)
    inner = np.searchsorted(before, before[-1] * np.arange(1, pieces) / pieces)
    cuts = np.unique(np.concatenate([[0], inner, [tokens.n_words]]))
    return pairwise(cuts.tolist())
