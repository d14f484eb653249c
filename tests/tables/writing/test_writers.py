"""What each kind of file holds of a table, and what it refuses."""

import csv
import datetime as dt
import gzip
import io
import json
import os
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.writing import open_writer, write_table, writers
from tests.tables.writing.files import ARROW, ENDINGS, NUMBERS_ONLY, numbers_in, read_arrow, written

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "pyarrow"])
def test_numbers_read_back_to_the_last_bit(rng, ending, kind):
    X = rng.normal(size=(9, 3)) * 10.0 ** rng.integers(-30, 30, (9, 3))
    X[4, 1] = X[8, 2] = np.nan
    names = ["a", "b", "c"]
    make = {
        "array": lambda rows: rows,
        "pandas": lambda rows: pd.DataFrame(
            rows, columns=names, index=list(range(len(rows)))[::-1]
        ),
        "polars": lambda rows: pl.DataFrame(rows, schema=names),
        "pyarrow": lambda rows: pa.table(dict(zip(names, rows.T, strict=True))),
    }[kind]
    path = f"t{ending}"
    with open_writer(path) as writer:
        for part in (X[:4], X[4:4], X[4:5], X[5:]):
            writer.write(make(part), names if kind == "array" else None)
    np.testing.assert_array_equal(numbers_in(path).astype(float), X)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_without_rows_keeps_its_columns(ending):
    path = f"t{ending}"
    write_table(pd.DataFrame({"a": np.empty(0), "b": np.empty(0)}), path)
    if ending.startswith(".json"):
        opened = gzip.open if ending.endswith(".gz") else open
        with opened(path, "rt") as file:
            assert json.loads(file.read() or "[]") == []
    elif ending == ".xlsx":
        assert pl.read_excel(path, raise_if_empty=False).columns == ["a", "b"]
    else:
        assert numbers_in(path).shape == (0, 2)


FRAME = {
    "name": ["plain", 'with "quotes"', "a,b", None, "=1+1"],
    "empty": ["", None, "NA", "007", " "],
    "whole": [1, None, -(2**62), 0, 3],
    "flag": [True, False, None, True, False],
    "day": [dt.date(2024, 3, 1), None, dt.date(1800, 1, 1), dt.date(2024, 3, 2), None],
    "moment": [dt.datetime(2024, 3, 1, 10, 0, 0, 1), None, *[dt.datetime(2024, 3, 1)] * 3],
    "zoned": [dt.datetime(2024, 3, 1, 10, tzinfo=dt.UTC), *[None] * 4],
    "price": [Decimal("18.70"), None, Decimal("0.05"), Decimal("-1.00"), None],
    "span": [dt.timedelta(hours=36), None, *[dt.timedelta(0)] * 3],
    "nothing": [None] * 5,
}


@pytest.mark.parametrize("ending", ARROW)
def test_columns_of_all_kinds_keep_values_and_types_in_arrow_files(ending):
    table = pa.table(FRAME)
    with open_writer(f"t{ending}") as writer:
        writer.write(table.slice(0, 2))
        writer.write(table.slice(2))
    again = read_arrow(f"t{ending}")
    assert again.to_pydict() == FRAME
    text = [kind if kind != pa.string() else pa.large_string() for kind in table.schema.types]
    assert again.schema.types == text


def test_columns_of_all_kinds_are_plain_text_in_csv():
    rows = list(csv.reader(io.StringIO(written(pa.table(FRAME)), newline="")))
    assert rows[0] == list(FRAME)
    assert rows[1] == [
        *("plain", "", "1", "true", "2024-03-01", "2024-03-01T10:00:00.000001"),
        *("2024-03-01T10:00:00+00:00", "18.70", "1.5", ""),
    ]
    assert rows[3][:6] == (
        ["a,b", "NA", "-4611686018427387904", "", "1800-01-01", "2024-03-01T00:00:00.000000"]
    )


def test_columns_of_all_kinds_read_back_from_json():
    content = json.loads(written(pa.table(FRAME), "t.json"))
    assert [list(row) for row in content] == [list(FRAME)] * 5
    lines = written(pa.table(FRAME), "t.jsonl").splitlines()
    assert list(map(json.loads, lines)) == content
    as_text = ("day", "moment", "zoned")
    for name in ("name", "empty", "whole", "flag", "nothing"):
        assert [row[name] for row in content] == FRAME[name]
    for name in as_text:
        again = [row[name] and type(v).fromisoformat(row[name]) for row, v in _rows(name, content)]
        assert again == FRAME[name]
    assert [row["price"] for row in content] == [18.7, None, 0.05, -1, None]
    assert [row["span"] for row in content] == [1.5, None, 0, 0, 0]


