"""Any table in memory can be read as one, in chunks, under names of its own."""

import datetime as dt
import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.tables.errors import TableError
from lowdim.tables.frames.opening import (
    DaskTable,
    FrameTable,
    MatrixTable,
    different_names,
    open_frame,
)
from lowdim.tables.frames.series import columns_of

COLUMNS = {"x": [1.5, 2.5, 3.5], "w": ["a", "b", None]}
MAKE = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def rows(table, columns=None, size=None):
    """All cells of a table, row by row: numbers, and words as text."""
    found = []
    for chunk in table.chunks(columns, size):
        if isinstance(chunk, np.ndarray):
            found += chunk.tolist()
        elif sp.issparse(chunk):
            found += chunk.toarray().tolist()
        else:
            found += zip(*map(cells, columns_of(chunk)), strict=True)
    return [list(row) for row in found]


def cells(values):
    if values.places is None:
        return values.numbers.tolist()
    return [None if code < 0 else values.levels[code] for code in values.places]


# Data frames


@pytest.mark.parametrize("backend", MAKE)
def test_a_frame_is_read_in_chunks_of_its_own_library(backend):
    table = open_frame(MAKE[backend](COLUMNS))
    assert isinstance(table, FrameTable)
    assert (table.names, table.labels, table.n_rows) == (["x", "w"], ["x", "w"], 3)
    assert (table.backend, table.named, table.streamed) == (backend, True, False)
    assert table.index_name is None and table.notes == []
    chunks = list(table.chunks(size=2))
    assert [len(chunk) for chunk in chunks] == [2, 1]
    assert all(type(chunk) is type(MAKE[backend](COLUMNS)) for chunk in chunks)
    assert rows(table) == [[1.5, "a"], [2.5, "b"], [3.5, None]]
    assert rows(table, ["w"], 1) == [["a"], ["b"], [None]]
    assert rows(table, ["w", "x"]) == [["a", 1.5], ["b", 2.5], [None, 3.5]]


def test_a_frame_of_narwhals_and_a_batch_of_pyarrow_are_tables():
    frame = nw.from_native(pl.DataFrame(COLUMNS))
    assert open_frame(frame).backend == "polars"
    (batch,) = pa.table(COLUMNS).to_batches()
    assert open_frame(batch).backend == "pyarrow"
    table = open_frame(batch)
    assert open_frame(table) is table


def test_columns_named_twice_are_renamed_and_it_is_said():
    for frame in (
        pd.DataFrame([[1, 2, 3, 4]], columns=["x", "x", "x_2", "x"]),
        pa.table([[1], [2], [3], [4]], names=["x", "x", "x_2", "x"]),
    ):
        table = open_frame(frame)
        assert table.names == ["x", "x_3", "x_2", "x_4"] == table.labels
        assert rows(table, ["x_4", "x"]) == [[4.0, 1.0]]
        assert table.notes == ["renamed: columns that had the name of another: x_3, x_4"]
    assert list(frame.column_names) == ["x", "x", "x_2", "x"]


def test_many_columns_of_one_name_get_names_at_once():
    assert different_names(["x"] * 20_000)[-1] == "x_20000"
    assert different_names(["x_2", "x", "x_2", "x"]) == ["x_2", "x", "x_2_2", "x_3"]


def test_labels_that_are_not_text_are_kept():
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=[0, "0", dt.date(2020, 1, 1), ("a", 1)])
    table = open_frame(frame)
    assert table.names == ["0", "0_2", "2020-01-01", "('a', 1)"]
    assert table.labels == [0, "0", dt.date(2020, 1, 1), ("a", 1)]
    assert list(frame.columns) == table.labels
    assert rows(table, ["0_2"]) == [[2.0]]


