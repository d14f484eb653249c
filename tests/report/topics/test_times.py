"""Dates as people write them, and shares by period."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest

from lowdim.report.topics.times import MOST_PERIODS, days_of, over_time, periods
from lowdim.text.corpus.documents import CorpusError

DAY = 20_000  # 2024-10-04


@pytest.mark.parametrize(
    "value",
    [
        date(2024, 10, 4),
        datetime(2024, 10, 4, 0, 0),
        datetime(2024, 10, 4, tzinfo=UTC),
        np.datetime64("2024-10-04"),
        pd.Timestamp("2024-10-04"),
        "2024-10-04",
        "04.10.2024",
        "Oct 4, 2024",
        "Fri, 04 Oct 2024 00:00:00 GMT",
        DAY * 86_400,
        DAY * 86_400_000,
        str(DAY * 86_400),
    ],
    ids=str,
)
def test_a_day_is_that_day_however_it_is_written(value):
    assert days_of([value, None], "day").tolist()[0] == pytest.approx(DAY)
    assert np.isnan(days_of([value, None], "day")[1])


def test_whole_numbers_of_four_digits_are_years():
    for years in ([1993, 2001.0], ["1993", "2001"]):
        unit, _, names = periods(days_of(years, "year"))
        assert (unit, names[0], names[-1]) == ("year", "1993", "2001")


def test_a_column_without_dates_is_refused_by_name():
    with pytest.raises(CorpusError, match=r"Column 'section' holds no dates .*'sports'"):
        days_of(["sports", "news"], "section")
    with pytest.raises(CorpusError, match="no dates"):
        days_of([None, None], "day")
    with pytest.raises(CorpusError, match="no dates"):
        days_of([1, 2, 3], "number")


@pytest.mark.parametrize(
    ("span", "unit", "first"),
    [
        (10, "day", "2024-10-04"),
        (100, "week", "week of 2024-09-30"),
        (900, "month", "2024-10"),
        (3000, "quarter", "2024 Q4"),
        (10_000, "year", "2024"),
        (40_000, "5 years", "2020s"),
        (150_000, "50 years", "2000s"),
    ],
)
def test_periods_are_as_fine_as_a_reader_can_see(span, unit, first):
    found, number, names = periods(np.array([DAY, DAY + span / 2, DAY + span]))
    assert (found, names[0]) == (unit, first) and len(names) <= MOST_PERIODS
    assert number[0] == 0 and number[-1] == len(names) - 1


def test_firsts_of_months_stand_for_months():
    days = np.array(["2024-10-01", "2024-12-01"], dtype="datetime64[D]").astype(float)
    assert periods(days)[2] == ["2024-10", "2024-11", "2024-12"]


def test_shares_of_a_period_are_weighted_by_words():
    days = np.array([DAY, DAY, DAY + 1, np.nan])
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])
    found = over_time(days, shares, np.array([30, 10, 5, 99]))
    np.testing.assert_allclose(found.shares, [[0.75, 0.25], [0.5, 0.5]])
    assert found.n_documents.tolist() == [2, 1] and found.n_unknown == 1
    np.testing.assert_allclose(found.change, np.sqrt([2 / 3 * 1 / 12**2 + 1 / 3 * 4 / 12**2] * 2))


def test_one_period_is_no_time():
    assert over_time(np.array([DAY, DAY]), np.ones((2, 1)), np.ones(2)) is None
    assert over_time(np.array([np.nan]), np.ones((1, 1)), np.ones(1)) is None
