"""Words and their numbers: a hash table over runs of numbers (characters, or numbers of words).

A word is a run of int32 in some text. The table keeps each different word once, numbered from 0 in
the order in which they came, one after the other in `pool`. Words are compared by their characters,
not only by their hashes, so two words are never taken for one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel

BASIS = -3750763034362895579  # Fowler, Noll, Vo 1a, of 64 bits; numbers wrap around
PRIME = 1099511628211
FEWEST_WORDS, FEWEST_LETTERS = 2**12, 2**15
GROWTH = 4


class Tokens(NamedTuple):
    """Where words stand in a text."""

    text: np.ndarray  # int32
    start: np.ndarray  # int64 (n,)
    end: np.ndarray  # int64 (n,)
    hashes: np.ndarray  # int64 (n,)


class WordTable:
    """Different words, numbered."""

    def __init__(self, words: int = FEWEST_WORDS, letters: int = FEWEST_LETTERS):
        slots = 1 << (2 * words - 1).bit_length()
        self._slots = np.full(slots, -1, dtype=np.int32)
        self._hashes = np.empty(words, dtype=np.int64)
        self._start = np.empty(words, dtype=np.int64)
        self._end = np.empty(words, dtype=np.int64)
        self._pool = np.empty(letters, dtype=np.int32)
        self._size = np.zeros(2, dtype=np.int64)  # words, letters

    def __len__(self) -> int:
        return int(self._size[0])

    def copy(self, words: int = 0, letters: int = 0) -> WordTable:
        """The same words, to be added to, with room for so many more."""
        table = WordTable(len(self._hashes) + words, len(self._pool) + letters)
        table.number(self.words())
        return table

    def number(self, tokens: Tokens, add: bool = True) -> np.ndarray:
        """int32 (n,): the number of each word; words that are new get one, or are -1."""
        ids = np.empty(len(tokens.start), dtype=np.int32)
        done = 0
        while done < len(ids):
            known: tuple[Any, ...] = (done, add, *self._arrays(), ids)
            done = _number(*tokens, *known)
            if done < len(ids):
                self._grow(int(tokens.end[done] - tokens.start[done]))
        return ids

    def words(self, first: int = 0) -> Tokens:
        """The words from number `first` on."""
        n, letters = map(int, self._size)
        parts = (self._start[first:n], self._end[first:n], self._hashes[first:n])
        return Tokens(self._pool[:letters], *parts)

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self._slots, self._hashes, self._start, self._end, self._pool, self._size

    def _grow(self, letters: int) -> None:
        n, used = map(int, self._size)
        words = len(self._hashes) * (GROWTH if 2 * n >= len(self._hashes) else 1)
        room = max(len(self._pool), used + letters)
        larger = WordTable(words, room * (GROWTH if 2 * (used + letters) >= room else 1))
        larger.number(self.words())
        self.__dict__.update(larger.__dict__)


def hashed(text: np.ndarray, start: np.ndarray, end: np.ndarray) -> Tokens:
    """Words of a text with their hashes."""
    hashes = np.empty(len(start), dtype=np.int64)
    _hash(text, start, end, hashes)
    return Tokens(text, start, end, hashes)


@kernel
def _number(text, start, end, hashes, first, add, slots, known, begins, ends, pool, size, ids):
    """Number the tokens from `first` on; the token at which the table was full, or their number."""
    mask = len(slots) - 1
    n, used = size[0], size[1]
    for t in range(first, len(start)):
        a, length, h = start[t], end[t] - start[t], hashes[t]
        slot = (h ^ (h >> 29)) & mask
        while True:
            word = slots[slot]
            if word < 0:
                break
            if known[word] == h and ends[word] - begins[word] == length:
                b = begins[word]
                same = 0
                while same < length and pool[b + same] == text[a + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + 1) & mask
        if word < 0 and add:
            if n == len(known) or used + length > len(pool):
                size[0], size[1] = n, used
                return t
            word = n
            slots[slot] = n
            known[n] = h
            begins[n] = used
            for same in range(length):
                pool[used + same] = text[a + same]
            used += length
            ends[n] = used
            n += 1
        ids[t] = word
    size[0], size[1] = n, used
    return len(start)


@kernel
def _hash(text, start, end, hashes):
    for t in range(len(start)):
        h = BASIS
        for i in range(start[t], end[t]):
            h = (h ^ text[i]) * PRIME
        hashes[t] = h
