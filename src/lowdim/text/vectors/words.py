"""The words of word vectors: checked at the door, and near spellings of unknown ones.

A message about an unknown word names words that are written nearly like it. They are looked for
when the message is read: programs that ask for many words and catch the error pay nothing.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from lowdim.tables.errors import plain, quoted

MOST_HINTS = 3
LONGEST_WORD = 40  # characters, of those for which near spellings are looked for
MOST_COMPARED = 20_000  # words that are compared letter by letter: the first, which are common
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789'-_"


class UnknownWordError(KeyError):
    """A word without a vector; its message names words that are written nearly like it."""

    def __init__(self, word: Any, key_to_index: Mapping[str, int], where: str = "the vectors"):
        super().__init__(word)
        self.word = word
        self._known, self._where = key_to_index, where

    def __str__(self) -> str:
        if not isinstance(self.word, str):
            return (
                f"{plain(repr(self.word))} is neither a word nor a number from 0 to "
                f"{len(self._known) - 1}; ask for a word."
            )
        near = near_spellings(self.word, self._known)
        hint = f"near it are {', '.join(map(quoted, near))}" if near else "nothing near it is there"
        return f"{quoted(self.word)} is not one of the {len(self._known):,} words; {hint}."

    def __reduce__(self) -> tuple:
        return KeyError, (str(self),)  # without all the words


def checked_words(words: Any) -> list[str]:
    """Words as a list of different texts."""
    if isinstance(words, str | bytes):
        raise TypeError(f"words={plain(words)!r} is one text; give a list of words.")
    if isinstance(words, np.ndarray):
        words = words.tolist()
    words = list(words)
    if not words:
        raise ValueError("There are no words; at least 1 is needed.")
    for i, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(
                f"words[{i}]={plain(repr(word))} is of type {type(word).__name__}, not text; "
                "name words by text, such as str(number)."
            )
    words = [word if type(word) is str else str(word) for word in words]
    if len(set(words)) < len(words):
        seen: dict[str, int] = {}
        for i, word in enumerate(words):
            if seen.setdefault(word, i) != i:
                raise ValueError(
                    f"The word {quoted(word)} stands in words twice, at {seen[word]} and {i}; "
                    "give every word once."
                )
    return words


def near_spellings(word: str, known: Mapping[str, int], most: int = MOST_HINTS) -> list[str]:
    """Known words that are written nearly like a word: the nearest, and of these the first known.

    First other cases and accents, then one letter more, less or other, then what `difflib` finds
    among the first words.
    """
    if len(word) > LONGEST_WORD:
        return []
    found: dict[str, None] = {}
    for candidates in (_cases(word), _edits(word)):
        there = sorted({known[w]: w for w in candidates if w in known and w != word}.items())
        found.update(dict.fromkeys(w for _, w in there))
        if len(found) >= most:
            return list(islice(found, most))
    compared = [w for w in islice(known, MOST_COMPARED) if abs(len(w) - len(word)) <= 2]
    found.update(dict.fromkeys(difflib.get_close_matches(word, compared, n=most)))
    found.pop(word, None)
    return list(islice(found, most))


def _cases(word: str) -> Iterable[str]:
    bare = "".join(
        c for c in unicodedata.normalize("NFKD", word) if unicodedata.category(c) != "Mn"
    )
    for form in (word, bare, word.strip(), word.replace(" ", "_"), word.replace(" ", "-")):
        yield from (form, form.lower(), form.upper(), form.capitalize(), form.title())


def _edits(word: str) -> set[str]:
    """All texts that differ by one letter, or by two that changed places."""
    letters = sorted({*LETTERS, *word})
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    fewer = (a + b[1:] for a, b in cuts if b)
    turned = (a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1)
    other = (a + c + b[1:] for a, b in cuts if b for c in letters)
    more = (a + c + b for a, b in cuts for c in letters)
    return {*fewer, *turned, *other, *more}


# ---- words as bytes: one array, whatever their lengths -------------------------------------------


def packed_words(words: Sequence[str]) -> dict[str, np.ndarray]:
    """Words as two arrays: their letters in UTF-8, and where each word ends."""
    try:
        encoded = [word.encode("utf-8") for word in words]
    except UnicodeEncodeError as error:
        raise TypeError(
            f"cannot save the word {quoted(error.object)}: it has half of a surrogate pair. Name "
            "it by whole characters."
        ) from None
    ends = np.cumsum([len(one) for one in encoded], dtype=np.int64)
    return {"letters": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def unpacked_words(letters: np.ndarray, ends: np.ndarray) -> list[str]:
    """The words again; ValueError if the arrays hold none."""
    if letters.dtype != np.uint8 or letters.ndim != 1 or ends.dtype.kind != "i" or ends.ndim != 1:
        raise ValueError("its words are not letters and ends")
    edges = np.concatenate([[0], ends])
    if np.any(edges[1:] < edges[:-1]) or edges[-1] != len(letters):
        raise ValueError("its words do not end where they should")
    raw, edges = letters.tobytes(), edges.tolist()
    return [raw[a:b].decode("utf-8") for a, b in pairwise(edges)]
