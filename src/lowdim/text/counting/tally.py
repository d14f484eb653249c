"""Chunks of documents counted, side by side, and their terms numbered in one way.

    documents -> chunks -> counts of a chunk, with its own numbers of terms     by threads
                        -> the numbers of these terms among all                 one after the other

The chunks and the order in which terms get their numbers depend on the documents alone.
"""

from __future__ import annotations

import collections
import itertools
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.text.counting.characters import (
    CharacterRules,
    characters_numbered,
    counted_characters,
)
from lowdim.text.counting.cutting import (
    Counted,
    Rules,
    as_grams,
    as_tokens,
    as_words,
    counted,
    cut_and_numbered,
    table_of,
)
from lowdim.text.counting.totals import Seen
from lowdim.text.counting.word_table import WordTable, hashed

CHUNK_CHARACTERS = 2**19  # the first ones are smaller: few documents need little memory
CHUNK_DOCUMENTS = 2**15


class Part(NamedTuple):
    """A chunk of documents."""

    counts: sp.csr_array  # (documents, terms of this chunk), whole numbers
    numbers: np.ndarray  # int32 (terms of this chunk,): among all terms; -1: none of them


class Counter(Protocol):
    """Counts documents, and numbers their terms."""

    def parts(self, documents: Iterable[Any]) -> Generator[Part, None, None]: ...
    def sequences(
        self, documents: Iterable[Any]
    ) -> Generator[tuple[np.ndarray, np.ndarray], None, None]: ...
    def terms(self) -> list[Any]: ...


