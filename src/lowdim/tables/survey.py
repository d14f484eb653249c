"""One look at a table: what is added up before it is known what its columns are.

    chunk  --look-->  Survey,   merged(Survey, Survey) -> Survey

A survey is small whatever the number of rows, and parts of a table can be looked at anywhere: in
memory, file by file, on Dask workers. `kinds.py` decides from it what each column is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.tables import few_numbers, numbers, ranks, readings
from lowdim.tables.codecs import sorted_places
from lowdim.tables.errors import TableError, quoted
from lowdim.tables.few_numbers import FewNumbers
from lowdim.tables.frames.series import columns_and_numbers
from lowdim.tables.frames.values import Values
from lowdim.tables.many_words import text_sums
from lowdim.tables.numbers import NumberSums, number_sums, number_text
from lowdim.tables.readings import Tally

MOST_WORDS = 500_000  # distinct texts of a column that are counted one by one
MANY_WORDS = 2000  # distinct texts of a part, from which some of them stand for all
MOST_LEVELS = 1000  # distinct numbers of a column that are counted one by one
MOST_PAIRED = 1000  # columns of a table in which pairs of them are looked at
MOST_GUIDE_LEVELS = 50  # a column with more levels does not say where another one applies
SMALL_RANGE = 2**16
SAMPLE = 512


class Settings(NamedTuple):
    """What to look for."""

    missing: tuple[str, ...] = ()  # further marks of missing values
    counted: Collection[str] = ()  # columns of a matrix whose values are counted
    ranked: bool = False  # whether the places of numbers among each other are wanted


class WordSums(NamedTuple):
    """What one part of the rows says about a column of text."""

    known: int  # cells with a text, marks of missing values included
    counts: dict[str, int] | None  # of each text; None: more than MOST_WORDS
    tally: Tally | None  # which of them are numbers, dates, ...; None: many, and hardly any
    length: int  # of all texts together
    all_differ: bool  # no text occurs twice within a part


class Run(NamedTuple):
    """Whether a column counts on by 1 from row to row."""

    first: float
    last: float


class Column(NamedTuple):
    """What one part of the rows says about a column, beside the sums over numbers."""

    form: str  # of `Values`; '' while there is no value
    missing: int
    words: WordSums | None = None
    levels: dict[float, int] | None = None  # of numbers: how often each; None: too many, or text
    run: Run | None = None
    months: frozenset[int] = frozenset()  # of dates, 1 to 12
    hours: frozenset[int] = frozenset()
    finest: int = 0  # of dates: microseconds of which all of them are multiples, of those tried
    ranks: ranks.Ranks | None = None  # of numbers, if they are wanted


class Absence(NamedTuple):
    """Where values are missing: sums over pairs of columns."""

    together: np.ndarray  # (c, c)  rows in which both are missing; (0, 0): too many columns
    by_level: dict[str, dict[str, np.ndarray]]  # guide -> level -> (c,) rows in which others miss


class Survey(NamedTuple):
    """What has been seen of a table."""

    n_rows: int
    names: tuple[str, ...]
    numbers: NumberSums  # of all columns; no values where a column is text
    columns: tuple[Column, ...]
    same: tuple[int, ...]  # for each column the first one with the same values
    absence: Absence | None  # None: a matrix, whose columns are all measured alike
    only_float32: bool


# ---- a chunk ------------------------------------------------------------------------------------


def look(
    chunk: Any, names: Sequence[str], settings: Settings, before: Survey | None = None
) -> Survey:
    """The survey of one chunk.

    `before` is that of some chunks before it: what it says for good is not found out again.
    """
    if isinstance(chunk, np.ndarray) or sp.issparse(chunk):
        return _look_at_matrix(chunk, names, settings)
    uncounted = _uncounted(chunk, before, settings)
    values, X = columns_and_numbers(chunk, {f: found for f, (found, _) in uncounted.items()})
    numeric = [f for f, column in enumerate(values) if column.numbers is not None]
    x = dict(zip(numeric, X, strict=True))
    few = few_numbers.counted(X, _expected_to_be_few(before, numeric))
    sums = _sums(X, numeric, few, before, len(values))
    levels: dict[int, dict[float, int] | None] = dict.fromkeys(_with_many_levels(before))
    levels |= {numeric[g]: found for g, found in few_numbers.levels(few).items()}
    columns = tuple(
        _column(column, x.get(f), sums, f, settings, levels)
        if f not in uncounted
        else uncounted[f][1]
        for f, column in enumerate(values)
    )
    return Survey(
        len(values[0]),
        tuple(names),
        sums,
        columns,
        _same_columns(values, columns, sums, before),
        _absence(values, columns, names, settings),
        all(v.numbers is not None and v.numbers.dtype == np.float32 for v in values),
    )


def _uncounted(
    chunk: Any, before: Survey | None, settings: Settings
) -> dict[int, tuple[Values, Column]]:
    """Columns that are known to have too many words to count: one word stands for all."""
    if before is None or not nw.dependencies.is_pyarrow_table(chunk):
        return {}
    found, alone = {}, _alone(before)
    for f, (_, _, words, *_) in enumerate(before.columns):
        if words is None or words.counts is not None or words.tally is not None:
            continue
        if f not in alone:
            continue  # another column has had the same words: they are compared once more
        sums = text_sums(chunk.column(f), settings.missing, words.all_differ)
        if sums is not None:
            places = -sums.absent.astype(np.int32)
            own = WordSums(sums.known, None, None, sums.length, sums.all_differ)
            column = Column("words", len(places) - sums.known, own)
            found[f] = Values("words", places=places, levels=("word",)), column
    return found


def _with_many_levels(before: Survey | None) -> set[int]:
    """Columns of numbers that are known to have too many different ones to count."""
    if before is None:
        return set()
    return {f for f, column in enumerate(before.columns) if column.form and column.levels is None}


def _expected_to_be_few(
    before: Survey | None, numeric: Sequence[int]
) -> dict[int, tuple[float, float]]:
    """Least and largest of columns of few whole numbers, by place among the numeric ones."""
    if before is None:
        return {}
    sums, columns = before.numbers, before.columns
    return {
        g: (sums.low[f], sums.high[f])
        for g, f in enumerate(numeric)
        if columns[f].levels and columns[f].form == "number" and sums.whole[f]
    }


def _sums(
    X: np.ndarray, numeric: list[int], few: FewNumbers, before: Survey | None, d: int
) -> NumberSums:
    """The sums of all d columns, of which the numeric ones are rows of X."""
    digits = np.zeros(d, np.int64) if before is None else before.numbers.digits
    if not few.places:
        return numbers.of_all([(numeric, number_sums(X.T, digits[numeric]))], d)
    others = sorted(set(range(len(numeric))) - set(few.places))
    left = [numeric[g] for g in others]
    parts = [([numeric[g] for g in few.places], few_numbers.sums(few))]
    parts += [(left, number_sums(X[others].T, digits[left]))] if left else []
    return numbers.of_all(parts, d)


def _look_at_matrix(X: Any, names: Sequence[str], settings: Settings) -> Survey:
    if sp.issparse(X):
        X = X.toarray()
    sums = number_sums(X)
    missing = len(X) - sums.values.count - sums.infinite
    columns = tuple(
        Column(
            "number" if sums.values.count[f] else "",
            int(missing[f]),
            levels=_levels(X[:, f], sums, f) if names[f] in settings.counted else None,
            ranks=ranks.ranks_of(X[:, f]) if settings.ranked else None,
        )
        for f in range(X.shape[1])
    )
    same = tuple(range(X.shape[1]))
    return Survey(len(X), tuple(names), sums, columns, same, None, X.dtype == np.float32)


def _column(
    values: Values,
    x: np.ndarray | None,
    sums: NumberSums,
    f: int,
    settings: Settings,
    levels: Mapping[int, dict[float, int] | None],
) -> Column:
    """`levels` are those of columns that are known; None: too many."""
    if values.form == "words":
        return _words(values, settings)
    assert x is not None
    missing = int(len(x) - sums.values.count[f] - sums.infinite[f])
    if len(x) == missing:
        return Column("", missing)
    if values.form == "other":
        return Column("other", missing)
    column = Column(
        values.form,
        missing,
        levels=levels[f] if f in levels else _levels(x, sums, f),
        run=_run(x, sums, f),
        ranks=ranks.ranks_of(x) if settings.ranked else None,
    )
    return date_parts(column, x) if values.form == "moment" else column


def _words(values: Values, settings: Settings) -> Column:
    assert values.places is not None
    levels = values.levels
    counts = np.bincount(values.places[values.places >= 0], minlength=len(levels))
    known = int(counts.sum())
    tally = _tally(levels, counts, settings)
    few = len(levels) <= (MANY_WORDS if tally is None else MOST_WORDS)
    words = WordSums(
        known,
        dict(zip(levels, counts.tolist(), strict=True)) if few else None,
        tally,
        _total_length(levels, counts),
        known == len(levels),
    )
    some = any(word.strip() for word in levels)
    missing = len(values.places) - known
    return Column("words", missing, words) if some else Column("", len(values.places))


def _total_length(levels: Sequence[str], counts: np.ndarray) -> int:
    if counts.max(initial=0) <= 1:  # as of names: four times faster than one by one
        return len("".join(levels))
    return int(np.dot(np.fromiter(map(len, levels), np.int64, len(levels)), counts))


def _tally(levels: Sequence[str], counts: np.ndarray, settings: Settings) -> Tally | None:
    if len(levels) > MANY_WORDS:
        some = np.linspace(0, len(levels) - 1, MANY_WORDS // 4).astype(np.intp)
        sample = readings.tally([levels[j] for j in some], counts[some], settings.missing)
        if readings.reading_of(sample) is None:
            return None
    return readings.tally(levels, counts, settings.missing)


def _levels(x: np.ndarray, sums: NumberSums, f: int) -> dict[float, int] | None:
    """How often each number occurs, if they are few."""
    low, high = sums.low[f], sums.high[f]
    if not np.isfinite(low):
        return {}
    some = x[:SAMPLE]
    if len(np.unique(some[np.isfinite(some)])) > MOST_LEVELS // 4:
        return None
    x = x if sums.values.count[f] == len(x) else x[np.isfinite(x)]
    if sums.whole[f] and high - low < SMALL_RANGE:
        counts = np.bincount((x - low).astype(np.intp))
        found = np.flatnonzero(counts)
        values, often = found + low, counts[found]
    else:
        values, often = np.unique(x, return_counts=True)
    if len(values) > MOST_LEVELS:
        return None
    return dict(zip(values.tolist(), often.tolist(), strict=True))


def _run(x: np.ndarray, sums: NumberSums, f: int) -> Run | None:
    first, last = float(x[0]), float(x[-1])
    if not (sums.whole[f] and sums.low[f] == first and sums.high[f] == last):
        return None
    counts_on = last - first == len(x) - 1 and bool(np.all(np.diff(x) == 1))
    return Run(first, last) if counts_on else None


DAY, HOUR, MINUTE = 86_400_000_000, 3_600_000_000, 60_000_000  # microseconds
UNITS = (DAY, HOUR, MINUTE, *(10**k for k in range(6, -1, -1)))


def date_parts(column: Column, x: np.ndarray) -> Column:
    """A column of moments with the months and hours that occur, and how fine they are."""
    x = x[~np.isnan(x)]
    micros = x.astype(np.int64)
    day = micros // DAY
    rest = micros - day * DAY
    first = day.min(initial=0)
    if day.max(initial=0) - first < SMALL_RANGE:
        day = np.flatnonzero(np.bincount(day - first)) + first
    months = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    found = set(np.flatnonzero(np.bincount(rest // HOUR)).tolist()) if rest.any() else {0}
    finest = next(unit for unit in UNITS if not np.any(rest % unit))
    return column._replace(
        months=frozenset(np.flatnonzero(np.bincount(months)).tolist()),
        hours=frozenset(found),
        finest=finest if np.array_equal(micros, x) else 1,
    )


# ---- columns that repeat another ----------------------------------------------------------------


def _same_columns(
    values: Sequence[Values], columns: Sequence[Column], sums: NumberSums, before: Survey | None
) -> tuple[int, ...]:
    """For each column the first with the same values; what is known of them saves comparisons."""
    first: dict[Any, list[int]] = {}
    same, alone = [], _alone(before)
    for f, (value, column) in enumerate(zip(values, columns, strict=True)):
        if f in alone:
            same.append(f)
            continue
        known: tuple = (len(value.levels), value.levels[:4], value.levels[-4:])
        if value.numbers is not None:
            some = value.numbers[:: max(len(value) // 8, 1)]
            known = (sums.low[f], sums.high[f], some.astype(np.float64).tobytes())
        candidates = first.setdefault((value.form, column.missing, known), [])
        found = next((g for g in candidates if _equal(values[g], value)), f)
        if found == f:
            candidates.append(f)
        same.append(found)
    return tuple(same)


def _alone(before: Survey | None) -> set[int]:
    """Columns that are known to have other values than all others."""
    if before is None:
        return set()
    like = Counter(before.same)
    return {f for f, first in enumerate(before.same) if like[first] == 1}


def _equal(left: Values, right: Values) -> bool:
    if left.places is not None and right.places is not None:
        return left.levels == right.levels and np.array_equal(left.places, right.places)
    assert left.numbers is not None and right.numbers is not None  # both are of one form
    return np.array_equal(left.numbers, right.numbers, equal_nan=True)


def _same_in_both(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    first: dict[tuple[int, int], int] = {}
    return tuple(first.setdefault(pair, f) for f, pair in enumerate(zip(left, right, strict=True)))


# ---- where values are missing -------------------------------------------------------------------


def _absence(
    values: Sequence[Values], columns: Sequence[Column], names: Sequence[str], settings: Settings
) -> Absence:
    if len(values) > MOST_PAIRED:
        return Absence(np.zeros((0, 0), dtype=np.int64), {})
    together = np.zeros((len(values), len(values)), dtype=np.int64)
    missing = {
        f: _missing(value, column, settings.missing)
        for f, (value, column) in enumerate(zip(values, columns, strict=True))
        if column.missing or value.form == "words"  # words may be marks of missing values
    }
    some = [f for f, absent in missing.items() if absent.any()]
    by_level: dict[str, dict[str, np.ndarray]] = {}
    if some:
        M = np.column_stack([missing[f] for f in some]).astype(np.float32)  # sums below 2^24
        together[np.ix_(some, some)] = np.rint(M.T @ M)
        rows = {f: np.flatnonzero(missing[f]) for f in some}
        for name, value, column in zip(names, values, columns, strict=True):
            levels = _guide_levels(value, column)
            if levels:
                by_level[name] = _missing_by_level(value, levels, rows, len(values))
    return Absence(together, by_level)


def _missing(values: Values, column: Column, further: Collection[str]) -> np.ndarray:
    if values.form != "words":
        return values.missing
    assert values.places is not None
    levels = values.levels
    if len(levels) > MANY_WORDS and (column.words is None or column.words.tally is None):
        # words, too many for most of them to be abbreviations: only signs may be levels
        marks = _among(levels, {*readings.MISSING_MARKS, *further})
        if not marks:
            return values.missing
        if not {levels[j] for j in marks} & readings.SIGN_MARKS:
            return (values.places < 0) | np.isin(values.places, marks)
    return np.append(readings.missing_marks(levels, further), True)[values.places]


def _among(levels: Sequence[str], wanted: Collection[str]) -> list[int]:
    """Places of the wanted words among sorted ones."""
    places = ((word, bisect_left(levels, word)) for word in sorted(wanted))
    return [at for word, at in places if at < len(levels) and levels[at] == word]


def _guide_levels(values: Values, column: Column) -> list:
    """The levels of a column that may say where others apply; none if they are too many."""
    counts: Any = column.levels if values.places is None else column.words and column.words.counts
    return list(counts) if counts and len(counts) <= MOST_GUIDE_LEVELS else []


def _missing_by_level(
    values: Values, levels: list, rows: dict[int, np.ndarray], n_columns: int
) -> dict[str, np.ndarray]:
    """For each level in how many rows each column is missing; `rows` are those of each column."""
    if values.places is not None:
        keys, place = list(values.levels), values.places
    else:
        known, keys = np.array(sorted(levels)), [number_text(level) for level in sorted(levels)]
        assert values.numbers is not None
        at, same = sorted_places(values.numbers, known)
        place = np.where(same, at, -1)
    counts = np.zeros((len(keys) + 1, n_columns), dtype=np.int64)
    for f, absent in rows.items():
        counts[:, f] = np.bincount(place[absent] + 1, minlength=len(keys) + 1)
    return dict(zip(keys, counts[1:], strict=True))


def _merged_absence(left: Absence | None, right: Absence | None) -> Absence | None:
    if left is None or right is None:
        return None
    guides: dict[str, dict[str, Any]] = {}
    for name in left.by_level | right.by_level:
        a, b = left.by_level.get(name, {}), right.by_level.get(name, {})
        guides[name] = {level: a.get(level, 0) + b.get(level, 0) for level in a | b}
    return Absence(left.together + right.together, guides)


# ---- two parts ----------------------------------------------------------------------------------


def merged(left: Survey, right: Survey) -> Survey:
    """The survey of both parts, the left one's rows first."""
    if left.names != right.names:
        raise TableError("A part of the table has other columns than the part before it.")
    pairs = zip(left.names, left.columns, right.columns, strict=True)
    return Survey(
        left.n_rows + right.n_rows,
        left.names,
        numbers.merged(left.numbers, right.numbers),
        tuple(_merged_column(*pair) for pair in pairs),
        _same_in_both(left.same, right.same),
        _merged_absence(left.absence, right.absence),
        left.only_float32 and right.only_float32,
    )


