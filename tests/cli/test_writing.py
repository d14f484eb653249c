"""Codes are written as they are, in all formats, and complete or not at all."""

import os

import numpy as np
import pyarrow as pa
import pytest

from lowdim.cli.writing import open_writer
from lowdim.tables import open_table


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def matrix(table):
    """All rows of a table as numbers."""
    return np.concatenate([table.numbers(b, table.names) for b in table.blocks(table.names)])


@pytest.mark.parametrize("name", ["c.csv", "c.tsv", "c.parquet", "c.npy"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_written_is_read_again_to_the_last_bit(rng, name, dtype):
    codes = (rng.normal(size=(9, 3)) * 10.0 ** rng.integers(-30, 30, (9, 3))).astype(dtype)
    with open_writer(name, ["z0", "z1", "z2"], None) as writer:
        for part in (codes[:4], codes[4:], codes[:0]):
            writer.write(None, part)
    table = open_table(name)
    np.testing.assert_array_equal(matrix(table).astype(dtype), codes)
    if name != "c.npy":
        assert table.names == ["z0", "z1", "z2"]
    if name in ("c.npy", "c.parquet"):
        assert matrix(table).dtype == dtype


@pytest.mark.parametrize("name", ["c.csv", "c.tsv", "c.parquet"])
def test_ids_of_any_kind_are_kept(name):
    ids = pa.chunked_array([["plain", 'with "quotes"', "a,b", "a\tb", "two\nlines", "NA", "é", ""]])
    with open_writer(name, ["z"], "my, id") as writer:
        writer.write(ids.slice(0, 1), np.zeros((1, 1)))
        writer.write(ids.slice(1), np.ones((7, 1)))
    table = open_table(name, as_text=["my, id"])
    assert [v for block in table.blocks(["my, id"]) for v in block["my, id"].to_pylist()] == (
        ids.to_pylist()
    )


def test_quotes_are_written_only_where_they_are_needed(tmp_path):
    with open_writer("c.csv", ["z"], "id") as writer:
        writer.write(pa.chunked_array([["a", "b"]]), np.array([[0.5], [1.0]]))
    assert (tmp_path / "c.csv").read_text() == "id,z\na,0.5\nb,1\n"


@pytest.mark.parametrize("name", ["c.csv", "c.parquet", "c.npy"])
def test_clusters_are_one_more_column(name):
    with open_writer(name, ["z"], None) as writer:
        writer.write(None, np.array([[0.5], [1.5]]), np.array([3, 1]))
    table = open_table(name)
    np.testing.assert_array_equal(matrix(table), [[0.5, 3], [1.5, 1]])
    assert table.names[1] == ("1" if name == "c.npy" else "cluster")


@pytest.mark.parametrize("name", ["c.csv", "c.parquet", "c.npy"])
def test_a_file_appears_complete_or_not_at_all(tmp_path, name):
    (tmp_path / name).write_text("what was there")
    with pytest.raises(KeyboardInterrupt), open_writer(name, ["z"], None) as writer:
        writer.write(None, np.zeros((2, 1)))
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "what was there"


def test_an_id_with_the_name_of_a_code_is_refused():
    with pytest.raises(ValueError, match="'z'; rename it"), open_writer("c.csv", ["z"], "z"):
        pass
