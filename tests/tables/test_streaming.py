"""Streams of files: the rows that the array has, as numbers, a chunk at a time."""

import os
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from lowdim.tables import streaming
from lowdim.tables.streaming import stream

NAMES = ["a", "b", "c", "d"]
UNEVEN = [3, 1, 40, 0, 17, 2, 37]  # 7 parts, 100 rows
SUFFIXES = [".npy", ".npz", ".csv", ".tsv", ".parquet"]


def matrix(rng):
    """Numbers with few digits: a .csv file holds them exactly, and sums are exact."""
    return rng.integers(-64, 65, size=(sum(UNEVEN), len(NAMES))) / 8


def parts(X, sizes=UNEVEN):
    return np.split(X, np.cumsum(sizes)[:-1])


def write(X, path):
    """One file in the format that its name ends in."""
    table = pa.table(dict(zip(NAMES, np.asarray(X).T, strict=True)))
    match path.suffix:
        case ".npy":
            np.save(path, X)
        case ".npz":
            np.savez(path, X=X)
        case ".csv" | ".tsv":
            tab = pa.csv.WriteOptions(delimiter="\t" if path.suffix == ".tsv" else ",")
            pa.csv.write_csv(table, path, tab)
        case ".parquet":
            pq.write_table(table, path, row_group_size=8)
    return path


def write_parts(X, folder, suffix):
    return [write(part, folder / f"part-{i}{suffix}") for i, part in enumerate(parts(X))]


def moments(X, weight=None):
    X = X.toarray() if sp.issparse(X) else X
    W = X if weight is None else X * weight[:, None]
    return len(X), W.sum(axis=0), W.T @ X


def first_column(X):
    return X[:, [0]].toarray().ravel() if sp.issparse(X) else X[:, 0]


# The same rows as the array


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("chunk_rows", [None, 1, 7])
def test_seven_uneven_files_give_the_rows_of_the_array(suffix, chunk_rows, tmp_path, rng):
    X = matrix(rng)
    write_parts(X, tmp_path, suffix)
    rows = stream(str(tmp_path / f"part-*{suffix}"), chunk_rows=chunk_rows)
    named = suffix in (".csv", ".tsv", ".parquet")
    assert rows.feature_names == (NAMES if named else None)
    assert rows.n_columns == 4 and rows.dtype == np.float64 and not rows.is_sparse
    for result, expected in zip(rows.fold(moments), moments(X), strict=True):
        np.testing.assert_array_equal(result, expected)
    assert rows.shape == (100, 4) == (rows.known_rows, 4)
    np.testing.assert_array_equal(rows.map(np.square), X**2)


def test_a_glob_is_sorted_and_a_list_is_taken_as_it_is(tmp_path, rng):
    X = matrix(rng)
    paths = write_parts(X, tmp_path, ".npy")
    backwards = stream(paths[::-1])
    np.testing.assert_array_equal(backwards.map(np.copy), np.concatenate(parts(X)[::-1]))
    np.testing.assert_array_equal(stream([str(p) for p in paths]).map(np.copy), X)
    np.testing.assert_array_equal(stream(tuple(paths)).map(np.copy), X)
    np.testing.assert_array_equal(stream(paths[2]).map(np.copy), parts(X)[2])
    brackets = write(X, tmp_path / "x[1].npy")
    np.testing.assert_array_equal(stream(brackets).map(np.copy), X)  # a Path is no pattern


def test_the_case_of_a_suffix_does_not_matter(tmp_path, rng):
    X = matrix(rng)
    os.rename(write(X, tmp_path / "x.tsv"), tmp_path / "x.TSV")
    np.testing.assert_array_equal(stream(tmp_path / "x.TSV").map(np.copy), X)