def chunks_of(documents: Iterable[Any], characters: int | None = None) -> Iterator[list[Any]]:
    """Documents, about so many characters at a time; a quarter, then half of it at first."""
    characters = CHUNK_CHARACTERS if characters is None else characters
    chunk: list[Any] = []
    n, number = 0, 0
    for document in documents:
        chunk.append(document)
        n += len(document)
        if n >= characters >> max(0, 2 - number // 8) or len(chunk) >= CHUNK_DOCUMENTS:
            yield chunk
            chunk, n, number = [], 0, number + 1
    if chunk:
        yield chunk


class WordCounter:
    """By kernels: words are runs of letters.

    Parameters
    ----------
    rules : Rules
    terms : sequence of str or None
        The terms that count, numbered in their order; None: all that come.
    """

    def __init__(self, rules: Rules, terms: Sequence[str] | None = None):
        self._rules, self._add = rules, terms is None
        self._words = WordTable()
        self._grams = None if rules.ngrams == (1, 1) else WordTable()
        if terms is not None:
            self._know(terms)

    def parts(self, documents: Iterable[str]) -> Generator[Part, None, None]:
        def count(texts: list[str]) -> Counted:
            return counted(texts, self._rules)

        with closing(ordered_map(count, chunks_of(documents))) as results:
            for result in results:
                yield Part(result.counts, self._numbers(result))

    def sequences(
        self, documents: Iterable[str]
    ) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
        """(numbers of all words, where documents end), chunk by chunk; -1: no term."""

        def work(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
            cut = cut_and_numbered(texts, self._rules)
            known = np.append(self._words.number(cut.words.words(), False), np.int32(-1))
            return known[np.maximum(cut.ids, -1)], cut.last

        with closing(ordered_map(work, chunks_of(documents))) as results:
            yield from results

    def terms(self) -> list[str]:
        words = self._words.words()
        return as_words(words) if self._grams is None else as_grams(words, self._grams.words())

    def _numbers(self, result: Counted) -> np.ndarray:
        words = self._words.number(result.words, self._add)
        if self._grams is None or result.grams is None:
            return words
        grams = result.grams  # in the numbers of all words; one of an unknown word is unknown
        same = hashed(words[grams.text], grams.start, grams.end)
        return self._grams.number(same, self._add)

    def _know(self, terms: Sequence[str]) -> None:
        if self._grams is None:
            self._words = table_of(terms)
            return
        words = [term.split(" ") for term in terms]
        tokens = as_tokens([word for parts in words for word in parts])
        end = np.cumsum([len(parts) for parts in words], dtype=np.int64)
        start = np.concatenate([[0], end[:-1]]).astype(np.int64)
        self._grams.number(hashed(self._words.number(tokens), start, end))


class CharacterCounter:
    """By kernels: terms are runs of characters.

    Parameters
    ----------
    rules : CharacterRules
    terms : sequence of str or None
        The terms that count, numbered in their order; None: all that come.
    """

    def __init__(self, rules: CharacterRules, terms: Sequence[str] | None = None):
        self._rules, self._add = rules, terms is None
        self._runs = WordTable() if terms is None else table_of(terms)

    def parts(self, documents: Iterable[str]) -> Generator[Part, None, None]:
        def count(texts: list[str]) -> Counted:
            return counted_characters(texts, self._rules)

        with closing(ordered_map(count, self._chunks(documents))) as results:
            for result in results:
                yield Part(result.counts, self._runs.number(result.words, self._add))

    def sequences(
        self, documents: Iterable[str]
    ) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
        """(numbers of all runs, where documents end), chunk by chunk; -1: no term."""

        def work(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
            cut = characters_numbered(texts, self._rules)
            return self._runs.number(cut.words.words(), False)[cut.ids], cut.last

        with closing(ordered_map(work, self._chunks(documents))) as results:
            yield from results

    def terms(self) -> list[str]:
        return as_words(self._runs.words())

    def _chunks(self, documents: Iterable[str]) -> Iterator[list[str]]:
        least, most = self._rules.ngrams
        return chunks_of(documents, CHUNK_CHARACTERS // 2 // (most - least + 1))


class PythonCounter:
    """By any function that makes terms of a document.

    Parameters
    ----------
    analyze : callable
    vocabulary : dict or None
        Term -> number, of the terms that count; None: all that come.
    """

    def __init__(self, analyze: Callable[[Any], Iterable[Any]], vocabulary: dict | None = None):
        self._analyze, self._add = analyze, vocabulary is None
        self._number: dict[Any, int] = {} if vocabulary is None else vocabulary

    def parts(self, documents: Iterable[Any]) -> Generator[Part, None, None]:
        lists, n = [], 0
        for document in documents:
            terms = list(self._analyze(document))
            lists.append(terms)
            n += len(terms) + 1
            if n >= CHUNK_CHARACTERS // 4:
                yield self._part(lists)
                lists, n = [], 0
        if lists:
            yield self._part(lists)

    def sequences(
        self, documents: Iterable[Any]
    ) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
        """(numbers of all terms, where documents end), chunk by chunk; -1: none."""
        ids: list[int] = []
        last: list[int] = []
        for document in documents:
            ids += [self._number.get(term, -1) for term in self._analyze(document)]
            last.append(len(ids))
            if len(ids) >= CHUNK_CHARACTERS // 4 or len(last) >= CHUNK_DOCUMENTS:
                yield np.array(ids, dtype=np.int32), np.array(last, dtype=np.int64)
                ids, last = [], []
        if last:
            yield np.array(ids, dtype=np.int32), np.array(last, dtype=np.int64)

    def terms(self) -> list[Any]:
        return list(self._number)

    def _part(self, lists: list[list[Any]]) -> Part:
        own: defaultdict[Any, int] = defaultdict(itertools.count().__next__)  # a number when asked
        indices: list[int] = []
        values: list[int] = []
        indptr = [0]
        for terms in lists:
            count = collections.Counter(terms)
            indices.extend(map(own.__getitem__, count))
            values.extend(count.values())
            indptr.append(len(indices))
        parts = (np.array(part, dtype=np.int32) for part in (values, indices, indptr))
        counts = sp.csr_array(tuple(parts), shape=(len(lists), len(own)))
        known = self._number
        if self._add:
            numbers = [known.setdefault(term, len(known)) for term in own]
        else:
            numbers = [known.get(term, -1) for term in own]
        return Part(counts, np.array(numbers, dtype=np.int32))


# ---- what is done with counted chunks ------------------------------------------------------------


class Sums:
    """How many documents have each term, and how often, over chunks as they come."""

    def __init__(self) -> None:
        self.n_documents = 0
        self._documents, self._count = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def add(self, part: Part) -> None:
        counts, numbers = part
        self.n_documents += counts.shape[0]
        known = numbers >= 0
        needed = int(numbers.max(initial=-1)) + 1
        if needed > len(self._count):
            more = np.zeros(max(needed, 2 * len(self._count)) - len(self._count), np.int64)
            self._documents = np.concatenate([self._documents, more])
            self._count = np.concatenate([self._count, more])
        n = counts.shape[1]
        documents = np.bincount(counts.indices, minlength=n)
        count = np.bincount(counts.indices, weights=counts.data, minlength=n).astype(np.int64)
        self._documents[numbers[known]] += documents[known]
        self._count[numbers[known]] += count[known]

    def seen(self, terms: list[Any]) -> Seen:
        room = np.zeros(max(0, len(terms) - len(self._count)), np.int64)
        documents, count = (
            np.concatenate([sums[: len(terms)], room]) for sums in (self._documents, self._count)
        )
        return Seen(terms, documents, count, self.n_documents)


def matrix_of(part: Part, column: np.ndarray | None, n_columns: int, dtype: Any) -> sp.csr_array:
    """A chunk as rows of the whole matrix.

    Parameters
    ----------
    column : int32 or None
        The column of each of all terms, -1 for none; None: terms have the numbers of columns.
    """
    counts, numbers = part
    of_own = numbers if column is None else column[numbers]
    indices, values, indptr = of_own[counts.indices], counts.data, counts.indptr
    if (of_own < 0).any():
        keep = indices >= 0
        indptr = np.concatenate([[0], np.cumsum(keep)])[indptr].astype(np.int32)
        indices, values = indices[keep], values[keep]
    rows = sp.csr_array(
        (values.astype(dtype, copy=False), indices, indptr), shape=(len(indptr) - 1, n_columns)
    )
    rows.sort_indices()
    return rows


def stacked(
    parts: list[Part], column: np.ndarray | None, n_columns: int, dtype: Any
) -> sp.csr_array:
    """All chunks as one matrix; `parts` is empty afterwards: each goes when it is written."""
    if len(parts) == 1 and n_columns < 2**31:
        return matrix_of(parts.pop(), column, n_columns, dtype)
    stored = np.cumsum([0, *ordered_map(partial(_n_stored, column=column), parts)])
    rows = np.cumsum([0, *(part.counts.shape[0] for part in parts)])
    large = max(int(stored[-1]), n_columns) >= 2**31
    values = np.empty(stored[-1], dtype=dtype)
    indices = np.empty(stored[-1], dtype=np.int64 if large else np.int32)
    indptr = np.zeros(rows[-1] + 1, dtype=indices.dtype)

    def write(chunk: tuple[int, Part]) -> None:
        i, part = chunk
        block = matrix_of(part, column, n_columns, dtype)
        values[stored[i] : stored[i + 1]] = block.data
        indices[stored[i] : stored[i + 1]] = block.indices
        indptr[rows[i] + 1 : rows[i + 1] + 1] = block.indptr[1:] + stored[i]

    parts.reverse()
    for _ in ordered_map(write, ((i, parts.pop()) for i in range(len(parts)))):
        pass
    return sp.csr_array((values, indices, indptr), shape=(len(indptr) - 1, n_columns))


def _n_stored(part: Part, column: np.ndarray | None) -> int:
    """How many counts of a chunk are in columns of the whole matrix."""
    known = (part.numbers if column is None else column[part.numbers]) >= 0
    return part.counts.nnz if known.all() else int(np.count_nonzero(known[part.counts.indices]))