def _rows(name, content):
    return zip(content, FRAME[name], strict=True)


def test_json_reads_back_by_pyarrow_and_polars(tmp_path):
    frame = {"a": ['x\n"\\\x01', "é\u2028", None], "b": [1.5, None, -0.25], 'k"': [1, 2, 3]}
    write_table(pa.table(frame), "t.jsonl")
    assert pa.json.read_json("t.jsonl").to_pydict() == frame
    assert pl.read_ndjson("t.jsonl").to_dict(as_series=False) == frame
    write_table(pa.table(frame), "t.json")
    assert pl.read_json("t.json").to_dict(as_series=False) == frame


def test_npz_has_the_names_of_its_columns():
    write_table(pd.DataFrame({"b": [1.5], "é": [2.0]}), "t.npz")
    with np.load("t.npz") as arrays:
        assert arrays.files == ["X", "names"] and arrays["names"].tolist() == ["b", "é"]


@pytest.mark.parametrize("ending", NUMBERS_ONLY)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, bool, ">f8"])
def test_matrices_keep_their_dtype(rng, ending, dtype):
    X = np.asfortranarray(rng.integers(0, 2, (5, 3)).astype(dtype))
    with open_writer(f"t{ending}") as writer:
        writer.write(X[:2])
        writer.write(X[2:])
    again = numbers_in(f"t{ending}")
    np.testing.assert_array_equal(again, X)
    assert again.dtype == np.dtype(dtype).newbyteorder("<")


@pytest.mark.parametrize("ending", NUMBERS_ONLY)
def test_frames_of_whole_numbers_stay_whole_until_a_value_is_missing(ending):
    with open_writer(f"t{ending}") as writer:
        writer.write(pa.table({"a": [1, 2], "b": [True, False]}))
    assert numbers_in(f"t{ending}").tolist() == [[1, 1], [2, 0]]
    assert numbers_in(f"t{ending}").dtype == np.int64
    with open_writer(f"t{ending}") as writer:
        writer.write(pa.table({"a": np.arange(200_000), "b": [True] * 200_000}))
        writer.write(pa.table({"a": [5, None], "b": [False, True]}))
        writer.write(pa.table({"a": [7], "b": [True]}))
    again = numbers_in(f"t{ending}")
    assert again.dtype == np.float64 and again.shape == (200_003, 2)
    np.testing.assert_array_equal(again[:200_000, 0], np.arange(200_000))
    np.testing.assert_array_equal(again[200_000:], [[5, 0], [np.nan, 1], [7, 1]])


@pytest.mark.parametrize("ending", NUMBERS_ONLY)
def test_columns_of_numbers_of_any_kind_share_a_matrix(ending):
    frame = pa.table(
        {
            "float": pa.array([0.5, None], pa.float32()),
            "decimal": [Decimal("1.25"), None],
            "span": [dt.timedelta(hours=36), None],
            "flag": [True, None],
            "nothing": [None, None],
        }
    )
    write_table(frame, f"t{ending}")
    expected = [[0.5, 1.25, 1.5, 1, np.nan], [np.nan] * 5]
    np.testing.assert_array_equal(numbers_in(f"t{ending}"), expected)
    with open_writer(f"t{ending}") as writer:
        writer.write(frame.select(["float", "nothing"]))
        writer.write(pa.table({"float": pa.nulls(1), "nothing": pa.nulls(1)}))
    again = numbers_in(f"t{ending}")
    assert again.dtype == np.float32
    np.testing.assert_array_equal(again, [[0.5, np.nan], [np.nan] * 2, [np.nan] * 2])


# ---- text ----------------------------------------------------------------------------------------


def test_csv_has_quotes_and_digits_only_where_they_are_needed():
    frame = pd.DataFrame(
        {
            "id": ["a", "b, c", "007", "", None],
            "mass": [3750.0, 3800.0, np.nan, 3250.5, 3300.0],
            "bill": [18.7, 17.0, 18.25, np.nan, 19.1],
        }
    )
    expected = 'id,mass,bill\na,3750,18.7\n"b, c",3800,17.0\n"007",,18.25\n"",3250.5,\n,3300,19.1\n'
    assert written(frame, digits={"mass": 0, "bill": 1, "other": 3}) == expected
    assert written(frame, "t.txt", digits={"mass": 0, "bill": 1}) == (
        expected.replace('"b, c"', "b; c").replace(",", "\t").replace(";", ",")
    )


