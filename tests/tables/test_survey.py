"""One look at a table: parts add up to the whole, and what they say is right."""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables import readings, survey
from lowdim.tables.errors import TableError
from lowdim.tables.frames.opening import open_frame
from lowdim.tables.numbers import MOST_DIGITS
from lowdim.tables.survey import Run, Settings, look, merged


def looked_at(frame, before=None):
    table = open_frame(frame)
    (chunk,) = table.chunks(size=10**9)
    return look(chunk, table.names, Settings(), before)


def in_parts(frame, cuts):
    edges = [0, *sorted(cuts), len(frame)]
    parts = [looked_at(frame.iloc[a:b].reset_index(drop=True)) for a, b in pairwise(edges) if b > a]
    return functools.reduce(merged, parts)


def test_a_column_is_described_by_its_values():
    found = looked_at(
        pd.DataFrame(
            {
                "row": np.arange(4),
                "x": [1.5, np.nan, 1.5, 2.0],
                "word": ["a", "b", None, "a"],
                "day": pd.to_datetime(["2020-01-31", "2020-03-01", "2020-03-02", None]),
                "x again": [1.5, np.nan, 1.5, 2.0],
            }
        )
    )
    row, x, word, day, again = found.columns
    assert (row.form, row.run) == ("number", Run(0.0, 3.0))
    assert (x.missing, x.levels, x.run) == (1, {1.5: 2, 2.0: 1}, None)
    assert (word.form, word.words.counts, word.missing) == ("words", {"a": 2, "b": 1}, 1)
    assert (day.form, day.months, day.finest) == ("moment", {1, 3}, 86_400_000_000)
    assert again.missing == 1 and found.same == (0, 1, 2, 3, 1)
    assert found.absence.together.diagonal().tolist() == [0, 1, 1, 1, 1]
    assert found.absence.together[1, 4] == 1


@pytest.mark.parametrize(
    ("time", "finest"), [("10:00", 3_600_000_000), ("10:00:00.250", 10_000), ("10:00:00.123457", 1)]
)
def test_dates_are_multiples_of_their_finest_part(time, finest):
    found = looked_at(pd.DataFrame({"t": pd.to_datetime([f"2020-01-01 {time}", None])}))
    assert found.columns[0].finest == finest


@given(st.data())
def test_parts_add_up_to_the_whole(data):
    n = data.draw(st.integers(2, 30))
    cell = st.one_of(st.none(), st.integers(0, 3))
    columns = {
        "x": pd.Series(data.draw(st.lists(cell, min_size=n, max_size=n)), dtype="Float64"),
        "w": pd.Series(
            data.draw(st.lists(st.sampled_from(["a", "b", "?", None]), min_size=n, max_size=n)),
            dtype=object,
        ),
    }
    frame = pd.DataFrame(columns)
    cuts = data.draw(st.lists(st.integers(1, n - 1), max_size=3))
    parts, whole = in_parts(frame, cuts), looked_at(frame)
    assert parts.n_rows == whole.n_rows
    for a, b in zip(parts.columns, whole.columns, strict=True):
        assert (a.form, a.missing, a.levels) == (b.form, b.missing, b.levels)
        assert (a.words and a.words.counts) == (b.words and b.words.counts)
    np.testing.assert_array_equal(parts.absence.together, whole.absence.together)
    np.testing.assert_allclose(parts.numbers.mean, whole.numbers.mean, atol=1e-12)


