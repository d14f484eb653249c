"""Words with a vector each, found by their names: what word vectors are made of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from lowdim.core.estimator import SameBits
from lowdim.core.numeric import numeric_array
from lowdim.core.persistence import PlainObject
from lowdim.tables.errors import listed, quoted
from lowdim.text.vectors import queries
from lowdim.text.vectors.words import (
    UnknownWordError,
    checked_words,
    packed_words,
    unpacked_words,
)


class Keyed(SameBits, PlainObject):
    """Words, their vectors and counts."""

    def __init__(self, words: Any, vectors: Any, counts: Any = None):
        self.index_to_key = checked_words(words)
        self.vectors = _checked_vectors(vectors, self.index_to_key)
        self.counts = _checked_counts(counts, len(self.index_to_key))
        self.key_to_index = {word: i for i, word in enumerate(self.index_to_key)}
        self._known_lengths: np.ndarray | None = None

    # ---- words and vectors -----------------------------------------------------------------------

    @property
    def vector_size(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    def __contains__(self, word: Any) -> bool:
        return self._index(word) >= 0

    def __getitem__(self, words: Any) -> np.ndarray:
        if isinstance(words, str | int | np.integer):
            return self.vectors[self._known_index(words)]
        return self.vectors[self._indices(words)]

    def __repr__(self) -> str:
        n, d = self.vectors.shape
        return f"<WordVectors: {n:,} words, {d} dimensions, {self.vectors.dtype}>"

    def get_index(self, word: str | int, default: Any = None) -> int:
        """The number of a word, or `default` if it is not known and there is one."""
        index = self._index(word)
        if index < 0 and default is not None:
            return default
        return self._known_index(word)

    def has_index_for(self, word: str | int) -> bool:
        """Whether a word has a vector."""
        return word in self

    def get_vector(self, word: str | int, norm: bool = False) -> np.ndarray:
        """The vector of a word; with `norm`, over its length."""
        vector = self[word]
        if not norm:
            return vector
        vector = queries.unit(vector).astype(self.vectors.dtype)
        vector.flags.writeable = False
        return vector

    def get_normed_vectors(self) -> np.ndarray:
        """All vectors over their lengths; those of zeros stay."""
        return queries.unit_rows(self.vectors, self._lengths)

    def get_vecattr(self, word: str | int, attr: str) -> Any:
        """What else is known of a word: "count", how often it was seen.

        Raises
        ------
        KeyError
            If counts are not known, or for another name.
        """
        index = self._known_index(word)
        if attr != "count":
            raise KeyError(f"attr={attr!r} is not kept; word vectors have 'count' alone.")
        if self.counts is None:
            raise KeyError(
                "These word vectors have no counts; give them as WordVectors(words, vectors, "
                "counts), or read them from fvocab=."
            )
        return self.counts[index].item()

    # ---- inside ----------------------------------------------------------------------------------

    def _index(self, word: Any) -> int:
        """The number of a word, or -1."""
        if isinstance(word, str):
            return self.key_to_index.get(word, -1)
        if isinstance(word, int | np.integer) and 0 <= word < len(self):
            return int(word)
        return -1

    def _known_index(self, word: Any) -> int:
        index = self._index(word)
        if index < 0:
            raise UnknownWordError(word, self.key_to_index)
        return index

    def _indices(self, words: Iterable[Any]) -> np.ndarray:
        return np.array([self._known_index(word) for word in words], dtype=np.intp)

    def _known(self, words: Sequence[str]) -> list[str]:
        """The words that have vectors; says which have none."""
        words = queries.as_list(words)
        if not words:
            raise ValueError("There are no words; give at least 1.")
        known = [word for word in words if word in self]
        unknown = [word for word in words if word not in self]
        if not known:
            raise UnknownWordError(words[0], self.key_to_index)
        if unknown:
            warnings.warn(
                f"{listed([quoted(word) for word in unknown])} "
                f"{'has no vector and is' if len(unknown) == 1 else 'have no vectors and are'} "
                "left out.",
                stacklevel=_outside(),
            )
        return known

    @property
    def _lengths(self) -> np.ndarray:
        if self._known_lengths is None:
            self._known_lengths = queries.lengths(self.vectors)
        return self._known_lengths

    def _fields(self) -> dict[str, Any]:
        words = packed_words(self.index_to_key)
        return {**words, "vectors": self.vectors, "counts": self.counts}

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        words = unpacked_words(fields["letters"], fields["ends"])
        vectors = fields["vectors"]
        if not isinstance(vectors, np.ndarray) or vectors.dtype.kind != "f":
            raise ValueError("its vectors are no numbers")
        return cls(words, vectors, fields["counts"])


def is_word(key: Any) -> bool:
    return isinstance(key, str | int | np.integer)


def _outside() -> int:
    """How many calls up the caller of lowdim is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("lowdim."):
        level, frame = level + 1, frame.f_back
    return level


def _checked_vectors(vectors: Any, words: list[str]) -> np.ndarray:
    """Vectors in C order, float32 or float64, read-only."""
    array = numeric_array(vectors, "vectors", "WordVectors")
    if array.ndim != 2 or len(array) != len(words):
        raise ValueError(
            f"vectors has shape {array.shape}; {len(words)} words need {len(words)} rows."
        )
    if array.shape[1] == 0:
        raise ValueError("vectors has no columns; at least 1 is needed.")
    narrow = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    array = np.ascontiguousarray(array, np.float32 if narrow else np.float64)
    for first in range(0, len(array), 2**14):
        finite = np.isfinite(array[first : first + 2**14]).all(axis=1)
        if not finite.all():
            i = first + int(np.argmin(finite))
            raise ValueError(
                f"The vector of {quoted(words[i])} (row {i}) has NaN or infinite values; leave "
                "the word out."
            )
    array = array.view(np.ndarray)
    array.flags.writeable = False
    return array


def _checked_counts(counts: Any, n: int) -> np.ndarray | None:
    """Counts as int64, or as float64 if some are not whole; read-only."""
    if counts is None:
        return None
    array = numeric_array(counts, "counts", "WordVectors")
    if array.shape != (n,):
        raise ValueError(f"counts has shape {array.shape}; {n} words need {n} counts.")
    valid = np.isfinite(array) & (array >= 0)
    if not valid.all():
        i = int(np.argmin(valid))
        raise ValueError(f"counts[{i}]={array[i]} is no count; counts are numbers of 0 or more.")
    whole = array.dtype.kind in "biu" or bool(
        np.all(array == np.floor(array)) and array.max() < 2**63
    )
    array = array.astype(np.int64 if whole else np.float64)
    array.flags.writeable = False
    return array
