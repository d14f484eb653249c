"""How often words stand near each other.

    C_ij = sum over documents, places p, offsets o:   weight(o) [word at p is i, at p + o is j]

A chunk of documents becomes numbers of words, -1 for words that do not count: these keep their
place, so a window reaches as far as a reader would. A kernel adds up the pairs of some words in a
hash table; what it holds is sorted into a run, and runs are added up by rows of C at the end. Runs
that take more than BUDGET_BYTES are written to a temporary file.

The number of documents, or sentences, with both words is X'X, where X says which have each word.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.linalg.sparse import row_cuts
from lowdim.text.counting.base import check_known, counter_of, open_documents, sequences_of
from lowdim.text.counting.tally import Part, stacked
from lowdim.text.counting.word_table import PRIME

TABLE_PAIRS = 2**20  # in a hash table, half of which is used
BUDGET_BYTES = 2**28
MERGED_PAIRS = 2**20  # of all runs, added up at a time
TOGETHER = 2**23  # words of documents, in one product
PRODUCTS_AT_A_TIME = 2**24
SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u3002])[\"'\u2019\u201d)\]]*\s+|\n\s*\n")


class Run(NamedTuple):
    """Pairs in order, each once: i * n_words + j, and what was added up."""

    keys: np.ndarray  # int64
    values: np.ndarray  # float64


class Window(NamedTuple):
    """Which places count as near."""

    offsets: np.ndarray  # int64
    weights: np.ndarray  # float64
    mirrored: bool  # only one half of a symmetric window: pairs count both ways


class Words(NamedTuple):
    """Some words of documents, and what stands around them."""

    ids: np.ndarray  # int32, numbers of words; -1 for those that do not count
    last: np.ndarray  # int64, where documents end
    first_document: int
    places: tuple[int, int]  # from, to: the words whose pairs count
    near: Window


@single_threaded_blas()
def cooccurrence(
    docs: Any, vectorizer: Any, *, window: Any = 5, weighting: str = "flat"
) -> sp.csr_array:
    """How often each word of a vocabulary stands near each other one.

    Parameters
    ----------
    docs : iterable of str, Corpus or Dask bag
    vectorizer : CountVectorizer or TfidfVectorizer
        Fitted, of single words: it cuts the documents, and its terms are the rows and columns.
    window : int, (left, right), set of int, 'sentence' or None, default=5
        So many words to each side; so many to the left and to the right; words at these offsets (-1
        is the word before); the number of sentences with both words; None: the number of documents
        with both. Words that are not in the vocabulary, stop words too, keep their place.
    weighting : {'flat', 'harmonic'}, default='flat'
        A pair counts 1, or 1 / distance.

    Returns
    -------
    C : csr_array of shape (n_terms, n_terms)
        Row: a word; column: a word near it. Symmetric, unless the window is not. A pair of the same
        word counts from both sides; for sentences and documents the diagonal says how many have the
        word. No window reaches beyond a document.

    See Also
    --------
    lowdim.text.pmi : how much more often than by chance.

    Examples
    --------
    >>> import lowdim
    >>> docs = ["the cat sat on the mat", "the dog"]
    >>> vectorizer = lowdim.CountVectorizer(vocabulary=["cat", "mat", "the"]).fit(docs)
    >>> lowdim.text.cooccurrence(docs, vectorizer, window=1).toarray().astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    if weighting not in ("flat", "harmonic"):
        raise ValueError(f"weighting={weighting!r} must be 'flat' or 'harmonic'.")
    documents = open_documents(docs)
    check_known(vectorizer)
    if window is None or window == "sentence":
        if weighting != "flat":
            raise ValueError("weighting='harmonic' needs a window with distances, such as 5.")
        return _together(documents, vectorizer, window == "sentence")
    mirrored = window_of(window, weighting).mirrored
    n = len(vectorizer.get_feature_names_out())

    def pieces() -> Iterator[Words]:
        for ids, last in sequences:
            longest = int(np.diff(last, prepend=0).max(initial=0))
            yield from some_words(ids, last, window_of(window, weighting, longest))

    with closing(Runs()) as runs, closing(sequences_of(vectorizer, documents)) as sequences:
        for run in ordered_map(lambda words: pairs_of(words, n), pieces()):
            runs.add(run)
        C = runs.matrix(n)
    return sp.csr_array(C + C.T) if mirrored else C


