"""Texts that stand for no value, and where they are levels."""

import pytest

from lowdim.tables.readings import MISSING_MARKS, missing_marks


@pytest.mark.parametrize("mark", ["", " ", "?", "NA", "N/A", "n/a", "-", ".", "..", "NaN", "#N/A"])
def test_marks_stand_for_no_value_among_words_and_numbers(mark):
    assert mark.strip() in MISSING_MARKS
    for others in (["red", "green"], ["1", "2"], ["2024-03-01"], ["no", "yes"], ["Ex", "TA"]):
        assert missing_marks([mark, *others]).tolist() == [True] + [False] * len(others)


@pytest.mark.parametrize(
    "levels, missing",
    [
        (["NA", "DE", "FR", "US"], []),
        (["NA", "EU", "JP"], []),
        (["NA", "M", "F"], ["NA"]),
        (["NA", "OK"], ["NA"]),
        (["NA", "DE", "France", "Spain"], ["NA"]),
        (["NA", "1", "2"], ["NA"]),
        (["Na", "Cl", "K"], []),
        (["-", "+"], []),
        (["-", "+", "++", "NA"], ["NA"]),
        (["-", "low", "high"], ["-"]),
        (["-", "?", ""], ["-", "?", ""]),
        ([".", "*", "**", "***"], []),
        ([".", ",", "!", "the"], []),
        (["none", "mild", "severe"], []),
        (["None", "BrkFace", "Stone"], []),
        (["none", "1", "2"], ["none"]),
        (["unknown", "2024-03-01"], ["unknown"]),
        (["unknown", "yes", "no"], []),
        (["Missing", "5 kg", "6 kg"], ["Missing"]),
    ],
)
def test_some_marks_are_levels_in_columns_of_words(levels, missing):
    marks = missing_marks(levels)
    assert [level for level, mark in zip(levels, marks, strict=True) if mark] == missing
