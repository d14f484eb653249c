"""The documents of a page: looked through once, and drawn at random where they are very many.

The first pass sees how long documents are, which are copies of others, and where signs stand for
bytes that are no characters. Beyond LARGE_CHARACTERS the page is about a sample, held in memory;
the others are only read again where shares of all documents are asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import closing
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.progress import watch
from lowdim.core.random import random_generator
from lowdim.text.corpus import Corpus, corpus
from lowdim.text.corpus.documents import CorpusError, is_missing

LARGE_CHARACTERS = 2 * 10**8  # beyond, the page is about a sample of
SAMPLE_CHARACTERS = 3 * 10**7
LEAST_DOCUMENTS = 4
BAD = "\N{REPLACEMENT CHARACTER}"


class Reading(NamedTuple):
    """The documents that the page is about.

    Attributes
    ----------
    documents : Corpus
    where : str
    n_read : int
        Of the whole source.
    numbers : ndarray of int (n,) or None
        Of the documents in the source, if they are a sample.
    asked : bool
        Whether the user asked for a sample.
    ids : list of str
    lengths : ndarray of int (n,)
        Characters of each.
    n_characters : int
        Of the whole source.
    bad : ndarray of int (n,)
        Signs in each that stand for bytes that are no characters.
    first_copy : ndarray of int (n,)
        The first document with the same text; its own number if it is the first.
    label, time : list or None
        The columns that were asked for; None where a document has no value.
    """

    documents: Corpus
    where: str
    n_read: int
    numbers: np.ndarray | None
    asked: bool
    ids: list[str]
    lengths: np.ndarray
    n_characters: int
    bad: np.ndarray
    first_copy: np.ndarray
    label: list[Any] | None
    time: list[Any] | None


class Look(NamedTuple):
    """What one pass sees of each document."""

    lengths: np.ndarray  # int64 (n,)
    bad: np.ndarray  # int64 (n,)
    digests: np.ndarray  # uint64 (n,)


def read_documents(
    source: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    time: str | None = None,
    split: str = "auto",
    encoding: str = "utf-8",
    sample: int | None = None,
    seed: int = 0,
) -> Reading:
    """Look through documents; the arguments are those of `lowdim.topics`."""
    columns = tuple(dict.fromkeys(name for name in (label, time) if name is not None))
    whole = corpus(
        source,
        text=text,
        id=id,
        columns=columns,
        split=split,
        encoding=encoding,
        decode_error="replace",
    )
    if isinstance(source, Corpus):
        for name in set(columns) - set(whole.columns):
            whole.columns[name]  # raises, and says which columns there are
    look = look_through(whole)
    n = len(look.lengths)
    _check_enough(whole.where, n)
    size = sample_size(look.lengths, sample)
    numbers, documents = None, whole
    if size < n:
        numbers = np.sort(random_generator(seed).choice(n, size, replace=False))
        documents = whole.take(numbers)
    kept = np.arange(n) if numbers is None else numbers
    ids, values = _names_and_columns(documents, columns)
    return Reading(
        documents,
        whole.where,
        n,
        numbers,
        sample is not None and size == sample,
        ids,
        look.lengths[kept],
        int(look.lengths.sum()),
        look.bad[kept],
        first_equal(look.digests[kept], look.lengths[kept]),
        None if label is None else values[label],
        None if time is None else values[time],
    )


def _check_enough(where: str, n: int) -> None:
    if n < LEAST_DOCUMENTS:
        some = "1 document" if n == 1 else f"{n} documents"
        raise CorpusError(
            f"{where} has {some}; topics need at least {LEAST_DOCUMENTS}.",
            "Is each line, or each paragraph, a document? Say so: {split} 'line' or 'blank'.",
        )


def look_through(documents: Corpus) -> Look:
    """One pass over all documents."""
    lengths, bad, digests = array("q"), array("q"), bytearray()  # documents may be millions
    with closing(documents.parts()) as parts, watch("reading documents") as bar:
        for part in parts:
            for document in part.texts:
                lengths.append(len(document))
                bad.append(document.count(BAD))
                digests += _digest(document)
            bar.update(len(lengths))
    return Look(
        np.array(lengths, dtype=np.int64),
        np.array(bad, dtype=np.int64),
        np.frombuffer(bytes(digests), dtype=np.uint64),
    )


def _digest(document: str) -> bytes:
    return blake2b(document.strip().encode("utf-8", "surrogatepass"), digest_size=8).digest()


def sample_size(lengths: np.ndarray, asked: int | None) -> int:
    """How many documents the page is about."""
    n, total = len(lengths), int(lengths.sum())
    if asked is not None:
        return min(asked, n)
    if total <= LARGE_CHARACTERS:
        return n
    return max(LEAST_DOCUMENTS, int(n * (SAMPLE_CHARACTERS / total)))


def first_equal(digests: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """For each document the first one that is equal; empty ones are equal to none."""
    _, first, place = np.unique(digests, return_index=True, return_inverse=True)
    own = np.arange(len(digests))
    return np.where(lengths > 0, first[place], own)


def _names_and_columns(
    documents: Corpus, columns: Sequence[str]
) -> tuple[list[str], dict[str, list[Any]]]:
    ids: list[str] = []
    values: dict[str, list[Any]] = {name: [] for name in columns}
    with closing(documents.parts()) as parts:
        for part in parts:
            ids += map(str, part.ids)
            for name in columns:
                values[name] += [None if is_missing(v) else v for v in part.columns[name]]
    return ids, values
