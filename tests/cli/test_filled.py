"""Filled tables are written chunk by chunk, with their row names and standard deviations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.cli.filled import filler_of
from lowdim.tables.errors import TableError


def test_matrices_and_parquet_are_written_too(run, incomplete, tmp_path):
    import pyarrow.parquet as pq

    run("complete", "incomplete.npy", "-k", "2", "-o", "f.npy")
    X = np.load(tmp_path / "f.npy")
    assert_array_equal(X[~np.isnan(incomplete)], incomplete[~np.isnan(incomplete)])
    assert np.isfinite(X).all() and X.shape == incomplete.shape
    run("complete", "incomplete.csv", "--id", "name", "-k", "2", "-o", "f.parquet")
    table = pq.read_table(tmp_path / "f.parquet")
    assert_allclose(np.column_stack([table[n].to_numpy() for n in "abcde"]), X, rtol=1e-6)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "jsonl", "xlsx"])
def test_chunks_with_and_without_missing_values_make_one_file(run, write, small_chunks, ending):
    rows = [f"{i},{'ab'[i % 2]},2024-01-{i % 28 + 1:02d},{i * 7 % 13}" for i in range(60)]
    rows[3], rows[40] = ",,,5", "39,b,,"
    write("t.csv", "\n".join(["n,word,day,x", *rows]) + "\n")
    run("complete", "t.csv", "--stream", "--numeric", "n", "-k", 1, "-o", f"f.{ending}")
    table = lowdim.tables.open_table(f"f.{ending}", stream=False)
    assert table.names == ["n", "word", "day", "x"] and table.n_rows == 60
    (whole,) = table.chunks(size=60)
    assert all(column.null_count == 0 for column in whole.columns)
    assert str(whole["day"][0].as_py()).startswith("2024-01-01")


def test_the_index_of_a_frame_is_written_first(run, read, rng):
    import pandas as pd

    X = rng.normal(size=(30, 3))
    X[3, 1] = np.nan
    frame = pd.DataFrame(X, columns=list("abc"), index=[f"r{i}" for i in range(30)])
    frame.to_parquet("t.parquet")
    run("complete", "t.parquet", "-k", 1, "-o", "f.csv")
    table = read("f.csv")
    assert list(table)[1:] == ["a", "b", "c"] and next(iter(table.values()))[3] == "r3"


def test_deviations_of_a_matrix_are_further_columns(run, incomplete, tmp_path):
    run("complete", "incomplete.npy", "-k", "2", "--std", "-o", "f.npy")
    with_std = int(np.isnan(incomplete).any(axis=0).sum())
    X = np.load(tmp_path / "f.npy")
    assert X.shape == (40, 5 + with_std)
    assert np.all(
        (X[:, 5:] > 0).sum(axis=0)
        == np.isnan(incomplete).sum(axis=0)[np.isnan(incomplete).any(axis=0)]
    )


def test_a_column_with_the_name_of_a_deviation_is_refused(refused, write):
    rows = "".join(f"{i % 3},{'' if i == 3 else i},{i * i % 5}\n" for i in range(9))
    name = write("t.csv", "a,b,b_std\n" + rows)
    assert "has a column 'b_std' already" in refused("complete", name, "--std", "-o", "f.csv")


def test_a_model_that_cannot_say_how_sure_it_is_is_named():
    class Silent(lowdim.PCA):
        def impute(self, X):
            return super().impute(X)

    model = lowdim.TableModel(Silent(1)).fit(np.random.default_rng(0).normal(size=(20, 3)))
    assert filler_of(model, std=False) is not None
    with pytest.raises(TableError, match="A model of Silent does not say how sure it is"):
        filler_of(model, std=True)
