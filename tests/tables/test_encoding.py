"""A table as numbers, chunk by chunk: which column goes where, and what is not known."""

import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.tables.codecs import CategoryCodec, NumberCodec
from lowdim.tables.encoding import (
    Encoding,
    aligned,
    encoded_chunk,
    encoded_matrix,
    encoded_rows,
    report_unknown,
    unknown_levels,
    without_marks,
)
from lowdim.tables.errors import TableError, TableWarning
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.opening import open_table

NUMBER = NumberCodec("number", 0.0, 10.0, center=4.0, scale=2.0)
LEVELS = CategoryCodec(("a", "b"), np.array([0.25, 0.75]))


def encoding(**settings):
    """A number, a column that is left out, a category."""
    columns = (
        ColumnInfo("x", "number", 0, None, "", NUMBER),
        ColumnInfo("remark", "text", 0, None, "left out"),
        ColumnInfo("k", "category", 0, 2, "", LEVELS),
    )
    return Encoding(columns, named=True, **settings)


def words(places, levels):
    return Values("words", None, np.array(places, dtype=np.int32), tuple(levels))


TABLE = {"k": ["a", "b", None], "x": [4.0, 6.0, np.nan]}
# a level is its indicator minus its share p, over the root of p
MATRIX = np.array(
    [
        [0.0, 0.75 / 0.5, -0.75 / 0.75**0.5],
        [1.0, -0.25 / 0.5, 0.25 / 0.75**0.5],
        [np.nan, np.nan, np.nan],
    ]
)


def test_columns_have_their_places_in_the_matrix():
    found = encoding()
    assert [column.name for column in found.used] == ["x", "k"]
    assert found.spans == [slice(0, 1), slice(1, 3)] and found.width == 3
    assert found.places == [0, 2]
    assert found.feature_names() == ["x", "k=a", "k=b"]
    assert found.feature_names(["0", "1", "2"]) == ["0", "2=a", "2=b"]
    assert found.dtype == np.float64 and encoding(float32=True).dtype == np.float32


def test_a_table_becomes_the_matrix_worked_out_by_hand():
    X = encoded_matrix(encoding(), open_table(TABLE))
    np.testing.assert_allclose(X, MATRIX, rtol=1e-15)
    rows = encoded_rows(encoding(), open_table(TABLE))
    np.testing.assert_array_equal(rows.in_memory, X)
    assert rows.feature_names == ["x", "k=a", "k=b"]


def test_missing_values_are_means_if_wanted():
    X = encoded_matrix(encoding(missing="mean"), open_table(TABLE))
    np.testing.assert_allclose(X[2], 0.0, atol=1e-15)
    with pytest.raises(TableError, match="'x' has missing values"):
        encoded_matrix(encoding(missing="error"), open_table(TABLE))


def test_columns_are_found_by_name_and_lacking_ones_are_missing():
    found = aligned(encoding(), open_table({"k": ["a"], "more": [1.0], "x": [4.0]}))
    assert (found.columns, found.wanted) == (["x", "k"], ["x", "k"])
    with pytest.warns(TableWarning, match="The table lacks 'x'; it counts as missing"):
        found = aligned(encoding(), open_table({"k": ["a", "b"]}))
    assert (found.columns, found.wanted) == ([None, "k"], ["k"])


def test_a_table_without_any_of_the_columns_is_refused():
    with pytest.raises(TableError, match="has none of the columns that the model was fitted with"):
        aligned(encoding(), open_table({"y": [1.0, 2.0]}))
    with pytest.raises(TableError, match="no column to work on"):
        aligned(Encoding((), named=True), open_table({"y": [1.0, 2.0]}))


def test_columns_of_a_matrix_are_found_by_place():
    matrix = open_table(np.ones((2, 3)))
    with pytest.warns(UserWarning, match="its columns are taken in order"):
        assert aligned(encoding(), matrix).columns == ["0", "2"]
    with pytest.raises(TableError, match="X has 2 features, but TableEncoder is expecting 3"):
        aligned(encoding(), open_table(np.ones((2, 2))))


def test_marks_of_the_users_own_are_missing():
    values = words([0, 1, 2, -1], ["?", "a", "b"])
    assert without_marks(values, ["?", "x"]).missing.tolist() == [True, False, False, True]
    assert without_marks(values, ["x"]) is values
    numbers = Values("number", np.ones(2))
    assert without_marks(numbers, ["?"]) is numbers


def test_unknown_levels_are_counted_and_reported_once():
    assert unknown_levels(LEVELS, words([0, 1, 1, -1], ["a", "z"])) == Counter({"z": 2})
    assert unknown_levels(LEVELS, words([0, 1], ["a", "b"])) == Counter()
    _, unknown = encoded_chunk(
        next(iter(open_table({"x": [1.0, 2.0], "k": ["a", "z"]}).chunks())), encoding(), ["x", "k"]
    )
    assert unknown == {"k": Counter({"z": 1})}
    with pytest.warns(TableWarning, match="'k' has 'z' in 1 row, which the model has never seen"):
        report_unknown(encoding(), unknown)
    with pytest.raises(TableError, match=r"never seen\. unknown='warn' counts them"):
        report_unknown(encoding(unknown="error"), unknown)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report_unknown(encoding(), {})


def test_a_sparse_matrix_stays_sparse_only_if_zeros_stay_zeros():
    scaled = NumberCodec("number", 0.0, 1.0, scale=2.0)
    columns = tuple(ColumnInfo(str(f), "number", 0, None, "", scaled) for f in range(2))
    sparse = Encoding(columns, named=False)
    assert sparse.keeps_zeros and not encoding().keeps_zeros
    X, _ = encoded_chunk(sp.csr_array([[0.0, 4.0]]), sparse, ["0", "1"])
    assert sp.issparse(X) and X.toarray().tolist() == [[0.0, 2.0]]
    centered = Encoding(tuple(column._replace(codec=NUMBER) for column in columns), named=False)
    X, _ = encoded_chunk(sp.csr_array([[0.0, 4.0]]), centered, ["0", "1"])
    assert X.tolist() == [[-2.0, 0.0]]
