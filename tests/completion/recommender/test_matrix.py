"""Lines of ratings as a matrix, worked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim.completion.entries import observed
from lowdim.completion.recommender.ids import IdNumbers
from lowdim.completion.recommender.matrix import (
    further_ratings,
    joined,
    rated_items,
    rating_matrix,
    row_of,
)
from lowdim.completion.recommender.ratings import read_ratings


def test_users_and_items_are_numbered_in_the_order_of_their_first_lines():
    X, users, items = rating_matrix(
        read_ratings((["b", "a", "b"], [7, 7, 5], [1.0, 2, 3])), "error"
    )
    assert users == ["b", "a"] and items == [7, 5]
    assert_array_equal(X.toarray(), [[1, 3], [2, 0]])


def test_without_ratings_each_line_is_one():
    X, *_ = rating_matrix(read_ratings((["b", "a"], [7, 7])), "error")
    assert_array_equal(X.toarray(), [[1], [1]])


def test_duplicates_are_refused_or_aggregated():
    lines = read_ratings((["a", "a", "b", "b"], [1, 1, 1, 2], [2.0, 4.0, 1.0, 5.0], [9, 3, 1, 1]))
    with pytest.raises(ValueError, match=r"1 entries occur more than once.*user='a', item=1"):
        rating_matrix(lines, "error")
    for how, value in (("mean", 3.0), ("sum", 6.0), ("last", 2.0)):  # the first line is the later
        X, users, items = rating_matrix(lines, how)
        assert X[users.index("a"), items.index(1)] == value
    assert rating_matrix(lines._replace(timestamp=None), "last").X[0, 0] == 4.0


def test_further_ratings_have_the_new_users_last_and_known_items_only():
    users = IdNumbers(np.array(["a", "b"], dtype=object), "user")
    lines = read_ratings((["new", "b", "new"], [1, 2, 3], [5.0, 4.0, 3.0]))
    X, everyone, _ = further_ratings(
        lines, users, ["a", "b"], np.array([0, 1, -1]), [1, 2], "error"
    )
    assert everyone == ["a", "b", "new"]
    assert_array_equal(X.toarray(), [[0, 0], [0, 4], [5, 0]])


def test_entries_are_joined_and_new_ones_win():
    old = observed(np.array([[1.0, np.nan, 2.0], [np.nan, 0.0, np.nan]]))
    new = observed(np.array([[5.0, np.nan, np.nan], [6.0, np.nan, np.nan], [np.nan, 7.0, np.nan]]))
    both = joined(old, new)
    assert both.nnz == 5  # zeros stay
    assert_array_equal(both.toarray(), [[5, 0, 2], [6, 0, 0], [0, 7, 0]])


def test_one_new_user_is_a_row_with_sorted_columns():
    items, values = rated_items({"x": 3.0, "y": 5, "z": 1.0}, implicit=False)
    assert items == ["x", "y", "z"]
    row = row_of(np.array([4, -1, 2]), values, 6, np.float32)
    assert row.shape == (1, 6) and row.dtype == np.float32
    assert_array_equal(row.indices, [2, 4])
    assert_array_equal(row.data, [1, 3])
    assert rated_items(["x", "y"], implicit=True)[1].tolist() == [1.0, 1.0]


def test_bad_ratings_of_a_new_user_are_refused():
    with pytest.raises(TypeError, match="dict from item to rating"):
        rated_items(["x"], implicit=False)
    with pytest.raises(ValueError, match="NaN or infinite"):
        rated_items({"x": np.inf}, implicit=False)
    with pytest.raises(ValueError, match="an item twice"):
        row_of(np.array([1, 1]), np.ones(2), 3, np.float64)