# Columns and types


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_columns_are_chosen_by_number_and_come_in_that_order(suffix, tmp_path, rng):
    X = matrix(rng)
    rows = stream(write(X, tmp_path / f"x{suffix}"), columns=[2, 0])
    np.testing.assert_array_equal(rows.map(np.copy), X[:, [2, 0]])
    assert rows.shape == (100, 2)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_columns_are_chosen_by_name_and_others_may_hold_anything(suffix, tmp_path, rng):
    X = matrix(rng)
    table = pa.table({"id": [f"row {i}" for i in range(100)]})
    for name, column in zip(NAMES, X.T, strict=True):
        table = table.append_column(name, pa.array(column))
    path = tmp_path / f"x{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        tab = "\t" if suffix == ".tsv" else ","
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=tab))
    rows = stream(path, columns=["c", "a"])
    assert rows.feature_names == ["c", "a"]
    np.testing.assert_array_equal(rows.map(np.copy), X[:, [2, 0]])
    np.testing.assert_array_equal(stream(path, columns=[3, 1]).map(np.copy), X[:, [2, 0]])
    with pytest.raises(ValueError, match=r"not numbers \(1 of 5, first: 'id'\); name the columns"):
        stream(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_integers_booleans_and_nulls_become_floats_and_nan(suffix, tmp_path):
    table = pa.table(
        {
            "int": pa.array([1, None, 3], pa.int64()),
            "float": pa.array([None, 2.5, 3.0], pa.float64()),
            "bool": pa.array([True, False, None], pa.bool_()),
            "null": pa.nulls(3),
            "big": pa.array([2**60 + 1, -(2**62), 0], pa.int64()),
        }
    )
    path = tmp_path / f"x{suffix}"
    (pq.write_table if suffix == ".parquet" else pa.csv.write_csv)(table, path)
    nan = np.nan
    expected = [[1, nan, 1, nan, 2.0**60], [nan, 2.5, 0, nan, -(2.0**62)], [3, 3, nan, nan, 0]]
    np.testing.assert_array_equal(stream(path).map(np.copy), expected)


def test_decimals_and_small_integers_of_parquet_are_numbers(tmp_path):
    table = pa.table(
        {"price": pa.array([1, 2], pa.decimal128(9, 2)), "n": pa.array([3, 4], "int8")}
    )
    pq.write_table(table, tmp_path / "x.parquet")
    np.testing.assert_array_equal(stream(tmp_path / "x.parquet").map(np.copy), [[1, 3], [2, 4]])


def test_numbers_that_look_whole_at_first_may_have_digits_later(tmp_path):
    lines = ["a,b"] + ["3,4"] * 700_000 + ["3.5,0.25"]  # the first block, 4 MB, has integers only
    (tmp_path / "x.csv").write_text("\n".join(lines))
    rows = stream(tmp_path / "x.csv", columns=["b"])
    assert rows.fold(np.sum) == 4 * 700_000 + 0.25


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".parquet"])
def test_float32_is_kept(suffix, tmp_path, rng):
    path = write(matrix(rng).astype(np.float32), tmp_path / f"x{suffix}")
    rows = stream(path)
    assert rows.dtype == np.float32 and rows.map(np.copy).dtype == np.float32


def test_one_file_of_float64_makes_the_whole_stream_float64(tmp_path, rng):
    X = matrix(rng)
    one = write(X.astype(np.float32), tmp_path / "1.parquet")
    other = write(X, tmp_path / "2.parquet")
    rows = stream([one, other])
    assert rows.dtype == np.float64 and rows.map(np.copy).dtype == np.float64
    assert rows.fold(lambda block: int(block.dtype == np.float32)) == 0


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_sparse_npz_files_stay_sparse(kind, make, tmp_path, rng):
    X = matrix(rng) * (rng.uniform(size=(100, 4)) < 0.3)
    for i, part in enumerate(parts(X)):
        sp.save_npz(tmp_path / f"{i}.npz", make(part).asformat(kind))
    rows = stream(str(tmp_path / "*.npz"), chunk_rows=6)
    assert rows.is_sparse and rows.shape == (100, 4)
    for result, expected in zip(rows.fold(moments), moments(X), strict=True):
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(
        stream(tmp_path / "2.npz", columns=[1]).map(first_column), parts(X)[2][:, 1]
    )


