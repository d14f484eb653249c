"""One door for all files: by their endings, with errors that name what is wrong."""

import io
import sys

import numpy as np
import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import READABLE, TextFormat, file_kind, open_file
from lowdim.tables.table import Table


def test_the_ending_says_what_a_file_is():
    names = ["a.CSV", "a.b/c", "a.tsv.gz", "x.parquet", "gz", ".csv", "a.b.jsonl.GZ"]
    assert [file_kind(name) for name in names] == [".csv", "", ".tsv", ".parquet", "", "", ".jsonl"]


def test_all_endings_that_are_read_are_listed():
    assert READABLE == (
        *(".csv", ".tsv", ".txt", ".data", ".xlsx", ".parquet", ".feather", ".arrow", ".npy"),
        *(".npz", ".json", ".jsonl", ".csv.gz", ".tsv.gz", ".txt.gz", ".data.gz", ".json.gz"),
        ".jsonl.gz",
    )


def test_a_name_with_brackets_is_a_file_if_there_is_one(write, values):
    assert values(open_file(write("t[1].csv", "a,b\n1,2\n"))) == {"a": [1], "b": [2]}


def test_every_table_says_what_it_is(write):
    np.save("t.npy", np.eye(2))
    for name in (write("t.csv", "a,b\n1,2\n"), "t.npy"):
        table = open_file(name)
        assert isinstance(table, Table) and table.where == name and table.n_rows in (1, 2)
        assert isinstance(table.notes, list) and not table.is_sparse and table.index_name is None
    assert open_file("t.csv").written_by_hand and not open_file("t.npy").written_by_hand


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.xls", r"t\.xls ends in '\.xls'\. Tables are read from \.csv"),
        ("table", "table ends in ''"),
        ("t.parquet.gz", r"t\.parquet\.gz ends in '\.parquet\.gz'"),
        ("t.csv.zip", r"ends in '\.zip'"),
    ],
)
def test_other_endings_are_refused(write, name, message):
    with pytest.raises(TableError, match=message):
        open_file(write(name, "a,b\n1,2\n"))


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match=r"There is no file t\.csv\."):
        open_file("t.csv")


def test_cures_are_written_for_python_and_for_the_command_line(write):
    with pytest.raises(TableError) as error:
        open_file(write("t.csv", "a,b\n1,2\n3\n"), TextFormat(separator=","))
    assert str(error.value).endswith("or name another separator=...")
    assert error.value.for_command_line().endswith("or name another --separator")


def test_large_tables_are_streamed_unless_asked_otherwise(write, monkeypatch):
    name = write("t.csv", "a,b\n" + "1,2\n" * 1000)
    assert not open_file(name).streamed
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 10_000)
    assert open_file(name).streamed  # 16 bytes in a row
    assert not open_file(name, stream=False).streamed
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 20_000)
    assert not open_file(name).streamed


def test_standard_input_is_a_text_table_that_can_be_read_again(monkeypatch, values):
    class Pipe:
        buffer = io.BytesIO(b"a;b\n1,5;x\n2,5;y\n")

    monkeypatch.setattr(sys, "stdin", Pipe)
    table = open_file("-", stream=True)
    assert table.where == "Standard input" and table.streamed
    for _ in range(2):
        assert values(table) == {"a": [1.5, 2.5], "b": ["x", "y"]}
