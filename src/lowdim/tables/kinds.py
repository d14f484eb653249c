"""What a column is, from what was seen of its values, and the codec that follows.

    number, whole number, positive, share      NumberCodec
    flag                                       FlagCodec: two values
    category, ordered                          CategoryCodec, OrderedCodec: a few levels
    date                                       DateCodec
    id, text, constant, copy, ignored          left out, and it is said why

The user's word goes before all of this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables import readings
from lowdim.tables.codecs import (
    DAY,
    PLAIN,
    CategoryCodec,
    Codec,
    DateCodec,
    FlagCodec,
    NumberCodec,
    OrderedCodec,
)
from lowdim.tables.errors import TableError, listed, plain, quoted
from lowdim.tables.numbers import (
    MOST_DIGITS,
    Moments,
    NumberSums,
    merged_moments,
    number_text,
    sums_of_counts,
)
from lowdim.tables.survey import MOST_WORDS, Column, Survey, WordSums, date_parts

SKEWED = 2.0  # skewness from which a logarithm is tried
ENOUGH = 20  # values from which a tail, or that all values differ, means something
FEW = 12  # different whole numbers that may well be codes
LONG_TEXT = 40  # characters on average: a sentence
HARDLY = 1e-13  # a deviation below this part of the mean is rounding
LONG_SPAN = 400 * DAY  # of dates: the season is more than the day
CODE_NAME = re.compile(
    r"(^|[_\s.\-])(id|key|uuid|guid|zip|zip_?code|post_?code|postal_?code|plz|fips|ssn|isbn|ean)$"
    r"|^(unnamed.*|row_?names?|row_?(number|nr|no)|index)$",
    re.IGNORECASE,
)
USED = ("number", "whole number", "positive", "share", "flag", "category", "ordered", "date")


class Wish(NamedTuple):
    """What the user says about the columns of a table."""

    categorical: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    ordered: dict[str, tuple[str, ...]] = {}  # noqa: RUF012  (never written to)
    ignore: frozenset[str] = frozenset()
    id: str | None = None
    log: Any = "auto"  # 'auto', False, or names
    dates: Any = "auto"  # 'auto', 'days' or False
    max_levels: int = 50
    scale: bool = True
    drop_level: bool = False
    missing: tuple[str, ...] = ()
    center: bool = True  # False: a sparse matrix, whose zeros stay zeros


class ColumnInfo(NamedTuple):
    """What a column is, and what was decided."""

    name: str
    kind: str
    n_missing: int
    n_levels: int | None  # different values; None: many
    done: str  # what becomes of it, and why
    codec: Codec | None = None
    copy_of: str | None = None
    value: float | str | None = None  # of a constant
    form: str = ""  # of its values: 'number', 'flag', 'words', 'moment', 'span', 'other'
    hint: str = ""  # what the user may want to say of it
    not_applicable: Any = None  # applicable.Rule

    @property
    def used(self) -> bool:
        """Whether the column is part of the matrix."""
        return self.codec is not None


def decide(survey: Survey, wish: Wish) -> list[ColumnInfo]:
    """What each column of a table is."""
    found: list[ColumnInfo] = []
    first_of: dict[int, str] = {}  # of columns that are the same: the first that is not left out
    for f, name in enumerate(survey.names):
        info = _asked(survey, f, wish)
        if info is None:
            first = first_of.setdefault(survey.same[f], name)
            if first != name and not _wished(name, wish):
                info = _left_out(survey, f, "copy", f"repeats {quoted(first)}")
                info = info._replace(copy_of=first)
        found.append(info if info is not None else _column(survey, f, wish))
    _check_logs(found, wish)
    return found


def _check_logs(columns: Sequence[ColumnInfo], wish: Wish) -> None:
    """Raise if a logarithm is wanted of a column that is not taken as numbers."""
    for column in columns:
        wanted = not isinstance(wish.log, str | bool) and column.name in wish.log
        if wanted and not isinstance(column.codec, NumberCodec):
            raise TableError(
                f"A logarithm is wanted for {quoted(column.name)}, which is {column.kind}: "
                f"{column.done}.",
                "Take it out of {log}, or say that it is {numeric}.",
            )


def _wished(name: str, wish: Wish) -> bool:
    return name in wish.categorical or name in wish.numeric or name in wish.ordered


def _asked(survey: Survey, f: int, wish: Wish) -> ColumnInfo | None:
    name = survey.names[f]
    if name == wish.id:
        return _left_out(survey, f, "id", "names the rows")
    if name in wish.ignore:
        return _left_out(survey, f, "ignored", "left out, as asked")
    return None


def _left_out(survey: Survey, f: int, kind: str, why: str, hint: str = "") -> ColumnInfo:
    column = survey.columns[f]
    done = why if kind in ("id", "ignored", "copy") else f"left out: {why}"
    return ColumnInfo(
        survey.names[f],
        kind,
        column.missing,
        _n_levels(column),
        done,
        hint=hint,
        form=column.form,
    )


def _n_levels(column: Column) -> int | None:
    if column.words is not None:
        return None if column.words.counts is None else len(column.words.counts)
    return None if column.levels is None else len(column.levels)


def _column(survey: Survey, f: int, wish: Wish) -> ColumnInfo:
    column = survey.columns[f]
    if not column.form:
        infinite = int(survey.numbers.infinite[f])
        return _left_out(survey, f, "constant", "infinite values only" if infinite else "no values")
    if column.form == "other":
        return _left_out(survey, f, "text", "its values are neither numbers nor words")
    if column.form == "words":
        return _of_words(survey, f, wish)
    sums = _column_sums(survey.numbers, f)
    return _of_numbers(survey, f, wish, sums, _Levels.of_numbers(column.levels), None)


def _column_sums(sums: NumberSums, f: int) -> NumberSums:
    """The sums of one column, as scalars in arrays of one."""

    def cut(part: Any) -> Any:
        if isinstance(part, tuple):
            return type(part)(*map(cut, part))
        return part[f : f + 1]

    return cut(sums)


class _Levels(NamedTuple):
    """Different values and how often each occurs."""

    counts: list[int]
    texts: list[str] | None = None  # the values, where they are text,
    numbers: list[float] | None = None  # and where they are numbers

    @property
    def names(self) -> list[str]:
        if self.texts is not None:
            return self.texts
        return [number_text(value) for value in self.numbers or ()]

    @property
    def size(self) -> int:
        return len(self.counts)

    @classmethod
    def of_numbers(cls, levels: dict[float, int] | None) -> _Levels | None:
        if levels is None:
            return None
        pairs = sorted(levels.items())
        return cls([n for _, n in pairs], numbers=[value for value, _ in pairs])

    @classmethod
    def of_words(cls, counts: dict[str, int] | None) -> _Levels | None:
        if counts is None:
            return None
        pairs = sorted(counts.items())
        return cls([n for _, n in pairs], texts=[word for word, _ in pairs])


# ---- columns of text ----------------------------------------------------------------------------


def _of_words(survey: Survey, f: int, wish: Wish) -> ColumnInfo:
    """A column of text: numbers or dates as they are written, levels, names, or sentences."""
    name, column = survey.names[f], survey.columns[f]
    words = column.words
    assert words is not None
    counts, absent = _without_marks(words, wish.missing)
    column = column._replace(missing=column.missing + absent)
    survey = survey._replace(columns=(*survey.columns[:f], column, *survey.columns[f + 1 :]))
    levels = _Levels.of_words(counts)
    if levels is not None and levels.size == 0:
        return _left_out(survey, f, "constant", "no values")
    if name in wish.ordered or name in wish.categorical:
        return _with_levels(survey, f, wish, levels)
    reading = None if words.tally is None else readings.reading_of(words.tally)
    if counts is None and reading is not None:
        why = f"more than {MOST_WORDS:,} different texts that look like numbers or dates"
        return _left_out(survey, f, "text", why, "store them as numbers or dates to use them")
    if name in wish.numeric and not isinstance(reading, readings.NumberText):
        raise TableError(
            f"{quoted(name)} cannot be read as numbers; it holds text such as "
            f"{listed([quoted(word) for word in list(counts or ())[:3]])}.",
            "Take it out of {numeric}, or leave the column out: {ignore}.",
        )
    if isinstance(reading, readings.NumberText | readings.DateText | readings.FlagText):
        assert counts is not None
        x = reading.parse(list(counts))
        sums = sums_of_counts(x, np.array(list(counts.values())))
        column = _read_as(column, x, reading, counts)
        survey = survey._replace(columns=(*survey.columns[:f], column, *survey.columns[f + 1 :]))
        numbers = _Levels.of_numbers(column.levels)
        info = _of_numbers(survey, f, wish, sums, numbers, reading)
        return _with_odd_values(info, [w for w, v in zip(counts, x, strict=True) if np.isnan(v)])
    return _of_plain_words(survey, f, wish, words, levels)


def _without_marks(words: WordSums, further: Sequence[str]) -> tuple[dict[str, int] | None, int]:
    """The texts that are values, and how many cells hold a mark of a missing value."""
    if words.counts is None:
        return None, 0
    texts = list(words.counts)
    marks = readings.missing_marks(texts, further)
    absent = {text for text, mark in zip(texts, marks, strict=True) if mark}
    some = {text: count for text, count in words.counts.items() if text not in absent}
    return some, words.known - sum(some.values())


def _read_as(column: Column, x: np.ndarray, reading: Any, counts: dict[str, int]) -> Column:
    """What the survey would say of the column if its text had been numbers or dates."""
    levels: dict[float, int] = {}
    for value, count in zip(x.tolist(), counts.values(), strict=True):
        if value == value:
            levels[value] = levels.get(value, 0) + count
    missing = column.missing + sum(counts.values()) - sum(levels.values())
    if isinstance(reading, readings.DateText):
        return date_parts(Column("moment", missing, levels=levels), x)
    return Column("number", missing, levels=levels)


def _with_odd_values(info: ColumnInfo, odd: list[str]) -> ColumnInfo:
    if not odd:
        return info
    return info._replace(done=f"{info.done}; {listed([quoted(w) for w in odd], 3)} read as missing")


def _of_plain_words(
    survey: Survey, f: int, wish: Wish, words: WordSums, levels: _Levels | None
) -> ColumnInfo:
    known = words.known if levels is None else sum(levels.counts)
    many = f"more than {wish.max_levels}" if levels is None else f"{levels.size:,}"
    long = words.length > LONG_TEXT * max(words.known, 1)
    if levels is None or levels.size > wish.max_levels:
        return _name_or_text(survey, f, words.all_differ and known > 2, long, many)
    if levels.size == 1:
        value = levels.names[0]
        info = _left_out(survey, f, "constant", f"always {quoted(value)}")
        return info._replace(value=value)
    all_differ = levels.size == known > 2
    if all_differ or (2 * levels.size > known and known > ENOUGH):
        return _name_or_text(survey, f, all_differ, long, many)
    return _with_levels(survey, f, wish, levels)


def _name_or_text(survey: Survey, f: int, differ: bool, long: bool, many: str) -> ColumnInfo:
    if long:
        hint = "free text: turn it into numbers of your own, or into topics"
        return _left_out(survey, f, "text", "sentences", hint)
    if differ:
        return _left_out(survey, f, "id", "left out: another text in each row, names of the rows")
    hint = "{max_levels} allows for more levels"
    return _left_out(survey, f, "text", f"{many} different texts", hint)


# ---- levels -------------------------------------------------------------------------------------


def _with_levels(survey: Survey, f: int, wish: Wish, levels: _Levels | None) -> ColumnInfo:
    """A category, or an ordered column if the user gives the order."""
    name = survey.names[f]
    if levels is None or (levels.size > wish.max_levels and name not in wish.ordered):
        count = "too many" if levels is None else f"{levels.size:,}"
        raise TableError(
            f"{quoted(name)} has {count} different values; a category has at most "
            f"{wish.max_levels}.",
            "Raise {max_levels}, or take the column out of {categorical}.",
        )
    if name in wish.ordered:
        return _ordered(survey, f, wish, levels)
    shares = np.array(levels.counts) / sum(levels.counts)
    numbers = None if levels.numbers is None else np.array(levels.numbers)
    m = levels.size
    left_out = int(np.argmax(shares)) if wish.drop_level and m > 1 else -1
    codec = CategoryCodec(tuple(levels.names), shares, wish.scale, numbers, left_out)
    done = "1 column: always the same level" if m == 1 else f"{codec.width} columns, one per level"
    done += f" but {quoted(levels.names[left_out])}" if left_out >= 0 else ""
    if wish.scale:
        root = "p" if left_out < 0 else "p (1 - p)"
        done += f", each minus its share p, over the root of {root}"
    return _used(survey, f, codec, m, done)


def _ordered(survey: Survey, f: int, wish: Wish, levels: _Levels) -> ColumnInfo:
    name = survey.names[f]
    order = wish.ordered[name]
    given = {_plain_level(level): j for j, level in enumerate(order)}
    place = [given.get(_plain_level(level), -1) for level in levels.names]
    if -1 in place:
        odd = [level for level, j in zip(levels.names, place, strict=True) if j < 0]
        raise TableError(
            f"{quoted(name)} has {listed([quoted(level) for level in odd], 3)}, which its order "
            f"({listed(order)}) does not have.",
            "Name all levels, from first to last: {ordered}.",
        )
    sums = sums_of_counts(np.array(place, dtype=float), np.array(levels.counts))
    center, scale = (sums.mean[0], sums.deviation[0] or 1.0) if wish.scale else (0.0, 1.0)
    own = dict(zip(place, levels.names, strict=True))
    names = tuple(own.get(j, str(level)) for j, level in enumerate(order))
    numbers = None
    if levels.numbers is not None:
        numbers = PLAIN.parse(names)
    codec = OrderedCodec(names, float(center), float(scale), numbers, min(place), max(place))
    return _used(survey, f, codec, levels.size, f"the place in its order of {len(order)}")


def _plain_level(level: Any) -> str:
    return number_text(float(level)) if isinstance(level, int | float | np.number) else str(level)


# ---- columns of numbers -------------------------------------------------------------------------


def _of_numbers(
    survey: Survey,
    f: int,
    wish: Wish,
    sums: NumberSums,
    levels: _Levels | None,
    reading: Any,
) -> ColumnInfo:
    name, column = survey.names[f], survey.columns[f]
    wished = name in wish.numeric
    if (name in wish.ordered or name in wish.categorical) and reading is None:
        return _with_levels(survey, f, wish, levels)
    if _is_constant(sums) and not wished:
        return _constant(survey, f, sums, reading)
    if column.form == "moment" or isinstance(reading, readings.DateText):
        return _date(survey, f, wish, sums, reading)
    values = None if levels is None else levels.numbers
    if column.form == "flag" or isinstance(reading, readings.FlagText) or values == [0.0, 1.0]:
        return _flag(survey, f, wish, sums, reading)
    if survey.absence is not None and not wished and column.form == "number" and reading is None:
        code = _as_a_code(survey, f, wish, sums, levels)
        if code is not None:
            return code
    return _number(survey, f, wish, sums, levels, reading)


def _is_constant(sums: NumberSums) -> bool:
    mean, deviation = abs(float(sums.mean[0])), float(sums.deviation[0])
    return bool(sums.low[0] == sums.high[0]) or not deviation > HARDLY * mean


def _constant(survey: Survey, f: int, sums: NumberSums, reading: Any) -> ColumnInfo:
    value = float(sums.low[0])
    shown = number_text(value) if reading is None else reading.format(np.array([value]))[0]
    why = f"always {plain(shown)}" if sums.low[0] == sums.high[0] else "its values hardly differ"
    info = _left_out(survey, f, "constant", why)
    return info._replace(value=value if reading is None else shown)


def _as_a_code(
    survey: Survey, f: int, wish: Wish, sums: NumberSums, levels: _Levels | None
) -> ColumnInfo | None:
    """Whole numbers that are names: running numbers, and columns called id, zip, fips."""
    name, column = survey.names[f], survey.columns[f]
    if not sums.whole[0] or sums.low[0] < 0:
        return None
    is_code = is_code_name(name)
    runs = column.run is not None and column.run.first in (0, 1) and survey.n_rows > ENOUGH
    if runs and (f == 0 or is_code):
        return _left_out(survey, f, "id", "left out: running numbers, names of the rows")
    if not is_code:
        return None
    hint = "{numeric} takes it as a number"
    if levels is not None and 2 * levels.size <= sum(levels.counts):
        if levels.size <= wish.max_levels:
            return _with_levels(survey, f, wish, levels)._replace(hint=hint)
    return _left_out(survey, f, "id", "left out: codes, not numbers", hint)


def is_code_name(name: str) -> bool:
    """Whether a column is called as ids and codes are: id, customerID, zip_code, fips."""
    own = re.sub(r"([a-z])(ID|Id|Key|Zip)$", r"\1_\2", name)
    return CODE_NAME.search(own) is not None


def _flag(survey: Survey, f: int, wish: Wish, sums: NumberSums, reading: Any) -> ColumnInfo:
    p = float(sums.mean[0])
    center, scale = (p, float(sums.deviation[0]) or 1.0) if wish.scale else (0.0, 1.0)
    center = center if wish.center else 0.0
    form = "flag" if survey.columns[f].form == "flag" else "number"
    codec = FlagCodec(p, scale, center, form, reading)
    done = "1 for {}, 0 for {}".format(*map(plain, reversed(codec.levels)))
    done += "; minus its share, over its standard deviation" if wish.scale else ""
    return _used(survey, f, codec, 2, done)


def _number(
    survey: Survey,
    f: int,
    wish: Wish,
    sums: NumberSums,
    levels: _Levels | None,
    reading: Any,
) -> ColumnInfo:
    name, column = survey.names[f], survey.columns[f]
    low, high = float(sums.low[0]), float(sums.high[0])
    most = 100.0 if reading is not None and "%" in reading.suffix else 1.0
    kind = "number"
    if low >= 0 and high <= most and not (most == 1.0 and sums.whole[0]):
        kind = "share"
    elif sums.whole[0]:
        kind = "whole number"
    elif low >= 0:
        kind = "positive"
    log = _wants_log(name, wish, sums, levels)
    unit, center, scale, zero = _center_and_scale(sums, wish, log)
    codec = NumberCodec(
        kind,
        low,
        high,
        unit,
        center,
        scale,
        zero,
        int(min(sums.digits[0], MOST_DIGITS + 1)) if reading is None else reading.digits,
        reading,
        most if kind == "share" else None,
    )
    n_levels = None if levels is None else levels.size
    hint = ""
    if kind == "whole number" and n_levels is not None and n_levels <= FEW:
        if sum(levels.counts) >= 5 * n_levels:  # type: ignore[union-attr]
            hint = f"{n_levels} different whole numbers; if they are codes: {{categorical}}"
    done = _number_done(column, sums, wish, log, reading)
    return _used(survey, f, codec, n_levels, done)._replace(hint=hint)


def _wants_log(name: str, wish: Wish, sums: NumberSums, levels: _Levels | None) -> bool:
    """Whether the logarithm stands for a column: it is asked for, or the tail is heavy."""
    low, count = float(sums.low[0]), int(sums.values.count[0])
    if wish.log is False or (wish.log == "auto" and not wish.scale):
        return False
    if wish.log != "auto":
        if name in wish.log and (low < 0 or not np.isfinite(sums.least_positive[0])):
            raise TableError(
                f"A logarithm is wanted for {quoted(name)}, whose least value is {low:.4g}; "
                "logarithms are taken of numbers that are not negative.",
                "Take it out of {log}.",
            )
        return name in wish.log
    if low < 0 or count < ENOUGH or (levels is not None and levels.size < 5):
        return False
    before = float(sums.values.skewness[0])
    return before > SKEWED and abs(float(_logs(sums).skewness[0])) < before / 2


def _logs(sums: NumberSums) -> Any:
    """Moments of the logarithm, zeros counted as half of the least positive value."""
    nothing = np.zeros(1)
    at_zero = Moments(sums.zeros, np.log(sums.least_positive / 2), nothing, nothing)
    return merged_moments(sums.logs, at_zero) if sums.zeros[0] else sums.logs


def _center_and_scale(
    sums: NumberSums, wish: Wish, log: bool
) -> tuple[float, float, float, float | None]:
    """unit, center, scale, and what stands for zero under a logarithm."""
    if log:
        zero = float(sums.least_positive[0]) / 2
        if not wish.scale:
            return 1.0, 0.0, 1.0, zero
        logs = _logs(sums)
        return 1.0, float(logs.mean[0]), float(np.sqrt(logs.variance[0])) or 1.0, zero
    if not wish.scale:
        return 1.0, 0.0, 1.0, None
    values = sums.values
    scale = float(np.sqrt(values.variance[0]))
    center = float(values.mean[0]) if wish.center else 0.0
    return float(sums.unit[0]), center, scale or 1.0, None


def _number_done(column: Column, sums: NumberSums, wish: Wish, log: bool, reading: Any) -> str:
    steps = []
    if reading is not None and (reading.prefix or reading.suffix or reading.thousands):
        example = reading.format(np.array([float(sums.high[0])]))[0]
        steps.append(f"read as numbers, such as {quoted(example)}")
    if column.form == "span":
        steps.append("durations in microseconds")
    if sums.infinite[0]:
        steps.append(f"{int(sums.infinite[0])} infinite values read as missing")
    if log:
        reason = "its tail is heavy" if wish.log == "auto" else "as asked"
        steps.append(f"logarithm, {reason} (undone where values are shown)")
    centered = "minus its mean, " if wish.center else ""
    steps.append(f"{centered}over its standard deviation" if wish.scale else "as it is")
    return "; ".join(steps)


def _date(survey: Survey, f: int, wish: Wish, sums: NumberSums, reading: Any) -> ColumnInfo:
    if wish.dates is False:
        return _left_out(survey, f, "date", "dates are not wanted")
    column = survey.columns[f]
    low, high = float(sums.low[0]), float(sums.high[0])
    center = (float(sums.mean[0]) - low) / DAY if wish.scale else 0.0
    scale = float(sums.deviation[0]) / DAY if wish.scale else 1.0
    season = wish.dates == "auto" and len(column.months) >= 4 and high - low >= LONG_SPAN
    hour = wish.dates == "auto" and len(column.hours) >= 4 and high - low >= 2 * DAY
    finest = max(column.finest, 1)
    codec = DateCodec(low, high, center, scale or 1.0, finest, season, hour, reading, wish.scale)
    parts = ["days since the first", *(["season"] if season else []), *(["hour"] if hour else [])]
    return _used(survey, f, codec, _n_levels(column), ", ".join(parts))


def _used(survey: Survey, f: int, codec: Codec, n_levels: int | None, done: str) -> ColumnInfo:
    column = survey.columns[f]
    missing = column.missing + int(survey.numbers.infinite[f])
    return ColumnInfo(survey.names[f], codec.kind, missing, n_levels, done, codec, form=column.form)
