"""Columns of very many words: the sums are those that counting would give."""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
import pytest

from lowdim.tables import survey
from lowdim.tables.many_words import text_sums

SOME = ["né", "abc", None, "NA", "abc"]


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_cells_characters_and_marks_are_counted(kind):
    column = pa.chunked_array([pa.array(SOME[:2]).cast(kind), pa.array(SOME[2:]).cast(kind)])
    found = text_sums(column, (), True)
    assert (found.known, found.length, found.all_differ) == (4, 10, False)
    assert found.absent.tolist() == [False, False, True, True, False]
    assert text_sums(column, ["abc"], True).absent.tolist() == [False, True, True, True, True]


def test_texts_that_all_differ_are_noticed_if_it_matters():
    column = pa.chunked_array([["a", None], ["b"]])
    assert text_sums(column, (), True).all_differ
    assert not text_sums(column, (), False).all_differ


@pytest.mark.parametrize("values", [[1.5, 2.0], ["a", "?"], [None, None], ["", " "]])
def test_what_needs_its_words_is_left(values):
    assert text_sums(pa.chunked_array([values]), (), True) is None


def test_what_is_known_of_the_parts_before_does_not_change_the_sums(rng):
    n = 3 * survey.MANY_WORDS
    names = ["id", "word", "twin", "few", "x"]
    parts = []
    for part in range(3):
        words = np.array([f"w{j}" for j in rng.integers(0, 10 * n, n)], dtype=object)
        words[rng.random(n) < 0.1] = "NA"
        columns = [
            pa.array([f"row {part * n + j}" for j in range(n)]),
            pa.array(words.tolist()),
            pa.array([f"{w}." for w in words]),
            pa.array(rng.choice(["a", "b"], n).tolist()),
            pa.array(rng.normal(size=n)),
        ]
        parts.append(pa.table(columns, names=names))
    settings = survey.Settings()
    whole = functools.reduce(survey.merged, (survey.look(p, names, settings) for p in parts))
    total = None
    for part in parts:
        seen = survey.look(part, names, settings, total)
        total = seen if total is None else survey.merged(total, seen)
    assert total.columns == whole.columns
    assert total.same == whole.same
    np.testing.assert_array_equal(total.absence.together, whole.absence.together)
