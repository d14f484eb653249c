"""From a table to matrices, and what the page shows of its columns and rows."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.report.explore.missingness import missingness
from lowdim.report.explore.preparing import MOST_FEATURES, in_memory, prepare
from lowdim.report.explore.view import date_text, number_text
from lowdim.tables import open_table

pytestmark = pytest.mark.usefixtures("few_models")


def frame(n=40):
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "mass": random.normal(50, 5, n),
            "income": random.permutation(np.exp(np.linspace(2, 10, n))),
            "size": np.array(["small", "large", "medium", "large"])[np.arange(n) % 4],
            "price": [f"${1000 + 10 * i:,}" for i in random.permutation(n)],
            "when": pd.date_range("2024-01-01", periods=n),
            "count": random.integers(0, 30, n),
            "done": np.arange(n) % 3 == 0,
            "remark": [f"a long remark number {i} " * 4 for i in range(n)],
            "one": 1.0,
        }
    )


def encoded_of(table, target=None, numbers=None, **wishes):
    return prepare(in_memory(open_table(table)), lowdim.TableEncoder(**wishes), target, numbers)


def storms(n=200):
    """The category applies to hurricanes only; some pressures are missing."""
    random = np.random.default_rng(0)
    strong = np.arange(n) % 3 == 0
    pressure = random.normal(1000, 10, n) - 40 * strong
    pressure[::11] = np.nan
    category = np.where(strong, 1.0 + (np.arange(n) % 5), np.nan)
    category[6] = np.nan  # a hurricane whose category nobody wrote down
    return pd.DataFrame(
        {
            "status": np.where(strong, "hurricane", "depression"),
            "wind": random.normal(40, 5, n) + 50 * strong,
            "pressure": pressure,
            "category": category,
        }
    )


# ---- the matrices --------------------------------------------------------------------------------


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


def test_a_sparse_matrix_has_the_findings_of_a_dense_one():
    X = np.random.default_rng(0).poisson(1.0, size=(60, 5)) * 1.0
    dense, sparse = (lowdim.explore(m, encoder=lowdim.TableEncoder(log=False)).findings
                     for m in (X, sp.csr_array(X)))  # fmt: skip
    np.testing.assert_allclose(sparse.factors.codes, dense.factors.codes, atol=1e-9)
    assert [row.row for row in sparse.odd.rows] == [row.row for row in dense.odd.rows]


def test_of_too_many_columns_those_with_fewest_missing_values_are_used():
    X = np.random.default_rng(0).normal(size=(20, MOST_FEATURES + 10))
    X[0, :10] = np.nan
    encoded = encoded_of(X)
    assert encoded.X.shape[1] == MOST_FEATURES
    assert not np.isnan(encoded.X).any()
    assert "fewest missing values" in encoded.notes[-1]
    assert "more than 300" in encoded.columns["3"].done


def test_a_large_table_may_have_columns_with_next_to_no_values(rng):
    X = rng.normal(size=(12_000, 5)) @ rng.normal(size=(5, 5))
    X[20:, 3] = np.nan
    X[200:, 4] = np.nan
    findings = lowdim.explore(X).findings
    assert findings.encoded.feature_names == ["0", "1", "2", "4"]
    assert "next to no values" in findings.encoded.columns["3"].done
    assert findings.comparison is not None
    assert [part.column.name for part in findings.filled] == ["4"]


def test_logarithms_are_told_and_can_be_refused():
    assert "Logarithms stand for income" in encoded_of(frame()).notes[0]
    assert encoded_of(frame(), log=False).notes == []


# ---- cells ---------------------------------------------------------------------------------------


def test_cells_are_shown_as_what_they_are():
    table = frame()
    used = {column.name: column for column in encoded_of(table).used}
    assert used["when"].show(3) == "2024-01-04"
    assert used["count"].show(5) == str(table["count"][5])
    assert used["price"].show(7) == table["price"][7]  # as it is written
    assert used["size"].show(2) == "medium"
    assert used["done"].show(0) == "True"
    assert used["mass"].show(1) == f"{table['mass'][1]:.5g}"
    table.loc[4, ["price", "count", "when", "size"]] = None
    used = {column.name: column for column in encoded_of(table).used}
    assert all(used[name].show(4) == "" for name in ("price", "count", "when", "size"))


@pytest.mark.parametrize("row", [0, 7])
def test_what_a_row_is_decoded_to_is_shown_as_its_cells_are(row):
    table = frame().assign(mass=lambda t: t["mass"].round(1))
    encoded = encoded_of(table)
    for column, span in zip(encoded.used, encoded.spans, strict=True):
        if column.name != "income":  # of which four digits are shown
            assert column.show_decoded(encoded.X[row, span]) == column.show(row)


def test_numbers_and_dates_as_text():
    assert number_text(12.0) == "12"
    assert number_text(1234.5678) == "1234.6"
    assert number_text(float("nan")) == ""
    assert date_text(1.5) == "1970-01-02"
    assert date_text(1.5, 3_600_000_000) == "1970-01-02 12:00"
    assert date_text(float("nan")) == ""


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


# ---- rows ----------------------------------------------------------------------------------------


def test_rows_go_by_their_id_their_index_or_their_number():
    table = frame()
    assert encoded_of(table).label(3) == "4"  # of the column id
    assert encoded_of(table.drop(columns="id")).label(3) == "3"
    assert encoded_of(table, id="price").label(3) == table["price"][3]
    named = table.drop(columns="id").set_index(pd.Index([f"r{i}" for i in range(40)]))
    assert encoded_of(named).label(3) == "r3"


def test_rows_of_a_sample_go_by_their_number_in_the_whole_table():
    table = frame(400)[["mass", "income"]]
    findings = lowdim.explore(table, sample=100).findings
    encoded = findings.encoded
    assert len(encoded.X) == 100 and findings.n_rows_read == 400
    for row in (0, 50, 99):
        number = int(encoded.label(row))
        assert encoded.used[0].show(row) == f"{table['mass'][number]:.5g}"


def test_a_sample_of_a_streamed_file_is_that_of_one_in_memory(tmp_path):
    frame(400).to_csv(tmp_path / "t.csv", index=False)
    whole, streamed = (
        lowdim.explore(open_table(tmp_path / "t.csv", stream=stream), sample=60).findings.encoded.X
        for stream in (False, True)
    )
    np.testing.assert_array_equal(streamed, whole)


# ---- not applicable ------------------------------------------------------------------------------


def test_cells_that_do_not_apply_are_not_missing():
    table = storms()
    found = missingness(encoded_of(table))
    assert found.n_missing == table["pressure"].isna().sum() + 1
    found = missingness(encoded_of(table, fill_not_applicable=True))
    assert found.n_missing == table["pressure"].isna().sum() + table["category"].isna().sum()


def test_cells_that_do_not_apply_are_told_and_stay_empty(tmp_path):
    table = storms()
    report = lowdim.explore(table)
    filled = {part.column.name: part.rows.tolist() for part in report.findings.filled}
    assert filled == {"pressure": list(range(0, 200, 11)), "category": [6]}
    assert "not applicable there (133 cells)" in report.html
    report.save_filled(tmp_path / "filled.csv")
    again = pd.read_csv(tmp_path / "filled.csv")
    assert again["pressure"].notna().all() and again["category"][6] in (1, 2, 3, 4, 5)
    depression = table["status"] == "depression"
    assert again["category"].isna().equals(depression)
    whole = lowdim.explore(table, encoder=lowdim.TableEncoder(fill_not_applicable=True))
    whole.save_filled(tmp_path / "whole.csv")
    assert pd.read_csv(tmp_path / "whole.csv").notna().all(axis=None)


# ---- the door ------------------------------------------------------------------------------------


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


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="cannot be made from int"):
        lowdim.explore(3)
    with pytest.raises(ValueError, match="2D array"):
        lowdim.explore(np.zeros(3))
