"""Text tables give the values that were written, in memory and in parts."""

import datetime
import gzip
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.formats import RereadNeeded, TextFormat, csv, fold_chunks, open_file
from tests.tables.formats.pieces import deep, small_pieces

STREAM = [False, True]


# Values


@pytest.mark.parametrize("stream", STREAM)
def test_columns_have_the_kinds_of_their_values(write, values, stream):
    text = (
        "n,x,b,t,d,m,h,e\n"
        "1,2.5,true,a,2020-01-31,2020-01-31 10:30:00,12:30:00,\n"
        "-2,1e3,False,b,2020-02-01,2020-02-01T00:00:00,00:00:01,\n"
    )
    table = open_file(write("t.csv", text), stream=stream)
    assert values(table) == {
        "n": [1, -2],
        "x": [2.5, 1000],
        "b": [True, False],
        "t": ["a", "b"],
        "d": [datetime.date(2020, 1, 31), datetime.date(2020, 2, 1)],
        "m": [datetime.datetime(2020, 1, 31, 10, 30), datetime.datetime(2020, 2, 1)],
        "h": [datetime.time(12, 30), datetime.time(0, 0, 1)],
        "e": [None, None],
    }
    types = [str(type_) for type_ in table.schema.types]
    assert types == [
        *("double", "double", "bool", "string", "date32[day]", "timestamp[s]", "time32[s]"),
        "double",
    ]
    assert (table.streamed, table.n_rows, table.notes) == (stream, 2, [])


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "123"],
        ["12345678901234567", "1"],
        ["1,200", "3"],
        ["$5", "6"],
        ["60 %", "7"],
        ["unknown", "1"],
        ["0x10", "1"],
        ["1.5.2", "1"],
    ],
)
def test_identifiers_and_numbers_with_signs_stay_as_they_are_written(write, values, cells):
    text = "a;b\n" + "".join(f"{cell};1.5\n" for cell in cells)
    table = open_file(write("t.csv", text), TextFormat(separator=";", decimal="."))
    assert values(table, ["a"]) == {"a": cells}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["0.006371032608980264", "-1"], [0.006371032608980264, -1]),
        (["+5", ".5", "5.", " 7 "], [5, 0.5, 5, 7]),
        (["0", "1"], [0, 1]),
        (["1e999", "-inf"], [np.inf, -np.inf]),
        (["1E5", "1e-3"], [1e5, 1e-3]),
    ],
)
def test_numbers_are_read_to_the_last_digit(write, values, cells, numbers):
    text = "a,b\n" + "".join(f"{cell},x\n" for cell in cells)
    assert values(open_file(write("t.csv", text)), ["a"]) == {"a": numbers}