def test_the_index_of_a_pandas_frame_is_not_a_column_of_data(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=[17, 5])
    frame.to_parquet(tmp_path / "x.parquet")
    rows = stream(tmp_path / "x.parquet")
    assert rows.feature_names == ["a", "b"]
    np.testing.assert_array_equal(rows.map(np.copy), frame.to_numpy())


def test_files_in_fortran_order_and_other_byte_orders_are_read(tmp_path, rng):
    X = matrix(rng)
    np.save(tmp_path / "f.npy", np.asfortranarray(X))
    np.save(tmp_path / "b.npy", X.astype(">f8"))
    for name in ("f.npy", "b.npy"):
        np.testing.assert_array_equal(stream(tmp_path / name, chunk_rows=9).map(np.copy), X)


def test_chunk_rows_is_how_many_rows_come_at_a_time(tmp_path, rng):
    X = matrix(rng)
    for suffix in SUFFIXES:
        rows = stream(write(X, tmp_path / f"x{suffix}"), chunk_rows=30)
        assert [len(chunk) for chunk in rows._chunks()] == [30, 30, 30, 10]


# Reading ahead, memory, progress


def test_a_file_is_never_read_as_a_whole(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((100_000, 20)))  # 16 MB
    pq.write_table(pa.table({"a": np.ones(10**6), "b": np.ones(10**6)}), tmp_path / "x.parquet")
    for name, total in (("x.npy", 2 * 10**6), ("x.parquet", 2 * 10**6)):
        rows = stream(tmp_path / name, chunk_rows=1000)
        tracemalloc.start()
        assert rows.fold(np.sum) == total
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * 10**6


# The door


def test_an_unknown_suffix_is_named(tmp_path):
    (tmp_path / "x.xlsx").touch()
    with pytest.raises(
        ValueError, match=r"x\.xlsx ends in '\.xlsx'; a stream reads files ending in \.npy"
    ):
        stream(tmp_path / "x.xlsx")


def test_a_pattern_without_files_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No file matches '.*no-\*\.csv'"):
        stream(str(tmp_path / "no-*.csv"))
    with pytest.raises(FileNotFoundError, match=r"There is no file .*no\.csv"):
        stream(tmp_path / "no.csv")


@pytest.mark.parametrize("source", [5, None, [], {"a": 1}, np.ones((3, 2))])
def test_a_source_of_another_kind_is_refused(source):
    with pytest.raises(TypeError, match="is not a path, a pattern, a list of paths or a callable"):
        stream(source)


@pytest.mark.parametrize("columns", ["abc", [], ()])
def test_columns_must_be_a_list(columns, tmp_path, rng):
    with pytest.raises(ValueError, match="must be a list of names or numbers, at least 1"):
        stream(write(matrix(rng), tmp_path / "x.csv"), columns=columns)


@pytest.mark.parametrize("chunk_rows", [0, -1, 2.5, "9"])
def test_chunk_rows_must_be_a_count(chunk_rows):
    with pytest.raises(ValueError, match=r"chunk_rows=.* must be an int, at least 1, or None"):
        stream(lambda: [np.ones((2, 2))], chunk_rows=chunk_rows)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("column", [4, -1, "e"])
def test_a_column_that_is_not_there_is_named(suffix, column, tmp_path, rng):
    path = write(matrix(rng), tmp_path / f"x{suffix}")
    named = suffix in (".csv", ".tsv", ".parquet")
    message = (
        "must be column numbers here"
        if column == "e" and not named
        else f"has no column {column!r}; it has " + ("a, b, c, d" if named else "columns 0 to 3")
    )
    with pytest.raises(ValueError, match=message):
        stream(path, columns=[0, column] if column != "e" else [column])


def test_files_with_other_columns_are_refused_and_both_are_named(tmp_path, rng):
    one = write(matrix(rng), tmp_path / "1.csv")
    (tmp_path / "2.csv").write_text("a,b,d,c\n1,2,3,4\n")
    with pytest.raises(
        ValueError, match=r"2\.csv has other columns \(a, b, d, c\) than .*1\.csv \(a, b"
    ):
        stream([one, tmp_path / "2.csv"])
    assert stream([one, tmp_path / "2.csv"], columns=NAMES).shape == (101, 4)
    np.save(tmp_path / "3.npy", np.ones((2, 3)))
    np.save(tmp_path / "4.npy", np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"4\.npy has other columns \(4 without names\) than"):
        stream([tmp_path / "3.npy", tmp_path / "4.npy"])