def _merged_column(name: str, left: Column, right: Column) -> Column:
    missing = left.missing + right.missing
    if not left.form or not right.form:  # one part has no values: what it is, the other says
        some = left if left.form else right
        return some._replace(missing=missing, run=None)
    if left.form != right.form:
        raise TableError(
            f"Column {quoted(name)} holds {FORMS[left.form]} in one part of the table and "
            f"{FORMS[right.form]} in another.",
            "Give it one type in all parts, or leave it out: {ignore}.",
        )
    return Column(
        left.form,
        missing,
        _both(left.words, right.words, _merged_words),
        _both(left.levels, right.levels, _merged_levels),
        _both(left.run, right.run, _merged_run),
        left.months | right.months,
        left.hours | right.hours,
        min(left.finest, right.finest),
        _both(left.ranks, right.ranks, ranks.merged),
    )


FORMS = {
    "number": "numbers",
    "flag": "true/false",
    "words": "text",
    "moment": "dates",
    "span": "durations",
    "other": "values that are neither",
}


def _both(left: Any, right: Any, merge: Callable) -> Any:
    return None if left is None or right is None else merge(left, right)


def _merged_words(left: WordSums, right: WordSums) -> WordSums:
    counts = _both(left.counts, right.counts, _added)
    tally = _both(left.tally, right.tally, readings.merged)
    most = MANY_WORDS if tally is None else MOST_WORDS
    return WordSums(
        left.known + right.known,
        counts if counts is None or len(counts) <= most else None,
        tally,
        left.length + right.length,
        left.all_differ and right.all_differ,
    )


def _added(left: dict, right: dict) -> dict:
    both = dict(left)
    for key, count in right.items():
        both[key] = both.get(key, 0) + count
    return both


def _merged_levels(left: dict[float, int], right: dict[float, int]) -> dict[float, int] | None:
    both = _added(left, right)
    return both if len(both) <= MOST_LEVELS else None


def _merged_run(left: Run, right: Run) -> Run | None:
    return Run(left.first, right.last) if left.last + 1 == right.first else None
