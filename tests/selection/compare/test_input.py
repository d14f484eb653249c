"""What is compared: matrices, data frames, files and tables with words."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

import lowdim
from tests.selection.compare.shared import ROWS, Memory, Spy, low_rank, storms


def test_data_frames_are_compared_as_arrays_are(rng):
    X = low_rank(rng, 50, 4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[3, "b"] = None
    one = lowdim.compare(frame, [lowdim.PCA(1)], random_state=0)
    two = lowdim.compare(frame.to_numpy(), [lowdim.PCA(1)], random_state=0)
    assert_array_equal(one.losses, two.losses)


def test_a_sample_of_rows_is_compared_and_the_table_says_so(rng):
    X, log = low_rank(rng, 300, 4), []
    table = lowdim.compare(X, [Spy(log)], max_rows=50, random_state=rng)
    assert {given.shape for what, given in log if what == "fit"} == {(50, 4)}
    assert "of 50 x 4 (drawn from 300 rows) held out" in repr(table)
    assert "sample" not in repr(lowdim.compare(X, [Memory()], max_rows=300, random_state=rng))


def test_the_result_says_what_became_of_the_table(rng):
    table = storms(rng).assign(always=1.0)
    result = lowdim.compare(table, [lowdim.PCA(1)], max_rows=100, repeats=2, random_state=0)
    assert str(result.protocol) == (
        "10% of the entries of 100 x 5 (drawn from 240 rows) held out, 2 times; error relative to "
        "column means; 5 of 6 columns of the table became 9 columns of numbers"
    )
    assert result.encoder.columns_["always"].kind == "constant"
    assert "became 9 columns of numbers" in result._repr_html_()
    plain = lowdim.compare(low_rank(rng), [lowdim.PCA(1)], repeats=2)
    assert plain.encoder is None and "became" not in repr(plain)


def test_every_kind_of_table_is_compared_alike(rng, tmp_path):
    table = storms(rng, 120)
    table.to_parquet(tmp_path / "storms.parquet")
    sources = [
        table,
        pl.from_pandas(table),
        pa.Table.from_pandas(table, preserve_index=False),
        tmp_path / "storms.parquet",
        {name: table[name].to_numpy() for name in table},
    ]
    models = {"PCA": [lowdim.PCA(1), lowdim.PCA(2)], "means": SimpleImputer()}
    first, *others = (lowdim.compare(X, models, repeats=2, random_state=0) for X in sources)
    for other in others:
        assert_allclose(other.losses, first.losses, rtol=1e-9)
        assert other.protocol == first.protocol


def test_files_and_dicts_of_numbers_are_taken_as_they_are(rng, tmp_path):
    X = np.exp(2 * low_rank(rng, 60, 4))  # of which an encoder would take logarithms
    np.save(tmp_path / "x.npy", X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.to_parquet(tmp_path / "x.parquet")
    sources = [tmp_path / "x.npy", str(tmp_path / "x.parquet"), dict(frame), frame]
    plain = lowdim.compare(X, [lowdim.PCA(1)], repeats=2, random_state=0)
    for source in sources:
        result = lowdim.compare(source, [lowdim.PCA(1)], repeats=2, random_state=0)
        assert_allclose(result.losses, plain.losses, rtol=1e-9)
        assert result.encoder is None
    logs = lowdim.TableEncoder()
    result = lowdim.compare(frame, [lowdim.PCA(1)], encoder=logs, repeats=2, random_state=0)
    assert "logarithm" in result.encoder.columns_["a"].done
    assert result["error"][0] < plain["error"][0]
    assert not hasattr(logs, "columns_")  # the user's own stays as it is


def test_an_encoder_says_what_the_columns_of_a_matrix_are(rng):
    X = np.column_stack([rng.integers(0, 4, 100), rng.normal(size=(100, 2))])
    encoder = lowdim.TableEncoder(categorical=["0"], drop_level=True)
    result = lowdim.compare(X, [lowdim.PCA(1)], encoder=encoder, repeats=2, random_state=0)
    assert result.protocol.shape == (100, 5) and result.protocol.used == (3, 3)
    assert "; 3 columns of the table became 5 columns of numbers" in repr(result)


def test_an_encoder_is_a_table_encoder_that_leaves_missing_values():
    X = np.arange(40.0).reshape(10, 4)
    with pytest.raises(TypeError, match="is no TableEncoder"):
        lowdim.compare(X, [lowdim.PCA(1)], encoder=StandardScaler())
    with pytest.raises(ValueError, match="look known; choose missing='nan'"):
        lowdim.compare(X, [lowdim.PCA(1)], encoder=lowdim.TableEncoder(missing="mean"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"word": np.array(["a", "b", "c", "a"] * 5)}, "X has 1 column"),
        ({"word": np.array(["a"]), "x": np.ones(1)}, "no column to work on"),
        ({"word": np.array(["a", "a"]), "x": np.ones(2)}, "no column to work on"),
    ],
)
def test_tables_with_nothing_to_predict_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        lowdim.compare(table, [lowdim.PCA(1)])


def test_a_column_that_a_sample_leaves_empty_is_named(rng):
    table = storms(rng).assign(rare=np.where(np.arange(240) < 2, 1.0 + np.arange(240), np.nan))
    with pytest.raises(ValueError, match="no observed entry in column 'rare' of X"):
        lowdim.compare(table, [lowdim.PCA(1)], max_rows=3, random_state=0)
    with pytest.raises(ValueError, match="Column 'rare' of X has too few"):
        for seed in range(60):
            lowdim.compare(table, [Spy([])], hold_out=ROWS, random_state=seed)


def test_streams_do_not_fit_in_memory(tmp_path):
    np.save(tmp_path / "part.npy", np.ones((5, 3)))
    with pytest.raises(TypeError, match="needs all rows in memory"):
        lowdim.compare(lowdim.stream(str(tmp_path / "*.npy")), [lowdim.PCA(1)])


def test_sparse_matrices_are_not_taken():
    with pytest.raises(TypeError, match="dense"):
        lowdim.compare(sp.eye_array(5, format="csr"), [lowdim.PCA(1)])
