"""Plain rows are read as pyarrow reads them, to the last bit; what is not plain is left to it."""

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.formats import csv, open_file
from lowdim.tables.formats.form import TextFormat
from lowdim.tables.formats.plain_rows import PlainReader
from lowdim.tables.formats.types import Converter
from tests.tables.formats.pieces import deep, small_pieces

FORM = TextFormat(separator=",", quote='"')
TYPES = {
    "x": pa.float64(),
    "word": pa.string(),
    "level": pa.dictionary(pa.int32(), pa.string()),
    "day": pa.date32(),
}


def readings(rows, types=TYPES, form=FORM, missing=("", "NA", "-", ".")):
    """Rows by the kernels, and by pyarrow; None: they are not plain, or cannot be read."""
    converter = Converter(form, list(types))
    converter.missing = list(missing)
    try:
        expected = converter.read(rows, types)
    except pa.ArrowInvalid:
        expected = None
    return PlainReader(converter, types).read(rows), expected


def agree(found, expected):
    return found.equals(expected) and all(
        np.array_equal(np.signbit(found[name]), np.signbit(expected[name]))
        for name in found.schema.names
        if found.schema.field(name).type == pa.float64()
    )


def numbers(cells, **options):
    """Cells of a column of numbers, as read by the kernel alone; None: not plain."""
    rows = "".join(f"{cell}\n" for cell in cells).encode()
    found, _ = readings(rows, {"x": pa.float64()}, **options)
    return None if found is None else found["x"].to_numpy().tolist()


# Numbers

EVERY_KIND = "0 -0 1 -12 007 1. .5 -.25 3.75 1e5 1E+05 2.5e-3 12e0 9007199254740991"
LONG = (
    "9007199254740993 9007199254740992.5 18446744073709551615 0.1000000000000000055511151231257827"
    " 123456789012345678e-30 1.7976931348623157e300 2.2250738585072014e-300 3.518437208883201171875"
    " 0.00000000000000000000000012345678901234567 8.5e-23 -1.448997445238699"
)


def test_numbers_are_the_nearest_float64():
    for cell in (*EVERY_KIND.split(), *LONG.split()):
        found = numbers([cell])
        assert found is None or found == [float(cell)], cell
    assert numbers(EVERY_KIND.split()) == list(map(float, EVERY_KIND.split()))
    assert np.signbit(numbers(["-0", "-0.0", "0"])).tolist() == [True, True, False]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50))
def test_any_float64_is_read_as_it_was_written(values):
    normal = [value for value in values if value == 0 or 1e-290 < abs(value) < 1e290]
    assert numbers(["1", *map(repr, normal)]) == [1.0, *normal]


@given(st.integers(1, 10**19 - 1), st.integers(-300, 270))
def test_any_nineteen_digits_are_rounded_correctly(w, q):
    assert numbers([f"{w}e{q}"]) in ([float(f"{w}e{q}")], None)


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 10), st.integers(-2, 2))
def test_numbers_near_the_middle_of_two_float64_are_rounded_correctly(m, shift, off):
    """Between m 2^shift and the next: up to 19 digits, a tie if off = 0."""
    between = (2 * m + 1 << shift) // 2 + off
    cells = [str(between), f"{between}e-10", f"{between}e10"]
    assert numbers(cells) == list(map(float, cells))


@given(st.text("0123456789.-+eE NA", max_size=12))
def test_a_cell_is_read_as_a_number_only_if_it_is_one_to_pyarrow(cell):
    found, expected = readings(f"{cell}\n2\n".encode(), {"x": pa.float64()})
    assert found is None or agree(found, expected)


@pytest.mark.parametrize(
    "cell",
    ["+1", "inf", "nan", "1e999", "1e-320", "12345678901234567890", "1 2", "1_0", "x", "\t1"],
)
def test_cells_that_are_not_plain_are_left_to_pyarrow(cell):
    assert numbers(["1", cell]) is None


def test_blanks_quotes_and_marks_of_missing_values_are_plain():
    found, expected = readings(b' 1 ,a,b,\n"2",,"c",2020-01-31\n-,"","",""\n"NA",d,e,NA\n.,f,g,\n')
    assert agree(found, expected)
    assert found["x"].to_pylist() == [1, 2, None, None, None]
    assert found["word"].to_pylist() == ["a", "", "", "d", "f"]


def test_a_mark_of_missing_values_may_be_a_number():
    assert numbers(["1", "-999"], missing=("", "-999")) is None


