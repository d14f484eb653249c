r"""Which characters make words: a table with one number for each code point, made from `re`.

A pattern such as (?u)\b\w\w+\b asks for runs of characters of one class, as long as they can be.
Such runs are cut by a kernel, which looks up each character in a table:

    letters[c] = the code point that stands for c (lower case, if wanted), -1 outside of words

`re` itself says which characters belong to the class, and `str.lower` what their lower case is, so
the words are those that `re` would find.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

N_CODES = 0x110000
# Lower case that depends on what stands around a letter, or has two code points
NOT_ALONE = ("\N{GREEK CAPITAL LETTER SIGMA}", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}")

_RUNS = re.compile(
    r"(?:\(\?u\))?"
    r"(?P<edge>(?:\\b)?)"
    r"(?P<one>\\w|\[(?:[^\[\]\\^&|~-](?:-[^\[\]\\^&|~-])?)+\])"
    r"(?P<more>(?P=one)*)(?:\+|\{(?P<least>[1-9]\d{0,3}),\})"
    r"(?P=edge)"
)


class Runs(NamedTuple):
    """A pattern that means: all runs of characters of a class."""

    one: str  # the class, as `re` writes it
    least: int  # characters of a run


def runs_of(pattern: str | None) -> Runs | None:
    """What a pattern means, if it asks for runs of one class; None if it may ask for more."""
    match = _RUNS.fullmatch(pattern or "")
    if match is None or (match["edge"] and match["one"] != r"\w"):
        return None
    one, before = match["one"], len(match["more"]) // len(match["one"])
    if " " in _members(one):
        return None  # a word with a blank in it could be two words of an n-gram
    return Runs(one, before + int(match["least"] or 1))


@functools.cache
def letter_table(one: str, lowercase: bool) -> np.ndarray:
    """int32 (N_CODES,): the character that stands for each one in words, -1 outside of them."""
    codes = np.arange(N_CODES, dtype=np.int32)
    if lowercase:
        codes = _lower_codes()
    in_words = np.zeros(N_CODES, dtype=bool)
    in_words[code_points(_members(one))] = True
    table = np.where(in_words[codes], codes, np.int32(-1))
    table.flags.writeable = True  # as a kernel sees arrays: one signature
    return table


def lower_case_is_by_letter(text: str) -> bool:
    """Whether the lower case of a text is that of its letters, one by one."""
    return text.isascii() or not any(letter in text for letter in NOT_ALONE)


def code_points(text: str) -> np.ndarray:
    """int32: the code points of a text, halves of surrogate pairs included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4").astype(
        np.int32, copy=False
    )


def text_of(codes: np.ndarray) -> str:
    """The text of code points."""
    return codes.astype("<i4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


@functools.cache
def _members(one: str) -> str:
    """All characters of a class."""
    return "".join(re.findall(one, text_of(np.arange(N_CODES, dtype=np.int32))))


@functools.cache
def _lower_codes() -> np.ndarray:
    codes = np.arange(N_CODES, dtype=np.int32)
    alone = np.delete(codes, code_points("".join(NOT_ALONE)))
    codes[alone] = code_points(text_of(alone).lower())
    return codes
