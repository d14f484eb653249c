"""A folder or a pattern of files with the same columns is one table."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from lowdim.tables.errors import TableError
from lowdim.tables.formats import open_file, sample

STREAM = [False, True]


@pytest.fixture
def folder(tmp_path):
    """Write files into a folder `parts`; gives its name."""

    def write(**files):
        (tmp_path / "parts").mkdir(exist_ok=True)
        for name, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            (tmp_path / "parts" / name.replace("_dot_", ".")).write_bytes(content)
        return "parts"

    return write


@pytest.mark.parametrize("stream", STREAM)
def test_parts_come_in_the_order_of_their_names_and_hidden_ones_do_not(folder, values, stream):
    path = folder(
        b_dot_csv="x,t\n2,b\n3,b\n",
        a_dot_csv="x,t\n1,a\n",
        _dot_hidden_dot_csv="z\n",
        _SUCCESS="",
        notes_dot_md="hello",
    )
    os.mkdir("parts/more")
    expected = {"x": [1, 2, 3], "t": ["a", "b", "b"]}
    for source in (path, "parts/*.csv", "parts/[ab].csv"):
        table = open_file(source, stream=stream)
        assert values(table) == expected and table.where == source
        assert (table.streamed, table.n_rows, table.notes) == (stream, 3, ["2 files"])
    assert values(table, ["t"]) == {"t": expected["t"]}
    assert sum(chunk.num_rows for chunk in table.chunks(size=2)) == 3


@pytest.mark.parametrize("stream", STREAM)
def test_a_column_that_is_text_in_one_part_is_text_in_all(folder, values, stream):
    path = folder(a_dot_csv="x,y\n1,2\n", b_dot_csv="x,y\n$5,3\n", c_dot_csv="x,y\n4,1\n")
    assert values(open_file(path, stream=stream)) == {"x": ["1", "$5", "4"], "y": [2, 3, 1]}


def test_a_column_that_turns_out_to_be_text_in_one_part_is_text_in_all(folder, values, monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 64)
    monkeypatch.setattr(sample, "LOOK_BYTES", 0)
    numbers = "x,y\n" + "1,2\n" * 100
    path = folder(a_dot_csv=numbers, b_dot_csv=numbers + "unknown,3\n", c_dot_csv=numbers)
    for stream in STREAM:
        table = open_file(path, stream=stream)
        found = values(table)
        assert found["x"].count("1") == 300 and found["x"][200] == "unknown"
        assert table.n_rows == 301


def test_columns_may_come_in_another_order_and_a_part_may_have_no_rows(folder, values):
    path = folder(a_dot_csv="x,y\n1,2\n", b_dot_csv="y,x\n3,4\n", c_dot_csv="x,y\n", d_dot_csv="")
    assert values(open_file(path)) == {"x": [1, 4], "y": [2, 3]}


def test_what_is_found_in_the_first_part_holds_for_all_but_the_encoding(folder, values):
    path = folder(a_dot_csv="x;t\n1,5;a\n", b_dot_csv="x;t\n2,125;é\n".encode("cp1252"))
    table = open_file(path)
    assert values(table) == {"x": [1.5, 2.125], "t": ["a", "é"]}
    assert table.read_as == "read as: ';' between columns, ',' for decimals"
    path = folder(a_dot_csv="1,2\n3,4\n", b_dot_csv="a,b\nc,d\n")
    assert values(open_file(path))["column_1"] == ["1", "3", "a", "c"]


def test_parts_of_all_kinds_are_one_table(values, tmp_path):
    table = pa.table({"a": [1.5, 2.5], "b": ["x", "y"]})
    pq.write_table(table, "1.parquet")
    pq.write_table(table.set_column(0, "a", pa.array([3, 4])), "2.parquet")
    assert values(open_file("*.parquet")) == {"a": [1.5, 2.5, 3, 4], "b": ["x", "y"] * 2}
    for i in range(2):
        (tmp_path / f"{i}.jsonl").write_text(json.dumps({"a": i}) + "\n")
    assert values(open_file("*.jsonl")) == {"a": [0, 1]}


@pytest.mark.parametrize("stream", STREAM)
def test_matrices_are_put_below_each_other(values, stream):
    np.save("1.npy", np.ones((3, 2), np.float32))
    np.save("2.npy", np.zeros((2, 2)))
    table = open_file("*.npy", stream=stream)
    read = values(table, ["1"])
    assert read.dtype == np.float64 and read.ravel().tolist() == [1, 1, 1, 0, 0]
    assert (table.n_rows, table.streamed) == (5, stream)
    sp.save_npz("1.npz", sp.csr_array(np.eye(2)))
    sp.save_npz("2.npz", sp.csr_array(np.eye(2)))
    table = open_file("*.npz")
    assert table.is_sparse and values(table).toarray().tolist() == np.eye(2).tolist() * 2


# The door


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("x\n1\n", r"parts/b\.csv has no column 'y', which parts/a\.csv has"),
        ("x,y,z\n1,2,3\n", r"parts/a\.csv has no column 'z', which parts/b\.csv has"),
        ("x,y\n1,2\n3\n", r"parts/b\.csv, line 3: 1 field where 2 are expected"),
    ],
)
def test_a_part_with_other_columns_is_named_and_so_is_the_column(folder, second, message):
    path = folder(a_dot_csv="x,y\n1,2\n", b_dot_csv=second)
    with pytest.raises(TableError, match=message):
        open_file(path)


def test_parts_without_names_need_as_many_columns(folder):
    path = folder(a_dot_csv="1,2\n3,4\n", b_dot_csv="1,2,3\n4,5,6\n")
    with pytest.raises(TableError, match=r"b\.csv has 3 columns without names and .*a\.csv has 2"):
        open_file(path)


def test_columns_of_kinds_that_do_not_go_together_are_named():
    pq.write_table(pa.table({"a": [1.5]}), "1.parquet")
    pq.write_table(pa.table({"a": ["x"]}), "2.parquet")
    with pytest.raises(TableError, match=r"2\.parquet: column 'a' holds string, and double in 1\."):
        open_file("*.parquet")


def test_a_folder_of_several_kinds_or_of_none_and_an_empty_pattern_are_refused(folder):
    path = folder(a_dot_csv="x\n1\n", b_dot_tsv="x\n1\n")
    with pytest.raises(TableError, match=r"parts .*several kinds: \.csv, \.tsv.*'parts/\*\.csv'"):
        open_file(path)
    os.mkdir("empty")
    with pytest.raises(TableError, match="empty is a folder without tables"):
        open_file("empty")
    with pytest.raises(FileNotFoundError, match=r"No file matches 'no-\*\.csv'"):
        open_file("no-*.csv")