@pytest.mark.parametrize(
    "index",
    [
        None,
        [0, 1, 2],
        pd.RangeIndex(3),
        pd.Index([0, 1, 2], dtype="uint8"),
        pd.Index([0, 1, 2], dtype="Int64"),
    ],
)
def test_a_running_number_does_not_name_rows(index):
    table = open_frame(pd.DataFrame(COLUMNS, index=index))
    assert table.index_name is None and table.index is None


@pytest.mark.parametrize(
    ("index", "name", "cells"),
    [
        (pd.Index([3, 1, 2]), "index", [3.0, 1.0, 2.0]),
        (pd.RangeIndex(1, 4), "index", [1.0, 2.0, 3.0]),
        (pd.RangeIndex(3, name="row"), "row", [0.0, 1.0, 2.0]),
        (pd.Index(["p", "q", "r"], name="who"), "who", ["p", "q", "r"]),
        (pd.Index(["p", "q", "r"], name="x"), "x_2", ["p", "q", "r"]),
        (pd.Index(["p", "q", "r"], name=7), "7", ["p", "q", "r"]),
        (pd.to_datetime(["1970-01-01"] * 3), "index", [0.0, 0.0, 0.0]),
        (
            pd.MultiIndex.from_tuples([("p", 1), ("p", 2), ("q", 1)], names=["a", "b"]),
            "a / b",
            ["p / 1", "p / 2", "q / 1"],
        ),
        (
            pd.MultiIndex.from_tuples([("p", 1), ("p", 2), ("q", 1)]),
            "index",
            ["p / 1", "p / 2", "q / 1"],
        ),
    ],
)
def test_another_index_names_rows(index, name, cells):
    frame = pd.DataFrame(COLUMNS).set_axis(index)
    table = open_frame(frame)
    assert table.index_name == name and table.names == ["x", "w"]
    assert table.index[1] is frame.index
    assert [row[0] for row in rows(table, [name], 2)] == cells
    assert rows(table, ["x", name])[0] == [1.5, cells[0]]
    assert rows(table)[0] == [1.5, "a"]
    assert list(next(table.chunks()).index) == [0, 1, 2]
    assert len(table.notes) == (index.nlevels > 1)
    assert frame.index is table.index[1] and list(frame.columns) == ["x", "w"]


