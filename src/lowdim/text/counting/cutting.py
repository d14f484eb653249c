"""A chunk of documents as counts of its different words, by kernels that need no GIL.

    cut       the code points of the documents -> where words stand, and their hashes
    number    each different word gets a number (word_table.py)
    windows   n words in a row -> an n-gram, which is a word whose letters are numbers of words
    count     numbers of words, document by document -> rows of a sparse matrix

Each step is one pass over the chunk. The result knows nothing of other chunks: its words are
numbered in its own way, and `merged` says which number they have among all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.text.counting.letters import code_points, text_of
from lowdim.text.counting.word_table import BASIS, PRIME, Tokens, WordTable, hashed

NO_LIMIT = 2**62
BLANK = 32
LETTERS_PER_WORD = 32  # of a chunk, for each different word in it
GRAMS_AT_A_TIME = 2**15


class Rules(NamedTuple):
    """How words are cut and which count."""

    letters: np.ndarray  # int32 (N_CODES,), as letters.py says
    least: int  # characters of a word
    most: int
    stop: WordTable  # words that do not count; '' stands for those that are too long
    ngrams: tuple[int, int]  # from so many words in a row to so many
    stem: Callable[[list[str]], list[str]] | None  # what stands for words


class Counted(NamedTuple):
    """What one chunk adds up."""

    counts: sp.csr_array  # (documents, terms of this chunk), of the smallest type of integers
    words: Tokens  # different words of this chunk
    grams: Tokens | None  # its terms, as runs of numbers of words; None: terms are words


class Cut(NamedTuple):
    """The words of a chunk, in their order."""

    words: WordTable
    ids: np.ndarray  # int32: the number of each word
    last: np.ndarray  # int64 (documents,): where the words of each document end


def cut_and_numbered(texts: Sequence[str], rules: Rules) -> Cut:
    """Every word of the documents that counts, as a number."""
    ends = np.cumsum([len(document) for document in texts], dtype=np.int64)
    return cut_at(code_points("".join(texts)).copy(), ends, rules)


def cut_at(text: np.ndarray, ends: np.ndarray, rules: Rules) -> Cut:
    """The same of documents in one text: its code points, and where each document ends.

    text : int32, becomes lower case where it is
    """
    room = (len(text) + len(ends)) // (rules.least + 1) + 1
    start, end, hashes = (np.empty(room, dtype=np.int64) for _ in range(3))
    last = np.empty(len(ends), dtype=np.int64)
    n = _cut(text, ends, rules.letters, rules.least, rules.most, start, end, hashes, last)
    table = rules.stop.copy(len(text) // LETTERS_PER_WORD, len(text) // 4)
    ids = table.number(Tokens(text, start[:n], end[:n], hashes[:n]))
    ids -= np.int32(len(rules.stop))  # words that do not count are negative
    if rules.stem is not None:
        table, ids = _stemmed(table.words(len(rules.stop)), ids, rules.stem)
    elif len(rules.stop):
        words, table = table.words(len(rules.stop)), WordTable(len(table))
        table.number(words)
    return Cut(table, ids, last)


def counted(texts: Sequence[str], rules: Rules) -> Counted:
    """How often each document has each term."""
    words, ids, last = cut_and_numbered(texts, rules)
    if rules.ngrams == (1, 1):
        return Counted(rows_of_counts(ids, last, len(words)), words.words(), None)
    ids, last = without_negative(ids, last)
    grams, last = windows(ids, last, rules.ngrams)
    table = WordTable(len(grams.start) // 2 + 1, len(grams.start) + 1)
    numbers = table.number(grams)
    return Counted(rows_of_counts(numbers, last, len(table)), words.words(), table.words())


def as_tokens(words: Sequence[str]) -> Tokens:
    """Words in one text, one after the other."""
    end = np.cumsum([len(word) for word in words], dtype=np.int64)
    start = np.concatenate([[0], end[:-1]]) if len(end) else end
    return hashed(code_points("".join(words)).copy(), start.astype(np.int64), end)


def as_words(tokens: Tokens) -> list[str]:
    """The words as texts."""
    text = text_of(tokens.text)
    return [text[a:b] for a, b in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)]


def as_grams(words: Tokens, grams: Tokens) -> list[str]:
    """Runs of numbers of words as texts, with blanks between the words."""
    found: list[str] = []
    lengths = words.end - words.start
    for first in range(0, len(grams.start), GRAMS_AT_A_TIME):
        some = slice(first, first + GRAMS_AT_A_TIME)
        start, size = grams.start[some], (grams.end - grams.start)[some]
        number = grams.text[_ranges(start, size)]  # the words of these runs, one after the other
        letters = lengths[number] + 1  # with a blank behind each word
        place = _ranges(words.start[number], letters)
        blanks = np.cumsum(letters) - 1
        place[blanks] = 0  # there may be nothing behind the last word
        text = words.text[place]
        text[blanks] = BLANK
        edges = [0, *(blanks[np.cumsum(size) - 1] + 1).tolist()]
        joined = text_of(text)
        found += [joined[a : b - 1] for a, b in pairwise(edges)]
    return found


def _ranges(start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """start, start + 1, ..., so many of each, one after the other."""
    before = np.cumsum(size) - size
    return np.repeat(start - before, size) + np.arange(int(size.sum()))


def table_of(words: Sequence[str]) -> WordTable:
    """A table of these words, numbered in their order; one that comes again keeps its number."""
    tokens = as_tokens(words)
    table = WordTable(max(1, len(words)), max(1, len(tokens.text)))
    table.number(tokens)
    return table


def without_negative(ids: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of words without those that do not count, and where documents end then."""
    keep = ids >= 0
    if keep.all():
        return ids, last
    before = np.concatenate([[0], np.cumsum(keep)])
    return ids[keep], before[last]