def window_of(window: Any, weighting: str, longest: int = 2) -> Window:
    """The offsets of a window that matter in documents of at most `longest` words."""
    mirrored = isinstance(window, Integral) and not isinstance(window, bool)
    if mirrored:
        offsets = [] if window < 1 else list(range(1, min(int(window), longest) + 1))
    elif isinstance(window, tuple) and len(window) == 2 and all(_is_whole(w, 0) for w in window):
        left, right = (min(int(side), longest) for side in window)
        offsets = [o for o in range(-left, right + 1) if o]
    elif isinstance(window, set | frozenset) and all(_is_whole(o, None) for o in window):
        offsets = sorted(int(o) for o in window)
    else:
        offsets = []
    if longest and (not offsets or 0 in offsets):
        raise ValueError(
            f"window={window!r} must be an int of at least 1, (left, right), a set of offsets that "
            "are not 0, 'sentence' or None."
        )
    weights = np.ones(len(offsets))
    if weighting == "harmonic":
        weights /= np.abs(offsets)
    return Window(np.array(offsets, dtype=np.int64), weights, mirrored)


def _is_whole(value: Any, least: int | None) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and (least is None or int(value) >= least)


def some_words(ids: np.ndarray, last: np.ndarray, near: Window) -> Iterator[Words]:
    """The words of a chunk, so many at a time that their pairs fit into a table."""
    size = max(1, TABLE_PAIRS // (2 * max(1, len(near.offsets))))
    for start in range(0, len(ids) if len(near.offsets) else 0, size):
        places = (start, min(start + size, len(ids)))
        yield Words(ids, last, int(np.searchsorted(last, start, side="right")), places, near)


def pairs_of(words: Words, n: int) -> Run:
    """The pairs of some words, added up, for n words in the vocabulary."""
    (offsets, weights, mirrored), (start, stop) = words.near, words.places
    room = 1 << (2 * len(offsets) * (stop - start) - 1).bit_length()
    keys, values = np.full(room, -1, dtype=np.int64), np.zeros(room)
    at = (words.first_document, start, stop)
    _add_pairs(words.ids, words.last, *at, offsets, weights, mirrored, n, keys, values)
    used = np.flatnonzero(keys >= 0)
    order = used[np.argsort(keys[used])]
    return Run(keys[order], values[order])


class Runs:
    """Runs, in memory or in temporary files, and the matrix that they add up to."""

    def __init__(self, budget: int = BUDGET_BYTES):
        self._budget, self._runs, self._kept = budget, list[Run](), list[Run]()
        self._files: list[Any] = []

    def add(self, run: Run) -> None:
        self._runs.append(run)
        if sum(16 * len(run.keys) for run in self._runs) <= self._budget:
            return
        merged = added_up(self._runs)
        if 32 * len(merged.keys) > self._budget:
            self._kept.append(self._written(merged))
            self._runs = []
        else:
            self._runs = [merged]

    def matrix(self, n: int) -> sp.csr_array:
        """The sums as a matrix of n rows and columns."""
        runs = [*self._kept, *self._runs]

        def work(between: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            keys, values = added_up([_cut(run, *between) for run in runs])
            rows, columns = np.divmod(keys, n)
            return np.bincount(rows, minlength=n), columns.astype(np.int32), values

        length = np.zeros(n, dtype=np.int64)
        columns, values = list[np.ndarray](), list[np.ndarray]()
        for of_row, *part in ordered_map(work, list(_ranges(runs, n))):
            length += of_row
            columns.append(part[0])
            values.append(part[1])
        indptr = np.concatenate([[0], np.cumsum(length)])
        parts = (np.concatenate(values), np.concatenate(columns), indptr)
        return sp.csr_array(parts, shape=(n, n))

    def close(self) -> None:
        """Delete the temporary files."""
        self._kept = []
        for file in self._files:
            file.close()

    def _written(self, run: Run) -> Run:
        file = tempfile.TemporaryFile(prefix="lowdim-")
        self._files.append(file)
        for array in run:
            array.tofile(file)
        file.flush()
        size = len(run.keys)
        keys = np.memmap(file, dtype=np.int64, mode="r", shape=(size,))
        values = np.memmap(file, dtype=np.float64, mode="r", offset=8 * size, shape=(size,))
        return Run(keys, values)


def added_up(runs: list[Run]) -> Run:
    """One run for several; what belongs to a pair is added in their order."""
    if len(runs) == 1:
        return runs[0]
    keys = np.concatenate([run.keys for run in runs]) if runs else np.zeros(0, np.int64)
    values = np.concatenate([run.values for run in runs]) if runs else np.zeros(0)
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    return Run(keys[first], np.add.reduceat(values, first) if len(first) else values)


def _ranges(runs: list[Run], n: int) -> Iterator[tuple[int, int]]:
    """Keys from and to, so that about MERGED_PAIRS of all runs are between."""
    pieces = max(1, sum(len(run.keys) for run in runs) // MERGED_PAIRS)
    longest = max((run.keys for run in runs), key=len, default=np.zeros(0, np.int64))
    cuts = [int(longest[len(longest) * i // pieces]) for i in range(1, pieces)]
    edges = [0, *cuts, n * n]
    yield from pairwise(edges)


def _cut(run: Run, first: int, last: int) -> Run:
    a, b = np.searchsorted(run.keys, [first, last])
    return Run(np.asarray(run.keys[a:b]), np.asarray(run.values[a:b]))


def _together(documents: Iterable[Any], vectorizer: Any, by_sentence: bool) -> sp.csr_array:
    """How many documents, or sentences, have both words."""
    if by_sentence:
        texts = (vectorizer.decode(document) for document in documents)
        documents = (part for text in texts for part in SENTENCE_END.split(text))
    n = len(vectorizer.get_feature_names_out())
    total, waiting, stored = sp.csr_array((n, n), dtype=np.float64), list[Part](), 0
    with closing(counter_of(vectorizer, vectorizer.vocabulary_).parts(documents)) as parts:
        for part in parts:
            waiting.append(part)
            stored += part.counts.nnz
            if stored >= TOGETHER:
                total, stored = sp.csr_array(total + _products(waiting, n)), 0
    return sp.csr_array(total + _products(waiting, n)) if waiting else total


def _products(parts: list[Part], n: int) -> sp.csr_array:
    """X'X of the words of documents, by runs of rows; `parts` is empty afterwards."""
    X = stacked(parts, None, n, np.float64)
    X.data[:] = 1.0
    X_t = X.T.tocsr()
    work = np.concatenate([[0], np.cumsum(np.diff(X.indptr)[X_t.indices])])[X_t.indptr]

    def product(cut: tuple[int, int]) -> sp.csr_array:
        C = sp.csr_array(X_t[slice(*cut)] @ X)
        C.sort_indices()
        return C

    blocks = list(ordered_map(product, row_cuts(work, PRODUCTS_AT_A_TIME)))
    return sp.csr_array(sp.vstack(blocks, format="csr"))


@kernel
def _add_pairs(ids, last, document, start, stop, offsets, weights, mirrored, n, keys, values):
    """Add up the pairs of the words from `start` to `stop`; at least half of the table is free."""
    mask = len(keys) - 1
    for i in range(start, stop):
        while i >= last[document]:
            document += 1
        a = ids[i]
        if a < 0:
            continue
        begin, end = last[document - 1] if document > 0 else 0, last[document]
        for o in range(len(offsets)):
            j = i + offsets[o]
            if j >= end:
                break  # offsets are in order
            if j < begin or ids[j] < 0:
                continue
            b = ids[j]
            key = b * n + a if mirrored and b < a else a * n + b
            h = key * PRIME
            slot = (h ^ (h >> 31)) & mask
            while keys[slot] >= 0 and keys[slot] != key:
                slot = (slot + 1) & mask
            keys[slot] = key
            values[slot] += weights[o]
