"""`Corpus`: documents with names and columns, whatever holds them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.random import random_generator
from lowdim.tables.errors import TableError, listed, quoted

PART_CHARACTERS = 2**20  # a part of a corpus has about so many, and
PART_DOCUMENTS = 2**14  # at most so many documents


class CorpusError(TableError):
    """Documents that cannot be used as they are."""


class Part(NamedTuple):
    """Some documents, one after the other."""

    texts: list[str]
    ids: list[Any]
    columns: dict[str, list[Any]]


class Source(ABC):
    """What gives documents from first to last, any number of times.

    Attributes
    ----------
    where : str
        What to call it in messages.
    columns : tuple of str
        What each document has beside its text and its id.
    n_documents : int or None
        None while only a pass could say.
    """

    where: str = "The corpus"
    columns: tuple[str, ...] = ()
    n_documents: int | None = None

    @abstractmethod
    def parts(self) -> Generator[Part, None, None]:
        """All documents, some at a time."""

    def line_blocks(self) -> Generator[str, None, None] | None:
        """All documents as blocks of lines, if each line that is not blank is one; else None."""
        return None


class Corpus:
    """Documents that are read anew for every pass; made by `lowdim.corpus`.

    Iterating gives the texts. It is taken wherever documents are.

    Attributes
    ----------
    where : str
        What it is called in messages.
    """

    def __init__(self, source: Source, max_characters: int | None = None):
        self._source, self._most = source, max_characters
        self._n = source.n_documents
        self.where = source.where

    def __len__(self) -> int:
        if self._n is None:
            for _ in self.parts():
                pass
        assert self._n is not None
        return self._n

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        with closing(self.parts()) as parts:
            for part in parts:
                yield from part.texts

    def __repr__(self) -> str:
        known = "" if self._n is None else f", {self._n:,} documents"
        return f"Corpus({self.where}{known})"

    def parts(self) -> Generator[Part, None, None]:
        """The documents with their ids and columns, some at a time."""
        n = 0
        with closing(self._source.parts()) as parts:
            for part in parts:
                self._check_lengths(part)
                n += len(part.texts)
                yield part
        if self._n is not None and n != self._n:
            raise CorpusError(
                f"{self.where} had {self._n:,} documents before and gives {n:,} in this pass.",
                "Every pass must give the same documents.",
            )
        self._n = n

    def line_blocks(self) -> Generator[str, None, None] | None:
        """The texts as blocks of lines, of which each that is not blank is a document.

        None if documents are no lines of a file. For those who would cut lines faster than Python.
        """
        blocks = self._source.line_blocks()
        return None if blocks is None else self._with_short_lines(blocks)

    def _with_short_lines(self, blocks: Generator[str, None, None]) -> Generator[str, None, None]:
        with closing(blocks):
            for block in blocks:
                if self._most is not None and len(block) > self._most:
                    if max(map(len, block.split("\n"))) > self._most:
                        for _ in self.parts():  # says which line it is
                            pass
                yield block

    @property
    def ids(self) -> list[Any]:
        """A name for each document: of a file its path, of a line its number, of a row its id."""
        with closing(self.parts()) as parts:
            return [name for part in parts for name in part.ids]

    @property
    def columns(self) -> Mapping[str, list[Any]]:
        """What each document has beside its text: `columns['year']` is a list."""
        return _Columns(self)

    def take(self, index: Iterable[int]) -> Corpus:
        """Some documents by their numbers, in this order, held in memory."""
        wanted = np.asarray(list(index)).reshape(-1)
        if len(wanted) and wanted.dtype.kind not in "iu":
            raise TypeError(
                f"take needs numbers of documents, not {wanted.dtype}; of flags, "
                "numpy.flatnonzero(flags) are the numbers."
            )
        wanted = wanted.astype(np.int64)
        chosen = np.unique(wanted)
        if len(chosen) and chosen[0] < 0:
            raise IndexError(f"There is no document {chosen[0]}; they are numbered from 0.")
        found: list[tuple] = []
        start = 0
        with closing(self.parts()) as parts:
            for part in parts:
                here = chosen[slice(*np.searchsorted(chosen, [start, start + len(part.texts)]))]
                found += _picked(part, (here - start).tolist())
                start += len(part.texts)
        if len(found) < len(chosen):
            raise IndexError(f"There is no document {chosen[-1]}; the corpus has {start:,}.")
        rows = [found[i] for i in np.searchsorted(chosen, wanted)]
        return Corpus(_Held(self._source, rows), self._most)

    def sample(self, n: int, random_state: Any = None) -> Corpus:
        """n documents at random (all, if there are fewer), in their order, held in memory."""
        n_all = len(self)
        random = random_generator(random_state)
        chosen = random.choice(n_all, size=min(n, n_all), replace=False)
        return self.take(np.sort(chosen))

    def _check_lengths(self, part: Part) -> None:
        if self._most is None:
            return
        for text, name in zip(part.texts, part.ids, strict=True):
            if len(text) > self._most:
                raise CorpusError(
                    f"{self.where}: document {quoted(name)} has {len(text):,} characters; "
                    f"at most {self._most:,} are taken.",
                    "Is it one document? Split it, or raise {max_characters}.",
                )


class _Columns(Mapping):
    def __init__(self, corpus: Corpus):
        self._corpus = corpus

    def __getitem__(self, name: str) -> list[Any]:
        known = self._corpus._source.columns
        if name not in known:
            has = f"it has {listed(known)}" if known else "it has none"
            raise KeyError(f"{self._corpus.where} has no column {name!r}; {has}.")
        with closing(self._corpus.parts()) as parts:
            return [value for part in parts for value in part.columns[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._corpus._source.columns)

    def __len__(self) -> int:
        return len(self._corpus._source.columns)


class _Held(Source):
    """Documents that were taken from others."""

    def __init__(self, source: Source, rows: Sequence[tuple]):
        self.where, self.columns = source.where, source.columns
        self._rows, self.n_documents = rows, len(rows)

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(iter(self._rows), self.columns)


def in_parts(rows: Iterator[tuple], columns: Sequence[str]) -> Generator[Part, None, None]:
    """(text, id, *values of columns) of each document, as parts."""
    waiting: list[tuple] = []
    n = 0
    for row in rows:
        waiting.append(row)
        n += len(row[0])
        if n >= PART_CHARACTERS or len(waiting) >= PART_DOCUMENTS:
            yield _part(waiting, columns)
            waiting, n = [], 0
    if waiting:
        yield _part(waiting, columns)


def _part(rows: list[tuple], columns: Sequence[str]) -> Part:
    texts, ids, *values = (list(field) for field in zip(*rows, strict=True))
    return Part(texts, ids, dict(zip(columns, values, strict=True)))


def _picked(part: Part, index: list[int]) -> list[tuple]:
    fields = (part.texts, part.ids, *part.columns.values())
    return [tuple(field[i] for field in fields) for i in index]


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)
