"""A table as the page shows it: the values of its columns, and the names of its rows.

    numbers    as they are; of durations, days
    dates      days since 1970
    levels     of categories, flags and ordered columns: places in a list of words

What a column is and how its values become numbers of a matrix is its codec's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lowdim.tables.codecs import (
    DAY,
    CategoryCodec,
    Codec,
    DateCodec,
    FlagCodec,
    OrderedCodec,
    level_places,
    numbers_in,
)
from lowdim.tables.frames.series import columns_of
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.table import Table

MINUTE = 60_000_000  # microseconds


@dataclass(frozen=True)
class Column:
    """A column of the table, with its values in all rows.

    Attributes
    ----------
    info : ColumnInfo
        What was decided about it.
    values : Values
        Its cells as they were read.
    amounts : ndarray (n,)
        Numbers, days or places; NaN or -1 where a cell is empty.
    words : tuple of str, or None
        What places stand for; None for numbers and dates.
    not_applicable : ndarray of bool (n,)
        Empty cells that have no value to have.
    """

    info: ColumnInfo
    values: Values
    amounts: np.ndarray
    words: tuple[str, ...] | None
    not_applicable: np.ndarray

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def codec(self) -> Codec:
        """The codec of a column that is part of the matrix."""
        assert self.info.codec is not None
        return self.info.codec

    @cached_property
    def empty(self) -> np.ndarray:
        """Where there is no value, (n,) bool."""
        return np.isnan(self.amounts) if self.words is None else self.amounts < 0

    @cached_property
    def missing(self) -> np.ndarray:
        """Where there is no value though there is one to have, (n,) bool."""
        return self.empty & ~self.not_applicable

    @property
    def is_date(self) -> bool:
        return isinstance(self.info.codec, DateCodec) or self.info.form == "moment"

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.words is None and getattr(self.info.codec, "kind", "") == "whole number"

    def read(self, values: Values) -> np.ndarray:
        """Numbers, days or places of values of this column."""
        return amounts(self.info, values)

    def show(self, row: int) -> str:
        """A cell as text: as it is written, if it is text; '' where it is empty."""
        if self.empty[row]:
            return ""
        if self.values.places is not None:
            return self.values.levels[int(self.values.places[row])]
        return self.show_amount(float(self.amounts[row]))

    def show_amount(self, amount: float) -> str:
        """A number of this column as text: a level by its name, a date as a date."""
        if self.words is not None:
            return self.words[int(amount)]
        if self.is_date:
            return date_text(amount, getattr(self.info.codec, "finest", DAY))
        return number_text(amount)

    def show_decoded(self, z: np.ndarray) -> str:
        """What its columns of a matrix stand for in one row, as text."""
        values = self.codec.decode(z[None, :], "observed")
        if values.places is not None:
            return values.levels[int(values.places[0])]
        amount = float(self.read(values)[0])
        rounded = self.words is None and not self.is_date and not self.is_whole
        return self.show_amount(float(f"{amount:.4g}") if rounded else amount)


def column_of(info: ColumnInfo, values: Values, not_applicable: np.ndarray | None = None) -> Column:
    """A column with its values."""
    if not_applicable is None:
        not_applicable = np.zeros(len(values), dtype=bool)
    return Column(info, values, amounts(info, values), _words(info, values), not_applicable)


def _words(info: ColumnInfo, values: Values) -> tuple[str, ...] | None:
    if info.codec is not None:
        return getattr(info.codec, "levels", None)
    if values.places is not None:
        return values.levels
    return ("False", "True") if values.form == "flag" else None


def amounts(info: ColumnInfo, values: Values) -> np.ndarray:
    """Values as numbers, days since 1970, or places of levels (-1: none)."""
    codec = info.codec
    if isinstance(codec, CategoryCodec | OrderedCodec):
        return np.maximum(level_places(values, codec.levels, codec.numbers), -1)
    if codec is None and values.places is not None:
        return values.places
    x = numbers_in(info.name, values, getattr(codec, "reading", None))
    if isinstance(codec, FlagCodec) or (codec is None and values.form == "flag"):
        return np.where(np.isnan(x), -1, x).astype(np.int64)
    in_days = isinstance(codec, DateCodec) or info.form in ("moment", "span")
    return x / DAY if in_days else x


def number_text(x: float) -> str:
    """A number as text, with no more digits than one wants to read; '' for NaN."""
    if np.isnan(x):
        return ""
    return f"{x:.0f}" if x == round(x) and abs(x) < 1e15 else f"{x:.5g}"


def date_text(days: float, finest: int = DAY) -> str:
    """Days since 1970 as a date, with a time if dates are known so finely; '' for NaN."""
    if np.isnan(days):
        return ""
    unit = "D" if finest % DAY == 0 else "m" if finest % MINUTE == 0 else "s"
    moment = np.datetime64(round(days * DAY), "us").astype(f"datetime64[{unit}]")
    return str(moment).replace("T", " ")


# ---- cells of a table ----------------------------------------------------------------------------


def values_in(table: Table, names: Sequence[str]) -> dict[str, Values]:
    """Some columns of a table in memory, all rows of each."""
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    (chunk,) = list(table.chunks(wanted, size=table.n_rows))
    return dict(zip(wanted, _chunk_values(chunk), strict=True))


def _chunk_values(chunk: Any) -> list[Values]:
    if hasattr(chunk, "toarray"):
        chunk = chunk.toarray()
    if isinstance(chunk, np.ndarray):
        return [Values("number", chunk[:, f]) for f in range(chunk.shape[1])]
    return columns_of(chunk)
