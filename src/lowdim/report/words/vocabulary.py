"""The words that a page is about: the commonest, as rows of length 1.

A page has room for so many names: words that are very long are cut, and of words that take much
room (a letter of another script takes six bytes) there are fewer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowdim.report.page.texts import excerpt

MOST_CANDIDATES = 50_000  # words among which neighbours are looked for
NAME_BYTES = 1_500_000  # of all names in a page
LONGEST_WORD = 40  # characters
NO_LETTERS = "(blank)"  # for a word that nobody could see


class Vocabulary(NamedTuple):
    """The commonest words of a set of vectors.

    Attributes
    ----------
    name : str
        Of the set.
    words : list of str
        The commonest first.
    units : ndarray of shape (m, d)
        Their vectors, of length 1; zeros stay zeros.
    counts : ndarray of shape (m,) or None
        How often each was seen; None where that is not known.
    n_all : int
        Words of the whole set.
    """

    name: str
    words: list[str]
    units: np.ndarray
    counts: np.ndarray | None
    n_all: int

    @property
    def place(self) -> dict[str, int]:
        """Where each word is."""
        return {word: i for i, word in enumerate(self.words)}


def shown_name(word: str) -> str:
    """A word as a page shows it: in one line, not too long, never invisible."""
    return excerpt(word, LONGEST_WORD) or NO_LETTERS


def commonest(
    name: str,
    words: Sequence[str],
    vectors: np.ndarray,
    counts: np.ndarray | None,
    most: int = MOST_CANDIDATES,
    room: int = NAME_BYTES,
) -> Vocabulary:
    """The commonest words whose names there is room for.

    Parameters
    ----------
    name : str
    words : sequence of str
    vectors : ndarray of shape (v, d)
    counts : ndarray of shape (v,) or None
        None takes the words in their order, which is that of their counts in most files.
    most : int
        Words at the most.
    room : int
        Bytes of their names in the page.
    """
    order = np.arange(len(words))
    if counts is not None:
        order = np.argsort(-np.asarray(counts), kind="stable")
    chosen: list[int] = []
    for i in order[:most].tolist():
        room -= len(json.dumps(shown_name(words[i]))) + 1
        if room < 0:
            break
        chosen.append(i)
    rows = np.asarray(chosen, dtype=np.int64)
    return Vocabulary(
        name,
        [words[i] for i in chosen],
        unit_rows(np.asarray(vectors)[rows]),
        None if counts is None else np.asarray(counts)[rows],
        len(words),
    )


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows divided by their lengths, in float32; rows of zeros stay zeros."""
    Y = np.asarray(X, dtype=np.float64)
    largest = np.abs(Y).max(axis=1, keepdims=True, initial=0.0)
    Y = np.divide(Y, largest, out=np.zeros_like(Y), where=largest > 0)
    length = np.sqrt((Y**2).sum(axis=1, keepdims=True))
    return np.divide(Y, length, out=Y, where=length > 0).astype(np.float32)
