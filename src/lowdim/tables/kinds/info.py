"""What is decided about a column, and what the user wishes."""

from __future__ import annotations

from typing import Any, NamedTuple

from lowdim.tables.codecs import Codec
from lowdim.tables.numbers import number_text
from lowdim.tables.survey import Column, Survey


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
    center: bool = True  # False: zeros stay zeros, as they must in a sparse matrix
    level_columns: bool = True  # False: a category is one column, the number of its level
    scores: bool = False  # numbers and dates become normal scores


class ColumnInfo(NamedTuple):
    """What a column is, and what was decided."""

    name: str
    kind: str
    n_missing: int | None  # None: the column was not read
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


def left_out(survey: Survey, f: int, kind: str, why: str, hint: str = "") -> ColumnInfo:
    """A column that is no part of the matrix, and why."""
    column = survey.columns[f]
    done = why if kind in ("id", "ignored", "copy") else f"left out: {why}"
    return ColumnInfo(
        survey.names[f],
        kind,
        column.missing,
        n_levels_of(column),
        done,
        hint=hint,
        form=column.form,
    )


def n_levels_of(column: Column) -> int | None:
    """How many different values a column has; None: many."""
    if column.words is not None:
        return None if column.words.counts is None else len(column.words.counts)
    return None if column.levels is None else len(column.levels)


def used_as(survey: Survey, f: int, codec: Codec, n_levels: int | None, done: str) -> ColumnInfo:
    """A column that is part of the matrix, and what is done with it."""
    column = survey.columns[f]
    missing = column.missing + int(survey.numbers.infinite[f])
    return ColumnInfo(survey.names[f], codec.kind, missing, n_levels, done, codec, form=column.form)


class Levels(NamedTuple):
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
    def of_numbers(cls, levels: dict[float, int] | None) -> Levels | None:
        if levels is None:
            return None
        pairs = sorted(levels.items())
        return cls([n for _, n in pairs], numbers=[value for value, _ in pairs])

    @classmethod
    def of_words(cls, counts: dict[str, int] | None) -> Levels | None:
        if counts is None:
            return None
        pairs = sorted(counts.items())
        return cls([n for _, n in pairs], texts=[word for word, _ in pairs])
