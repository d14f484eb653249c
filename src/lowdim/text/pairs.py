"""How often words stand near each other.

    C_ij = sum over documents, places p, offsets o:   weight(o) [word at p is i, at p + o is j]

A chunk of documents becomes numbers of words, -1 for words that do not count: these keep their
place, so a window reaches as far as a reader would. A kernel adds up the pairs of a chunk in a hash
table; what it holds is sorted into a run, and runs are added up by rows of C at the end. Runs that
take more than BUDGET_BYTES are written to a temporary file.
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
from lowdim.text.counting.base import open_documents, sequences_of
from lowdim.text.counting.word_table import PRIME

TABLE_PAIRS = 2**20
BUDGET_BYTES = 2**28
MERGED_PAIRS = 2**22  # of all runs, added up at a time
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
    if window is None or window == "sentence":
        if weighting != "flat":
            raise ValueError("weighting='harmonic' needs a window with distances, such as 5.")
        return _together(documents, vectorizer, window == "sentence")
    mirrored = window_of(window, weighting).mirrored
    n = len(vectorizer.get_feature_names_out())

    def work(piece: tuple[np.ndarray, np.ndarray]) -> list[Run]:
        longest = int(np.diff(piece[1], prepend=0).max(initial=0))
        return list(pair_runs(*piece, window_of(window, weighting, longest), n))

    with closing(Runs()) as runs, closing(sequences_of(vectorizer, documents)) as pieces:
        for found in ordered_map(work, pieces):
            for run in found:
                runs.add(run)
        C = runs.matrix(n)
    if mirrored:
        C = sp.csr_array(C + C.T)
    C.sort_indices()
    return C


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


def pair_runs(ids: np.ndarray, last: np.ndarray, near: Window, n: int) -> Iterator[Run]:
    """The pairs of a chunk; several runs if they are very many.

    ids : int32, numbers of words, -1 for those that do not count; last : where documents end.
    """
    mirrored, (offsets, weights) = near.mirrored, near[:2]
    room = max(TABLE_PAIRS, 1 << (4 * len(offsets) + 1).bit_length())
    at = np.zeros(3, dtype=np.int64)  # document, place, pairs in the table
    done = len(offsets) == 0
    while not done:
        keys, values = np.full(room, -1, dtype=np.int64), np.zeros(room)
        at[2] = 0
        done = _add_pairs(ids, last, offsets, weights, mirrored, n, at, keys, values)
        used = np.flatnonzero(keys >= 0)
        order = used[np.argsort(keys[used], kind="stable")]
        yield Run(keys[order], values[order])


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
        parts = [added_up([_cut(run, *rows) for run in runs]) for rows in _ranges(runs, n)]
        whole = Run(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        rows, columns = np.divmod(whole.keys, n)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        return sp.csr_array((whole.values, columns, indptr), shape=(n, n))

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
    n = len(vectorizer.get_feature_names_out())
    total = sp.csr_array((n, n), dtype=np.float64)
    if by_sentence:
        texts = (vectorizer.decode(document) for document in documents)
        documents = (part for text in texts for part in SENTENCE_END.split(text))

    def product(piece: tuple[np.ndarray, np.ndarray]) -> sp.csr_array:
        ids, last = piece
        known = ids >= 0
        row = np.repeat(np.arange(len(last)), np.diff(last, prepend=0))[known]
        ones = np.ones(len(row))
        X = sp.csr_array((ones, (row, ids[known])), shape=(len(last), n))
        X.sum_duplicates()
        X.data[:] = 1.0
        return sp.csr_array(X.T @ X)

    with closing(sequences_of(vectorizer, documents)) as pieces:
        for part in ordered_map(product, pieces):
            total = total + part
    total = sp.csr_array(total)
    total.sort_indices()
    return total


@kernel
def _add_pairs(ids, last, offsets, weights, mirrored, n, at, keys, values):
    """Add up pairs from where `at` says; False if the table is full before the end."""
    mask = len(keys) - 1
    document, i, used = at[0], at[1], at[2]
    while document < len(last):
        begin = last[document - 1] if document > 0 else 0
        while i < last[document]:
            if 2 * (used + len(offsets)) > len(keys):
                at[0], at[1], at[2] = document, i, used
                return False
            a = ids[i]
            if a >= 0:
                for o in range(len(offsets)):
                    j = i + offsets[o]
                    if j < begin or j >= last[document] or ids[j] < 0:
                        continue
                    b = ids[j]
                    key = b * n + a if mirrored and b < a else a * n + b
                    h = key * PRIME
                    slot = (h ^ (h >> 31)) & mask
                    while keys[slot] >= 0 and keys[slot] != key:
                        slot = (slot + 1) & mask
                    if keys[slot] < 0:
                        keys[slot] = key
                        used += 1
                    values[slot] += weights[o]
            i += 1
        document += 1
    at[0], at[1], at[2] = document, i, used
    return True
