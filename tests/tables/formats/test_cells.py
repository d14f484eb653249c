"""Cells: how a row is cut into them, and what the marks within numbers mean."""

import pytest

from lowdim.tables.formats.cells import is_missing, is_typed, number_marks, split_row

BLANKS = "whitespace"


@pytest.mark.parametrize(
    ("cells", "separator", "marks"),
    [
        (["1.5", "2"], ",", (".", "")),
        (["1,5", "2"], ";", (",", "")),
        (["1.234,56"], ";", (",", ".")),
        (["1,234.56"], "\t", (".", ",")),
        (["1,234", "56,789"], "\t", (".", ",")),
        (["1,234", "56,789"], ";", (",", "")),
        (["1,234,567"], ";", (".", ",")),
        (["1.234.567", "1"], ";", (",", ".")),
        (["0,125", "0,250"], "\t", (",", "")),
        (["1,5", "1.234"], ";", (",", ".")),
        (["$1,200", "$3"], ",", (".", ",")),
        (["1 234,5"], ";", (",", " ")),
        (["1'234.5"], ";", (".", "'")),
        (["1,5"], ",", (".", "")),
        (["31.12.2020", "a", ""], ";", (".", "")),
    ],
)
def test_marks_within_numbers_are_found(cells, separator, marks):
    assert number_marks(cells, separator) == marks


def test_cells_between_quotes_keep_what_is_in_them():
    assert split_row('1,"a, ""b""",c', ",", '"') == ["1", 'a, "b"', "c"]
    assert split_row("1 'a b'  c", BLANKS, "'") == ["1", "a b", "c"]
    assert split_row('"a,b', ",", "") == ['"a', "b"]
    assert split_row("a, b", "", '"') == ["a, b"]


def test_a_field_longer_than_the_csv_module_takes_is_a_field():
    assert split_row("a," + "b" * 200_000, ",", '"') == ["a", "b" * 200_000]


@pytest.mark.parametrize(
    "cell", ["1", "-1.5", "1,5", "1e5", "$1,200", "60 %", "2020-01-01", "10:30", "31.12.2020"]
)
def test_numbers_dates_and_times_are_known(cell):
    assert is_typed(cell) and not is_missing(cell)


@pytest.mark.parametrize("cell", ["a", "1a", "2020-01", "1.2.3.4", "x 5"])
def test_words_are_no_numbers(cell):
    assert not is_typed(cell) and not is_missing(cell)


@pytest.mark.parametrize("cell", ["", "  ", "NA", " n/a ", "?", "-", "."])
def test_marks_of_missing_values_are_known(cell):
    assert is_missing(cell)
