"""Codes and clusters of rows are written beside the names of the rows, in any kind of file."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from tests.cli.codes import coordinates


@pytest.mark.parametrize("output", ["codes.csv", "codes.tsv", "codes.parquet", "codes.npy"])
def test_codes_are_written_by_the_ending(run, read, numbers, output):
    run("reduce", "numbers.csv", "-o", output)
    run("reduce", "numbers.csv", "-o", "same.csv")
    written = {
        "codes.csv": lambda: coordinates(read(output)),
        "codes.tsv": lambda: coordinates(read(output, delimiter="\t")),
        "codes.parquet": lambda: np.column_stack([c.to_numpy() for c in pq.read_table(output)]),
        "codes.npy": lambda: np.load(output),
    }[output]()
    assert_array_equal(written, coordinates(read("same.csv")))


def test_ids_of_parquet_keep_their_type(run, numbers):
    dates = pa.array(range(40), pa.date32())
    pq.write_table(pq.read_table("numbers.parquet").append_column("day", dates), "days.parquet")
    run("reduce", "days.parquet", "--id", "day", "-o", "codes.parquet")
    assert pq.read_table("codes.parquet")["day"].combine_chunks().equals(dates)


def test_npy_says_that_it_has_no_room_for_ids(run, mixed):
    result = run("reduce", mixed, "--id", "name", "-o", "codes.npy")
    assert "without row names: codes.npy" in result.stderr
    assert np.load("codes.npy").shape == (8, 2)


def test_row_names_that_are_found_are_written_first(run, read, write):
    rows = "".join(f"{i * 7 % 13},{i % 5},{i + 1}\n" for i in range(30))
    result = run("reduce", write("t.csv", "a,b,row_id\n" + rows), "-o", "codes.csv")
    assert "row names: row_id (running numbers)" in result.stderr
    assert list(read("codes.csv")) == ["row_id", "pca0", "pca1"]
    assert_array_equal(read("codes.csv")["row_id"], np.arange(30) + 1)


def test_row_names_with_the_name_of_a_code_are_refused(refused, write):
    rows = "".join(f"{i * 7 % 13},{i % 5},n{i}\n" for i in range(30))
    write("t.csv", "a,b,pca0\n" + rows)
    line = refused("reduce", "t.csv", "--id", "pca0", "-o", "codes.csv")
    assert "column 'pca0', which names the rows, has the name" in line and "--id" in line


def test_float32_codes_stay_float32(run, numbers):
    np.save("t.npy", numbers.astype(np.float32))
    run("reduce", "t.npy", "-o", "codes.npy")
    run("reduce", "t.npy", "--stream", "-o", "streamed.npy")
    assert np.load("codes.npy").dtype == np.load("streamed.npy").dtype == np.float32
