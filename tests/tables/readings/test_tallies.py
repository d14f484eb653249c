"""Tallies add up, stay small, take any text; marks of missing values depend on the column."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.readings import (
    DateText,
    FlagText,
    NumberText,
    Tally,
    date_reading,
    merged,
    missing_marks,
    missing_texts,
    number_reading,
    odd_values,
    reading_of,
    tally,
)

TEXTS = st.one_of(
    st.sampled_from(
        [
            *("1", "0", "-5", "1.5", "1,5", "1,234", "1.234", "007", "1e5", "1e999", "20240301"),
            *(
                "$5",
                "€5",
                "5 %",
                "5%",
                "5 kg",
                "(3)",
                "1 234",
                "03/04/05",
                "2024-03-01",
                "31.02.24",
            ),
            *("1 Mar 2024", "2024-03-01 10:00", "2024-03-01T10:00+01:00", "2024-03-01T10:00Z"),
            *("NA", "", " ", "-", "+", ".", "?", "none", "DE", "FR", "yes", "no", "Yes", "x" * 500),
        ]
    ),
    st.integers(0, 200).map(lambda i: f"{i} unit{chr(97 + i % 26)}"),
    st.from_regex(r"\A[0-9]{1,4}[-/.,: ][0-9]{1,3}([-/.,: ][0-9]{1,4})?\Z"),
    st.text(max_size=8),
)
COLUMNS = st.lists(TEXTS, max_size=60)


def tally_of(cells, further=()):
    """The tally of a column, cell by cell."""
    counts = Counter(cells)
    return tally(list(counts), np.array(list(counts.values()), dtype=int), further)


# Sums


@given(COLUMNS, COLUMNS, COLUMNS)
def test_tallies_add_up_in_any_order(a, b, c):
    x, y, z = tally_of(a), tally_of(b), tally_of(c)
    assert merged(x, y) == merged(y, x) == tally_of(a + b)
    assert merged(merged(x, y), z) == merged(x, merged(y, z)) == tally_of(a + b + c)
    assert merged(x, Tally({})) == x
    assert merged(x, y).cells == len(a + b)


@given(COLUMNS, st.integers(1, 60))
def test_a_column_in_parts_is_read_as_the_whole(cells, size):
    parts = Tally({})
    for start in range(0, len(cells), size):
        parts = merged(parts, tally_of(cells[start : start + size], ["x", "5"]))
    whole = tally_of(cells, ["x", "5"])
    assert parts == whole
    assert reading_of(parts) == reading_of(whole)


@pytest.mark.parametrize("n_units", [16, 17, 40])
def test_many_units_are_words_however_the_column_is_split(n_units):
    cells = [f"{i} u{chr(97 + i % 20)}{chr(97 + i // 20)}" for i in range(n_units)]
    whole = tally_of([*cells, "5"])
    assert whole.many_units == (n_units > 16)
    assert merged(tally_of(cells[:3]), tally_of([*cells[3:], "5"])) == whole
    assert merged(tally_of(cells[:-1]), tally_of(["5", cells[-1]])) == whole


def test_tallies_are_plain_data():
    seen = tally_of(["1", "NA", "2024-03-01", "x"])
    assert pickle.loads(pickle.dumps(seen)) == seen


def test_texts_that_differ_in_spaces_around_them_are_one():
    assert tally_of(["5 ", " 5", "5", "NA "]) == tally_of(["5", "5", "5", "NA"])


def test_texts_without_cells_are_not_there():
    assert tally(["yes", "no", "maybe"], np.array([1, 2, 0])) == tally_of(["yes", "no", "no"])


def test_a_tally_stays_small(rng):
    numbers = [f"{x:.3f}" for x in rng.normal(size=20_000)]
    words = [f"word{i}" * 50 for i in range(20_000)]
    zones = [f"2024-03-01 10:00+{h:02d}:{m:02d}" for h in range(24) for m in range(60)]
    units = [f"{i} {'abcdefgh'[i % 8]}{'ijklmnop'[i // 8 % 8]}" for i in range(5000)]
    small = tally_of(["1.5", "x", *zones[:2], *units[:3]])
    large = tally_of([*numbers, *words, *zones, *units])
    assert len(pickle.dumps(large)) < 12 * len(pickle.dumps(small))


# Readings


@pytest.mark.parametrize(
    "cells",
    [
        [],
        ["", "NA"],
        ["red", "green"],
        ["DE", "FR"],
        ["2024-03-01", "12"],
        ["a long sentence about 12 things", "another one"],
        ["CUST-0001", "CUST-0002"],
        ["d41d8cd98f00b204", "9800998ecf8427e1"],
    ],
)
def test_words_names_and_nothing_have_no_reading(cells):
    assert reading_of(tally_of(cells)) is None


def test_the_style_of_few_numbers_or_dates_can_be_asked_for():
    seen = tally_of(["$5", "10/16/17", "x", "y", "z"])
    assert reading_of(seen) is None
    assert number_reading(seen) == NumberText("$")
    assert date_reading(seen) == DateText("mdy", "/", year_digits=2)
    assert odd_values(seen, NumberText("$")) == ["10/16/17", "x", "y", "z"]
    assert number_reading(tally_of(["x"])) is date_reading(tally_of(["x"])) is None


def test_odd_values_are_cut_and_listed_once():
    seen = tally_of([*map(str, range(100)), "?!" * 10**5])
    assert odd_values(seen, reading_of(seen)) == ["?!" * 50]


# Marks of missing values


def test_marks_that_the_user_names_always_stand_for_no_value():
    levels = ["-999", " none ", "DE", "FR", "NA", "x"]
    marks = missing_marks(levels, ["-999", "none", "NA "])
    assert marks.tolist() == [True, True, False, False, True, False]
    seen = tally(["-999", "5", "6"], np.array([900, 1, 1]), ["-999"])
    assert reading_of(seen) == NumberText()
    assert missing_texts(seen, NumberText()) == {"-999"}


def test_marks_are_decided_on_all_cells():
    seen = tally(["none", "NA", "1", "2"], np.array([50, 50, 1, 1]))
    assert missing_texts(seen, reading_of(seen)) == {"none", "NA"}
    assert missing_texts(seen, None) == {"NA"}
    assert missing_texts(seen, FlagText("1", "2")) == {"NA"}


# Hostile text

HOSTILE = [
    *(
        "\x00",
        "1\x00",
        "\ud800",
        "1\udfff",
        "１２３",
        "٣",
        "1e999",
        "-1e999",
        "9" * 400,
        "1" * 10**6,
    ),
    *("x" * 10**6, "?" * 10**6, "1 " * 10**5, "1,234" * 200, "(" * 64, "-" * 64, "0" * 64),
    *("\u202e12", "1\n2", "1\t2", "\r", "\ufeff5", "½", "²", "Ⅷ", "1۰", "2024-03-01\x00"),
    *("99/99/99", "0000-00-00", "9999-99-99T99:99:99+99:99", "1 Mar\u0131 2024", "$", "%", "e5"),
]
READINGS = [NumberText(), NumberText("$", " %", ".", ","), DateText(), DateText("dmy", "/")]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_a_word(text):
    seen = tally_of([text, "a"])
    assert reading_of(seen) is None
    assert missing_marks([text, "a"]).shape == (2,)
    for reading in [*READINGS, FlagText("no", "yes")]:
        expected = float(text) if text == "0" * 64 and reading == NumberText() else np.nan
        np.testing.assert_array_equal(reading.parse([text]), [expected])


@given(st.lists(st.text(st.characters(codec=None))))
def test_any_text_is_taken(levels):
    seen = tally_of(levels)
    assert seen.cells == len(levels)
    reading_of(seen)
    missing_marks(levels)
    for reading in READINGS:
        assert reading.parse(levels).shape == (len(levels),)


@given(COLUMNS.filter(len))
def test_what_a_reading_does_not_parse_is_a_mark_or_an_odd_value(cells):
    seen = tally_of(cells)
    for reading in (number_reading(seen), date_reading(seen), reading_of(seen)):
        if reading is not None:
            unread = {c.strip() for c, x in zip(cells, reading.parse(cells), strict=True) if x != x}
            marks = missing_texts(seen, reading)
            odd = {text.strip()[:100] for text in unread if text not in marks}
            found = odd_values(seen, reading)
            assert odd.issuperset(found)
            assert odd == set(found) or len(found) >= 8
