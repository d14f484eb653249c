"""A chunk of documents as counts of runs of characters, by the kernels that count n-grams of words.

A run of words is a run of their numbers, and a run of characters one of code points: both are
windows over numbers. Runs stay within a document, or within a word and the blanks on its sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowdim.text.counting.analysis import with_single_blanks
from lowdim.text.counting.cutting import Counted, Cut, rows_of_counts, windows
from lowdim.text.counting.letters import code_points
from lowdim.text.counting.word_table import WordTable

RUNS_PER_NEW = 16  # runs of a chunk, for each different one that there is room for at first


class CharacterRules(NamedTuple):
    """Which runs of characters count."""

    ngrams: tuple[int, int]  # from so many characters to so many
    within_words: bool


def counted_characters(texts: Sequence[str], rules: CharacterRules) -> Counted:
    """How often each document, prepared, has each run of characters."""
    runs, ids, last = characters_numbered(texts, rules)
    return Counted(rows_of_counts(ids, last, len(runs)), runs.words(), None)


def characters_numbered(texts: Sequence[str], rules: CharacterRules) -> Cut:
    """Every run of characters of the documents, as a number."""
    text, ends, pieces = _in_words(texts) if rules.within_words else _whole(texts)
    runs, run_ends = windows(code_points(text).copy(), ends, rules.ngrams, rules.within_words)
    last = np.append(np.int64(0), run_ends)[pieces]
    table = WordTable(len(runs.start) // RUNS_PER_NEW + 1, len(text) + 1)
    return Cut(table, table.number(runs), last)


def _whole(texts: Sequence[str]) -> tuple[str, np.ndarray, np.ndarray]:
    """Documents as one text, where each ends there, and how many have ended by then."""
    pieces = [with_single_blanks(text) for text in texts]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    return "".join(pieces), ends, np.arange(1, len(texts) + 1)


def _in_words(texts: Sequence[str]) -> tuple[str, np.ndarray, np.ndarray]:
    """Words of all documents, each between blanks: their text, their ends, how many there are."""
    words: list[str] = []
    pieces = np.empty(len(texts), np.int64)
    for i, text in enumerate(texts):
        words += text.split()
        pieces[i] = len(words)
    ends = np.cumsum([len(word) + 2 for word in words], dtype=np.int64)
    return f" {'  '.join(words)} " if words else "", ends, pieces
