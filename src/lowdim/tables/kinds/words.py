"""Columns of text: numbers and dates as they are written, levels, names of rows, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowdim.tables import readings
from lowdim.tables.errors import TableError, listed, quoted
from lowdim.tables.kinds.info import ColumnInfo, Levels, Wish, left_out
from lowdim.tables.kinds.levels import with_levels
from lowdim.tables.kinds.numbers import number_kind
from lowdim.tables.numbers import sums_of_counts
from lowdim.tables.ranks import ranks_of_counts
from lowdim.tables.survey import MOST_WORDS, Column, Survey, WordSums, date_parts

ENOUGH = 20  # values of which most differ: no category
LONG_TEXT = 40  # characters on average: a sentence


def word_kind(survey: Survey, f: int, wish: Wish) -> ColumnInfo:
    """A column of text: numbers or dates as they are written, levels, names, or sentences."""
    name, column = survey.names[f], survey.columns[f]
    words = column.words
    assert words is not None
    counts, absent = _without_marks(words, wish.missing)
    column = column._replace(missing=column.missing + absent)
    survey = survey._replace(columns=(*survey.columns[:f], column, *survey.columns[f + 1 :]))
    levels = Levels.of_words(counts)
    if levels is not None and levels.size == 0:
        return left_out(survey, f, "constant", "no values")
    if name in wish.ordered or name in wish.categorical:
        return with_levels(survey, f, wish, levels)
    reading = None if words.tally is None else readings.reading_of(words.tally)
    if counts is None and reading is not None:
        why = f"more than {MOST_WORDS:,} different texts that look like numbers or dates"
        return left_out(survey, f, "text", why, "store them as numbers or dates to use them")
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
        if wish.scores and column.levels:
            pairs = sorted(column.levels.items())
            column = column._replace(
                ranks=ranks_of_counts(*map(np.array, zip(*pairs, strict=True)))
            )
        survey = survey._replace(columns=(*survey.columns[:f], column, *survey.columns[f + 1 :]))
        numbers = Levels.of_numbers(column.levels)
        info = number_kind(survey, f, wish, sums, numbers, reading)
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
    survey: Survey, f: int, wish: Wish, words: WordSums, levels: Levels | None
) -> ColumnInfo:
    known = words.known if levels is None else sum(levels.counts)
    many = f"more than {wish.max_levels}" if levels is None else f"{levels.size:,}"
    long = words.length > LONG_TEXT * max(words.known, 1)
    if levels is None or levels.size > wish.max_levels:
        return _name_or_text(survey, f, words.all_differ and known > 2, long, many)
    if levels.size == 1:
        value = levels.names[0]
        info = left_out(survey, f, "constant", f"always {quoted(value)}")
        return info._replace(value=value)
    all_differ = levels.size == known > 2
    if all_differ or (2 * levels.size > known and known > ENOUGH):
        return _name_or_text(survey, f, all_differ, long, many)
    return with_levels(survey, f, wish, levels)


def _name_or_text(survey: Survey, f: int, differ: bool, long: bool, many: str) -> ColumnInfo:
    if long:
        hint = "free text: turn it into numbers of your own, or into topics"
        return left_out(survey, f, "text", "sentences", hint)
    if differ:
        return left_out(survey, f, "id", "left out: another text in each row, names of the rows")
    hint = "{max_levels} allows for more levels"
    return left_out(survey, f, "text", f"{many} different texts", hint)
