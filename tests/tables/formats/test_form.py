"""What a user says about a text table is checked at once, and what is unusual is said in a line."""

import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats.form import TextFormat, read_as

FOUND = TextFormat(
    separator=",",
    decimal=".",
    thousands="",
    quote='"',
    encoding="utf-8",
    header=True,
    comment="",
    units=False,
)


def with_(**changes):
    return TextFormat(**{**FOUND.__dict__, **changes})


@pytest.mark.parametrize(
    ("form", "kind", "said"),
    [
        (FOUND, ".csv", ""),
        (with_(separator="\t"), ".tsv", ""),
        (with_(separator=""), ".txt", ""),
        (with_(encoding="utf-8-sig"), ".csv", ""),
        (with_(separator="\t"), ".csv", "read as: tabs between columns"),
        (with_(separator=","), ".tsv", "read as: ',' between columns"),
        (with_(separator="whitespace"), ".txt", "read as: blanks between columns"),
        (
            with_(separator=";", decimal=",", encoding="cp1252"),
            ".csv",
            "read as: ';' between columns, ',' for decimals, cp1252",
        ),
        (
            with_(thousands="'", quote="'", header=False, comment="#", units=True),
            ".csv",
            "read as: ''' between thousands, text between ', no row of names, lines with '#' are "
            "comments, units beneath the names",
        ),
    ],
)
def test_what_is_unusual_is_said_in_one_line(form, kind, said):
    assert read_as(form, kind) == said


@pytest.mark.parametrize(
    ("given", "meant"),
    [("tab", "\t"), ("space", " "), ("comma", ","), ("semicolon", ";"), ("none", ""), ("|", "|")],
)
def test_marks_that_are_hard_to_type_have_names(given, meant):
    assert TextFormat(separator=given).separator == meant


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoding": "klingon"}, "The encoding 'klingon' is not known.*utf-8, latin-1.*encoding="),
        ({"encoding": "rot13"}, "'rot13' is not known"),
        ({"separator": "ab"}, "The separator 'ab' is not one character.*separator="),
        ({"separator": "§"}, "The separator '§' is not one character of plain ASCII"),
        ({"separator": "\n"}, "The separator '�' is not one character"),
        ({"quote": "<<"}, "The quote '<<' is not one character.*quote="),
        ({"decimal": "'"}, r"The decimal mark ''' is not '\.' or ','.*decimal="),
        ({"separator": ",", "decimal": ","}, "',' cannot .* be the decimal mark as well"),
        ({"separator": '"', "quote": '"'}, "cannot stand between columns and be the quote as well"),
    ],
)
def test_marks_that_cannot_be_are_refused(given, message):
    with pytest.raises(TableError, match=message):
        TextFormat(**given)


def test_a_form_can_be_compared_and_is_immutable():
    assert TextFormat(missing=["x"]) == TextFormat(missing=("x",))
    with pytest.raises(AttributeError):
        TextFormat().separator = ";"
