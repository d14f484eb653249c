"""Columns of numbers and dates: kinds, logarithms; numbers that are identifiers or flags."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lowdim.tables import readings
from lowdim.tables.codecs import DAY, DateCodec, FlagCodec, NumberCodec
from lowdim.tables.errors import TableError, plain, quoted
from lowdim.tables.kinds.info import ColumnInfo, Levels, Wish, left_out, n_levels_of, used_as
from lowdim.tables.kinds.levels import with_levels
from lowdim.tables.numbers import (
    MOST_DIGITS,
    Moments,
    NumberSums,
    merged_moments,
    number_text,
)
from lowdim.tables.ranks import steps_of
from lowdim.tables.scores import scores_of
from lowdim.tables.survey import Column, Survey

SKEWED = 2.0  # skewness from which a logarithm is tried
ENOUGH = 20  # values from which a tail, or a running number, means something
ONLY_INFINITE = "infinite values only"
FEW = 12  # different whole numbers that may well stand for categories
HARDLY = 1e-13  # a deviation below this part of the mean is rounding
LONG_SPAN = 400 * DAY  # of dates: the season is more than the day
IDENTIFIER = re.compile(
    r"(^|[_\s.\-])(id|key|uuid|guid|zip|zip_?code|post_?code|postal_?code|plz|fips|ssn|isbn|ean)$"
    r"|^(unnamed.*|row_?names?|row_?(number|nr|no)|index)$",
    re.IGNORECASE,
)
RUNNING = re.compile(
    r"^(rows?|records?|cases?|obs(ervation)?|nr|no|num(ber)?|#)\.?$", re.IGNORECASE
)


def number_kind(
    survey: Survey,
    f: int,
    wish: Wish,
    sums: NumberSums,
    levels: Levels | None,
    reading: Any,
) -> ColumnInfo:
    name, column = survey.names[f], survey.columns[f]
    wished = name in wish.numeric
    if not sums.values.count[0]:
        return left_out(survey, f, "constant", ONLY_INFINITE)
    if (name in wish.ordered or name in wish.categorical) and reading is None:
        return with_levels(survey, f, wish, levels)
    if _is_constant(sums) and not wished:
        return _constant(survey, f, sums, reading)
    if column.form == "moment" or isinstance(reading, readings.DateText):
        return _date(survey, f, wish, sums, reading)
    values = None if levels is None else levels.numbers
    if column.form == "flag" or isinstance(reading, readings.FlagText) or values == [0.0, 1.0]:
        return _flag(survey, f, wish, sums, reading)
    if survey.absence is not None and not wished and column.form == "number" and reading is None:
        identifier = _as_identifier(survey, f, wish, sums, levels)
        if identifier is not None:
            return identifier
    return _number(survey, f, wish, sums, levels, reading)


def _is_constant(sums: NumberSums) -> bool:
    mean, deviation = abs(float(sums.mean[0])), float(sums.deviation[0])
    return bool(sums.low[0] == sums.high[0]) or not deviation > HARDLY * mean


def _constant(survey: Survey, f: int, sums: NumberSums, reading: Any) -> ColumnInfo:
    value = float(sums.low[0])
    shown = number_text(value) if reading is None else reading.format(np.array([value]))[0]
    why = f"always {plain(shown)}" if sums.low[0] == sums.high[0] else "its values hardly differ"
    info = left_out(survey, f, "constant", why)
    return info._replace(value=value if reading is None else shown)


def _as_identifier(
    survey: Survey, f: int, wish: Wish, sums: NumberSums, levels: Levels | None
) -> ColumnInfo | None:
    """Whole numbers that are names: running numbers, and columns called id, zip, fips."""
    name, column = survey.names[f], survey.columns[f]
    if not sums.whole[0] or sums.low[0] < 0:
        return None
    called_so = is_identifier(name)
    runs = column.run is not None and column.run.first in (0, 1) and survey.n_rows > ENOUGH
    if runs and (f == 0 or called_so or RUNNING.search(name)):
        return left_out(survey, f, "id", "left out: running numbers, names of the rows")
    if not called_so:
        return None
    hint = "{numeric} takes it as a number"
    if levels is not None and 2 * levels.size <= sum(levels.counts):
        if levels.size <= wish.max_levels:
            return with_levels(survey, f, wish, levels)._replace(hint=hint)
    return left_out(survey, f, "id", "left out: identifiers, not numbers", hint)


def is_identifier(name: str) -> bool:
    """Whether a column is called as identifiers are: id, customerID, zip_code, fips."""
    own = re.sub(r"([a-z])(ID|Id|Key|Zip)$", r"\1_\2", name)
    return IDENTIFIER.search(own) is not None


def _flag(survey: Survey, f: int, wish: Wish, sums: NumberSums, reading: Any) -> ColumnInfo:
    p = float(sums.mean[0])
    scaled = wish.scale and wish.level_columns
    center, scale = (p, float(sums.deviation[0]) or 1.0) if scaled else (0.0, 1.0)
    center = center if wish.center else 0.0
    form = "flag" if survey.columns[f].form == "flag" else "number"
    codec = FlagCodec(p, scale, center, form, reading)
    done = "1 for {}, 0 for {}".format(*map(plain, reversed(codec.levels)))
    minus = "minus its share, " if wish.center else ""
    done += f"; {minus}over its standard deviation" if scaled else ""
    return used_as(survey, f, codec, 2, done)


def _number(
    survey: Survey,
    f: int,
    wish: Wish,
    sums: NumberSums,
    levels: Levels | None,
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
        "span" if column.form == "span" else "number",
        (_mean(sums, unit, log) - center) / scale,
    )
    n_levels = None if levels is None else levels.size
    hint = ""
    if kind == "whole number" and levels is not None and levels.size <= FEW:
        if sum(levels.counts) >= 5 * levels.size:
            hint = (
                f"{n_levels} different whole numbers; if they stand for categories: {{categorical}}"
            )
    codec = _with_scores(codec, column, wish)
    done = _number_done(column, sums, wish, log, reading, codec.scores is not None)
    return used_as(survey, f, codec, n_levels, done)._replace(hint=hint)


def _wants_log(name: str, wish: Wish, sums: NumberSums, levels: Levels | None) -> bool:
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
        center = float(logs.mean[0]) if wish.center else 0.0
        return 1.0, center, float(np.sqrt(logs.variance[0])) or 1.0, zero
    if not wish.scale:
        return 1.0, 0.0, 1.0, None
    values = sums.values
    scale = float(np.sqrt(values.variance[0]))
    center = float(values.mean[0]) if wish.center else 0.0
    return float(sums.unit[0]), center, scale or 1.0, None


def _mean(sums: NumberSums, unit: float, log: bool) -> float:
    """Of the numbers in units, or of their logarithms."""
    return float(_logs(sums).mean[0] if log else sums.values.mean[0] * (sums.unit[0] / unit))


def _with_scores(codec: Any, column: Column, wish: Wish) -> Any:
    """The codec of numbers or dates with normal scores, if they are wanted."""
    if not wish.scores or column.ranks is None:
        return codec
    steps = steps_of(column.ranks)
    scores = scores_of(steps._replace(values=codec.standardized(steps.values)))
    return codec if scores is None else codec._replace(scores=scores, mean=0.0)


def _number_done(
    column: Column, sums: NumberSums, wish: Wish, log: bool, reading: Any, scored: bool
) -> str:
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
    if scored:
        return "; ".join([*steps, "normal scores of its values' places"])
    centered = "minus its mean, " if wish.center else ""
    steps.append(f"{centered}over its standard deviation" if wish.scale else "as it is")
    return "; ".join(steps)


def _date(survey: Survey, f: int, wish: Wish, sums: NumberSums, reading: Any) -> ColumnInfo:
    if wish.dates is False:
        return left_out(survey, f, "date", "dates are not wanted")
    column = survey.columns[f]
    low, high = float(sums.low[0]), float(sums.high[0])
    mean = (float(sums.mean[0]) - low) / DAY
    center = mean if wish.scale and wish.center else 0.0
    scale = (float(sums.deviation[0]) / DAY if wish.scale else 1.0) or 1.0
    season = wish.dates == "auto" and len(column.months) >= 4 and high - low >= LONG_SPAN
    hour = wish.dates == "auto" and len(column.hours) >= 4 and high - low >= 2 * DAY
    finest = max(column.finest, 1)
    mean = (mean - center) / scale
    codec = DateCodec(low, high, center, scale, finest, season, hour, reading, wish.scale, mean)
    codec = _with_scores(codec, column, wish)
    of_days = "days since the first" + (", as normal scores" if codec.scores is not None else "")
    parts = [of_days, *(["season"] if season else []), *(["hour"] if hour else [])]
    return used_as(survey, f, codec, n_levels_of(column), ", ".join(parts))
