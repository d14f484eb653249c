"""Kinds of columns follow from their cells, and kinds of parts are joined."""

import pyarrow as pa
import pytest

from lowdim.tables.formats.form import TextFormat
from lowdim.tables.formats.types import Converter, blank_as_missing, find_types, joined_type

WORDS = pa.dictionary(pa.int32(), pa.string())


def types_of(text, names="ab", as_text=(), identifiers=True):
    converter = Converter(TextFormat(separator=",", quote='"'), list(names))
    return list(find_types(converter, text.encode(), as_text, identifiers=identifiers).values())


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1,x\n2,y\n", [pa.float64(), pa.string()]),
        ("1,x\n2,x\n3,x\n", [pa.float64(), WORDS]),
        (",true\n?,False\n", [pa.float64(), pa.bool_()]),
        ("2020-01-01,10:00\n", [pa.date32(), pa.time32("s")]),
        ("2020-01-01 10:00,2020-01-01T10:00:00.5\n", [pa.timestamp("s"), pa.timestamp("ns")]),
        ("2020-01-01T10:00+01:00,1\n", [pa.timestamp("s", "UTC"), pa.float64()]),
        ("007,1234567890123456\n", [pa.string(), pa.string()]),
        ("0,123456789012345\n", [pa.float64(), pa.float64()]),
        ("1\n1,2,3\n5,x\n", [pa.float64(), pa.string()]),
        ("", [pa.float64(), pa.float64()]),
    ],
)
def test_kinds_follow_from_the_cells(rows, expected):
    assert types_of(rows) == expected


def test_columns_may_be_kept_as_text_and_identifiers_read_as_numbers():
    assert types_of("1,2\n", as_text=["b"]) == [pa.float64(), pa.string()]
    assert types_of("007,1234567890123456\n", identifiers=False) == [pa.float64(), pa.float64()]


def test_spellings_of_missing_values_are_learnt_with_their_blanks():
    converter = Converter(TextFormat(missing=("gone",)), ["a"])
    converter.learn_missing(pa.array([" NA", "gone ", "NA", "no", "", "   "]))
    assert converter.missing == ["", "   ", " NA", "NA", "gone "]
    converter.learn_missing(pa.array([" " * n for n in range(5000)]))
    assert len(converter.missing) == 5  # too many to be spellings


def test_empty_and_blank_texts_are_missing():
    texts = pa.array(["a", "", "  ", "NA", "\t"])
    table = pa.table({"s": texts, "d": texts.dictionary_encode(), "x": [1, 2, 3, 4, 5]})
    found = blank_as_missing(table)
    expected = ["a", None, None, "NA", None]
    assert found["s"].to_pylist() == found["d"].to_pylist() == expected
    assert found.schema == table.schema and found["x"].to_pylist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("texts", [["a", "b"], ["é", "\u00a0"], ["x", None], [], [" a"]])
def test_texts_without_blanks_stay_as_they_are(texts):
    table = pa.table({"s": pa.array(texts, pa.string())})
    expected = [None if text == "\u00a0" else text for text in texts]
    assert blank_as_missing(table)["s"].to_pylist() == expected
    assert blank_as_missing(table.slice(1))["s"].to_pylist() == expected[1:]


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.null(), pa.string(), pa.string()),
        (pa.string(), pa.null(), pa.string()),
        (pa.timestamp("s"), pa.string(), pa.string()),
        (WORDS, pa.string(), pa.string()),
        (WORDS, WORDS, WORDS),
        (pa.string(), pa.float64(), None),
        (pa.bool_(), pa.float64(), None),
    ],
)
def test_types_are_joined_if_one_holds_both(one, other, joined):
    assert joined_type(one, other) == joined
