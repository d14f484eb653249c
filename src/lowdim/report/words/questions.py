"""Files of analogies, in Google's form, and how many of them are answered rightly.

: capital-common-countries
Athens Greece Baghdad Iraq          the line asks: Athens is to Greece as Baghdad is to ?
"""

from __future__ import annotations

import gzip
import os
from typing import Any, NamedTuple

from lowdim.tables.errors import TableError, plain, quoted

NO_SECTION = "all"
TOTAL = "Total accuracy"  # what gensim, and so we, call the sum of all sections


class Questions(NamedTuple):
    """The questions of a file, by section.

    Attributes
    ----------
    path : str
    sections : dict of str to list of (str, str, str, str)
    """

    path: str
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


def read_questions(path: str | os.PathLike[str]) -> Questions:
    """The questions of a file, also .gz."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise TableError(f"There is no file {plain(name, 200)}.")
    opened = (
        gzip.open(name, "rt", encoding="utf-8")
        if name.endswith(".gz")
        else open(name, encoding="utf-8")
    )
    sections: dict[str, list[tuple[str, str, str, str]]] = {}
    section = NO_SECTION
    with opened as lines:
        for number, line in enumerate(_characters(lines, name), start=1):
            words = line.split()
            if line.startswith(":"):
                section = line[1:].strip() or NO_SECTION
            elif len(words) == 4:
                sections.setdefault(section, []).append((words[0], words[1], words[2], words[3]))
            elif words:
                raise TableError(
                    f"Line {number} of {plain(name, 200)} is {quoted(line.strip())}.",
                    "A question is four words with blanks between; ': name' begins a section.",
                )
    if not sections:
        raise TableError(f"{plain(name, 200)} has no questions.")
    return Questions(name, sections)


def _characters(lines: Any, name: str) -> Any:
    try:
        yield from lines
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise TableError(f"{plain(name, 200)} is not a text file in UTF-8 ({error}).") from error


def accuracy(vectors: Any, questions: Questions) -> Accuracy:
    """How many questions word vectors answer rightly: 3CosAdd, as gensim asks."""
    _, answered = vectors.evaluate_word_analogies(questions.path)
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
