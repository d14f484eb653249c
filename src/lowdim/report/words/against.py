"""Two vocabularies in one space: which words are elsewhere in the other.

Two sets of vectors are each turned as chance would have it. Where the same words lie near each
other more than any two words do, they are in one space already; else one is turned so that the
words that are written alike come to lie near each other (`lowdim.text.align`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.report.words.near import nearest_words
from lowdim.report.words.vocabulary import Vocabulary

LISTED = 40  # words that moved, and words that stayed
NAMED = 5  # neighbours that are named
COMMON = 5_000  # a word that is rare in one of two corpora moves by chance
ALREADY = 0.1  # by so much nearer are the same words than others if they are in one space


class Moved(NamedTuple):
    """A word of both vocabularies.

    Attributes
    ----------
    word : str
    cosine : float
        Of its two vectors.
    here, there : list of str
        Its nearest words in each.
    """

    word: str
    cosine: float
    here: list[str]
    there: list[str]


class Against(NamedTuple):
    """What was found by laying one vocabulary on another.

    Attributes
    ----------
    how : str
        How the vectors came into one space, in words.
    turned : bool
        Whether the first ones were turned for it.
    n_both : int
        Words of both.
    cosines : ndarray of shape (n_both,)
        Of the words of both.
    moved, stayed : list of Moved
        The words of both that lie farthest apart, and nearest.
    matched : list of Moved
        The commonest words of the first; `there` are the nearest of the other.
    """

    how: str
    turned: bool
    n_both: int
    cosines: np.ndarray
    moved: list[Moved]
    stayed: list[Moved]
    matched: list[Moved]


def alike(one: Vocabulary, other: Vocabulary, most: int | None = None) -> np.ndarray:
    """Places (p, 2) of the words of both, by their place in the first."""
    place = {word: i for i, word in enumerate(other.words[:most])}
    pairs = [(i, place[word]) for i, word in enumerate(one.words[:most]) if word in place]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def in_one_space(one: Vocabulary, other: Vocabulary) -> bool:
    """Whether words of both lie nearer to themselves than to the next word of the list."""
    if one.units.shape[1] != other.units.shape[1]:
        return False
    pairs = alike(one, other)
    if len(pairs) < 2:
        return True  # nothing could turn them: they are taken as they are
    A, B = one.units[pairs[:, 0]], other.units[pairs[:, 1]]
    same, different = (A * B).sum(axis=1), (A * np.roll(B, 1, axis=0)).sum(axis=1)
    return bool(same.mean() - different.mean() > ALREADY)


def compared(one: Vocabulary, other: Vocabulary, how: str, turned: bool = False) -> Against:
    """The words of two vocabularies in one space, and how they came there."""
    pairs = alike(one, other, COMMON)
    cosines = (one.units[pairs[:, 0]] * other.units[pairs[:, 1]]).sum(axis=1).astype(np.float64)
    order = np.argsort(cosines, kind="stable")
    half = min(LISTED, len(order) // 2)
    moved = _described(one, other, pairs[order[:half]], cosines[order[:half]])
    last = order[::-1][:half]
    stayed = _described(one, other, pairs[last], cosines[last])
    first = np.arange(min(LISTED, len(one.words)))
    near = nearest_words(one.units[first], other.units)
    matched = [
        Moved(one.words[i], float(near.cosine[i, 0]), [], [other.words[j] for j in near.index[i]])
        for i in first.tolist()
        if near.index.shape[1]
    ]
    return Against(how, turned, len(alike(one, other)), cosines, moved, stayed, matched)


def _described(
    one: Vocabulary, other: Vocabulary, pairs: np.ndarray, cosines: np.ndarray
) -> list[Moved]:
    named = []
    for side, found in enumerate((one, other)):
        near = nearest_words(found.units[pairs[:, side]], found.units, pairs[:, side])
        named.append([[found.words[j] for j in row[:NAMED]] for row in near.index])
    return [
        Moved(one.words[pair[0]], float(cosine), here, there)
        for pair, cosine, here, there in zip(pairs, cosines, *named, strict=True)
    ]