def test_wide_frames_come_in_smaller_chunks(monkeypatch):
    monkeypatch.setattr("lowdim.tables.frames.opening.rows_at_a_time", lambda d: 20 // d)
    table = open_frame(pd.DataFrame(np.zeros((7, 10))))
    assert [len(chunk) for chunk in table.chunks()] == [2, 2, 2, 1]
    assert [len(chunk) for chunk in table.chunks(["3"])] == [7]


# Dicts


def test_a_dict_of_arrays_is_a_table():
    columns = {
        "x": np.array([1.0, 2.0]),
        "l": [1, "a"],
        3: np.array(["p", "q"]),
        "m": np.ma.masked_array([1, 2], [False, True]),
        "t": np.array(["1970-01-01", "NaT"], "M8[D]"),
        "s": pl.Series(["u", None]),
        "e": np.array([1, 2], dtype=">i4"),
    }
    table = open_frame(columns)
    assert table.backend == "dict" and table.named
    assert table.names == ["x", "l", "3", "m", "t", "s", "e"]
    assert table.labels[2] == 3
    expected = [[1.0, "1", "p", 1.0, 0.0, "u", 1.0], [2.0, "a", "q", None, None, None, 2.0]]
    assert none_for_nan(rows(table)) == expected


def none_for_nan(rows):
    return [[None if cell != cell else cell for cell in row] for row in rows]


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_a_dict_needs_only_one_of_the_libraries(backend, monkeypatch):
    monkeypatch.setattr("lowdim.tables.frames.opening.default_backend", lambda: backend)
    table = open_frame({"x": np.array([1, 2]), "w": np.array([1, "a"], dtype=object)})
    assert isinstance(next(table.chunks()), type(MAKE[backend]({"x": [1]})))
    assert rows(table) == [[1.0, "1"], [2.0, "a"]]


def test_a_dict_needs_one_of_the_libraries(monkeypatch):
    monkeypatch.setattr("lowdim.tables.frames.opening.default_backend", lambda: "dict")
    with pytest.raises(ImportError, match=r'pip install "lowdim\[io\]"'):
        open_frame({"w": np.array(["a"])})


def test_a_structured_array_is_a_table():
    array = np.array([(1.0, "a"), (2.0, "b")], dtype=[("x", float), ("w", "U1")])
    table = open_frame(array)
    assert table.names == ["x", "w"] and rows(table) == [[1.0, "a"], [2.0, "b"]]


# Matrices


@pytest.mark.parametrize(
    ("dtype", "sparse"),
    [
        *((dtype, False) for dtype in (np.float64, np.float32, np.float16, np.int8, bool)),
        *((dtype, True) for dtype in (np.float64, np.float32, np.int8, bool)),
    ],
)
def test_a_matrix_of_numbers_stays_one(dtype, sparse):
    X = np.array([[0, 1, 0], [1, 0, 1]], dtype=dtype)
    table = open_frame(sp.csc_matrix(X) if sparse else X)
    assert isinstance(table, MatrixTable)
    assert (table.names, table.labels, table.n_rows) == (["0", "1", "2"], [0, 1, 2], 2)
    assert (table.named, table.backend, table.is_sparse) == (False, "array", sparse)
    assert rows(table) == X.tolist() == rows(table, size=1)
    assert rows(table, ["2", "0"]) == X[:, [2, 0]].tolist()
    (chunk,) = table.chunks()
    assert type(chunk) is (sp.csr_array if sparse else np.ndarray)
    assert chunk.dtype == (np.float32 if dtype == np.float32 else np.float64)


def test_chunks_of_floats_are_views():
    X = np.ones((4, 2))
    assert all(np.shares_memory(chunk, X) for chunk in open_frame(X).chunks(size=2))


@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, None]],
        ((1, 2), (3, float("nan"))),
        np.array([[1, 2.0], [3, None]], dtype=object),
        np.array([[True, 2], [3, pd.NA]], dtype=object),
        np.ma.masked_array([[1, 2], [3, 4]], [[False, False], [False, True]]),
    ],
)
def test_lists_objects_and_masked_arrays_of_numbers_are_matrices(X):
    table = open_frame(X)
    assert isinstance(table, MatrixTable)
    assert none_for_nan(rows(table)) == [[1, 2], [3, None]]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        ([[1, "a"], [2, None]], [[1.0, "a"], [2.0, None]]),
        (np.array([[1, "a"], [2, None]], dtype=object), [[1.0, "a"], [2.0, None]]),
        (np.array([["p", "q"], ["r", "s"]]), [["p", "q"], ["r", "s"]]),
        (np.array([["1970-01-01"], ["NaT"]], "M8[s]"), [[0.0], [None]]),
        (np.array([[dt.date(1970, 1, 1)], [None]]), [[0.0], [None]]),
        (np.ma.masked_array([["p"], ["q"]], [[True], [False]]), [[None], ["q"]]),
    ],
)
def test_matrices_of_other_values_are_frames_without_names(X, expected):
    table = open_frame(X)
    assert isinstance(table, FrameTable)
    assert not table.named and table.backend == "array"
    assert table.names == [str(f) for f in range(len(expected[0]))]
    assert table.labels == list(range(len(expected[0])))
    assert none_for_nan(rows(table)) == expected
    assert table.index_name is None


def test_whatever_says_that_it_is_an_array_is_one():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.eye(2)

    assert rows(open_frame(Wrapped())) == np.eye(2).tolist()


def test_a_stream_is_a_matrix_with_names():
    class Stream(ArrayBlocks):
        in_memory = known_rows = None
        feature_names = ("a", "b")

    table = open_frame(Stream(np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])))
    assert isinstance(table, MatrixTable) and table.streamed and table.named
    assert table.names == ["a", "b"] and table.n_rows is None
    assert rows(table, ["b"], 2) == [[4.0], [5.0], [6.0]]
    assert rows(table) == rows(table) == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]


