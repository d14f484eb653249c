"""Columns with a few levels, in an order or in none."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.tables.errors import TableError
from tests.tables.kinds.columns import described, repeated


def test_order_is_the_users():
    column = described(repeated("low", "high", "middle"), ordered={"x": ["low", "middle", "high"]})
    assert (column.kind, column.codec.levels) == ("ordered", ("low", "middle", "high"))
    with pytest.raises(TableError, match=r"'x' has 'middle', which its order \(low, high\)"):
        described(repeated("low", "high", "middle"), ordered={"x": ["low", "high"]})
    numbers = described(repeated(3, 1, 2), ordered={"x": [1, 2, 3]})
    assert numbers.codec.numbers.tolist() == [1.0, 2.0, 3.0]


def test_a_category_has_a_column_for_each_level():
    column = described(repeated("b", "a", "a"))
    assert (column.kind, column.n_levels, column.codec.levels) == ("category", 2, ("a", "b"))
    np.testing.assert_allclose(column.codec.shares, [2 / 3, 1 / 3])
    assert column.done.startswith("2 columns, one per level, each minus its share p, over the root")
    assert described(repeated("b", "a", "a"), scale=False).done == "2 columns, one per level"


def test_the_largest_level_is_left_out_if_wanted():
    column = described(repeated("b", "a", "a"), drop_level=True)
    assert column.codec.width == 1 and column.codec.feature_names("x") == ["x=b"]
    assert "one per level but 'a'" in column.done


def test_levels_of_an_order_that_do_not_occur_have_their_place():
    column = described(repeated("low", "high"), ordered={"x": ["none", "low", "middle", "high"]})
    assert column.codec.levels == ("none", "low", "middle", "high")
    assert (column.n_levels, column.done) == (2, "the place in its order of 4")


def test_a_category_is_the_number_of_its_level_if_wanted():
    column = described(repeated("b", "a", "c"), level_columns=False)
    assert (column.kind, column.codec.width, column.codec.feature_names("x")) == (
        "category",
        1,
        ["x"],
    )
    assert column.done == "the number of its level, 0 to 2"
    flag = described(repeated("yes", "no"), level_columns=False)
    assert (flag.kind, flag.codec.center, flag.codec.scale) == ("flag", 0.0, 1.0)
    assert flag.done == "1 for yes, 0 for no"
