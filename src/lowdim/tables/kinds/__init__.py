"""What a column is, from what was seen of its values, and the codec that follows.

    number, whole number, positive, share      NumberCodec                    numbers.py
    flag                                       FlagCodec: two values
    date                                       DateCodec
    category, ordered                          CategoryCodec, OrderedCodec    levels.py
    id, text, constant, copy, ignored          left out, and it is said why   words.py

The user's word goes before all of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lowdim.tables.codecs import NumberCodec
from lowdim.tables.errors import TableError, quoted
from lowdim.tables.kinds.info import ColumnInfo, Levels, Wish, left_out
from lowdim.tables.kinds.numbers import ONLY_INFINITE, number_kind
from lowdim.tables.kinds.words import word_kind
from lowdim.tables.numbers import NumberSums
from lowdim.tables.survey import Survey

__all__ = ["ColumnInfo", "Wish", "decide", "not_read"]


def decide(survey: Survey, wish: Wish) -> list[ColumnInfo]:
    """What each column of a table is."""
    found: list[ColumnInfo] = []
    first_of: dict[int, str] = {}  # of columns that are the same
    for f, name in enumerate(survey.names):
        first = first_of.setdefault(survey.same[f], name)
        if first != name and not _wished(name, wish):
            info = left_out(survey, f, "copy", f"repeats {quoted(first)}")
            found.append(info._replace(copy_of=first))
        else:
            found.append(_column(survey, f, wish))
    _check_logs(found, wish)
    return found


def not_read(name: str, wish: Wish) -> ColumnInfo:
    """A column that names the rows, or that the user does not want: nothing is known of it."""
    if name == wish.id:
        return ColumnInfo(name, "id", None, None, "names the rows")
    return ColumnInfo(name, "ignored", None, None, "left out, as asked")


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


def _column(survey: Survey, f: int, wish: Wish) -> ColumnInfo:
    column = survey.columns[f]
    if not column.form:
        infinite = int(survey.numbers.infinite[f])
        return left_out(survey, f, "constant", ONLY_INFINITE if infinite else "no values")
    if column.form == "other":
        return left_out(survey, f, "text", "its values are neither numbers nor words")
    if column.form == "words":
        return word_kind(survey, f, wish)
    sums = _column_sums(survey.numbers, f)
    return number_kind(survey, f, wish, sums, Levels.of_numbers(column.levels), None)


def _column_sums(sums: NumberSums, f: int) -> NumberSums:
    """The sums of one column, as scalars in arrays of one."""

    def cut(part: Any) -> Any:
        if isinstance(part, tuple):
            return type(part)(*map(cut, part))
        return part[f : f + 1]

    return cut(sums)
