"""Columns are shown in their own kinds, and their shares add up."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from lowdim.report.generate.columns import shares_of, shown_columns
from lowdim.report.generate.sides import sides_of


@pytest.fixture
def columns():
    n = 40
    table = pd.DataFrame(
        {
            "count": np.arange(n) % 4,
            "x": (np.arange(n) / 8).round(2),
            "kind": np.array(["u", "v", "w", "w"])[np.arange(n) % 4],
            "day": pd.date_range("2020-01-01", periods=n),
            "flag": np.arange(n) % 2 == 0,
        }
    )
    return {c.name: c for c in shown_columns(sides_of(table, table[:20], None, 0))}


def test_values_are_written_as_in_the_table(columns):
    assert [columns[name].text(1) for name in columns] == ["1", "0.12", "v", "2020-01-02", "False"]


def test_levels_have_their_shares(columns):
    shares = shares_of(columns["kind"], 40)
    assert shares.levels == ["w", "u", "v"]
    assert_allclose(shares.real, [0.5, 0.25, 0.25])
    assert_allclose(shares.drawn, [0.5, 0.25, 0.25])


def test_whole_numbers_lie_in_the_middle_of_their_bins(columns):
    shares = shares_of(columns["count"], 40)
    assert_allclose(shares.edges[:4], [-0.5, 0.5, 1.5, 2.5])
    assert_allclose(shares.real[:4], 0.25)


def test_dates_and_numbers_have_bins(columns):
    for name in ("day", "x"):
        shares = shares_of(columns[name], 40)
        assert 0.9 < shares.real.sum() <= 1.0 and len(shares.edges) == len(shares.real) + 1
    assert shares_of(columns["day"], 40).is_date