def _stemmed(
    words: Tokens, ids: np.ndarray, stem: Callable[[list[str]], list[str]]
) -> tuple[WordTable, np.ndarray]:
    tokens = as_tokens(stem(as_words(words)))
    table = WordTable(max(1, len(tokens.start)), max(1, len(tokens.text)))
    number = np.append(table.number(tokens), np.int32(-1))  # the last one: for negative ids
    return table, number[np.maximum(ids, -1)]


def windows(
    ids: np.ndarray, last: np.ndarray, ngrams: tuple[int, int], short: bool = False
) -> tuple[Tokens, np.ndarray]:
    """Runs of so many numbers within pieces that end at `last`, and where those of a piece end.

    short : whether a piece that has too few numbers is a run of its own
    """
    lengths = np.diff(last, prepend=0)
    least, most = ngrams[0], min(ngrams[1], max(int(lengths.max(initial=0)), ngrams[0]))
    n = sum(int(np.maximum(lengths - size + 1, 0).sum()) for size in range(least, most + 1))
    n += short * int(np.count_nonzero(lengths < least))
    start, end, hashes = (np.empty(n, dtype=np.int64) for _ in range(3))
    ends = np.empty(len(last), dtype=np.int64)
    n = _windows(ids, last, least, most, short, start, end, hashes, ends)
    return Tokens(ids, start[:n], end[:n], hashes[:n]), ends


def rows_of_counts(ids: np.ndarray, last: np.ndarray, n_terms: int) -> sp.csr_array:
    """How often each document has each term, for numbers of terms and where documents end."""
    indices, values = np.empty(len(ids), dtype=np.int32), np.empty(len(ids), dtype=np.int32)
    indptr = np.zeros(len(last) + 1, dtype=np.int64)
    seen, place = np.full(n_terms, -1, dtype=np.int64), np.empty(n_terms, dtype=np.int64)
    n = _count(ids, last, seen, place, indices, values, indptr)
    small = np.min_scalar_type(int(values[:n].max(initial=0)))  # counts wait until all are there
    return sp.csr_array(
        (values[:n].astype(small), indices[:n].copy(), indptr.astype(np.int32, copy=False)),
        shape=(len(last), n_terms),
    )


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _cut(text, ends, letters, least, most, start, end, hashes, last):
    """Runs of letters in each document, which become those of the table; returns their number."""
    n, i = 0, 0
    for document in range(len(ends)):
        begin, h = i, BASIS
        while i <= ends[document]:
            letter = letters[text[i]] if i < ends[document] else -1
            if letter < 0:
                if i - begin >= least:
                    start[n], end[n], hashes[n] = begin, i, h
                    if i - begin > most:
                        end[n], hashes[n] = begin, BASIS
                    n += 1
                begin, h = i + 1, BASIS
            else:
                text[i] = letter
                h = (h ^ letter) * PRIME
            i += 1
        i = ends[document]
        last[document] = n
    return n


@kernel
def _windows(ids, last, least, most, short, start, end, hashes, ends):
    """All runs of `least` to `most` numbers within a piece, and their hashes; how many."""
    n, first = 0, 0
    for piece in range(len(last)):
        length = last[piece] - first
        fewest = min(least, length) if short else least
        for i in range(first, last[piece]):
            h = BASIS
            for size in range(1, min(most, last[piece] - i) + 1):
                h = (h ^ ids[i + size - 1]) * PRIME
                if size >= fewest:
                    start[n], end[n], hashes[n] = i, i + size, h
                    n += 1
        first = last[piece]
        ends[piece] = n
    return n


@kernel
def _count(ids, last, seen, place, indices, values, indptr):
    """The different numbers of each document, and how often it has them; returns their number."""
    n, first = 0, 0
    for document in range(len(last)):
        for t in range(first, last[document]):
            term = ids[t]
            if term >= 0:
                if seen[term] != document:
                    seen[term] = document
                    place[term] = n
                    indices[n] = term
                    values[n] = 0
                    n += 1
                values[place[term]] += 1
        first = last[document]
        indptr[document + 1] = n
    return n