def test_dense_and_sparse_do_not_mix(tmp_path):
    np.savez(tmp_path / "1.npz", X=np.eye(3))
    sp.save_npz(tmp_path / "2.npz", sp.eye_array(3, format="csr"))
    with pytest.raises(ValueError, match=r"2\.npz is sparse and .*1\.npz is dense"):
        stream(str(tmp_path / "*.npz"))
    with pytest.raises(
        ValueError, match="gave a dense block after row 3; the first one was sparse"
    ):
        stream(lambda: [sp.eye_array(3), np.eye(3)]).fold(moments)


def test_a_value_deep_in_a_csv_that_is_no_number_is_shown(tmp_path):
    lines = ["a,b"] + ["3,4"] * 1_200_000 + ["3,unknown"]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    with pytest.raises(
        ValueError, match=r"x\.csv has a line .* numbers .*'unknown'.*columns=\[\.\.\.\]"
    ):
        stream(tmp_path / "x.csv").fold(np.sum)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", r"cannot be read as numbers .*Expected 2 columns, got 1"),
        ("", r"cannot be read as numbers .*[Ee]mpty CSV"),
        ("a,b\n", r"no rows \(n_samples=0\)"),
        ("a,b,a\n1,2,3\n", r"two columns with the name 'a'; rename one"),
        ("1,2.5\n3,4\n", r"no line of column names: its first line is 1, 2\.5"),
        ("a;b\n1;2\n", r"not numbers \(1 of 1, first: 'a;b'\)"),
        ("a\n2020-01-01\n", r"not numbers \(1 of 1, first: 'a'\)"),
    ],
)
def test_a_csv_that_is_no_table_of_numbers_is_refused(text, message, tmp_path):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        stream(tmp_path / "x.csv").fold(np.sum)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones(3), r"an array of shape \(3,\); 2-D is needed"),
        (np.ones((2, 2, 2)), r"an array of shape \(2, 2, 2\); 2-D"),
        (np.array([["x"]]), "values of dtype <U1; numbers are needed"),
        (np.array([[1j]]), "values of dtype complex128; numbers are needed"),
        (np.array(["2020-01-01"], "M8[D]")[:, None], "numbers are needed"),
        (np.ones((0, 2)), r"no rows \(n_samples=0\)"),
    ],
)
def test_an_npy_file_that_is_no_matrix_of_numbers_is_refused(array, message, tmp_path):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ValueError, match=message):
        stream(tmp_path / "x.npy").fold(np.sum)


def test_an_npz_file_must_hold_one_matrix(tmp_path):
    np.savez(tmp_path / "two.npz", X=np.eye(2), Y=np.eye(3), names=np.arange(2))
    with pytest.raises(ValueError, match=r"two\.npz holds 2 2-D arrays \(X, Y, names\); exactly 1"):
        stream(tmp_path / "two.npz")
    np.savez(tmp_path / "one.npz", X=np.eye(2), names=np.arange(2))
    assert stream(tmp_path / "one.npz").shape == (2, 2)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch, rng):
    path = write(matrix(rng), tmp_path / "x.parquet")

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(
        ImportError, match=r'needs pyarrow: pip install "lowdim\[io\]", or stream .npy'
    ):
        stream(path)


def test_every_kind_of_file_that_is_read_is_documented():
    for suffix in streaming.KINDS:
        assert suffix in stream.__doc__


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("kind", ["npy", "npz", "csv", "tsv", "parquet"])
def test_a_pipe_or_a_folder_is_refused_and_not_waited_for(kind, tmp_path):
    os.mkfifo(tmp_path / f"pipe.{kind}")
    (tmp_path / f"folder.{kind}").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(ValueError, match=f"{name}.{kind} is not a regular file; a stream is"):
            stream(tmp_path / f"{name}.{kind}")