def test_the_decimal_mark_may_be_a_comma():
    form = TextFormat(separator=";", quote="", decimal=",")
    assert numbers(["1,5", "-0,25", ",5e1"], form=form) == [1.5, -0.25, 5.0]
    assert numbers(["1.5"], form=form) is None


# Rows

ROW = b"1.5,a,b,2020-01-31\n"
PLAIN = [
    ROW,
    ROW[:-1],  # the last row of a file
    ROW[:-1] + b"\r\n" + ROW,
    b'1,"a, ""b""\nc","",2020-01-31\n' + ROW,
    b'1,5" pipe,a"b,\n',
    "1,é,漢字,2020-01-31\n".encode(),
    b"1, , b ,\n",
]
ODD = [
    b"1,a,b\n",
    b"1,a,b,,\n",
    ROW + b"\n" + ROW,
    b"   \n" + ROW,
    b'1,"a"b,c,\n',
    b'1,"a,b,\n',
    b"1,a\rb,c,\n",
    b"1,\xff,b,\n",
    b"1,a,b,soon\n",
    b'1,a,b,"2020-01-31\n2020-01-31"\n',
    b'1,a,b,"2020-01-31,1"\n',
    b"one,a,b,\n",
]


@pytest.mark.parametrize("rows", PLAIN)
def test_plain_rows_are_read_as_pyarrow_does(rows):
    found, expected = readings(rows)
    assert agree(found, expected)


@pytest.mark.parametrize("rows", ODD)
def test_rows_that_are_not_plain_are_left_to_pyarrow(rows):
    assert readings(rows)[0] is None


CELLS = st.lists(st.text('01.-e," \n\r\tNé', max_size=5), min_size=1, max_size=12)


@given(CELLS, st.sampled_from(["\n", "\r\n"]))
def test_any_text_is_plain_only_if_pyarrow_reads_the_same(cells, end):
    types = {"x": pa.float64(), "word": pa.string(), "n": pa.float64()}
    rows = "".join(f"1,{cell},{i}{end}" for i, cell in enumerate(cells)).encode()
    found, expected = readings(rows, types)
    assert found is None or agree(found, expected)
    quoted = [cell.replace('"', '""') for cell in cells]
    rows = "".join(f'{i},"{cell}",{i}{end}' for i, cell in enumerate(quoted)).encode()
    found, expected = readings(rows, types)
    assert agree(found, expected) and found["word"].to_pylist() == cells


def test_columns_may_be_left_out_and_come_in_another_order():
    converter = Converter(FORM, ["a", "b", "c", "d"])
    types = {"d": pa.float64(), "c": pa.string(), "a": pa.float64()}
    found = PlainReader(converter, types).read(b'1,"x,y",u,4\n5,,v,8\n')
    assert found.to_pydict() == {"d": [4, 8], "c": ["u", "v"], "a": [1, 5]}


def test_pieces_are_no_longer_tried_when_most_are_not_plain():
    reader = PlainReader(Converter(FORM, ["x"]), {"x": pa.float64()})
    for _ in range(9):
        assert reader.read(b"+1\n") is None
    assert reader.read(b"1\n") is None


# Files


@pytest.fixture
def large(monkeypatch):
    """Small files are read as large ones are."""
    small_pieces(monkeypatch)
    monkeypatch.setattr(csv, "LARGE", 0)


def test_a_large_file_is_read_as_a_small_one(large, write, values, monkeypatch):
    text = "day;word;x;n\n" + "".join(
        f'2020-01-{1 + i % 28};"a;{i % 3}";{"" if i % 7 == 0 else f"{i / 8:,}"};{i}\r\n'
        for i in range(100)
    ).replace(".", ",")
    path = write("t.csv", text)
    found = values(open_file(path, stream=True))
    monkeypatch.setattr(csv, "LARGE", np.inf)
    assert found == values(open_file(path, stream=True))
    assert found["x"][8] == 1.0 and found["x"][7] is None and found["word"][4] == "a;1"


def test_a_row_of_a_large_file_with_too_few_cells_is_named_by_its_line(large, write, values):
    with pytest.raises(TableError, match=re.escape("t.csv, line 102: 2 fields where 3 are")):
        values(open_file(write("t.csv", deep("1,2\n")), stream=True))


def test_a_word_among_the_numbers_of_a_large_file_makes_the_column_text(large, write, values):
    found = values(open_file(write("t.csv", deep("1,soon,x\n")), stream=True))
    assert found["b"][99:102] == ["1.5", "soon", "1.5"] and found["a"][99:102] == [99, 1, 0]