@pytest.mark.parametrize("stream", STREAM)
def test_marks_are_missing_among_numbers_and_words_among_words(write, values, stream):
    marks = ["", " ", " " * 90, "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "none"]
    marks += ["?", "-", ".", "--", "#N/A", " NA", "? ", "gone", " gone"]
    text = "x,d,b,t\n" + "".join(f"{m},{m},{m},{m}\n" for m in marks)
    form = TextFormat(missing=("gone",))
    table = open_file(write("t.csv", text + "1.5,2020-01-01,true,w\n"), form, stream=stream)
    found = values(table)
    n = len(marks)
    assert found["x"] == [None] * n + [1.5]
    assert found["d"] == [None] * n + [datetime.date(2020, 1, 1)]
    assert found["b"] == [None] * n + [True]
    assert found["t"] == [None] * 3 + marks[3:] + ["w"]


@pytest.mark.parametrize("stream", STREAM)
def test_columns_asked_for_as_text_stay_as_they_are_written(write, values, stream):
    text = "id,x\n7,1\nNA,2\n,3\n"
    table = open_file(write("t.csv", text), text_columns=["id"], stream=stream)
    assert values(table, ["x", "id"]) == {"x": [1, 2, 3], "id": ["7", "NA", None]}


def test_text_that_comes_again_is_a_dictionary(write, values):
    text = "a,b\n" + "".join(f"{'red' if i % 2 else ' '},word {i}\n" for i in range(20))
    table = open_file(write("t.csv", text))
    assert [str(type_)[:10] for type_ in table.schema.types] == ["dictionary", "string"]
    assert values(table)["a"] == [None, "red"] * 10


@pytest.mark.parametrize("stream", STREAM)
def test_quoted_fields_may_hold_separators_quotes_and_new_lines(write, values, stream):
    text = 'name,"x, y"\n"Smith, Ann",1\n"said ""no""",2\n"two\nlines",3\n'
    table = open_file(write("t.csv", text), stream=stream)
    assert values(table) == {
        "name": ["Smith, Ann", 'said "no"', "two\nlines"],
        "x, y": [1, 2, 3],
    }


PLAIN = "a,näme\n1.5,é\n-2,x y\n"


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize(
    ("name", "content", "read_as"),
    [
        ("t.csv", PLAIN.encode(), ""),
        ("t.csv", PLAIN.encode("utf-8-sig"), ""),
        ("t.csv", PLAIN.encode("utf-16"), "read as: utf-16"),
        ("t.csv", PLAIN.encode("utf-16-le"), "read as: utf-16-le"),
        ("t.csv", PLAIN.encode("utf-16-be"), "read as: utf-16-be"),
        ("t.csv", PLAIN.encode("latin-1"), "read as: cp1252"),
        ("t.CSV", PLAIN.replace("\n", "\r\n").encode(), ""),
        ("t.data", PLAIN.replace("\n", "\r").encode(), ""),
        ("t.tsv", PLAIN.replace(",", "\t").encode(), ""),
        ("t.txt", PLAIN.replace(",", "|").encode(), "read as: '|' between columns"),
        ("t.csv.gz", gzip.compress(PLAIN.encode(), mtime=0), ""),
        ("t.csv", gzip.compress(PLAIN.encode(), mtime=0), ""),
        ("t.txt.gz", gzip.compress(PLAIN.encode("utf-16"), mtime=0), "read as: utf-16"),
        ("t.csv", PLAIN.rstrip("\n").encode(), ""),
        ("t.csv", ("\n\n" + PLAIN + "\n   \n\n").encode(), ""),
        (
            "t.csv",
            PLAIN.replace(",", ";").replace(".", ",").encode("cp1252"),
            "read as: ';' between columns, ',' for decimals, cp1252",
        ),
        (
            "t.csv",
            "# a comment, you see\na,näme\n# another\n1.5,é\n-2,x y\n".encode(),
            "read as: lines with '#' are comments",
        ),
    ],
)
def test_text_is_read_in_many_forms(write, values, name, content, read_as, stream):
    table = open_file(write(name, content), stream=stream)
    assert values(table) == {"a": [1.5, -2], "näme": ["é", "x y"]}
    assert table.read_as == read_as and table.notes == ([read_as] if read_as else [])


@pytest.mark.parametrize("stream", STREAM)
def test_columns_aligned_by_blanks_are_read(write, values, stream):
    text = '  x    y  name\n1.5  2.5  "a  b"\n 10    ?  c\n'
    table = open_file(write("t.txt", text), stream=stream)
    assert values(table) == {"x": [1.5, 10], "y": [2.5, None], "name": ["a  b", "c"]}


def test_units_are_kept_beside_the_values(write, values):
    table = open_file(write("t.csv", "h,w,who\n(cm),kg,\n180,80,a\n170,60,b\n"))
    assert table.units == {"h": "(cm)", "w": "kg"}
    assert table.notes == ["read as: units beneath the names", "units: h in (cm), w in kg"]
    assert values(table)["h"] == [180, 170]


def test_a_table_without_names_gets_numbers_of_columns(write, values):
    table = open_file(write("t.csv", "1,2\n3,4\n"))
    assert values(table) == {"column_1": [1, 3], "column_2": [2, 4]}
    assert not table.named and table.notes == ["read as: no row of names"]
    assert open_file("t.csv", TextFormat(header=True)).names == ["1", "2"]


def test_names_of_rows_are_found_as_pandas_and_r_write_them(write, values):
    table = open_file(write("pandas.csv", ",x\n0,5.5\n1,6.5\n"))
    assert values(table) == {"index": [0, 1], "x": [5.5, 6.5]}
    table = open_file(write("r.txt", "x y\nann 1 2\nbob 3 4\n"))
    assert values(table) == {"index": ["ann", "bob"], "x": [1, 3], "y": [2, 4]}
    table = open_file(write("end.csv", "x,y\n1,2,\n3,4,\n"))
    assert values(table) == {"x": [1, 3], "y": [2, 4], "column_3": [None, None]}


def test_what_is_said_about_a_file_overrules_what_is_found(write, values):
    name = write("t.csv", "a;b\n1,5;2\n")
    form = TextFormat(separator=";", decimal=".")
    assert values(open_file(name, form)) == {"a": ["1,5"], "b": [2]}
    assert open_file(name, TextFormat(header=False)).names == ["column_1", "column_2"]


# In parts


@given(
    rows=st.lists(
        st.tuples(
            st.floats(allow_nan=False, width=32),
            st.text(alphabet='ab ,"\n', min_size=1, max_size=6).filter(str.strip),
        ),
        min_size=2,
        max_size=30,
    ),
    size=st.integers(8, 100),
    chunk=st.integers(1, 12),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_parts_are_the_whole_however_it_is_cut(tmp_path, monkeypatch, rows, size, chunk):
    numbers, texts = map(list, zip(*rows, strict=True))
    path = tmp_path / "t.csv"
    pyarrow.csv.write_csv(pa.table({"x": numbers, "t": texts}), path)
    small_pieces(monkeypatch, size)
    form = TextFormat(separator=",", quote='"', header=True, comment="", units=False, decimal=".")
    table = open_file(str(path), form, text_columns=["t"], stream=True)
    chunks = fold_chunks(table, list, lambda found, part: [*found, part])
    read = pa.concat_tables(chunks).to_pydict()
    assert read == {"x": numbers, "t": texts}
    sizes = [part.num_rows for part in table.chunks(size=chunk)]
    assert set(sizes[:-1]) <= {chunk} and sum(sizes) == len(rows) == table.n_rows


def test_a_streamed_table_comes_in_parts_and_again(write, monkeypatch, values):
    small_pieces(monkeypatch)
    text = "a,b\n" + "".join(f"{i},{i / 2}\n" for i in range(100))
    table = open_file(write("t.csv", text), stream=True)
    assert table.n_rows is None
    assert len(list(table.chunks(["a"], 10))) == 10 and table.n_rows == 100
    for _ in range(2):
        assert values(table, ["b"]) == {"b": [i / 2 for i in range(100)]}


@pytest.mark.parametrize("value", ["unknown", "$5", "1.5.5"])
def test_a_column_that_turns_out_to_be_text_is_read_again_as_text(
    write, monkeypatch, values, value
):
    small_pieces(monkeypatch)
    name = write("t.csv", deep(f"{value},{value},x\n"))
    table = open_file(name, stream=True)
    assert str(table.schema.field("a").type) == "double"
    with pytest.raises(RereadNeeded, match=r"t\.csv, line 102: column 'a' has the value") as error:
        for _ in table.chunks():
            pass
    assert (error.value.column, error.value.value) == ("a", value)
    expected = [*map(str, range(100)), value, *map(str, range(100))]
    assert values(table, ["a"]) == {"a": expected}  # both columns were found out in one pass
    assert [len(chunk["b"]) for chunk in table.chunks(["b"], 1000)] == [201]
    assert values(open_file(name))["a"] == expected


def test_a_pass_that_is_overtaken_by_another_begins_again_too(write, monkeypatch):
    small_pieces(monkeypatch)
    table = open_file(write("t.csv", deep("unknown,1.5,x\n")), stream=True)
    slow = table.chunks(size=5)
    next(slow)
    with pytest.raises(RereadNeeded, match="line 102: column 'a'"):
        list(table.chunks())
    with pytest.raises(RereadNeeded, match="another pass found that a column is text"):
        list(slow)


def test_a_mark_of_a_missing_value_far_down_does_not_change_a_column(write, monkeypatch, values):
    small_pieces(monkeypatch)
    table = open_file(write("t.csv", deep(" ? ,N/A,x\n")), stream=True)
    chunks = list(table.chunks())
    assert pa.concat_tables(chunks)["a"].to_pylist()[99:102] == [99, None, 0]
    assert pa.concat_tables(chunks)["b"].null_count == 1


def test_characters_that_are_not_utf8_far_down_are_found_out(write, monkeypatch, values):
    small_pieces(monkeypatch)
    name = write("t.csv", deep("1,2,é\n").encode("cp1252"))
    table = open_file(name, stream=True)
    with pytest.raises(RereadNeeded, match=r"line 102, is not in UTF-8; it is read in cp1252 now"):
        list(table.chunks())
    assert table.notes == ["read as: cp1252"]
    assert values(table)["c"][100] == "é"
    assert values(open_file(name))["c"][100] == "é"
    with pytest.raises(TableError, match=r"t\.csv, line 102, is not in utf-8: .*encoding="):
        list(open_file(name, TextFormat(encoding="utf-8"), stream=True).chunks())


def test_a_packed_file_that_grows_more_than_expected_is_streamed(write, monkeypatch, values):
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 50_000)
    monkeypatch.setattr(csv, "PIECE_BYTES", 5000)
    content = gzip.compress(b"a,b\n" + b"1,2\n" * 50_000, mtime=0)
    table = open_file(write("t.csv.gz", content))
    assert table.bytes_in_memory < 50_000 and table.streamed
    assert len(values(table)["a"]) == 50_000


def test_wide_tables_are_read(write, values):
    n = 3000
    text = ",".join(f"c{f}" for f in range(n)) + "\n" + (",".join(["1.5"] * n) + "\n") * 3
    found = values(open_file(write("t.csv", text)))
    assert len(found) == n and found["c2999"] == [1.5] * 3


def test_reading_stops_when_chunks_are_no_longer_wanted(write, monkeypatch):
    small_pieces(monkeypatch)
    table = open_file(write("t.csv", "a,b\n" + "1,2\n" * 1000), stream=True)
    chunks = table.chunks(size=5)
    assert next(chunks).num_rows == 5
    chunks.close()


def test_without_pyarrow_the_error_says_how_to_get_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    with pytest.raises(ImportError, match=r'Reading t\.csv needs pyarrow: pip install "lowdim\[io'):
        open_file(write("t.csv", "a,b\n1,2\n"))


def test_memory_for_a_pass_does_not_grow_with_the_file(write, monkeypatch):
    small_pieces(monkeypatch, 2**12)
    line = ",".join(["1.25"] * 20) + "\n"
    names = ",".join(f"c{f}" for f in range(20)) + "\n"
    table = open_file(write("t.csv", names + line * 20_000), stream=True)
    before = pa.total_allocated_bytes()
    peak = max(pa.total_allocated_bytes() - before for _ in table.chunks(size=100))
    assert peak < 0.2 * table.n_rows * 20 * 8