def test_names_are_quoted_as_text_is():
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=["a,b", 'say "x"', "0", "#c"])
    assert written(frame) == '"a,b","say ""x""",0,"#c"\n1,2,3,4\n'


def test_a_missing_value_that_is_alone_in_its_row_keeps_the_row():
    assert written(pa.table({"a": [1.5, None, 2.0]})) == 'a\n1.5\n""\n2\n'
    assert pa.csv.read_csv("t.csv").to_pydict() == {"a": [1.5, None, 2]}
    assert pd.read_csv("t.csv")["a"].isna().tolist() == [False, True, False]


def test_dates_have_a_time_from_the_first_chunk_on_that_needs_one():
    days = pd.DataFrame({"d": pd.to_datetime(["2024-03-01"])})
    moments = pd.DataFrame({"d": pd.to_datetime(["2024-03-01 10:00"])})
    with open_writer("t.csv") as writer:
        for chunk in (days, moments, days):
            writer.write(chunk)
    with open("t.csv") as file:
        assert file.read() == "d\n2024-03-01\n2024-03-01T10:00:00\n2024-03-01T00:00:00\n"
    kind = pa.csv.read_csv("t.csv").schema.types
    assert kind == [pa.timestamp("s")]


def test_large_chunks_are_written_in_parts(monkeypatch):
    monkeypatch.setattr(writers, "rows_at_a_time", lambda n_columns: 3)
    frame = pd.DataFrame({"a": range(10), "b": list("abcdefghij")})
    assert written(frame) == "a,b\n" + "".join(f"{i},{c}\n" for i, c in enumerate("abcdefghij"))
    assert json.loads(written(frame, "t.json")) == frame.to_dict("records")


@given(st.data())
def test_csv_cells_read_back_by_the_csv_module_and_by_pyarrow(data):
    n = data.draw(st.integers(1, 5))
    column = st.lists(st.none() | texts, min_size=n, max_size=n)
    number = st.none() | st.floats(allow_nan=False, allow_infinity=False)
    frame = {
        "a": data.draw(column),
        data.draw(texts.filter(lambda name: name not in "ax")): data.draw(column),
        "x": data.draw(st.lists(number, min_size=n, max_size=n)),
    }
    kinds = [pa.string(), pa.string(), pa.float64()]
    table = pa.table(
        [pa.array(*pair) for pair in zip(frame.values(), kinds, strict=True)], [*frame]
    )
    content = written(table)
    header, *rows = csv.reader(io.StringIO(content, newline=""))
    assert header == list(frame)
    for name, cells in zip(frame, zip(*rows, strict=True), strict=True):
        if name == "x":
            assert [float(cell) if cell else None for cell in cells] == frame[name]
        else:
            assert list(cells) == [text or "" for text in frame[name]]
    again = pa.csv.read_csv(
        pa.BufferReader(content.encode()),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict(zip(frame, kinds, strict=True)),
            strings_can_be_null=True,  # empty text is in quotes, a missing value is not
            quoted_strings_can_be_null=False,
        ),
    )
    assert again.to_pydict() == frame


# ---- chunks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ARROW)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_chunk_without_any_value_in_a_column_takes_the_type_of_the_others(ending, at):
    chunks = [pd.DataFrame({"a": ["x"], "b": [1.5]}) for _ in range(3)]
    chunks[at] = pd.DataFrame({"a": [None], "b": [None]}, dtype=object)
    with open_writer(f"t{ending}") as writer:
        for chunk in chunks:
            writer.write(chunk)
    expected = pd.concat(chunks)
    again = read_arrow(f"t{ending}")
    assert again.schema.types == [pa.large_string(), pa.float64()]
    assert again["a"].to_pylist() == expected["a"].tolist()
    assert again["b"].null_count == 1


def test_parquet_has_a_row_group_per_chunk(rng):
    with open_writer("t.parquet") as writer:
        for n in (3, 0, 4, 1):
            writer.write(rng.normal(size=(n, 2)), ["a", "b"])
    metadata = pa.parquet.ParquetFile("t.parquet").metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [3, 4, 1]


@pytest.mark.parametrize("ending", ARROW)
def test_categories_that_change_from_chunk_to_chunk_are_text(ending):
    with open_writer(f"t{ending}") as writer:
        for levels in (["u", "v"], ["w"], ["v", "u"]):
            writer.write(pd.DataFrame({"a": pd.Series(levels, dtype="category")}))
    assert read_arrow(f"t{ending}")["a"].to_pylist() == ["u", "v", "w", "v", "u"]


