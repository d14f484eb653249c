"""Tables of ratings as they come: any library, any usual names of columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from lowdim import Recommender
from lowdim.completion.recommender.ratings import Names, found_column, read_ratings, read_titles


def test_usual_names_of_columns_are_found():
    columns = ["User-ID", "ISBN", "Book Rating", "title", "when", "rating"]
    assert found_column(columns, "user") == "User-ID"
    assert found_column(columns, "item") == "ISBN"
    assert found_column(columns, "rating") == "rating"
    assert found_column(columns, "rating", "Book Rating") == "Book Rating"
    assert found_column(columns, "timestamp") is None
    assert found_column(columns, "title", None) is None


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_and_arrays_give_the_same_lines(frame):
    columns = {"userId": [3, 1, 3], "movie_id": ["x", "y", "y"], "Stars": [1.0, 2.0, 5.0]}
    lines = read_ratings(frame(columns))
    assert_array_equal(lines.user, [3, 1, 3])
    assert lines.item.tolist() == ["x", "y", "y"]
    assert_array_equal(lines.rating, [1, 2, 5])
    assert lines.timestamp is None and lines.titles is None
    arrays = read_ratings(tuple(columns.values()))
    assert_array_equal(arrays.user, lines.user)
    assert_array_equal(arrays.item, lines.item)


def test_some_lines_keep_what_belongs_to_them():
    lines = read_ratings(([1, 2, 3], ["a", "b", "c"], [4.0, 5.0, 1.0], [30, 10, 20], {"a": "A"}))
    some = lines.take(np.array([2, 0]))
    assert some.user.tolist() == [3, 1] and some.item.tolist() == ["c", "a"]
    assert some.rating.tolist() == [1.0, 4.0] and some.timestamp.tolist() == [20, 30]
    assert some.titles == {"a": "A"}
    assert read_ratings(lines) is lines


def test_ids_keep_their_types():
    lines = read_ratings(([1, "1", (2, 3)], [1, 2, 3]))
    assert lines.user.tolist() == [1, "1", (2, 3)]
    assert_array_equal(lines.values(), [1, 1, 1])


def test_titles_come_from_a_dict_or_a_table():
    table = pd.DataFrame({"nr": [1, 2], "title": ["A", "B"]})
    assert read_titles(table, Names(item="nr")) == {1: "A", 2: "B"} == read_titles({1: "A", 2: "B"})


@pytest.mark.parametrize(
    "form, message",
    [
        (np.eye(3), "ratings must be a data frame .* not ndarray"),
        (([1, 2], [1, 2], [1.0, np.nan]), r"1 ratings are NaN.*first: line 1"),
        (([1, 2], [1, 2], ["a", "b"]), "not numbers"),
        (([1, 2], [1], [1.0, 2.0]), "2 users, 1 items, 2 ratings"),
        (([], [], []), "no ratings"),
        (([1, None], [1, 2], [1.0, 2.0]), "no id in line 1"),
        (([[1], [2]], [1, 2], [1.0, 2.0]), "cannot be hashed"),
        (pd.DataFrame({"who": [1], "item": [2]}), "no column of users.*who, item"),
        (pd.DataFrame({"user": [], "item": []}), "no lines"),
        (([1, 2], [1, 2], [1.0, 2.0], None, {"x": "y"}), "None of the 1 titles belongs"),
        (([1, 2], [1, 2], [1.0, 2.0], None, "film"), "titles must be a dict"),
    ],
)
def test_bad_ratings_are_refused(form, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Recommender().fit(form)
