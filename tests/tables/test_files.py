"""Tables are read as they were written, in memory and in parts, and refused with a reason."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from lowdim.tables import CsvFormat, files, open_table
from lowdim.tables.files import table_kind

STREAM = [False, True]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def matrix(table, columns=None):
    """All rows of a table as numbers."""
    columns = table.names if columns is None else columns
    return np.concatenate([table.numbers(b, columns) for b in table.blocks(columns)])


def texts(table, column):
    """All values of a column of text."""
    return [v for b in table.blocks([column]) for v in table.text(b, column).to_pylist()]


# Reading


@pytest.mark.parametrize("stream", STREAM)
def test_kinds_of_columns_are_seen(write, stream):
    text = "n,x,b,t,d,h,e\n1,2.5,true,a,2020-01-31,12:30:00,\n-2,1e3,false,b,2020-02-01,00:00:01,\n"
    table = open_table(write("t.csv", text), stream=stream)
    assert table.kinds == {
        "n": "number",
        "x": "number",
        "b": "true/false",
        "t": "text",
        "d": "dates or times",
        "h": "dates or times",
        "e": "nothing",
    }
    np.testing.assert_array_equal(matrix(table, ["n", "x", "b"]), [[1, 2.5, 1], [-2, 1000, 0]])


@pytest.mark.parametrize("stream", STREAM)
def test_quoted_fields_may_hold_delimiters_quotes_and_new_lines(write, stream):
    text = 'name,"x, y"\n"Smith, Ann",1\n"said ""no""",2\n"two\nlines",3\n'
    table = open_table(write("t.csv", text), stream=stream)
    assert table.names == ["name", "x, y"]
    assert texts(table, "name") == ["Smith, Ann", 'said "no"', "two\nlines"]
    np.testing.assert_array_equal(matrix(table, ["x, y"]).ravel(), [1, 2, 3])


@pytest.mark.parametrize("stream", STREAM)
def test_empty_fields_and_marks_are_missing(write, stream):
    text = "x,y,t\n1,NA,a\n,?,\nnan,3,?\n4,5,N/A\n"
    table = open_table(write("t.csv", text), CsvFormat(missing=("?",)), stream=stream)
    expected = [[1, np.nan], [np.nan, np.nan], [np.nan, 3], [4, 5]]
    np.testing.assert_array_equal(matrix(table, ["x", "y"]), expected)
    assert texts(table, "t") == ["a", None, None, None]


@pytest.mark.parametrize("stream", STREAM)
def test_columns_asked_for_as_text_stay_as_they_are_written(write, stream):
    table = open_table(write("t.csv", "id,x\n007,1\nNA,2\n,3\n"), as_text=["id"], stream=stream)
    ids = [v for block in table.blocks(["id"]) for v in block["id"].to_pylist()]
    assert ids == ["007", "NA", ""]


def test_a_streamed_table_comes_in_parts_and_again(write, monkeypatch):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 64)
    rows = [f"{i},{i / 2}" for i in range(100)]
    table = open_table(write("t.csv", "\n".join(["a,b", *rows])), stream=True)
    assert len(list(table.blocks(["a"]))) > 5
    for _ in range(2):
        np.testing.assert_array_equal(matrix(table)[:, 1], np.arange(100) / 2)


def test_whole_numbers_may_be_followed_by_fractions_in_a_later_part(write, monkeypatch):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 64)
    values = [*range(100), 0.5, ""]
    table = open_table(write("t.csv", "a,b\n" + "".join(f"{v},1\n" for v in values)), stream=True)
    np.testing.assert_array_equal(matrix(table, ["a"])[:, 0], [*range(100), 0.5, np.nan])


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("t.csv", "a,näme\n1,é\n".encode(), CsvFormat()),
        ("t.csv", b"\xef\xbb\xbf" + "a,näme\n1,é\n".encode(), CsvFormat()),
        ("t.csv", "a,näme\n1,é\n".encode("latin-1"), CsvFormat(encoding="latin-1")),
        ("t.csv", "a,näme\n1,é\n".encode("utf-16"), CsvFormat(encoding="utf-16")),
        ("t.CSV", "a,näme\r\n1,é\r\n".encode(), CsvFormat()),
        ("t.tsv", "a\tnäme\n1\té\n".encode(), CsvFormat()),
        ("t.csv", "a;näme\n1,0;é\n".encode(), CsvFormat(delimiter=";", decimal=",")),
        ("t.csv.gz", gzip.compress("a,näme\n1,é\n".encode()), CsvFormat()),
    ],
    ids=["utf-8", "mark", "latin-1", "utf-16", "windows", "tabs", "semicolons", "gzip"],
)
@pytest.mark.parametrize("stream", STREAM)
def test_text_is_read_in_many_forms(write, name, content, form, stream):
    table = open_table(write(name, content), form, stream=stream)
    assert table.names == ["a", "näme"] and texts(table, "näme") == ["é"]
    np.testing.assert_array_equal(matrix(table, ["a"]), [[1.0]])


