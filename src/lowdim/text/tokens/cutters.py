"""Documents cut into words, by kernels where words are runs of letters, else in Python.

batches    documents -> some at a time; a long one goes over several, a sentence stays one
cutters    a batch -> its different words, and its text in their numbers
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from lowdim.text.counting.base import preparation_of, rules_of
from lowdim.text.counting.cutting import (
    NO_LIMIT,
    Rules,
    as_tokens,
    cut_and_numbered,
    cut_at,
    table_of,
    without_negative,
)
from lowdim.text.counting.letters import code_points, letter_table, lower_case_is_by_letter
from lowdim.text.counting.tally import CHUNK_DOCUMENTS
from lowdim.text.counting.word_table import Tokens as WordsOfText
from lowdim.text.tokens.sentences import SENTENCE_END
from lowdim.text.tokens.sources import Document, Lines

LONG_LINES = 2**22  # characters of a block of lines, beyond which one must be very long
CHUNK_CHARACTERS = 2**20  # of texts, at a time: more of them have fewer different words each
WORDS_IN_PYTHON = 2**19  # of lists, at a time
NEWLINE = 10
LOOKED_AHEAD = 2**12  # characters, for the end of a word


class Batch(NamedTuple):
    """Some texts, or parts of them."""

    texts: list[str]
    is_last: list[bool]  # whether a part is the last one of its sentence


class Numbered(NamedTuple):
    """A batch in numbers of its own words."""

    words: WordsOfText
    counts: np.ndarray  # int64, of each word
    ids: np.ndarray  # int32
    ends: np.ndarray  # int64, where sentences end


class Cutter:
    """How documents become words.

    Parameters
    ----------
    tokenizer : 'words', 'split', callable or CountVectorizer
    sentences : bool
        Whether texts are cut into sentences first.
    """

    def __init__(self, tokenizer: Any = "words", sentences: bool = False):
        self._sentences = sentences
        self._rules: Rules | None = None
        self._prepare: Callable[[Iterable[str]], Iterator[str]] = _lowered
        self._analyze: Callable[[str], Iterable[Any]] | None = None
        self._by_letter = True  # what is done to a text may be done to many lines at once
        if isinstance(tokenizer, str) and tokenizer == "words":
            self._rules = _rules(r"\w", lowercase=True)
        elif isinstance(tokenizer, str) and tokenizer == "split":
            self._rules, self._prepare = _rules(r"\S", lowercase=False), iter
        elif hasattr(tokenizer, "build_analyzer"):
            _check_single_words(tokenizer)
            self._rules = rules_of(tokenizer)
            if self._rules is None:
                self._analyze = tokenizer.build_analyzer()
            else:
                self._prepare = preparation_of(tokenizer)
                self._by_letter = False
        elif callable(tokenizer):
            self._analyze = tokenizer
        else:
            raise ValueError(
                f"tokenizer={tokenizer!r} must be 'words', 'split', a function that makes a list "
                "of words of a text, or a CountVectorizer."
            )

    def items(self, documents: Iterable[Document | Lines]) -> Iterator[Batch | Lines | Numbered]:
        """Batches to be cut on any thread; what only Python can do is done here."""
        texts, lists = _Texts(), list[Sequence[Any]]()
        n, first = 0, 0
        for i, document in enumerate(self._with_lines_apart(documents)):
            if isinstance(document, Lines) or (isinstance(document, str) and self._rules):
                if lists:
                    yield _numbered(lists, first)
                    lists, n = [], 0
                if isinstance(document, Lines):
                    yield from texts.emptied()
                    yield from map(Lines, self._prepare([document.text]))
                else:
                    yield from self._batches(document, texts)
                continue
            yield from texts.emptied()
            first = i if not lists else first
            for words in self._words_of(document, i):
                lists.append(words)
                n += len(words) + 1
            if n >= WORDS_IN_PYTHON:
                yield _numbered(lists, first)
                lists, n = [], 0
        if lists:
            yield _numbered(lists, first)
        yield from texts.emptied()

    def cut(self, item: Batch | Lines | Numbered) -> Numbered:
        """The words of a batch."""
        if isinstance(item, Numbered):
            return item
        assert self._rules is not None
        if isinstance(item, Lines):
            return _cut_lines(item.text, self._rules)
        cut = cut_and_numbered(item.texts, self._rules)
        ids, last = without_negative(cut.ids, cut.last)
        counts = np.bincount(ids, minlength=len(cut.words))
        return Numbered(cut.words.words(), counts, ids, last[np.array(item.is_last, dtype=bool)])

    def _with_lines_apart(
        self, documents: Iterable[Document | Lines]
    ) -> Iterator[Document | Lines]:
        """Lines stay together where a kernel may cut them, and are documents elsewhere."""
        together = self._rules is not None and self._by_letter and not self._sentences
        for document in documents:
            if isinstance(document, Lines) and not (together and len(document.text) < LONG_LINES):
                yield from document
            else:
                yield document

    def _batches(self, document: str, texts: _Texts) -> Iterator[Batch]:
        assert self._rules is not None
        for text in self._prepare(self._sentences_of(document)):
            yield from texts.batches_with(text, self._rules.letters)

    def _sentences_of(self, text: str) -> list[str]:
        return SENTENCE_END.split(text) if self._sentences else [text]

    def _words_of(self, document: Document, i: int) -> Iterator[Sequence[Any]]:
        if not isinstance(document, str):
            yield document
            return
        assert self._analyze is not None
        for text in self._sentences_of(document):
            words = self._analyze(text)
            if isinstance(words, str) or not hasattr(words, "__iter__"):
                raise TypeError(
                    f"The tokenizer made a {type(words).__name__} of document {i:,}; it must make "
                    "a list of words."
                )
            yield list(words)


class _Texts:
    """Texts that wait until they are a batch."""

    def __init__(self) -> None:
        self.batch, self._n = Batch([], []), 0

    def batches_with(self, text: str, letters: np.ndarray) -> Iterator[Batch]:
        """Take one more text; the batches that are full then."""
        done = 0
        while True:
            end = _end_of_part(text, done + CHUNK_CHARACTERS, letters)
            self.batch.texts.append(text[done:end] if end - done < len(text) else text)
            self.batch.is_last.append(end == len(text))
            self._n += end - done
            done = end
            if self._n >= CHUNK_CHARACTERS or len(self.batch.texts) >= CHUNK_DOCUMENTS:
                yield from self.emptied()
            if done == len(text):
                return

    def emptied(self) -> list[Batch]:
        """What waits, as a batch, if anything does."""
        full, self.batch, self._n = self.batch, Batch([], []), 0
        return [full] if full.texts else []


def _cut_lines(text: str, rules: Rules) -> Numbered:
    """The words of lines; blank lines are no sentences."""
    codes = code_points(text).copy()
    ends = np.flatnonzero(codes == NEWLINE)
    if not text.endswith("\n"):
        ends = np.append(ends, len(text))
    words, ids, last = cut_at(codes, ends, rules)
    begins = np.concatenate([[0], ends[:-1]])
    empty = np.flatnonzero(np.diff(last, prepend=0) == 0)
    blank = [i for i in empty.tolist() if not text[begins[i] : ends[i]].strip()]
    last = np.delete(last, blank)
    return Numbered(words.words(), np.bincount(ids, minlength=len(words)), ids, last)


def _end_of_part(text: str, place: int, letters: np.ndarray) -> int:
    """The first place from here on at which no word goes on."""
    while place < len(text):
        ahead = letters[code_points(text[place : place + LOOKED_AHEAD])] < 0
        if ahead.any():
            return place + int(ahead.argmax())
        place += LOOKED_AHEAD
    return len(text)


def _rules(one: str, lowercase: bool) -> Rules:
    return Rules(letter_table(one, lowercase), 1, NO_LIMIT, table_of([]), (1, 1), None)


def _lowered(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield text if lower_case_is_by_letter(text) else text.lower()


def _check_single_words(vectorizer: Any) -> None:
    if not callable(vectorizer.analyzer) and tuple(vectorizer.ngram_range) != (1, 1):
        raise ValueError(
            "The order of words needs a vectorizer of single words; this one has "
            f"ngram_range={vectorizer.ngram_range}."
        )


def _numbered(lists: list[Sequence[Any]], first: int) -> Numbered:
    """Lists of words in numbers of their different words, in the order in which they come."""
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    ends = np.cumsum([len(words) for words in lists], dtype=np.int64)
    ids = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
    done = 0
    for i, words in enumerate(lists):
        try:
            ids[done : done + len(words)] = np.fromiter(
                map(number.__getitem__, words), dtype=np.int32, count=len(words)
            )
        except TypeError:
            _refuse(words, first + i)
            raise
        done += len(words)
    if not _are_texts(number):
        for i, words in enumerate(lists):
            _refuse(words, first + i)
    return Numbered(as_tokens(list(number)), np.bincount(ids, minlength=len(number)), ids, ends)


def _are_texts(words: Iterable[Any]) -> bool:
    return all(isinstance(word, str) for word in words)


def _refuse(words: Sequence[Any], i: int) -> None:
    for place, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(
                f"Document {i:,} has {word!r:.60} ({type(word).__name__}) in place of word "
                f"{place:,}; words are text. Write numbers as text: [str(word) for word in ...]."
            )
