"""Documents as a page shows them: their words coloured by topic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lowdim.text.counting.stop_words import Stemmer

SURE = 0.5  # the probability from which a word has a topic's colour


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
