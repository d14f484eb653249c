"""Parquet files keep their kinds, and only the columns asked for are read."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import open_file
from lowdim.tables.formats.parquet import ParquetTable

STREAM = [False, True]


@pytest.mark.parametrize("stream", STREAM)
def test_kinds_and_values_are_kept(values, stream):
    arrays = {
        "i": pa.array([1, None, 3]),
        "f": pa.array([0.5, 1.5, None], pa.float32()),
        "c": pa.array(["a", None, "a"]).dictionary_encode(),
        "l": pa.array([[1], [2], [3]]),
        "t": pa.array([0, 1, 2], pa.timestamp("ms")),
    }
    pq.write_table(pa.table(arrays), "t.parquet", row_group_size=2)
    table = open_file("t.parquet", stream=stream)
    assert (table.names, table.n_rows, table.streamed) == (list("ifclt"), 3, stream)
    assert values(table) == pa.table(arrays).to_pydict()
    assert table.schema.types == [array.type for array in arrays.values()]


@pytest.mark.parametrize("stream", STREAM)
def test_chunks_have_the_size_and_the_columns_that_are_asked_for(stream):
    pq.write_table(pa.table({n: np.arange(100) for n in "abc"}), "t.parquet", row_group_size=7)
    table = open_file("t.parquet", stream=stream)
    chunks = list(table.chunks(["c", "a"], 30))
    assert [chunk.num_rows for chunk in chunks] == [30, 30, 30, 10]
    assert all(chunk.column_names == ["c", "a"] for chunk in chunks)
    with pytest.raises(TableError, match=r"t\.parquet has no column 'd'; it has a, b, c\."):
        table.chunks(["d"])


def test_only_the_columns_asked_for_are_read(monkeypatch):
    pq.write_table(pa.table({n: np.arange(10) for n in "abc"}), "t.parquet")
    asked = []

    class Spy(pq.ParquetFile):
        def iter_batches(self, *args, columns=None, **options):
            asked.append(columns)
            return super().iter_batches(*args, columns=columns, **options)

    table = ParquetTable("t.parquet", "t.parquet")
    monkeypatch.setattr(pq, "ParquetFile", Spy)
    list(table.chunks(["b"]))
    assert asked == [["b"]]


@pytest.mark.parametrize("stream", STREAM)
def test_columns_that_cannot_be_missing_are_read_as_others(values, stream):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    pq.write_table(pa.table({"a": [1, 2]}, schema=schema), "t.parquet", row_group_size=1)
    assert values(open_file("t.parquet", stream=stream)) == {"a": [1, 2]}


@pytest.mark.parametrize("stream", STREAM)
def test_columns_named_twice_are_renamed(values, stream):
    columns = [pa.array([i, i]) for i in range(4)]
    pq.write_table(pa.table(columns, names=["x", "y", "x", "x.z"]), "t.parquet")
    table = open_file("t.parquet", stream=stream)
    assert table.names == ["x", "y", "x_2", "x.z"]
    assert table.notes == ["columns named twice are renamed: 'x' to 'x_2'"]
    assert values(table) == {"x": [0, 0], "y": [1, 1], "x_2": [2, 2], "x.z": [3, 3]}
    assert values(table, ["x_2", "y"]) == {"x_2": [2, 2], "y": [1, 1]}


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (pd.Index(["r", "s"], name="id"), "id"),
        (pd.Index(["r", "s"]), "index"),
        (pd.RangeIndex(2), None),
        (pd.MultiIndex.from_tuples([("r", 1), ("s", 2)], names=["p", "q"]), "p"),
    ],
)
@pytest.mark.parametrize("stream", STREAM)
def test_the_index_of_pandas_names_rows_and_is_no_column(values, index, name, stream):
    pd.DataFrame({"a": [1.5, 2.5]}, index=index).to_parquet("t.parquet")
    table = open_file("t.parquet", stream=stream)
    assert (table.names, table.index_name) == (["a"], name)
    assert values(table) == {"a": [1.5, 2.5]}
    if name:
        assert values(table, [name, "a"]) == {name: ["r", "s"], "a": [1.5, 2.5]}


def test_large_tables_are_streamed_unless_asked_otherwise(monkeypatch):
    pq.write_table(pa.table({"a": np.arange(1000)}), "t.parquet")
    assert not open_file("t.parquet").streamed
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 5000)
    assert open_file("t.parquet").streamed
    assert not open_file("t.parquet", stream=False).streamed


def test_without_pyarrow_the_error_says_how_to_get_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'Reading t\.parquet needs pyarrow: pip install "lowdim'):
        open_file(write("t.parquet", "PAR1"))
