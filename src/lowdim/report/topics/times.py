"""Topics over time: dates as people write them, cut into periods, and the shares in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from email.utils import parsedate_to_datetime
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables import readings
from lowdim.tables.errors import quoted
from lowdim.text.corpus.documents import CorpusError

DAY = 86_400 * 10**6  # microseconds
YEARS = (1000, 2999)  # whole numbers between are years
MOST_PERIODS = 40
LEAST_KNOWN = 0.5  # of the documents must have a date
EPOCH = date(1970, 1, 1)


class OverTime(NamedTuple):
    """Shares of topics by period.

    Attributes
    ----------
    names : list of str
        Of the periods: '1993', '1993-04', '1993-04-26'.
    unit : {'year', 'month', 'week', 'day', ...}
    n_documents : ndarray of int (periods,)
    shares : ndarray (periods, k)
        Of the words of each period; NaN in one without words.
    n_unknown : int
        Documents without a date.
    """

    names: list[str]
    unit: str
    n_documents: np.ndarray
    shares: np.ndarray
    n_unknown: int

    @property
    def change(self) -> np.ndarray:
        """How much each topic's share varies over the periods, (k,): weighted deviation."""
        weight = self.n_documents / max(self.n_documents.sum(), 1)
        known = np.nan_to_num(self.shares)
        middle = weight @ known
        return np.sqrt(weight @ (known - middle) ** 2)


def over_time(days: np.ndarray, shares: np.ndarray, n_words: np.ndarray) -> OverTime | None:
    """The shares of topics by period; None if all documents are of one period.

    Parameters
    ----------
    days : ndarray (n,)
        Since 1970; NaN where there is no date.
    shares : ndarray (n, k)
    n_words : ndarray (n,)
        Of each document: its weight.
    """
    known = np.isfinite(days)
    if not known.any():
        return None
    unit, period, names = periods(days[known])
    if len(names) < 2:
        return None
    weight = n_words[known].astype(np.float64)
    totals = np.zeros((len(names), shares.shape[1]))
    np.add.at(totals, period, shares[known] * weight[:, None])
    words = np.bincount(period, weights=weight, minlength=len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals / words[:, None]
    count = np.bincount(period, minlength=len(names))
    return OverTime(names, unit, count, mean, int((~known).sum()))


def periods(days: np.ndarray) -> tuple[str, np.ndarray, list[str]]:
    """The finest unit with at most MOST_PERIODS periods, the period of each day, their names.

    Dates that are all the first of a month or of a year stand for the month or the year.
    """
    dates = np.floor(days).astype("datetime64[D]")
    month = dates.astype("datetime64[M]").astype(np.int64)
    year = month // 12 + 1970
    whole = dates.astype(np.int64)
    options: list[tuple[str, np.ndarray, Callable[[int], str]]] = [
        ("day", whole, lambda p: str(_day(p))),
        ("week", (whole + 3) // 7, lambda p: f"week of {_day(7 * p - 3)}"),
        ("month", month, lambda p: f"{p // 12 + 1970}-{p % 12 + 1:02d}"),
        ("quarter", month // 3, lambda p: f"{p // 4 + 1970} Q{p % 4 + 1}"),
        ("year", year, str),
        *((f"{s} years", year // s, lambda p, s=s: f"{p * s}s") for s in (5, 10, 50, 100)),
    ]
    starts = dates.astype("datetime64[M]") == dates
    finest = 0 if not starts.all() else 4 if (month % 12 == 0).all() else 2
    fitting = (one for one in options[finest:] if np.ptp(one[1]) < MOST_PERIODS)
    unit, number, name = next(fitting, options[-1])
    first, last = int(number.min()), int(number.max())
    return unit, number - first, [name(p) for p in range(first, last + 1)]


def _day(number: int) -> date:
    return EPOCH + timedelta(days=int(number))


# ---- dates, however they are written -------------------------------------------------------------


def days_of(values: Sequence[Any], column: str) -> np.ndarray:
    """Days since 1970 (n,) of the values of a column; NaN where there is none.

    Dates and times, texts such as '2024-03-01' or 'Thu, 29 Apr 1993 11:57:19 GMT', years, and
    seconds or milliseconds since 1970.
    """
    days = np.full(len(values), np.nan)
    texts: dict[str, list[int]] = {}
    numbers: list[int] = []
    for i, value in enumerate(values):
        if value is None:
            continue
        if isinstance(value, datetime | date | np.datetime64):
            days[i] = _of_date(value)
        elif isinstance(value, Real) and not isinstance(value, bool):
            numbers.append(i)
        else:
            texts.setdefault(str(value).strip(), []).append(i)
    if numbers:
        days[numbers] = _of_numbers(np.array([float(values[i]) for i in numbers]))
    if texts:
        found = _of_texts(list(texts), np.array([len(places) for places in texts.values()]))
        for day, places in zip(found, texts.values(), strict=True):
            days[places] = day
    some = sum(value is not None for value in values)
    if np.isfinite(days).sum() < LEAST_KNOWN * some or some == 0:
        odd = next((v for v, day in zip(values, days, strict=True) if not np.isfinite(day)), "")
        raise CorpusError(
            f"Column {quoted(column)} holds no dates (such as {quoted(odd)}).",
            "Name another column: {time}",
        )
    return days


def _of_date(value: Any) -> float:
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
    moment = np.datetime64(value, "us")
    return np.nan if np.isnat(moment) else float(moment.astype(np.int64)) / DAY


def _of_numbers(x: np.ndarray) -> np.ndarray:
    """Years, or seconds, or milliseconds since 1970, by their size."""
    known = x[np.isfinite(x)]
    if len(known) and ((known >= YEARS[0]) & (known <= YEARS[1])).mean() >= 0.9:
        inside = (x >= YEARS[0]) & (x <= YEARS[1])
        year = np.where(inside, np.floor(x), 1970).astype(np.int64) - 1970
        first = year.astype("datetime64[Y]").astype("datetime64[D]").astype(np.float64)
        return np.where(inside, first, np.nan)
    size = np.median(np.abs(known)) if len(known) else 0.0
    if size < 1e8:
        return np.full(len(x), np.nan)
    return x / 86_400 / (1000 if size > 1e11 else 1)


def _of_texts(texts: list[str], counts: np.ndarray) -> np.ndarray:
    """Days of texts, by the reading that most of them have; then as mail and logs write dates."""
    known = readings.tally(texts, counts)
    reading = readings.reading_of(known, compact_dates=True)
    if isinstance(reading, readings.NumberText):
        return _of_numbers(np.asarray(reading.parse(texts), dtype=np.float64))
    dates = reading if isinstance(reading, readings.DateText) else readings.date_reading(known)
    days = np.full(len(texts), np.nan) if dates is None else dates.parse(texts) / DAY
    for i in np.flatnonzero(np.isnan(days)):
        days[i] = _of_mail(texts[i])
    return days


def _of_mail(text: str) -> float:
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return _of_date(parse(text))
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return np.nan
