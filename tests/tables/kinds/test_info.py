"""What is decided about a column: whether it is used, and how many different values it has."""

import pytest

from lowdim import TableEncoder
from lowdim.tables.codecs import NumberCodec
from lowdim.tables.kinds.info import ColumnInfo, Levels, n_levels_of
from lowdim.tables.survey import Column


def test_a_column_is_used_if_it_has_numbers():
    left_out = ColumnInfo("x", "text", 0, None, "left out: sentences")
    assert not left_out.used
    assert left_out._replace(codec=NumberCodec("number", 0.0, 1.0)).used


def test_levels_are_sorted_with_their_counts():
    numbers = Levels.of_numbers({2.5: 1, -1.0: 4, 10.0: 2})
    assert (numbers.counts, numbers.names, numbers.size) == ([4, 1, 2], ["-1", "2.5", "10"], 3)
    words = Levels.of_words({"b": 3, "a": 1})
    assert (words.counts, words.names, words.numbers) == ([1, 3], ["a", "b"], None)
    assert Levels.of_numbers(None) is Levels.of_words(None) is None


def test_many_values_are_not_counted():
    assert n_levels_of(Column("number", 0, levels={1.0: 2, 3.0: 4})) == 2
    assert n_levels_of(Column("number", 0)) is None


@pytest.mark.parametrize(
    ("arguments", "done"),
    [
        ({}, "left out: always 7"),
        ({"ignore": ["x"]}, "left out, as asked"),
        ({"id": "x"}, "names the rows"),
    ],
)
def test_a_column_that_is_left_out_says_why(arguments, done):
    table = {"x": [7, 7, 7, 7], "y": [1.5, 2.5, -3.5, 0.0]}
    column = TableEncoder(**arguments).fit(table).columns_["x"]
    assert column.done == done and not column.used
