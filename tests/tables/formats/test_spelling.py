"""Flags and dates of text tables are known as they are written."""

import pytest

from lowdim.tables.formats.form import TextFormat
from lowdim.tables.formats.spelling import spelling_of
from lowdim.tables.formats.types import Converter, find_types


def spelled(*cells):
    """How a column of these cells is written."""
    rows = "".join(f"{cell},1\n" for cell in cells).encode()
    converter = Converter(TextFormat(separator=",", quote='"'), ["a", "b"])
    types = find_types(converter, rows, (), identifiers=True)
    found = spelling_of(converter, rows, types)
    assert "b" not in found
    return found.get("a")


@pytest.mark.parametrize(
    ("cells", "pair"),
    [
        (("True", "False", "NA", "true"), ("False", "True")),
        (("TRUE", "", "TRUE"), ("FALSE", "TRUE")),
        (("true", "1"), ("false", "true")),
    ],
)
def test_flags_are_written_as_most_of_them_are(cells, pair):
    assert tuple(spelled(*cells)) == pair


@pytest.mark.parametrize(
    ("cells", "joint", "time", "digits", "zone"),
    [
        (("2024-03-01 10:00:05", "NA"), " ", "hh:mm:ss", 0, ""),
        (("2024-03-01T10:00:05.250",), "T", "hh:mm:ss", 3, ""),
        (("2024-03-01 10:00", "2024-03-02"), " ", "hh:mm", 0, ""),
        (("2024-03-01T10:00:00Z",), "T", "hh:mm:ss", 0, "Z"),
        (("2024-03-01 10:00:00+01:00",), " ", "hh:mm:ss", 0, "+01:00"),
    ],
)
def test_dates_with_times_are_known_as_they_are_written(cells, joint, time, digits, zone):
    found = spelled(*cells)
    assert (found.joint, found.time, found.digits, found.zone) == (joint, time, digits, zone)


def test_other_columns_need_no_spelling():
    assert spelled("2024-03-01") is spelled("yes", "no") is spelled("1.5") is None
