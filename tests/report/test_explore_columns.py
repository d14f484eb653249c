"""Reading tables and encoding their columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from lowdim.report.explore import encode_table, read_table
from lowdim.report.explore.columns import MOST_FEATURES


def frame(n=40):
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "mass": random.normal(50, 5, n),
            "income": random.permutation(np.exp(np.linspace(2, 10, n))),
            "size": np.array(["small", "large", "medium"])[np.arange(n) % 3],
            "when": pd.date_range("2024-01-01", periods=n),
            "day": [f"2024-03-{1 + i % 28:02d}" for i in range(n)],
            "remark": [f"a long remark number {i} " * 4 for i in range(n)],
            "one": 1.0,
            "nothing": np.nan,
        }
    )


def kinds(table, **settings):
    encoded = encode_table(read_table(table), **settings)
    return {column.name: column.kind for column in encoded.columns}


def test_kinds_of_columns_are_inferred():
    assert kinds(frame()) == {
        "id": "id",
        "mass": "numeric",
        "income": "numeric",
        "size": "categorical",
        "when": "date",
        "day": "date",
        "remark": "text",
        "one": "constant",
        "nothing": "constant",
    }


def test_numbers_have_mean_zero_and_variance_one():
    encoded = encode_table(read_table(frame()))
    place = encoded.feature_names.index("mass")
    assert encoded.X[:, place].mean() == pytest.approx(0, abs=1e-12)
    assert encoded.X[:, place].std() == pytest.approx(1, abs=1e-12)


def test_a_category_of_share_p_becomes_one_minus_p_over_its_root():
    table = pd.DataFrame({"x": np.arange(8.0), "c": list("aaabbbbb")})
    X = encode_table(read_table(table)).X
    p = 3 / 8
    assert X[0, 1] == pytest.approx((1 - p) / np.sqrt(p))
    assert X[7, 1] == pytest.approx(-np.sqrt(p))


def test_no_direction_of_a_categorical_block_has_variance_above_one():
    X = encode_table(read_table(frame())).X[:, 2:5]
    assert np.linalg.eigvalsh(np.cov(X.T, bias=True)).max() <= 1 + 1e-12


def test_a_skewed_positive_column_gets_a_logarithm_that_is_undone():
    encoded = encode_table(read_table(frame()))
    column = next(c for c in encoded.columns if c.name == "income")
    assert column.log_offset == 0.0
    assert "logarithm" in column.done
    np.testing.assert_allclose(column.decode(column.encode()[:, 0]), frame()["income"], rtol=1e-12)


def logs(**settings):
    encoded = encode_table(read_table(frame()), **settings)
    return [column.name for column in encoded.columns if column.log_offset is not None]


def test_logarithms_can_be_refused_and_asked_for():
    assert logs() == ["income"]
    assert logs(log=False) == []
    assert logs(log=["mass"]) == ["mass"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("low", "its least value is -1"), ("size", "it is categorical"), ("masss", "did you mean")],
)
def test_logarithms_that_cannot_be_taken_are_refused(name, message):
    table = frame().assign(low=np.linspace(-1, 1, 40))
    with pytest.raises(ValueError, match=message):
        encode_table(read_table(table), log=[name])


def test_encoding_is_undone_by_decoding_even_for_huge_numbers():
    values = np.linspace(-1e300, 1e300, 30)
    encoded = encode_table(read_table(pd.DataFrame({"x": values, "y": np.arange(30.0)})))
    assert np.isfinite(encoded.X).all()
    np.testing.assert_allclose(encoded.used[0].decode(encoded.X[:, 0]), values, rtol=1e-12)


def test_probabilities_of_an_encoded_category_are_the_category():
    encoded = encode_table(read_table(frame()))
    column, span = next(
        (c, s) for c, s in zip(encoded.used, encoded.spans, strict=True) if c.name == "size"
    )
    found = column.probabilities(encoded.X[:, span]).argmax(axis=1)
    assert [column.raw.values[j] for j in found] == frame()["size"].tolist()


def test_missing_values_stay_missing_in_all_columns_of_a_block():
    table = pd.DataFrame({"x": np.arange(8.0), "c": [None, *"aaabbbb"]})
    X = encode_table(read_table(table)).X
    assert np.isnan(X[0, 1:]).all() and not np.isnan(X[1:]).any()


def test_the_target_and_what_is_dropped_are_not_in_the_matrix():
    encoded = encode_table(read_table(frame()), target="mass", drop=["size"])
    assert encoded.feature_names == ["income", "when", "day"]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files_and_frames_of_all_libraries_give_the_same_matrix(tmp_path, ending):
    table = frame().drop(columns=["nothing", "remark"])
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    expected = encode_table(read_table(table)).X
    np.testing.assert_allclose(encode_table(read_table(path)).X, expected, atol=1e-9)
    np.testing.assert_allclose(encode_table(read_table(pl.from_pandas(table))).X, expected)


def test_matrices_are_read_dense_and_sparse(tmp_path):
    X = np.arange(24.0).reshape(8, 3) ** 2
    np.save(tmp_path / "x.npy", X)
    expected = encode_table(read_table(X)).X
    np.testing.assert_array_equal(encode_table(read_table(tmp_path / "x.npy")).X, expected)
    np.testing.assert_array_equal(encode_table(read_table(sp.csr_array(X))).X, expected)


def test_infinite_values_are_read_as_missing_and_told():
    table = pd.DataFrame({"x": [*np.arange(9.0), np.inf], "y": np.arange(10.0) ** 2})
    encoded = encode_table(read_table(table))
    assert np.isnan(encoded.X[9, 0])
    assert "infinite" in encoded.notes[0]


def test_of_too_many_columns_those_with_fewest_holes_are_used():
    X = np.random.default_rng(0).normal(size=(20, MOST_FEATURES + 10))
    X[0, :10] = np.nan
    encoded = encode_table(read_table(X))
    assert encoded.X.shape[1] == MOST_FEATURES
    assert not np.isnan(encoded.X).any()
    assert "fewest missing values" in encoded.notes[0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame(), "nothing to explore"),
        (pd.DataFrame({"x": []}), "nothing to explore"),
        (pd.DataFrame({"x": np.arange(9.0)}), "one column of numbers only"),
        (pd.DataFrame({"x": [f"word {i}" for i in range(30)]}), "no column to look"),
        (pd.DataFrame({"x": [1.0, 2, 3], "y": [3.0, 1, 2]}), "3 rows; at least 5"),
    ],
)
def test_tables_without_structure_to_find_are_refused_with_a_reason(table, message):
    with pytest.raises(ValueError, match=message):
        encode_table(read_table(table))


def test_unknown_columns_are_named_with_the_nearest_one():
    with pytest.raises(ValueError, match=r"no column 'mas'; did you mean 'mass'\?"):
        encode_table(read_table(frame()), target="mas")


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="cannot be read from int"):
        read_table(3)
    with pytest.raises(ValueError, match="not a table"):
        read_table(np.zeros(3))
