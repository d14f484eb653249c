"""Messages name arguments as Python or the command line does, and are safe to print."""

import pickle

import pytest

from lowdim.tables.errors import (
    TableError,
    TableWarning,
    as_options,
    listed,
    no_such_column,
    plain,
    quoted,
)


@pytest.mark.parametrize("kind", [TableError, TableWarning])
def test_a_cure_names_arguments_for_python_and_options_for_the_command_line(kind):
    message = kind("t.csv has one column.", "Raise {max_levels}, or name {id}.")
    assert str(message) == "t.csv has one column. Raise max_levels=..., or name id=...."
    assert message.for_command_line() == ("t.csv has one column. Raise --max-levels, or name --id.")
    assert str(kind("It is empty.")) == kind("It is empty.").for_command_line() == "It is empty."


def test_errors_are_value_errors_that_workers_can_send():
    error = pickle.loads(pickle.dumps(TableError("found", "cure {id}")))
    assert isinstance(error, ValueError)
    assert (error.found, error.cure) == ("found", "cure {id}")


def test_braces_of_other_text_stay():
    assert as_options("{a_b} {A} {} {a b}") == "--a-b {A} {} {a b}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", "age"),
        (7, "7"),
        ("a\nb\tc", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
        ("\x1b[31mred", "\N{REPLACEMENT CHARACTER}[31mred"),
        ("\u202eabc", "\N{REPLACEMENT CHARACTER}abc"),
        ("\ud800", "\N{REPLACEMENT CHARACTER}"),
        ("a\u2028b", "a b"),
        ("Größe 😀", "Größe 😀"),
    ],
)
def test_nothing_of_a_table_moves_the_cursor(text, shown):
    assert plain(text) == shown
    assert quoted(text) == f"'{shown}'"


def test_long_texts_and_lists_are_cut():
    assert plain("x" * 61) == "x" * 59 + "…" and plain("x" * 60) == "x" * 60
    assert len(plain("x" * 10**7, longest=5)) == 5
    assert listed(["a", "b"]) == "a, b"
    assert listed(range(1006), most=6) == "0, 1, 2, 3, 4, 5 and 1,000 more"


def test_a_column_that_is_not_there_is_named_with_the_nearest_one():
    error = no_such_column("t.csv", "heigth", ["age", "height"], "id")
    assert str(error) == (
        "t.csv has no column 'heigth'; did you mean 'height'? Name one of its columns in id=...."
    )
    assert str(no_such_column("t.csv", "x", ["age", "sex"])) == (
        "t.csv has no column 'x'; it has age, sex."
    )