def test_blocks_in_memory_are_a_matrix():
    table = open_frame(ArrayBlocks(np.eye(3)))
    assert not table.streamed and not table.named and table.n_rows == 3
    assert rows(table, size=2) == np.eye(3).tolist()


# Dask


@pytest.fixture
def lazy():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": pd.Categorical(list("abca"))})
    return dd.from_pandas(frame, npartitions=2)


def test_a_dask_frame_comes_partition_by_partition(lazy):
    table = open_frame(lazy)
    assert isinstance(table, DaskTable)
    assert (table.names, table.labels, table.n_rows) == (["x", "c"], ["x", "c"], None)
    assert table.named and table.streamed and table.backend == "pandas"
    assert table.index_name is None and list(table.meta.columns) == ["x", "c"]
    assert [len(chunk) for chunk in table.chunks()] == [2, 2]
    assert [len(chunk) for chunk in table.chunks(size=1)] == [1, 1, 1, 1]
    assert rows(table, ["c", "x"]) == [["a", 1.0], ["b", 2.0], ["c", 3.0], ["a", 4.0]]
    parts = dask.compute(*table.partitions)
    assert [list(part.columns) for part in parts] == [["x", "c"]] * 2


def test_nothing_is_computed_when_a_dask_table_is_opened():
    def never(part):
        raise AssertionError("computed")

    frame = dd.from_pandas(pd.DataFrame({"x": [1.0]}), npartitions=1)
    table = open_frame(frame.map_partitions(never, meta=frame._meta))
    assert table.names == ["x"]
    table = open_frame(da.ones((4, 2), chunks=(2, 1)).map_blocks(never, meta=np.ones((0, 0))))
    assert table.names == ["0", "1"]


def test_a_named_index_of_a_dask_frame_names_rows(lazy):
    frame = lazy.rename_axis("x").rename(columns={"c": 7})
    table = open_frame(frame)
    assert table.index_name == "x_2" and table.names == ["x", "7"] and table.labels == ["x", 7]
    assert rows(table, ["x_2", "7"], 1)[3] == [3.0, "a"]
    assert list(table.meta.columns) == ["x", "7"]
    assert list(dask.compute(table.partitions[0])[0].columns) == ["x_2", "x", "7"]


