"""Pairs of words as arrows: do they point the same way?

    d_i = x_b(i) - x_a(i)           of a pair (a, b), vectors of length 1
    upwards: the mean of d_i; to the right: the direction in which the middles of the pairs vary
    most, among those at right angles to it

That a plane made from pairs shows them as parallel says little: of m pairs at random, each makes
1/m of the mean itself. So each pair is held against the others alone:

    agreement of pair i = cos(d_i, sum of d_j, j not i)         0 on average for pairs at random
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lowdim.report.words.vocabulary import Vocabulary

LEAST_PAIRS = 4
MOST_PAIRS = 30  # drawn; more cannot be read

# of which those are drawn that a vocabulary has, if no questions are given
USUAL: dict[str, list[tuple[str, str]]] = {
    "man, woman": [
        *(("man", "woman"), ("men", "women"), ("king", "queen"), ("boy", "girl")),
        *(("father", "mother"), ("son", "daughter"), ("brother", "sister"), ("he", "she")),
        *(("his", "her"), ("uncle", "aunt"), ("husband", "wife"), ("prince", "princess")),
        *(("actor", "actress"), ("sir", "madam"), ("lord", "lady"), ("himself", "herself")),
    ],
    "country, capital": [
        *(("france", "paris"), ("england", "london"), ("germany", "berlin"), ("italy", "rome")),
        *(("spain", "madrid"), ("russia", "moscow"), ("japan", "tokyo"), ("china", "beijing")),
        *(("greece", "athens"), ("egypt", "cairo"), ("poland", "warsaw"), ("austria", "vienna")),
        *(("ireland", "dublin"), ("sweden", "stockholm"), ("cuba", "havana"), ("iran", "tehran")),
    ],
    "one, many": [
        *(("year", "years"), ("day", "days"), ("book", "books"), ("city", "cities")),
        *(("child", "children"), ("house", "houses"), ("hand", "hands"), ("eye", "eyes")),
        *(("friend", "friends"), ("word", "words"), ("animal", "animals"), ("car", "cars")),
    ],
    "now, then": [
        *(("is", "was"), ("are", "were"), ("has", "had"), ("go", "went"), ("come", "came")),
        *(("see", "saw"), ("take", "took"), ("give", "gave"), ("say", "said"), ("make", "made")),
        *(("know", "knew"), ("find", "found"), ("think", "thought"), ("begin", "began")),
    ],
    "plain, more": [
        *(("good", "better"), ("bad", "worse"), ("large", "larger"), ("small", "smaller")),
        *(("high", "higher"), ("low", "lower"), ("long", "longer"), ("short", "shorter")),
        *(("great", "greater"), ("old", "older"), ("young", "younger"), ("strong", "stronger")),
    ],
    "opposites": [
        *(("good", "bad"), ("hot", "cold"), ("large", "small"), ("old", "new")),
        *(("high", "low"), ("long", "short"), ("rich", "poor"), ("cheap", "expensive")),
        *(("early", "late"), ("strong", "weak"), ("light", "dark"), ("open", "closed")),
    ],
}


class Relation(NamedTuple):
    """Pairs of words that are said to differ in the same way.

    Attributes
    ----------
    name : str
    pairs : list of (str, str)
        Those that are drawn.
    points : ndarray of shape (p, 2, 2)
        Pair, first or second word, coordinate.
    agreement : ndarray of shape (p,)
        Of each pair with the others: a cosine.
    n_known, n_pairs : int
        Pairs whose words are known, and all.
    """

    name: str
    pairs: list[tuple[str, str]]
    points: np.ndarray
    agreement: np.ndarray
    n_known: int
    n_pairs: int


def relations(pairs: Mapping[str, Sequence[tuple[str, str]]], found: Vocabulary) -> list[Relation]:
    """The relations of which the vocabulary has enough pairs, as arrows; commoner pairs first."""
    place = found.place
    drawn = []
    for name, some in pairs.items():
        known = list(dict.fromkeys((a, b) for a, b in some if a in place and b in place and a != b))
        if len(known) < LEAST_PAIRS:
            continue
        known.sort(key=lambda pair: max(place[pair[0]], place[pair[1]]))
        first, second = (
            found.units[[place[pair[side]] for pair in known]].astype(np.float64) for side in (0, 1)
        )
        cosines = agreement(second - first)[:MOST_PAIRS]
        points = pair_plane(first[:MOST_PAIRS], second[:MOST_PAIRS])
        drawn.append(Relation(name, known[:MOST_PAIRS], points, cosines, len(known), len(some)))
    return drawn


def agreement(D: np.ndarray) -> np.ndarray:
    """The cosine of each row with the sum of the other rows; 0 where one of them is zero."""
    rest = D.sum(axis=0) - D
    lengths = np.linalg.norm(D, axis=1) * np.linalg.norm(rest, axis=1)
    return np.divide((D * rest).sum(axis=1), lengths, out=np.zeros(len(D)), where=lengths > 1e-12)


def pair_plane(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The words of pairs in the plane of their mean difference and of what their middles vary in.

    Returns (p, 2, 2): pair, first or second word, (to the right, upwards).
    """
    up = (second - first).mean(axis=0)
    length = np.linalg.norm(up)
    up = up / length if length > 1e-12 else np.eye(len(up))[0]
    middle = (first + second) / 2
    origin = middle.mean(axis=0)
    rest = middle - origin
    rest -= np.outer(rest @ up, up)
    right = np.linalg.svd(rest, full_matrices=False)[2][0]
    right = right * (1.0 if right[np.abs(right).argmax()] > 0 else -1.0)
    axes = np.column_stack([right, up])
    return np.stack([(first - origin) @ axes, (second - origin) @ axes], axis=1)
