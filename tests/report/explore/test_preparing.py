"""From a table to matrices, and what rows and columns are called."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.report.explore.preparing import MOST_FEATURES
from tests.report.explore.tables import (
    encoded_of,
    frame,
)


def test_the_matrix_is_that_of_the_encoder():
    table = frame()
    encoder = lowdim.TableEncoder(ignore=["mass"]).fit(table)
    encoded = encoded_of(table, "mass")
    np.testing.assert_array_equal(encoded.X, encoder.transform(table))
    assert encoded.feature_names == encoder.get_feature_names_out().tolist()


def test_the_target_and_what_is_ignored_are_in_no_matrix():
    encoded = encoded_of(frame(), "size", ignore=["income", "price"])
    assert encoded.feature_names == ["mass", "when", "count", "done"]
    kinds = {column.name: column.kind for column in encoded.columns}
    assert kinds["size"] == "target" and kinds["income"] == "ignored" and kinds["id"] == "id"
    assert "no model has seen it" in encoded.columns["size"].done


def test_the_unit_matrix_lacks_the_largest_level_and_has_variance_one():
    encoded = encoded_of(frame())
    names = encoded.unit_encoder.get_feature_names_out().tolist()
    assert "size=small" in names and "size=large" not in names
    np.testing.assert_allclose(encoded.U.var(axis=0), 1, rtol=1e-9)
    X = encoded.X[:, encoded.free]
    np.testing.assert_allclose(X / X.std(axis=0), encoded.U, atol=1e-9)


def test_a_table_without_categories_has_one_matrix():
    encoded = encoded_of(frame()[["mass", "income"]])
    assert encoded.unit_encoder is encoded.encoder


def test_a_single_category_keeps_all_of_its_levels():
    encoded = encoded_of(pd.DataFrame({"c": list("aaabbbbcb")[:8] * 2}), max_levels=5)
    assert encoded.U.shape[1] >= 2
    encoded = encoded_of(pd.DataFrame({"c": list("aabbb") * 3}))
    assert encoded.unit_encoder is encoded.encoder and encoded.X.shape[1] == 2


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files_and_frames_of_all_libraries_give_the_same_matrix(tmp_path, ending):
    table = frame()
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    expected = encoded_of(table).X
    np.testing.assert_allclose(encoded_of(path).X, expected, atol=1e-9)
    np.testing.assert_allclose(encoded_of(pl.from_pandas(table)).X, expected)
    np.testing.assert_allclose(encoded_of(dd.from_pandas(table, npartitions=3)).X, expected)


def test_of_too_many_columns_those_with_fewest_missing_values_are_used():
    X = np.random.default_rng(0).normal(size=(20, MOST_FEATURES + 10))
    X[0, :10] = np.nan
    encoded = encoded_of(X)
    assert encoded.X.shape[1] == MOST_FEATURES
    assert not np.isnan(encoded.X).any()
    assert "fewest missing values" in encoded.notes[-1]
    assert "more than 300" in encoded.columns["3"].done


def test_logarithms_are_reported_and_can_be_refused():
    assert "Logarithms stand for income" in encoded_of(frame()).notes[0]
    assert encoded_of(frame(), log=False).notes == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("size", ("large", "medium", "small")),
        ("done", ("False", "True")),
        ("income", None),
        ("when", None),
        ("one", None),
    ],
)
def test_the_target_is_shown_as_its_kind_is(name, words):
    assert encoded_of(frame(), name).target.words == words


def test_a_target_of_many_words_and_one_that_another_column_repeats_can_be_shown():
    assert len(encoded_of(frame(), "remark").target.words) == 40
    table = frame().assign(again=lambda t: t["size"])
    assert encoded_of(table, "again").target.words == ("large", "medium", "small")


def test_rows_go_by_their_id_their_index_or_their_number():
    table = frame()
    assert encoded_of(table).label(3) == "4"  # of the column id
    assert encoded_of(table.drop(columns="id")).label(3) == "3"
    assert encoded_of(table, id="price").label(3) == table["price"][3]
    named = table.drop(columns="id").set_index(pd.Index([f"r{i}" for i in range(40)]))
    assert encoded_of(named).label(3) == "r3"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame(), "has no columns"),
        (pd.DataFrame({"x": []}), "has no rows"),
        (pd.DataFrame({"x": np.arange(9.0) ** 2}), "one column of numbers only, 'x'"),
        (pd.DataFrame({"x": [f"word {i}" for i in range(30)]}), "no column to work on"),
        (pd.DataFrame({"x": [1.0, 2, 3], "y": [3.0, 1, 2]}), "3 rows; at least 5"),
        (sp.csr_array((2**20, 2**10)), "too large to show as a table"),
    ],
)
def test_tables_without_structure_to_find_are_refused_with_a_reason(table, message):
    with pytest.raises(ValueError, match=message):
        encoded_of(table)


def test_unknown_columns_are_named_with_the_nearest_one():
    with pytest.raises(ValueError, match=r"no column 'mas'; did you mean 'mass'\?"):
        encoded_of(frame(), "mas")
