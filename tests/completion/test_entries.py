"""The observed entries: one form, whatever they come in; nothing is lost and nothing is guessed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.completion.entries import Entries, entry_weights, numbered, observed
from lowdim.linalg.sparse import by_column, row_numbers, with_values

MISSING = np.array([[5.0, np.nan, 0.0], [np.nan, np.nan, np.nan], [1.0, 2.0, np.nan]])


def frame(kind, **columns):
    if kind == "pandas":
        return pytest.importorskip("pandas").DataFrame(columns)
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    return pytest.importorskip("pyarrow").table(columns)


each_frame = pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])


def with_missing(rng, n=13, d=7):
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.6] = np.nan
    return X


# ---- golden values -------------------------------------------------------------------------------


def test_what_is_not_nan_is_observed_and_zeros_stay():
    X = observed(MISSING)
    np.testing.assert_array_equal(X.indptr, [0, 2, 2, 4])
    np.testing.assert_array_equal(X.indices, [0, 2, 0, 1])
    np.testing.assert_array_equal(X.data, [5, 0, 1, 2])


def test_of_a_sparse_matrix_the_stored_entries_are_observed_explicit_zeros_included():
    X = sp.csr_array(([3.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(observed(X).toarray(), [[0, 3], [0, 0]])
    assert observed(X).nnz == 2


def test_unsorted_columns_are_sorted_without_touching_the_input():
    X = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    np.testing.assert_array_equal(observed(X).indices, [0, 1])
    np.testing.assert_array_equal(observed(X).data, [2, 1])
    np.testing.assert_array_equal(X.indices, [1, 0])


@each_frame
def test_triplets_are_numbered_in_the_order_in_which_ids_first_occur(kind):
    table = frame(kind, user=["b", "a", "b"], item=[30, 10, 10], rating=[1.0, 2.0, 3.0])
    entries = Entries.from_triplets(table, "user", "item", "rating")
    assert entries.row_ids == ["b", "a"]
    assert entries.column_ids == [30, 10]
    np.testing.assert_array_equal(entries.X.toarray(), [[1, 3], [0, 2]])
    np.testing.assert_array_equal(entries.rows_of(["a", "b", "a"]), [1, 0, 1])
    np.testing.assert_array_equal(entries.columns_of([10]), [1])


def test_ids_of_any_hashable_type_are_numbered():
    pd = pytest.importorskip("pandas")
    ids = [("x", 1), "x", 1, 2.5, ("x", 1), frozenset([3])]
    table = pd.DataFrame({"u": pd.Series(ids, dtype=object), "i": range(6)})
    entries = Entries.from_triplets(table, "u", "i")
    assert entries.row_ids == [("x", 1), "x", 1, 2.5, frozenset([3])]
    np.testing.assert_array_equal(entries.X.data, np.ones(6))


@pytest.mark.parametrize(
    ("duplicates", "value", "weight"),
    [("mean", (1 * 1 + 3 * 5) / 4, 4.0), ("sum", 6.0, 3.0), ("last", 5.0, 3.0)],
)
def test_duplicates_are_put_together_as_asked(duplicates, value, weight):
    table = frame(
        "pandas", u=["a", "b", "a"], i=["x", "x", "x"], v=[1.0, 7.0, 5.0], w=[1.0, 2.0, 3.0]
    )
    entries = Entries.from_triplets(table, "u", "i", "v", weight="w", duplicates=duplicates)
    np.testing.assert_array_equal(entries.X.toarray(), [[value], [7.0]])
    np.testing.assert_array_equal(entries.weight, [weight, 2.0])


def test_duplicates_of_no_weight_get_their_plain_mean():
    table = frame("pandas", u=["a", "a"], i=["x", "x"], v=[1.0, 5.0], w=[0.0, 0.0])
    entries = Entries.from_triplets(table, "u", "i", "v", weight="w", duplicates="mean")
    assert entries.X.data == [3.0] and entries.weight == [0.0]


# ---- properties ----------------------------------------------------------------------------------


def test_array_sparse_and_triplets_give_the_same_entries(rng):
    pd = pytest.importorskip("pandas")
    X = with_missing(rng)
    i, j = np.nonzero(~np.isnan(X))
    table = pd.DataFrame({"i": i, "j": j, "v": X[i, j]})
    from_array = Entries(X)
    from_sparse = Entries(sp.coo_array((X[i, j], (i, j)), shape=X.shape))
    shuffled = table.sample(frac=1, random_state=int(rng.integers(2**31)))
    from_table = Entries.from_triplets(shuffled, "i", "j", "v")
    assert (from_array.X != from_sparse.X).nnz == 0
    rows, columns = from_table.rows_of(i), from_table.columns_of(j)
    np.testing.assert_array_equal(from_table.X.toarray()[rows, columns], X[i, j])


def test_the_twin_by_column_holds_the_same_entries(rng):
    X = observed(with_missing(rng))
    twin = by_column(X)
    assert twin.format == "csr"
    np.testing.assert_array_equal(twin.toarray(), X.T.toarray())


def test_weights_of_a_matrix_a_sparse_matrix_and_a_list_are_the_same(rng):
    X = observed(with_missing(rng))
    by_entry = rng.random(X.nnz)
    dense = np.full(X.shape, np.nan)
    dense[row_numbers(X), X.indices] = by_entry
    np.testing.assert_array_equal(entry_weights(dense, X), by_entry)
    np.testing.assert_array_equal(entry_weights(with_values(X, by_entry), X), by_entry)
    np.testing.assert_array_equal(entry_weights(by_entry.tolist(), X), by_entry)


def test_float32_stays_float32(rng):
    assert observed(with_missing(rng).astype(np.float32)).dtype == np.float32
    table = frame("polars", u=[1], i=[1], v=np.ones(1, dtype=np.float32))
    assert Entries.from_triplets(table, "u", "i", "v").X.dtype == np.float32


def test_numbers_and_a_dict_number_ids_the_same(rng):
    ids = rng.integers(0, 50, size=200)
    fast, slow = numbered(ids), numbered(ids.astype(object))
    np.testing.assert_array_equal(fast.number, slow.number)
    assert fast.ids == slow.ids


# ---- the door ------------------------------------------------------------------------------------


def test_duplicates_are_refused_with_their_ids():
    table = frame("pandas", user=["a", "b", "b"], item=["x", "y", "y"], v=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"1 entries occur more than once \(first: user='b', item"):
        Entries.from_triplets(table, "user", "item", "v")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused_with_their_line(bad):
    table = frame("pandas", u=["a", "b"], i=["x", "y"], v=[1.0, bad])
    with pytest.raises(ValueError, match=r"'v' has 1 values .* \(first: line 1\)"):
        Entries.from_triplets(table, "u", "i", "v")
    with pytest.raises(ValueError, match="1 observed values that are NaN or infinite"):
        Entries(sp.csr_array([[1.0, bad]]))


@each_frame
def test_a_missing_id_is_refused(kind):
    table = frame(kind, u=["a", None], i=["x", "y"])
    with pytest.raises(ValueError, match="'u' has no id in line 1"):
        Entries.from_triplets(table, "u", "i")


def test_an_id_that_cannot_be_hashed_is_refused():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"u": [[1], [2]], "i": ["x", "y"]})
    with pytest.raises(TypeError, match=r"id of type list in line 0"):
        Entries.from_triplets(table, "u", "i")


def test_unknown_columns_of_the_table_unknown_ids_and_empty_tables_are_refused():
    table = frame("pandas", u=["a"], i=["x"], v=["good"])
    with pytest.raises(ValueError, match="no column 'rating'; its columns are u, i, v"):
        Entries.from_triplets(table, "u", "i", "rating")
    with pytest.raises(ValueError, match=r"'v' holds .*; values must be numbers"):
        Entries.from_triplets(table, "u", "i", "v")
    with pytest.raises(ValueError, match="1 of 2 row ids are not known \\(first: 'z'\\)"):
        Entries.from_triplets(table, "u", "i").rows_of(["a", "z"])
    with pytest.raises(ValueError, match="no lines"):
        Entries.from_triplets(table[:0], "u", "i")
    with pytest.raises(TypeError, match=r"data frame .* not dict"):
        Entries.from_triplets({"u": [1]}, "u", "i")


def test_weights_that_do_not_fit_are_refused():
    X = observed(MISSING)
    with pytest.raises(ValueError, match=r"shape \(3,\); there are 4 observed entries"):
        entry_weights(np.ones(3), X)
    with pytest.raises(ValueError, match="negative weight -1"):
        entry_weights([1, 1, -1, 1], X)
    with pytest.raises(ValueError, match="other stored entries"):
        entry_weights(sp.csr_array(np.eye(3)), X)
    with pytest.raises(ValueError, match=r"shape \(2, 2\) and X has \(3, 3\)"):
        entry_weights(np.ones((2, 2)), X)


def test_ids_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="row_ids has 3 ids, 2 of them different; 3 different"):
        Entries(MISSING, row_ids=["a", "b", "a"])
    with pytest.raises(ValueError, match="1 dimensions"):
        Entries(np.ones(3))
