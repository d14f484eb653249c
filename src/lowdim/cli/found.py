"""What was found in a table and done with its columns, one line for each kind of treatment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lowdim.tables.codecs import CategoryCodec, DateCodec, FlagCodec, NumberCodec, OrderedCodec
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.errors import listed, plain, quoted
from lowdim.tables.kinds import ColumnInfo

MOST_LEVELS = 4  # of a column that a line names
LEFT_OUT = "left out: "
READ_AS_MISSING = " read as missing"
HEAVY = "heavy tails; {log} none takes the numbers as they are"
MOST_NAMED, MOST_RULES = 6, 3  # columns in a line


def notes_of(encoder: TableEncoder) -> list[str]:
    """What became of the columns; arguments stand in braces, as in the messages of tables."""
    columns = list(encoder.columns_)
    used = [column for column in columns if column.used]
    return [
        *_line("one-hot", _levels(used)),
        *_line("ordered", _orders(used)),
        *_grouped("as 1/0", _flags(used)),
        *_line("dates", _dates(used)),
        *_line("read as numbers", _number_texts(used)),
        *_line("logarithm", _logs(used), HEAVY if encoder.log == "auto" else "as asked"),
        *_line("read as missing", _odd_values(used)),
        *_row_names(encoder, columns),
        *_left_out(encoder, columns),
        *_line("not applicable", _rules(columns), most=MOST_RULES),
        *_hints(columns),
    ]


def _line(what: str, columns: Iterable[str], why: str = "", *, most: int = MOST_NAMED) -> list[str]:
    named = list(columns)
    if not named:
        return []
    more = f" and {len(named) - most:,} more" if len(named) > most else ""
    return [f"{what}: {', '.join(named[:most])}{more}" + (f" ({why})" if why else "")]


def _grouped(what: str, columns: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each reason, with the columns that it holds for."""
    groups: dict[str, list[str]] = {}
    for name, why in columns:
        groups.setdefault(why, []).append(name)
    return [line for why, names in groups.items() for line in _line(what, names, why)]


def _with_codec(columns: Sequence[ColumnInfo], kind: type) -> Iterator[tuple[str, Any]]:
    return ((plain(c.name), c.codec) for c in columns if isinstance(c.codec, kind))


def _levels(used: Sequence[ColumnInfo]) -> Iterator[str]:
    for name, codec in _with_codec(used, CategoryCodec):
        yield f"{name} ({listed(codec.levels, MOST_LEVELS)})"


def _orders(used: Sequence[ColumnInfo]) -> Iterator[str]:
    for name, codec in _with_codec(used, OrderedCodec):
        yield f"{name} ({' < '.join(map(plain, codec.levels))})"


def _flags(used: Sequence[ColumnInfo]) -> Iterator[tuple[str, str]]:
    """Flags that are not numbers already."""
    for name, codec in _with_codec(used, FlagCodec):
        if codec.reading is not None or codec.form == "flag":
            false, true = ("false", "true") if codec.reading is None else codec.levels
            yield name, f"{plain(true)}/{plain(false)}"


def _dates(used: Sequence[ColumnInfo]) -> Iterator[str]:
    for name, codec in _with_codec(used, DateCodec):
        parts = ["days", *(["season"] if codec.season else []), *(["hour"] if codec.hour else [])]
        yield f"{name} ({', '.join(parts)})"


def _number_texts(used: Sequence[ColumnInfo]) -> Iterator[str]:
    """Columns of text such as '$1,200', where it is more than the digits."""
    import numpy as np

    for name, codec in _with_codec(used, NumberCodec):
        reading = codec.reading
        if reading is not None and (reading.prefix or reading.suffix or reading.thousands):
            yield f"{name} ({quoted(reading.format(np.array([codec.high]))[0])})"


def _logs(used: Sequence[ColumnInfo]) -> Iterator[str]:
    for name, codec in _with_codec(used, NumberCodec):
        if codec.zero is not None:
            yield name


def _odd_values(used: Sequence[ColumnInfo]) -> Iterator[str]:
    """Columns with values that they cannot hold, such as 'abc' among numbers."""
    for column in used:
        for step in column.done.split("; "):
            if step.endswith(READ_AS_MISSING):
                yield f"{plain(column.name)} ({step.removesuffix(READ_AS_MISSING)})"


def _row_names(encoder: TableEncoder, columns: Sequence[ColumnInfo]) -> list[str]:
    """The column that was found to name the rows; not if the user named it."""
    if encoder.id is not None:
        return []
    return [
        f"row names: {plain(column.name)} ({_reason(column)})"
        for column in columns
        if column.name == encoder.id_
    ]


def _left_out(encoder: TableEncoder, columns: Sequence[ColumnInfo]) -> list[str]:
    """Columns that are not used, by what may be done about it; none that the user left out."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for column in columns:
        if not column.used and column.kind != "ignored" and column.name != encoder.id_:
            groups.setdefault(column.hint, []).append((plain(column.name), _reason(column)))
    lines = []
    for hint, group in groups.items():
        if hint:
            named = (f"{name} ({reason})" for name, reason in group)
            lines += [f"{line}; {hint}" for line in _line("ignored", named)]
        else:
            lines += _grouped("ignored", group)
    return lines


def _reason(column: ColumnInfo) -> str:
    return column.done.removeprefix(LEFT_OUT).removesuffix(", names of the rows")


def _rules(columns: Sequence[ColumnInfo]) -> Iterator[str]:
    for column in columns:
        if column.used and column.not_applicable is not None:
            where = column.not_applicable.sentence().removesuffix(": not applicable there")
            yield f"{plain(column.name)} ({where})"


def _hints(columns: Sequence[ColumnInfo]) -> list[str]:
    """What the user may want to say of columns that are used."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        if column.used and column.hint:
            groups.setdefault(column.hint, []).append(column.name)
    return [f"hint: {listed(names)}: {hint}" for hint, names in groups.items()]