def test_what_is_known_of_the_parts_before_changes_nothing(rng):
    n = 3 * survey.MOST_LEVELS
    frame = pd.DataFrame(
        {
            "many": np.where(np.arange(n) < 2 * n // 3, rng.normal(size=n), 1.0),
            "few": rng.integers(0, 3, n) / 4,
            "finer further down": np.where(np.arange(n) < n // 3, 0.5, 0.125),
        }
    )
    first, *others = (
        frame.iloc[a : a + n // 3].reset_index(drop=True) for a in range(0, n, n // 3)
    )
    alone = knowing = looked_at(first)
    for part in others:
        alone, knowing = merged(alone, looked_at(part)), merged(knowing, looked_at(part, knowing))
    assert [column.levels is None for column in alone.columns] == [True, False, False]
    assert alone.columns == knowing.columns
    assert (
        alone.numbers.digits.tolist() == knowing.numbers.digits.tolist() == [MOST_DIGITS + 1, 2, 3]
    )


def test_columns_that_are_the_same_in_one_part_only_are_not_the_same():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 5.0]})
    assert in_parts(frame, [2]).same == (0, 1)
    assert looked_at(frame.iloc[:2]).same == (0, 0)


def test_a_running_number_runs_on_over_parts():
    frame = pd.DataFrame({"row": np.arange(1, 9), "x": np.ones(8)})
    assert in_parts(frame, [3, 5]).columns[0].run == Run(1.0, 8.0)
    frame.loc[7, "row"] = 20
    assert in_parts(frame, [3, 5]).columns[0].run is None


def test_many_words_that_are_no_numbers_are_not_counted_one_by_one(monkeypatch):
    monkeypatch.setattr(survey, "MANY_WORDS", 20)
    words = looked_at(pd.DataFrame({"w": [f"word {i}x" for i in range(50)]})).columns[0].words
    assert (words.counts, words.tally, words.all_differ) == (None, None, True)
    prices = looked_at(pd.DataFrame({"w": [f"${i}.50" for i in range(50)]})).columns[0].words
    assert len(prices.counts) == 50 and prices.tally is not None


def test_a_column_of_another_kind_in_a_later_part_is_refused():
    numbers, words = pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": ["a", "b"]})
    with pytest.raises(TableError, match=r"Column 'x' holds numbers in one part .* and text in"):
        merged(looked_at(numbers), looked_at(words))
    nothing = pd.DataFrame({"x": [None, None]})
    assert merged(looked_at(nothing), looked_at(words)).columns[0].form == "words"
    assert merged(looked_at(numbers), looked_at(nothing)).columns[0].missing == 2


def test_a_table_of_very_many_columns_is_not_looked_at_in_pairs(monkeypatch):
    monkeypatch.setattr(survey, "MOST_PAIRED", 3)
    frame = pd.DataFrame(np.full((3, 4), np.nan)).assign(x=1.0)
    assert looked_at(frame).absence.together.size == 0


def test_columns_of_words_that_differ_in_the_middle_are_not_the_same():
    """What is compared first (their number, the first and last words) does not decide."""
    words = [f"w{j:02}" for j in range(20)]
    other = [*words[:10], "w10b", *words[11:]]
    chunk = {
        "a": np.array(words, object),
        "b": np.array(other, object),
        "c": np.array(words, object),
    }
    assert survey.look(chunk, list(chunk), survey.Settings()).same == (0, 1, 0)


@pytest.mark.parametrize("mark", ["NA", "?", "", "nan"])
def test_a_mark_of_missing_values_is_found_among_many_words(mark):
    many = sorted([*(f"name {j:05}" for j in range(survey.MANY_WORDS + 1)), mark])
    assert [many[j] for j in survey._among(many, readings.MISSING_MARKS)] == [mark]
    others = [word for word in many if word != mark]
    assert not survey._among(others, readings.MISSING_MARKS)
    seen = survey.look({"a": np.array(many, object)}, ["a"], survey.Settings())
    assert seen.absence.together[0, 0] == 1


def test_the_length_of_words_counts_each_as_often_as_it_occurs():
    once = survey.look({"a": np.array(["é", "abc"], object)}, ["a"], survey.Settings())
    twice = survey.look({"a": np.array(["é", "abc", "abc"], object)}, ["a"], survey.Settings())
    assert (once.columns[0].words.length, twice.columns[0].words.length) == (4, 7)
