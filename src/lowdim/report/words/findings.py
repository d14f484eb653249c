"""What there is to say about word vectors, as plain data.

words        the commonest; of two sets, brought into one space
map          words near each other side by side, in a plane
neighbours   the nearest words of each, in the whole space
clusters     words that belong together
analogies    pairs as arrows, and how many questions are answered rightly
two sets     which words are elsewhere in the other
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

import lowdim
from lowdim.report.page.stages import stages
from lowdim.report.words.against import Against, compared, in_one_space
from lowdim.report.words.groups import Groups, word_groups
from lowdim.report.words.near import nearest_words
from lowdim.report.words.plane import Plane, word_plane
from lowdim.report.words.questions import Accuracy, Questions, accuracy
from lowdim.report.words.relations import USUAL, Relation, relations
from lowdim.report.words.vocabulary import (
    MOST_CANDIDATES,
    NAME_BYTES,
    Vocabulary,
    commonest,
    shown_name,
)
from lowdim.tables.errors import TableError
from lowdim.text.similarity import Nearest

STAGES = {  # about what part of the time they take, in percent
    "one space": 10,
    "map": 40,
    "neighbours": 20,
    "clusters": 10,
    "analogies": 20,
}
MAP_WORDS = 5_000
NORMALIZED = ("unit", "center", "unit")  # before two sets of vectors are laid on each other


class Wishes(NamedTuple):
    """What a user may say about the page; see `lowdim.words`."""

    align: str = "auto"
    n_words: int = MAP_WORDS


class Findings(NamedTuple):
    """All that the page shows.

    Attributes
    ----------
    vocabularies : list of Vocabulary
        One, or two in one space.
    side : ndarray of int, shape (n,)
        The vocabulary that each word of the map is from.
    place : ndarray of int, shape (n,)
        Where it is there.
    plane : Plane
    near : list of Nearest
        Of each word of the map: the nearest of its own vocabulary; and, where there are two, the
        nearest of the other.
    groups : Groups
    relations : list of Relation
        Of the first vocabulary.
    accuracy : Accuracy or None
        None if no questions were given.
    against : Against or None
    remarks : list of str
    seconds : dict of str to float
    """

    vocabularies: list[Vocabulary]
    side: np.ndarray
    place: np.ndarray
    plane: Plane
    near: list[Nearest]
    groups: Groups
    relations: list[Relation]
    accuracy: Accuracy | None
    against: Against | None
    remarks: list[str]
    seconds: dict[str, float]

    @property
    def words(self) -> list[str]:
        """The words of the map, as they are shown."""
        both = zip(self.side.tolist(), self.place.tolist(), strict=True)
        return [shown_name(self.vocabularies[side].words[i]) for side, i in both]


class Source(NamedTuple):
    """Word vectors, and what they are called."""

    name: str
    vectors: Any  # WordVectors


def find(
    source: Source,
    other: Source | None,
    questions: Questions | None,
    wishes: Wishes,
    seed: int,
) -> Findings:
    """Compute all that the page shows."""
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as caught, stages("the page", STAGES) as stage:
        warnings.simplefilter("always")
        with stage("one space"):
            found, how = _one_space(source, other, wishes, remarks)
        with stage("map"):
            side, place = map_words(found, wishes.n_words)
            units = _units(found, side, place)
            plane = word_plane(units, seed)
        with stage("neighbours"):
            near = _neighbours(found, side, place, units)
        names = [shown_name(found[s].words[i]) for s, i in zip(side, place, strict=True)]
        with stage("clusters"):
            groups = word_groups(units, names, seed)
            against = None if how is None else compared(found[0], found[1], *how)
        with stage("analogies"):
            arrows = relations(USUAL if questions is None else questions.pairs(), found[0])
            score = None if questions is None else accuracy(source.vectors, questions)
    remarks += sorted({f"A method warned: {one.message}" for one in caught})
    return Findings(
        found,
        side,
        place,
        plane,
        near,
        groups,
        arrows,
        score,
        against,
        remarks,
        stage.seconds,
    )


def map_words(found: list[Vocabulary], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Vocabulary and place of the words of the map, by falling rank; of two, half of each."""
    share = [min(most // len(found), len(v.words)) for v in found]
    if len(found) == 2:  # what one of them leaves, the other takes
        share = [min(most - share[1 - s], len(v.words)) for s, v in enumerate(found)]
    side = np.concatenate([np.full(n, s) for s, n in enumerate(share)])
    place = np.concatenate([np.arange(n) for n in share])
    order = np.lexsort((side, place))
    return side[order], place[order]


def _units(found: list[Vocabulary], side: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The vectors of the words of the map."""
    units = np.empty((len(side), found[0].units.shape[1]), dtype=np.float32)
    for s, vocabulary in enumerate(found):
        units[side == s] = vocabulary.units[place[side == s]]
    return units


def _neighbours(
    found: list[Vocabulary], side: np.ndarray, place: np.ndarray, units: np.ndarray
) -> list[Nearest]:
    """Of each word of the map, in its own vocabulary and in the other."""
    lists = []
    for across in range(len(found)):
        parts = []
        for s in range(len(found)):
            here = side == s
            own = place[here] if across == 0 else None
            target = found[s if across == 0 else 1 - s]
            parts.append((here, nearest_words(units[here], target.units, own)))
        lists.append(_together(parts, len(side)))
    return lists


def _together(parts: list[tuple[np.ndarray, Nearest]], n: int) -> Nearest:
    k = min(near.index.shape[1] for _, near in parts)
    index, cosine = np.zeros((n, k), dtype=np.int64), np.zeros((n, k))
    for here, near in parts:
        index[here], cosine[here] = near.index[:, :k], near.cosine[:, :k]
    return Nearest(index, cosine)


def _one_space(
    source: Source, other: Source | None, wishes: Wishes, remarks: list[str]
) -> tuple[list[Vocabulary], tuple[str, bool] | None]:
    """The vocabularies, how they came into one space and whether by turning; None for one alone."""
    if other is None:
        return [_vocabulary(source, 1, remarks)], None
    both = [_vocabulary(one, 2, remarks) for one in (source, other)]
    sizes = [vocabulary.units.shape[1] for vocabulary in both]
    if wishes.align == "none":
        if sizes[0] != sizes[1]:
            raise TableError(
                f"Vectors of {sizes[0]} and of {sizes[1]} numbers are not in one space.",
                "Choose 'alike' or 'auto' for {align}.",
            )
        return both, ("as they were given", False)
    if wishes.align == "auto" and in_one_space(*both):
        centred = [
            one._replace(vectors=one.vectors.normalized(NORMALIZED)) for one in (source, other)
        ]
        both = [_vocabulary(one, 2, []) for one in centred]
        how = "as they were given: words written alike are near each other already"
        return both, (how, False)
    alignment = lowdim.text.align(source.vectors, other.vectors, normalize=NORMALIZED)
    turned = source._replace(vectors=alignment.transform())
    fixed = other._replace(vectors=alignment.target_)
    both = [_vocabulary(one, 2, []) for one in (turned, fixed)]
    how = f"by turning those of {source.name} so that words written alike come together"
    return both, (how, True)


def _vocabulary(source: Source, parts: int, remarks: list[str]) -> Vocabulary:
    """The commonest words, where a page has room for so many vocabularies."""
    vectors = source.vectors
    found = commonest(
        source.name,
        vectors.index_to_key,
        vectors.vectors,
        getattr(vectors, "counts", None),
        MOST_CANDIDATES // parts,
        NAME_BYTES // parts,
    )
    if len(found.words) < found.n_all:
        remarks.append(
            f"Of the {found.n_all:,} words of {source.name}, the {len(found.words):,} commonest "
            "were looked at."
        )
    return found
