"""Files of analogies, in Google's form, and how many of them are answered rightly.

: capital-common-countries
Athens Greece Baghdad Iraq          the line asks: Athens is to Greece as Baghdad is to ?
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import lowdim
from lowdim.tables.errors import TableError, plain

TOTAL = "Total accuracy"  # what gensim, and so we, call the sum of all sections


class Questions(NamedTuple):
    """The questions of a file, by section.

    Attributes
    ----------
    path : str or None
        None: they were in memory.
    sections : dict of str to list of (str, str, str, str)
    """

    path: str | None
    sections: dict[str, list[tuple[str, str, str, str]]]

    def pairs(self) -> dict[str, list[tuple[str, str]]]:
        """The pairs that the questions of each section are made of, each once, in small letters."""
        found = {}
        for name, lines in self.sections.items():
            both = (pair for a, b, c, d in lines for pair in ((a, b), (c, d)))
            found[name] = list(dict.fromkeys((a.lower(), b.lower()) for a, b in both))
        return found


class Score(NamedTuple):
    """How many questions of a section were answered rightly.

    Attributes
    ----------
    name : str
    right, asked : int
    n_questions : int
        With those that were not asked, because a word of theirs is not known.
    """

    name: str
    right: int
    asked: int
    n_questions: int

    @property
    def share(self) -> float:
        """Of the questions that were asked; 0 if none was."""
        return self.right / self.asked if self.asked else 0.0


class Accuracy(NamedTuple):
    """The sections in the order of the file, and all of them together."""

    sections: list[Score]
    total: Score


def questions_of(given: Any) -> Questions:
    """The questions of a file, or of a dict as `lowdim.datasets.load_analogies` gives it."""
    if isinstance(given, Mapping):
        path, sections = None, {str(name): list(some) for name, some in given.items()}
    else:
        path = os.fspath(given)
        if not os.path.exists(path):
            raise TableError(f"There is no file {plain(path, 200)}.")
        sections = lowdim.datasets.load_analogies(path)
    if not any(sections.values()):
        raise TableError(f"{'The dict' if path is None else plain(path, 200)} has no questions.")
    return Questions(path, sections)


def accuracy(vectors: Any, questions: Questions) -> Accuracy:
    """How many questions word vectors answer rightly: 3CosAdd, as gensim asks."""
    _, answered = vectors.evaluate_word_analogies(questions.sections)
    found = {one["section"]: (len(one["correct"]), len(one["incorrect"])) for one in answered}
    scores = []
    for name, lines in questions.sections.items():
        right, wrong = found.get(name, (0, 0))
        scores.append(Score(name, right, right + wrong, len(lines)))
    return Accuracy(scores, _sum(scores))


def _sum(scores: list[Score]) -> Score:
    return Score(
        TOTAL,
        sum(score.right for score in scores),
        sum(score.asked for score in scores),
        sum(score.n_questions for score in scores),
    )
