"""What the user says about columns is found in the table, or refused."""

from __future__ import annotations

import pytest

from lowdim import TableEncoder
from lowdim.tables.errors import TableError
from tests.tables.kinds.columns import OTHER, described, repeated, spread


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"categorical": ["y"]}, r"has no column 'y'; it has other, x. Name .* categorical=..."),
        ({"ignore": ["othr"]}, r"has no column 'othr'; did you mean 'other'\?"),
        ({"id": "row"}, "has no column 'row'"),
        ({"categorical": ["x"], "numeric": ["x"]}, "'x' is named as categorical and as numeric"),
        ({"ordered": {"x": "low"}}, "The order of 'x' is 'low'"),
        ({"ignore": ["*"]}, "has no column to work on"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(arguments, message):
    with pytest.raises(TableError, match=message):
        described(repeated("a", "b"), **arguments)


def test_names_may_be_patterns():
    table = {"gene1": OTHER, "gene2": spread(0, 1), "age": spread(20, 60)}
    columns = TableEncoder(ignore="gene*").fit(table).columns_
    assert [column.used for column in columns] == [False, False, True]
    columns = TableEncoder(columns=["gene*"]).fit(table).columns_
    assert [column.used for column in columns] == [True, True, False]
