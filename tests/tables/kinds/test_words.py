"""Columns of text: numbers as they are written, levels, names, sentences."""

from __future__ import annotations

import pytest

from lowdim.tables.errors import TableError
from tests.tables.kinds.columns import N, described, repeated


def test_a_few_odd_words_among_numbers_are_missing_and_said():
    values = [f"{i}.5" for i in range(N)]
    values[3] = "heavy"
    column = described(values)
    assert (column.kind, column.n_missing) == ("positive", 1)
    assert "'heavy' read as missing" in column.done


def test_more_levels_than_allowed_are_left_out_with_a_hint():
    words = [f"word {i % 25}" for i in range(N)]
    assert described(words).kind == "category"
    column = described(words, max_levels=24)
    assert (column.kind, column.codec) == ("text", None)
    assert "{max_levels}" in column.hint
    with pytest.raises(TableError, match="'x' has 25 different values; a category has at most 24"):
        described(words, max_levels=24, categorical=["x"])


def test_what_cannot_be_numbers_is_refused():
    with pytest.raises(TableError, match="'x' cannot be read as numbers; it holds text such as"):
        described(repeated("a", "b"), numeric=["x"])