def test_a_table_without_a_header_gets_names(write):
    table = open_table(write("t.csv", "1,2\n3,4\n"), CsvFormat(header=False))
    assert len(table.names) == 2
    np.testing.assert_array_equal(matrix(table), [[1, 2], [3, 4]])


@pytest.mark.parametrize("stream", STREAM)
def test_parquet_keeps_its_kinds(stream):
    arrays = {
        "i": pa.array([1, None, 3]),
        "f": pa.array([0.5, 1.5, None], pa.float32()),
        "h": pa.array(np.array([0.5, 1.5, 2.5], np.float16)),
        "m": pa.array([1, 2, 3]).cast(pa.decimal128(21, 2)),
        "c": pa.array(["a", None, "a"]).dictionary_encode(),
        "l": pa.array([[1], [2], [3]]),
        "t": pa.array([0, 1, 2], pa.timestamp("s")),
        "e": pa.nulls(3),
    }
    pq.write_table(pa.table(arrays), "t.parquet", row_group_size=2)
    table = open_table("t.parquet", stream=stream)
    assert [table.kinds[name] for name in "ifhmcte"] == (
        ["number"] * 4 + ["text", "dates or times", "nothing"]
    )
    assert "list" in table.kinds["l"]
    expected = [[1, 0.5, 0.5, 1], [np.nan, 1.5, 1.5, 2], [3, np.nan, 2.5, 3]]
    np.testing.assert_array_equal(matrix(table, list("ifhm")), expected)
    assert texts(table, "c") == ["a", None, "a"]
    assert matrix(table, ["f"]).dtype == np.float32


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
def test_npy_is_a_matrix_whose_columns_have_numbers(dtype, stream):
    X = (np.arange(12).reshape(4, 3) % 2).astype(dtype)
    np.save("t.npy", X)
    table = open_table("t.npy", stream=stream)
    assert table.names == ["0", "1", "2"] and not table.named
    read = matrix(table, ["2", "0"])
    np.testing.assert_array_equal(read, X[:, [2, 0]])
    assert read.dtype == (np.float32 if dtype == np.float32 else np.float64)


def test_npz_holds_one_matrix_or_a_sparse_one():
    X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    np.savez("dense.npz", X=X, labels=np.arange(3))
    sp.save_npz("sparse.npz", sp.csc_array(X))
    np.testing.assert_array_equal(matrix(open_table("dense.npz")), X)
    table = open_table("sparse.npz")
    (block,) = table.blocks(table.names)
    assert table.is_sparse
    np.testing.assert_array_equal(table.numbers(block, table.names).toarray(), X)


def test_large_files_are_streamed_unless_asked_otherwise(numbers, monkeypatch):
    names = ["numbers.csv", "numbers.parquet", "numbers.npy"]
    assert not any(open_table(name).streamed for name in names)
    monkeypatch.setattr(files, "STREAM_BYTES", 100)
    assert all(open_table(name).streamed for name in names)
    assert not any(open_table(name, stream=False).streamed for name in names)


def test_the_ending_says_what_a_file_is():
    assert [table_kind(n) for n in ("a.CSV", "a.b/c", "a.tsv.gz", "x.parquet", "gz", ".csv")] == [
        ".csv",
        "",
        ".tsv",
        ".parquet",
        "",
        "",
    ]


