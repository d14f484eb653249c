"""Every column has a name of its own, and what was changed is said."""

import time

import pytest

from lowdim.tables.formats.headers import unique_names


@pytest.mark.parametrize(
    ("given", "names", "notes"),
    [
        (["a", "b"], ["a", "b"], []),
        ([" a", "b "], ["a", "b"], []),
        (["x", "x"], ["x", "x_2"], ["columns named twice are renamed: 'x' to 'x_2'"]),
        (["x", "x_2", "x"], ["x", "x_2", "x_3"], ["columns named twice are renamed: 'x' to 'x_3'"]),
        (["x", "x", "x_2", "x"], ["x", "x_3", "x_2", "x_4"], None),
        (["", "a"], ["column_1", "a"], ["columns without a name are called column_1"]),
        (["a", "", "column_2"], ["a", "column_2_2", "column_2"], None),
        (["__class__", "a\nb\u202e"], ["__class__", "a\nb\u202e"], []),
    ],
)
def test_names_are_made_unique(given, names, notes):
    found, said = unique_names(given)
    assert found == names and (notes is None or said == notes)


def test_a_first_column_without_a_name_holds_names_of_rows():
    assert unique_names(["", "a", ""], rows_first=True)[0] == ["index", "a", "column_3"]
    assert unique_names(["", "index"], rows_first=True)[0] == ["index_2", "index"]


def test_names_in_notes_are_safe_to_print_and_few():
    (note,) = unique_names(["a\x1b[2J"] * 10)[1]
    assert "\x1b" not in note and note.endswith("and 3 more")


def test_very_many_equal_names_take_no_time():
    start = time.monotonic()
    names = unique_names(["x"] * 50_000)[0]
    assert len(set(names)) == 50_000 and time.monotonic() - start < 2
