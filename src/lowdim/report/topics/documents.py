"""Documents of the page: the typical ones of each topic, and what else is shown of them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import NamedTuple

import numpy as np

from lowdim.report.page.texts import LONGEST_TEXT, beginning, excerpt
from lowdim.report.topics.showing import WordFinder, colored
from lowdim.text.corpus import Corpus

TYPICAL = 3  # documents of each topic
ENOUGH_WORDS = 40  # a document with so many words counts half of its share


class ShownDocument(NamedTuple):
    """A document with its words coloured.

    Attributes
    ----------
    document : int
    pieces : list of [str, int]
        Its beginning, and the topic of each piece; -1: none.
    """

    document: int
    pieces: list[list]


class Documents(NamedTuple):
    """What the page shows of documents.

    Attributes
    ----------
    typical : list of list of int
        Of each topic.
    shown : dict of int to ShownDocument
        The typical and the odd ones.
    excerpts : list of str
        The beginning of each document, in one line; '' where there is no room.
    """

    typical: list[list[int]]
    shown: dict[int, ShownDocument]
    excerpts: list[str]


def typical_documents(
    shares: np.ndarray, n_words: np.ndarray, first_copy: np.ndarray
) -> list[list[int]]:
    """Of each topic the documents with most of it; short ones count less, copies not at all."""
    weight = n_words / (n_words + ENOUGH_WORDS)
    weight = np.where(first_copy == np.arange(len(weight)), weight, 0.0)
    found = []
    for j in range(shares.shape[1]):
        score = shares[:, j] * weight
        top = np.argsort(-score, kind="stable")[:TYPICAL]
        found.append([int(i) for i in top if score[i] > 0])
    return found


def show_documents(
    documents: Corpus,
    typical: list[list[int]],
    further: Iterable[int],
    shares: np.ndarray,
    topics: np.ndarray,
    finder: WordFinder,
    longest_excerpt: int,
) -> Documents:
    """Read the documents once more, and keep what the page shows of them."""
    wanted = {i for some in typical for i in some} | set(further)
    shown: dict[int, ShownDocument] = {}
    excerpts: list[str] = []
    with closing(documents.parts()) as parts:
        for part in parts:
            for text in part.texts:
                i = len(excerpts)
                excerpts.append(excerpt(text, longest_excerpt) if longest_excerpt else "")
                if i in wanted:
                    start = beginning(text, LONGEST_TEXT)
                    shown[i] = ShownDocument(i, colored(start, finder, topics, shares[i]))
    return Documents(typical, shown, excerpts)