# The door


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", "", ["t.csv", "empty"]),
        ("t.csv", "\n\n", ["no rows"]),
        ("t.csv", "a,b", ["no rows"]),
        ("t.csv", "a,b\n", ["no rows"]),
        ("t.csv", "a;b\n1;2\n", ["one column, 'a;b'", "--delimiter ';'"]),
        ("t.csv", "a\tb\n1\t2\n", ["--delimiter tab"]),
        ("t.csv", "a,b\n1,2\n3\n", ["Expected 2 columns, got 1", "--delimiter"]),
        ("t.csv", "a,b\n1,2\n3,4,5\n", ["Expected 2 columns, got 3"]),
        ("t.csv", "a,a\n1,2\n", ["2 columns named 'a'"]),
        ("t.csv", "a,näme\n1,x\n".encode("latin-1"), ["utf-8", "--encoding latin-1"]),
        ("t.csv", "a,name\n1,é\n".encode("latin-1"), ["'name'", "--encoding latin-1"]),
        ("t.csv", "a,b\n1,é\n".encode("utf-16"), ["--encoding utf-16"]),
        ("t.csv", "a,b\n1,\0\n", ["zero bytes"]),
        ("t.parquet", "a,b\n1,2\n", ["t.parquet", "parquet file"]),
        ("t.npy", "a,b\n1,2\n", ["t.npy cannot be read"]),
        ("t.npy", b"\x93NUMPY\x01\x00", ["t.npy"]),
        ("t.xlsx", "PK", ["'.xlsx'", ".csv"]),
        ("table", "a,b\n1,2\n", ["''", ".csv"]),
    ],
)
@pytest.mark.parametrize("stream", [None, True])
def test_a_bad_file_is_refused_with_a_reason(write, name, content, words, stream):
    with pytest.raises(ValueError) as error:
        open_table(write(name, content), stream=stream)
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3), "shape"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.array([["a"]]), "type|dtype"),
        (np.array([[1j]]), "type|dtype"),
        (np.array([[None]]), "objects"),
    ],
)
def test_an_array_that_is_no_matrix_of_numbers_is_refused(array, words, stream):
    np.save("t.npy", array)
    with pytest.raises(ValueError, match=rf"t\.npy.*({words})"):
        open_table("t.npy", stream=stream)


def test_a_damaged_npz_file_is_refused(write):
    with pytest.raises(ValueError, match=r"t\.npz is damaged"):
        open_table(write("t.npz", b"PK\x03\x04 and nothing more"))


def test_an_npz_file_with_two_matrices_is_refused():
    np.savez("t.npz", a=np.eye(2), b=np.eye(2))
    with pytest.raises(ValueError, match=r"2 matrices \(a, b\).*\.npy"):
        open_table("t.npz")


def test_what_cannot_be_streamed_says_so():
    np.savez("t.npz", a=np.eye(2))
    with pytest.raises(ValueError, match=r"--stream needs \.npy"):
        open_table("t.npz", stream=True)
    with pytest.raises(ValueError, match="--stream needs a file"):
        open_table("-", stream=True)


def test_a_folder_and_a_file_that_is_not_there_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"folder\.csv is not a file"):
        open_table("folder.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no file t\.csv"):
        open_table("t.csv")


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match=r"--encoding klingon.*latin-1"):
        CsvFormat(encoding="klingon")


def test_text_in_a_later_part_of_a_column_of_numbers_is_named(write, monkeypatch):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 64)
    table = open_table(write("t.csv", "a,b\n" + "1,2\n" * 50 + "unknown,2\n"), stream=True)
    with pytest.raises(ValueError, match=r"column #0.*unknown.*--missing"):
        matrix(table)


@pytest.mark.parametrize("stream", STREAM)
def test_a_line_without_end_is_named(write, monkeypatch, stream):
    monkeypatch.setattr(files, "CSV_BLOCK_BYTES", 64)
    name = write("t.csv", 'a,b\n1,x\n2,"open\n' + "3,y\n" * 100)
    with pytest.raises(ValueError, match=r"t\.csv"):
        for _ in open_table(name, stream=stream).blocks(["a", "b"]):
            pass


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_without_pyarrow_the_error_says_how_to_get_it(write, monkeypatch, name):
    for module in ("pyarrow.csv", "pyarrow.parquet"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(
        ImportError, match=r'Reading t\.\w+ needs pyarrow: pip install "lowdim\[io\]"'
    ):
        open_table(write(name, "a,b\n1,2\n"))
