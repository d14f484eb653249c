"""Some rows of a table: the same columns, labels and names, fewer rows."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.tables import TableError, open_table, take_rows

ROWS = np.array([1, 4, 5, 11])


def frame(n=12):
    return pd.DataFrame({"x": np.arange(n) * 1.5, "word": [f"w{i % 3}" for i in range(n)]})


def whole(table):
    """All rows of a table as a pandas frame."""
    (chunk,) = table.chunks(size=100)
    return chunk.to_pandas() if hasattr(chunk, "to_pandas") else chunk.reset_index(drop=True)


@pytest.mark.parametrize(
    "source",
    [
        frame(),
        pl.from_pandas(frame()),
        pa.Table.from_pandas(frame()),
        dict(frame()),
        dd.from_pandas(frame(), npartitions=3),
    ],
    ids=["pandas", "polars", "pyarrow", "dict", "dask"],
)
def test_rows_are_taken_from_tables_of_all_libraries(source):
    table = open_table(source)
    taken = take_rows(table, ROWS)
    expected = frame().iloc[ROWS].reset_index(drop=True)
    pd.testing.assert_frame_equal(whole(taken), expected, check_dtype=False)
    assert (taken.n_rows, taken.names, taken.backend) == (4, table.names, table.backend)
    assert not taken.streamed


@pytest.mark.parametrize("stream", [True, False])
def test_rows_are_taken_from_files_in_memory_and_in_parts(tmp_path, stream):
    path = tmp_path / "t.csv"
    frame().to_csv(path, index=False, sep=";")
    table = open_table(path, stream=stream, separator=";")
    taken = take_rows(table, ROWS)
    assert whole(taken)["x"].tolist() == frame()["x"][ROWS].tolist()
    assert taken.path == str(path) and taken.asked == {"stream": stream, "separator": ";"}
    assert taken.written_by_hand and taken.notes == table.notes
    assert take_rows(table).n_rows == 12


def test_a_column_that_turns_out_to_be_text_is_read_again(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{i},{i}" for i in range(200_000)] + ["x,1", "2,2"]
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    taken = take_rows(open_table(path, stream=True), np.array([0, 200_000, 200_001]))
    assert whole(taken)["a"].tolist() == ["0", "x", "2"]


def test_rows_of_matrices_are_matrices():
    X = np.arange(24.0).reshape(12, 2)
    (dense,) = take_rows(open_table(X), ROWS).chunks()
    (sparse,) = take_rows(open_table(sp.csr_array(X)), ROWS).chunks(["1"])
    np.testing.assert_array_equal(dense, X[ROWS])
    assert sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), X[ROWS][:, 1:])


def test_labels_and_names_of_rows_come_along():
    table = open_table(
        pd.DataFrame(
            {0: np.arange(12.0), 1: np.arange(12.0) ** 2}, index=[f"r{i}" for i in range(12)]
        )
    )
    taken = take_rows(table, ROWS)
    assert taken.labels == [0, 1] and taken.index_name == table.index_name
    (names,) = taken.chunks([taken.index_name])
    assert names.iloc[:, 0].tolist() == ["r1", "r4", "r5", "r11"]
    codes = lowdim.TableModel(lowdim.PCA(1)).fit(table).transform(taken)
    assert codes.index.tolist() == ["r1", "r4", "r5", "r11"]


def test_chunks_have_the_size_and_the_columns_that_are_asked_for():
    taken = take_rows(open_table(frame()), ROWS)
    parts = list(taken.chunks(["word"], size=3))
    assert [len(part) for part in parts] == [3, 1] and list(parts[0].columns) == ["word"]
    with pytest.raises(TableError, match="no column 'y'"):
        list(taken.chunks(["y"]))


def test_bad_rows_are_refused():
    table = open_table(frame())
    for rows in ([3, 1], [1, 1], [0.5, 2.0], [[1, 2]]):
        with pytest.raises(ValueError, match="whole numbers that increase"):
            take_rows(table, rows)
    for rows in ([3, 12], [-1, 3]):
        with pytest.raises(ValueError, match="has 12 rows"):
            take_rows(table, rows)
    with pytest.raises(TableError, match="no rows to take"):
        take_rows(table, np.empty(0, dtype=int))
