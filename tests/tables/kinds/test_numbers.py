"""Columns of numbers and dates: their kind, and what becomes of it."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim import TableEncoder
from lowdim.tables.errors import TableError
from lowdim.tables.kinds.numbers import is_identifier
from tests.tables.kinds.columns import OTHER, N, described, repeated, spread


@pytest.mark.parametrize(
    "name", ["id", "customer_id", "customerID", "PassengerId", "zip", "zip_code", "fips", "PLZ"]
)
def test_names_of_identifiers_are_known(name):
    assert is_identifier(name)
    assert described([10_000 + 17 * i for i in range(N)], name).kind == "id"
    assert described(repeated(11, 12, 13), name).kind == "category"
    assert described([10_000 + 17 * i for i in range(N)], name, numeric=[name]).kind in (
        "whole number",
    )


@pytest.mark.parametrize("name", ["grid", "paid", "humid", "no", "width", "Madrid", "zipf"])
def test_names_that_only_end_alike_are_no_identifiers(name):
    assert not is_identifier(name)


def test_running_numbers_in_the_first_column_name_the_rows():
    table = {"row": list(range(1, N + 1)), "x": OTHER}
    encoder = TableEncoder().fit(table)
    assert encoder.columns_["row"].kind == "id"
    assert encoder.id_ == "row"
    shuffled = {"row": [*range(1, N), 200], "x": OTHER}
    assert TableEncoder().fit(shuffled).columns_["row"].kind == "whole number"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("row", "id"), ("No.", "id"), ("obs", "id"), ("week", "whole number"), ("rows", "id")],
)
def test_running_numbers_further_on_name_the_rows_if_they_are_called_so(name, kind):
    table = {"x": OTHER, name: list(range(1, N + 1))}
    assert TableEncoder().fit(table).columns_[name].kind == kind
    backwards = {"x": OTHER, name: list(range(N, 0, -1))}
    assert TableEncoder().fit(backwards).columns_[name].kind == "whole number"


def test_whole_numbers_with_few_values_are_numbers_with_a_hint():
    column = described(repeated(1, 2, 3, 4))
    assert column.kind == "whole number"
    assert "4 different whole numbers; if they stand for categories: {categorical}" in column.hint
    assert described(repeated(1, 2, 3, 4), categorical=["x"]).codec.width == 4


def test_heavy_positive_tails_get_logarithms():
    heavy = (10.0 ** np.linspace(0, 6, N)).tolist()
    assert described(heavy).codec.zero == 0.5
    assert "logarithm" in described(heavy).done
    assert described(heavy, log=False).codec.zero is None
    assert described(heavy, scale=False).codec.zero is None
    assert described(spread(3, 9), log=["x"]).codec.zero is not None
    assert described([*heavy[:-5], 0.0, 0.0, 0.0, 0.0, 0.0]).codec.zero == 0.5
    with pytest.raises(TableError, match=r"logarithm is wanted for 'x', whose least value is -5"):
        described(spread(-5, 5), log=["x"])
    with pytest.raises(TableError, match=r"logarithm is wanted for 'x', which is category"):
        described(repeated("a", "b"), log=["x"])


def test_season_and_hour_are_there_where_they_vary():
    start = np.datetime64("2019-01-01T00:00")
    days = start + np.arange(N) * np.timedelta64(29, "D")
    hours = start + np.arange(N) * np.timedelta64(7, "h")
    assert described(days).codec.feature_names("x") == ["x", "x season sin", "x season cos"]
    assert described(hours).codec.feature_names("x") == ["x", "x hour sin", "x hour cos"]
    assert described(days, dates="days").codec.width == 1
    assert described(days, dates=False).codec is None
