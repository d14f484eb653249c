"""Texts as a page shows them: cut, harmless, and with their words coloured by topic.

Documents may hold anything: NUL, halves of surrogate pairs, marks that turn the direction of what
follows, a word of a million letters. What cannot be shown becomes a sign that says so; what is too
long is cut. Markup needs no care here: texts only ever become text nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lowdim.text.counting.stop_words import Stemmer

LONGEST_TEXT = 700  # characters of a document in the page
LONGEST_EXCERPT = 160
LONGEST_RUN = 60  # characters without a blank
SURE = 0.5  # the probability from which a word has a topic's colour
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufff9-\\uffff"
    "\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069\\ufeff]"
)
_BLANKS = re.compile(r"[ \t\u2028\u2029]+")
_LINES = re.compile(r"\s*\n\s*")
_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")


def harmless(text: str) -> str:
    """Text without what cannot be shown, or changes how other text is shown."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))


def excerpt(text: str, most: int = LONGEST_EXCERPT) -> str:
    """The beginning of a text in one line."""
    line = " ".join(harmless(text[: 4 * most]).split())
    line = _RUN.sub(_cut_run, line)
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1].rstrip() + "…"


def beginning(text: str, most: int = LONGEST_TEXT) -> str:
    """The beginning of a text with its lines."""
    shown = _LINES.sub("\n", _BLANKS.sub(" ", harmless(text[: 4 * most]))).strip()
    shown = _RUN.sub(_cut_run, shown)
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 1] + "…"


def _cut_run(match: re.Match[str]) -> str:
    return match[0][: LONGEST_RUN - 1] + "…"


# ---- colours -------------------------------------------------------------------------------------


class WordFinder:
    """Where the words of a vectorizer stand in a text, as it is written.

    `find` gives (start, end, column) of each; nothing for vectorizers that cut texts by functions
    of the user's.
    """

    def __init__(self, vectorizer: Any):
        self._vocabulary = vectorizer.vocabulary_
        self._lower = vectorizer.lowercase
        self._usual = (
            vectorizer.analyzer == "word"
            and vectorizer.tokenizer is None
            and vectorizer.preprocessor is None
        )
        self._pattern = re.compile(vectorizer.token_pattern or "") if self._usual else None
        self._prepare: Callable[[str], str] | None = (
            vectorizer.build_preprocessor() if vectorizer.strip_accents else None
        )
        self._stop = frozenset(vectorizer.get_stop_words() or ()) if self._usual else frozenset()
        stemmer = vectorizer.stemmer
        self._stem = None if stemmer is None or not self._usual else Stemmer(stemmer)

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            column = self._column(match[0])
            if column is not None:
                yield match.start(), match.end(), column

    def _column(self, word: str) -> int | None:
        if self._prepare is not None:
            word = self._prepare(word)
        elif self._lower:
            word = word.lower()
        if word in self._stop:
            return None
        if self._stem is not None:
            word = self._stem([word])[0]
        return self._vocabulary.get(word)


def colored(text: str, finder: WordFinder, topics: np.ndarray, share: np.ndarray) -> list[list]:
    """A text in pieces [text, topic], -1 for what has none.

    p(z | w, document) = theta_z phi_zw / sum; a word has a topic's colour if it is SURE of it.

    Parameters
    ----------
    text : str
    finder : WordFinder
    topics : ndarray (k, v)
    share : ndarray (k,)
        theta of the document.
    """
    pieces: list[list] = []
    done = 0
    for start, end, column in finder.find(text):
        joint = share * topics[:, column]
        topic = int(joint.argmax())
        if not joint[topic] > SURE * joint.sum():
            continue
        if start > done:
            pieces.append([text[done:start], -1])
        pieces.append([text[start:end], topic])
        done = end
    if done < len(text):
        pieces.append([text[done:], -1])
    return pieces


def plain_pieces(pieces: Sequence[Sequence]) -> str:
    """The text of pieces."""
    return "".join(piece[0] for piece in pieces)