@pytest.mark.parametrize("ending", ARROW)
def test_what_is_held_back_for_an_unknown_type_is_bounded(ending, monkeypatch):
    monkeypatch.setattr(writers, "HELD_BYTES", 1000)
    nothing = pa.table({"a": pa.nulls(50), "b": np.arange(50.0)})
    with open_writer(f"t{ending}") as writer:
        for _ in range(5):
            writer.write(nothing)
            assert len(writer._held) <= 2
        writer.write(pa.table({"a": [1.5], "b": [0.0]}))
    again = read_arrow(f"t{ending}")
    assert again.schema.types == [pa.large_string(), pa.float64()]
    assert again["a"].to_pylist() == [None] * 250 + ["1.5"]
    np.testing.assert_array_equal(again["b"], [*np.tile(np.arange(50), 5), 0])


@pytest.mark.parametrize("ending", ARROW)
def test_whole_numbers_with_a_missing_value_further_on_stay_whole(ending):
    with open_writer(f"t{ending}") as writer:
        writer.write(pd.DataFrame({"a": [1, 2]}))
        writer.write(pd.DataFrame({"a": [3.0, np.nan]}))
    assert read_arrow(f"t{ending}").to_pydict() == {"a": [1, 2, 3, None]}


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", NUMBERS_ONLY)
def test_the_first_column_that_is_no_number_is_named(tmp_path, ending):
    frame = pd.DataFrame({"a": [1], "first": ["x"], "second": ["y"], "day": [dt.date(2024, 1, 1)]})
    with pytest.raises(TableError, match="holds numbers only; column 'first' is large_string"):
        write_table(frame, f"t{ending}")
    with pytest.raises(TableError, match="column 'day' is date32"):
        write_table(frame[["a", "day"]], f"t{ending}")
    with pytest.raises(TableError, match="values are of type <U1"):
        write_table(np.array([["x"]]), f"t{ending}")
    assert os.listdir(tmp_path) == []


def test_matrices_never_lose_digits():
    large = pa.table({"a": [2**53 + 1], "b": [0.5]})
    with pytest.raises(TableError, match="column 'a' would lose digits"):
        write_table(large, "t.npy")
    with (
        pytest.raises(TableError, match=r"beyond 2\^53 would lose"),
        open_writer("t.npy") as writer,
    ):
        writer.write(large.select(["a"]))
        writer.write(pa.table({"a": [None]}))
    with pytest.raises(TableError, match="float32 in its first rows"), open_writer("t.npy") as w:
        w.write(np.zeros((1, 2), np.float32))
        w.write(np.zeros((1, 2)))
    with pytest.raises(TableError, match=r"beyond 2\^53 would lose"), open_writer("t.npy") as w:
        w.write(np.zeros((1, 1)))
        w.write(np.array([[2**60 + 1]]))


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".xlsx"])
def test_infinite_numbers_are_refused_where_a_file_has_none(ending):
    with pytest.raises(TableError, match="column 'b' has an infinite number"):
        write_table(pd.DataFrame({"a": [1.0], "b": [np.inf]}), f"t{ending}")


@pytest.mark.parametrize("ending", [".csv", ".json", ".xlsx"])
def test_lists_are_refused_where_a_cell_is_one_value(ending):
    with pytest.raises(TableError, match="Column 'b' holds values of type list"):
        write_table(pa.table({"a": [1], "b": [[1, 2]]}), f"t{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_chunks_have_the_same_columns_and_at_least_one(tmp_path, ending):
    path = f"t{ending}"
    with pytest.raises(TableError, match="has the columns a, b; further rows have b, a"):
        with open_writer(path) as writer:
            writer.write(np.zeros((1, 2)), ["a", "b"])
            writer.write(np.zeros((1, 2)), ["b", "a"])
    with pytest.raises(TableError, match="would have no columns"):
        write_table(pd.DataFrame(index=[1, 2]), path)
    with pytest.raises(TableError, match="would be empty"), open_writer(path):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("ending", ARROW)
def test_a_column_that_changes_its_kind_is_refused_by_name(ending):
    with pytest.raises(TableError, match="column 'a' is int64 in its first rows and double"):
        with open_writer(f"t{ending}") as writer:
            writer.write(pd.DataFrame({"a": [1]}))
            writer.write(pd.DataFrame({"a": [1.5]}))


def test_types_that_a_file_does_not_know_are_refused():
    months = pa.table({"a": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
    with pytest.raises(TableError, match=r"t\.parquet cannot be written: "):
        write_table(months, "t.parquet")
    with pytest.raises(TableError, match="Column 'a' holds values of type month_day_nano"):
        write_table(months, "t.csv")