def test_partitions_without_rows_are_left_out(lazy):
    table = open_frame(lazy[lazy.x > 2])
    assert [len(chunk) for chunk in table.chunks()] == [2]
    with pytest.raises(TableError, match=r"has no rows: 0 sample\(s\) \(shape=\(0, 2\)\)"):
        list(open_frame(lazy[lazy.x > 9]).chunks())


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_a_dask_array_is_a_matrix(dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    table = open_frame(da.from_array(X, chunks=(3, 2)))
    assert isinstance(table, DaskTable) and not table.named and table.backend == "array"
    assert (table.names, table.n_rows, table.is_sparse) == (["0", "1", "2"], 4, False)
    chunks = list(table.chunks())
    assert [chunk.shape for chunk in chunks] == [(3, 3), (1, 3)]
    assert chunks[0].dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert rows(table, ["2", "1"], 2) == X[:, [2, 1]].tolist()


def test_a_dask_array_of_unknown_length_is_a_matrix(lazy):
    table = open_frame(lazy[["x"]].to_dask_array())
    assert table.n_rows is None and rows(table) == [[1.0], [2.0], [3.0], [4.0]]


def test_a_sparse_dask_array_is_a_sparse_matrix():
    X = da.from_array(np.eye(4), chunks=(2, 4)).map_blocks(sp.csr_matrix)
    table = open_frame(X)
    assert table.is_sparse
    assert all(type(chunk) is sp.csr_array for chunk in table.chunks())
    assert rows(table, ["0"]) == [[1.0], [0.0], [0.0], [0.0]]


# The door


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros(3), ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        ([1, 2], ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        (pd.Series([1, 2]), ValueError, "Expected 2D array, got 1D array instead"),
        (np.zeros((2, 2, 2)), ValueError, "dim 3"),
        (np.float64(1), ValueError, "Expected 2D array, got scalar array instead"),
        (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
        (sp.csr_array(np.ones((2, 2)) * 1j), ValueError, "Complex data not supported"),
        (da.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
        (np.zeros((0, 3)), ValueError, r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"),
        (np.zeros((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
        (sp.csr_array((0, 3)), ValueError, r"0 sample\(s\)"),
        (np.zeros((0, 2), dtype=object), ValueError, r"0 sample\(s\)"),
        (pd.DataFrame({"a": []}), TableError, r"The table has no rows: 0 sample\(s\)"),
        (pd.DataFrame(index=[0, 1]), TableError, r"no columns: 0 feature\(s\) \(shape=\(2, 0\)\)"),
        (pl.DataFrame({"a": []}), TableError, "no rows"),
        (pl.DataFrame(), TableError, "no columns"),
        (pa.table({"a": pa.nulls(0)}), TableError, "no rows"),
        ({}, TableError, "no columns"),
        (da.ones((0, 3)), TableError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (pl.LazyFrame({"a": [1]}), TableError, r"lazy frame \(LazyFrame\).*Call \.collect\(\)"),
        ({"a": [1, 2], "b": [1]}, TableError, "1 values in 'b', 2 in 'a'"),
        ({"a": np.zeros((2, 2))}, TableError, r"column 'a' of shape \(2, 2\)"),
        ([[1, 2], [3]], TableError, "rows differ in length"),
        (da.ones(3), ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        (dask.delayed(1), TypeError, "Dask Delayed"),
        (da.from_array(np.array([["a"]])), TableError, "numbers are needed.*Dask DataFrame"),
        (None, TypeError, "cannot be made from NoneType"),
        ("table", TypeError, "cannot be made from str"),
        (
            np.array([["a", 1], ["b", {"k": 1}]], dtype=object),
            TypeError,
            "'dict' in row 1, column 1; argument must be a string or a number",
        ),
        (np.array([[1.0, {"k": 1}]], dtype=object), TypeError, "argument must be a string or a n"),
    ],
)
def test_what_is_no_table_is_refused_with_a_reason(X, error, words):
    with pytest.raises(error, match=f"(?s){words}"):
        open_frame(X)


@pytest.mark.parametrize("X", [pd.DataFrame(COLUMNS), np.eye(2)])
def test_a_column_that_is_not_there_is_named(X):
    with pytest.raises(TableError, match=r"^Here has no column 'z'"):
        list(open_frame(X, "Here").chunks(["z"]))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_no_library_but_that_of_the_table_is_imported(library):
    others = {"pandas", "polars", "pyarrow"} - {library}
    program = f"""
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.split(".")[0] not in {sorted(others)!r}:
            return super().find_spec(name, path, target)

sys.meta_path = [Without if finder is PathFinder else finder for finder in sys.meta_path]
import {library} as own
from lowdim.tables.frames.opening import open_frame
from lowdim.tables.frames.series import columns_of
from lowdim.tables.frames.dtypes import build_frame, dtypes_of, joined_frames, restored
make = own.DataFrame if hasattr(own, "DataFrame") else own.table
table = open_frame(make({{"x": [1, None], "w": ["a", None], "f": [True, None]}}))
(chunk,) = table.chunks()
pairs = zip(table.names, columns_of(chunk), dtypes_of(chunk))
columns = {{name: restored(values, dtype, {library!r}) for name, values, dtype in pairs}}
assert build_frame({library!r}, columns).equals(chunk)
assert joined_frames([chunk, chunk], table, {library!r}).shape == (4, 3)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
