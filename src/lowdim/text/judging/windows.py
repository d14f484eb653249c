"""In how many windows a word stands, and in how many two words together.

A window of w words begins at every place of a document from which it does not reach beyond its
end; a document of up to w words is one window. With windows numbered from first to last, a word at
place p is in those from p - w + 1 to p: what a word covers is a union of intervals, and two words
share the intersection. So the cost does not depend on w, and a word that stands in a window twice
counts once.

    A_i = union over places p of word i of [p - w + 1, p]
    count_i = |A_i|,   count_ij = |A_i and A_j|
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map


class WindowCounts(NamedTuple):
    """Whole numbers of windows."""

    total: int
    of_word: np.ndarray  # int64 (r,)
    of_pair: np.ndarray  # int64 (m,)  both words of a pair


class Pairs(NamedTuple):
    """Pairs of words by their numbers; the numbers of r words."""

    left: np.ndarray  # int64 (m,)
    right: np.ndarray  # int64 (m,)
    n_words: int


def in_texts(
    pieces: Iterable[tuple[np.ndarray, np.ndarray]], pairs: Pairs, window: int | None
) -> WindowCounts:
    """Count over documents that are numbers of words, some at a time.

    pieces : (ids, last): int32, -1 for other words; where each document ends
    window : words in a window; None: a document is one
    """
    total = 0
    of_word, of_pair = np.zeros(pairs.n_words, np.int64), np.zeros(len(pairs.left), np.int64)
    with closing(ordered_map(partial(_in_piece, pairs, window), pieces)) as counted:
        for found in counted:
            total += found.total
            of_word += found.of_word
            of_pair += found.of_pair
    return WindowCounts(total, of_word, of_pair)


def in_counts(counts: sp.csr_array, columns: np.ndarray, pairs: Pairs) -> WindowCounts:
    """Count over documents that are rows of counts; `columns` are those of the words."""
    by_word = sp.csc_array(counts[:, columns])
    by_word.eliminate_zeros()
    by_word.sort_indices()
    edges = by_word.indptr.astype(np.int64)
    begin = by_word.indices.astype(np.int64)
    return _counted(counts.shape[0], edges, begin, begin + 1, pairs)


def _in_piece(
    pairs: Pairs, window: int | None, piece: tuple[np.ndarray, np.ndarray]
) -> WindowCounts:
    ids, last = piece
    lengths = np.diff(last, prepend=0)
    if window is None:
        windows = np.ones_like(lengths)
    else:
        windows = np.where(lengths > 0, np.maximum(lengths - window + 1, 1), 0)
    after = np.cumsum(windows)
    known = np.flatnonzero(ids >= 0)
    order = np.argsort(ids[known], kind="stable")
    place = known[order]
    word, document = ids[place], np.searchsorted(last, place, side="right")
    first = after[document] - windows[document]  # windows of the documents before
    within = place - (last[document] - lengths[document])
    reach = lengths[document] if window is None else window
    begin = first + np.maximum(within - reach + 1, 0)
    end = first + np.minimum(within, windows[document] - 1) + 1
    edges, begin, end = _united(word, begin, end, pairs.n_words)
    return _counted(int(after[-1]) if len(after) else 0, edges, begin, end, pairs)


def _united(
    word: np.ndarray, begin: np.ndarray, end: np.ndarray, n_words: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Intervals that overlap or touch as one; where those of each word begin, and all of them.

    They come by word, and of a word in the order of both their ends.
    """
    new = np.ones(len(word), dtype=bool)
    new[1:] = (word[1:] != word[:-1]) | (begin[1:] > end[:-1])
    starts = np.flatnonzero(new)
    stops = np.append(starts[1:], len(word)) - 1
    edges = np.searchsorted(word[starts], np.arange(n_words + 1))
    return edges.astype(np.int64), begin[starts], end[stops] if len(starts) else end


def _counted(
    total: int, edges: np.ndarray, begin: np.ndarray, end: np.ndarray, pairs: Pairs
) -> WindowCounts:
    covered = np.concatenate([[0], np.cumsum(end - begin)])
    shared = np.zeros(len(pairs.left), dtype=np.int64)
    _overlaps(edges, begin, end, pairs.left, pairs.right, shared)
    return WindowCounts(total, covered[edges[1:]] - covered[edges[:-1]], shared)


@kernel
def _overlaps(edges, begin, end, left, right, shared):
    """How much the intervals of two words share, for each pair."""
    for pair in range(len(left)):
        i, i_stop = edges[left[pair]], edges[left[pair] + 1]
        j, j_stop = edges[right[pair]], edges[right[pair] + 1]
        total = 0
        while i < i_stop and j < j_stop:
            low = begin[i] if begin[i] > begin[j] else begin[j]
            high = end[i] if end[i] < end[j] else end[j]
            if high > low:
                total += high - low
            if end[i] < end[j]:
                i += 1
            else:
                j += 1
        shared[pair] += total
