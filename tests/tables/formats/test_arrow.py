"""Feather and Arrow files are read batch by batch, with the columns asked for."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import open_file

STREAM = [False, True]
TABLE = pa.table({"x": [1.5, 2.5, None], "t": ["a", "b", None], "i": [1, 2, 3]})


def write_file(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, 2)


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, 2)


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize("write_table", [write_file, write_stream, pyarrow.feather.write_feather])
def test_files_streams_and_feather_are_read(values, write_table, stream):
    write_table(TABLE, "t.arrow")
    table = open_file("t.arrow", stream=stream)
    assert values(table) == TABLE.to_pydict()
    assert values(table, ["i", "x"]) == TABLE.select(["i", "x"]).to_pydict()
    assert [chunk.num_rows for chunk in table.chunks(size=2)] == [2, 1]
    assert table.streamed == stream


def test_feather_by_pandas_and_names_that_come_twice(values):
    pd.DataFrame({"a": [1, 2]}).to_feather("t.feather")
    assert values(open_file("t.feather")) == {"a": [1, 2]}
    write_file(pa.table([pa.array([1]), pa.array([2])], names=["x", "x"]), "t.feather")
    assert values(open_file("t.feather"), ["x_2"]) == {"x_2": [2]}


def test_large_files_are_streamed(monkeypatch):
    write_file(pa.table({"a": np.arange(1000)}), "t.arrow")
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 5000)
    assert open_file("t.arrow").streamed


def test_the_first_version_of_feather_is_refused(write):
    with pytest.raises(TableError, match=r"t\.feather is a feather file of the first version"):
        open_file(write("t.feather", b"FEA1" + bytes(100)))
