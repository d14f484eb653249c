"""Columns as cells of text: what csv and JSON files are made of.

    any data frame  --as_arrow-->  columns of numbers, flags, dates, text  --cells-->  text

Whatever came in, a column of `as_arrow` is one of a few kinds, and a missing value is null: NaN is
missing, categories are their values. Numbers are written with the fewest digits that read back as
the same number, or with as many decimals as asked for; dates as in ISO 8601.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from lowdim.tables.errors import TableError, plain, quoted
from lowdim.tables.frames.series import is_arrow_text, plain_arrow
from lowdim.tables.readings import MISSING_MARKS, DateText, FlagText
from lowdim.tables.readings.date_layouts import microseconds_ahead

MOST_DIGITS = 15  # decimals that can be asked for
EXACT = 2**53  # whole numbers up to here are float64
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # of a second
FINENESS = ("day", "s", "ms", "us", "ns")  # of dates: what the last number of their text counts
DAY = 0
WHOLE_MINUTE = ":00"

BYTES = ("binary", "large_binary", "binary_view", "fixed_size_binary")
NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$|^[+-]?(?i:inf|infinity|nan)$"
# numbers that are written again as they were read
SAME_NUMBER = r"^(?:0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9])$"
EDGES = r"^[\s\pZ#\x{FEFF}]|[\s\pZ]$|^$"  # blanks; '#' opens comments in some programs


# ---- from data frames to few kinds of columns ----------------------------------------------------


def as_arrow(chunk: Any, names: Sequence[str] | None = None) -> Any:
    """A pyarrow table of a data frame that narwhals knows, or of a matrix with these names."""
    import pyarrow as pa

    if isinstance(chunk, np.ndarray):
        columns = _matrix_columns(chunk, names)
    elif isinstance(chunk, pa.Table):
        columns = [(str(name), chunk.column(i)) for i, name in enumerate(chunk.column_names)]
    else:
        columns = _frame_columns(chunk)
    check_names([name for name, _ in columns])
    return pa.table({name: _simple(name, column) for name, column in columns})


def check_names(names: Sequence[str]) -> None:
    """Raise if two columns have the same name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise TableError(f"{count} columns are named {quoted(name)}.", "Give each its own.")


def matrix_names(chunk: np.ndarray, names: Sequence[str] | None) -> list[str]:
    """The names of the columns of a matrix; without any, their numbers."""
    if chunk.ndim != 2:
        raise ValueError(f"rows of shape {chunk.shape} cannot be written; give (rows, columns).")
    names = [str(f) for f in range(chunk.shape[1])] if names is None else [str(n) for n in names]
    if len(names) != chunk.shape[1]:
        raise ValueError(f"{len(names)} names are given for {chunk.shape[1]} columns.")
    return names


def _matrix_columns(chunk: np.ndarray, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    return [
        (name, _array(name, np.ascontiguousarray(column)))
        for name, column in zip(matrix_names(chunk, names), chunk.T, strict=True)
    ]


def _frame_columns(chunk: Any) -> list[tuple[str, Any]]:
    try:
        frame = nw.from_native(chunk, eager_only=True)
    except nw.exceptions.DuplicateError:
        check_names([str(name) for name in chunk.columns])
        raise
    if not frame.implementation.is_pandas_like():
        return [(name, _converted(name, frame[name].to_arrow)) for name in frame.columns]
    pandas = frame.to_pandas()  # its index is no column
    return [
        (str(name), _array(str(name), _storable(pandas.iloc[:, i])))
        for i, name in enumerate(pandas.columns)
    ]


def _storable(series: Any) -> Any:
    """A pandas column without the kinds that only pandas has: periods, intervals, sparse ones."""
    import pandas as pd

    if isinstance(series.dtype, pd.SparseDtype):
        return series.sparse.to_dense()
    if isinstance(series.dtype, pd.PeriodDtype | pd.IntervalDtype):
        return series.astype("string")
    return series


def _array(name: str, values: Any) -> Any:
    import pyarrow as pa

    return _converted(name, lambda: pa.array(values, from_pandas=True))


def _converted(name: str, to_arrow: Callable[[], Any]) -> Any:
    import pyarrow as pa

    try:
        return to_arrow()
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError) as error:
        problem = plain(" ".join(str(error).split()), 200)
        raise TableError(
            f"Column {quoted(name)} cannot be written: {problem}.",
            "Make its values of one kind, such as all text.",
        ) from None


def _simple(name: str, column: Any) -> Any:
    """The column without categories, extensions and NaN; text as large_string."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = plain_arrow(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if is_arrow_text(kind) or _is_one_of(kind, *BYTES):
        try:
            return column.cast(pa.large_string())
        except pa.ArrowInvalid:
            raise TableError(
                f"Column {quoted(name)} holds bytes that are not UTF-8.", "Decode it to text."
            ) from None
    if pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    if pa.types.is_floating(kind) and pc.any(pc.is_nan(column)).as_py():
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column


def is_time(kind: Any) -> bool:
    """Whether a type of pyarrow is a date with a time, or a time of the day."""
    return _is_one_of(kind, "timestamp", "time")


def is_date(kind: Any) -> bool:
    """Whether a type of pyarrow is a date, with or without a time, or a time of the day."""
    return is_time(kind) or _is_one_of(kind, "date")


def is_number(kind: Any) -> bool:
    """Whether a type of pyarrow can be numbers; so can one that has nothing but missing values."""
    return _is_one_of(kind, "integer", "floating", "decimal", "boolean", "duration", "null")


def _is_one_of(kind: Any, *names: str) -> bool:
    import pyarrow as pa

    return any(getattr(pa.types, f"is_{name}")(kind) for name in names)


# ---- cells ---------------------------------------------------------------------------------------


def cells(name: str, column: Any, digits: int | None = None, fineness: int = DAY) -> Any:
    """The text of numbers, flags and dates, or text as it is; null where a value is missing."""
    import pyarrow as pa

    kind, text = column.type, pa.large_string()
    if pa.types.is_timestamp(kind):
        return date_cells(column, fineness)
    if pa.types.is_time(kind):
        return time_cells(column, fineness)
    if pa.types.is_duration(kind):
        return days(column).cast(text)
    if _is_one_of(kind, "integer", "floating"):
        return number_cells(column, digits)
    if is_arrow_text(kind) or _is_one_of(kind, "boolean", "decimal", "date", "null"):
        return column.cast(text)
    raise TableError(
        f"Column {quoted(name)} holds values of type {plain(kind)}: not numbers, dates or text.",
        "Write the table to .parquet, .feather or .arrow, or leave the column out.",
    )


def number_cells(column: Any, digits: int | None) -> Any:
    """Numbers with exactly `digits` decimals where that is the number, else with all of them.

    All of them means: the fewest that read back as the same number; 3 and not 3.0.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.large_string()
    if digits is None:
        return column.cast(text)
    digits = min(digits, MOST_DIGITS)
    if pa.types.is_integer(column.type):
        decimals = "." + "0" * digits if digits else ""
        return joined(column.cast(text), decimals)
    values = column.to_numpy(zero_copy_only=False)  # NaN where missing
    scaled, exact = in_decimals(values, digits)
    fixed = _fixed(np.where(exact, scaled, 0.0), digits)
    exact = pa.array(exact, mask=np.isnan(values))  # missing stays missing
    if pc.all(exact, min_count=0).as_py():
        return pc.if_else(exact, fixed, pa.scalar(None, text))
    return pc.if_else(exact, fixed, column.cast(text))


def in_decimals(values: np.ndarray, digits: int) -> tuple[np.ndarray, np.ndarray]:
    """x in units of 10^-digits, rounded, and where x is the number nearest to that many decimals.

    The quotient of two whole numbers below 2^53 is rounded correctly, as a text with decimals is on
    reading: if it is x again, so is the text.
    """
    unit = 10.0**digits
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.rint(values.astype(np.float64) * unit)
        again = (scaled / unit).astype(values.dtype)
    limit = EXACT if digits else 2.0**63
    return scaled, (again == values) & (np.abs(scaled) < limit)


def _fixed(scaled: np.ndarray, digits: int) -> Any:
    """Whole numbers of 10^-digits as text with so many decimals: -5 is '-0.05' for 2."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.large_string()
    if digits == 0:
        return pa.array(scaled.astype(np.int64)).cast(text)
    whole, rest = np.divmod(np.abs(scaled).astype(np.int64), 10**digits)
    decimals = pc.ascii_lpad(pa.array(rest).cast(text), digits, "0")
    fixed = joined(pa.array(whole).cast(text), decimals, between=".")
    negative = scaled < 0
    if not negative.any():
        return fixed
    return pc.if_else(pa.array(negative), joined("-", fixed), fixed)


def days(column: Any) -> Any:
    """Durations as days: 36 hours are 1.5."""
    import pyarrow as pa
    import pyarrow.compute as pc

    per_day = float(86_400 * TICKS[column.type.unit])
    return pc.divide(column.cast(pa.int64()).cast(pa.float64(), safe=False), per_day)


def as_numbers(where: str, name: str, column: Any, kind: Any) -> Any:
    """Numbers, flags (0 and 1) and durations (days) as this type; missing values are null."""
    import pyarrow as pa

    if pa.types.is_duration(column.type):
        column = days(column)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        raise TableError(
            f"{where} holds {kind}; column {quoted(name)} would lose digits.",
            "Leave it out, or write to .csv or .parquet.",
        ) from None


def check_finite(where: str, name: str, column: Any) -> None:
    """Raise if there is an infinite number, for a kind of file that has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
        raise TableError(
            f"{where}: column {quoted(name)} has an infinite number, which this kind of file "
            "cannot hold.",
            "Write to .csv or .parquet.",
        )


def fineness_of(column: Any) -> int:
    """Which of FINENESS holds all dates or times of a column; 'day' is for dates without a zone."""
    import pyarrow as pa

    kind = column.type
    has_day = pa.types.is_timestamp(kind) and kind.tz is None
    ticks = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64()).drop_null()
    for i in range(DAY if has_day else DAY + 1, FINENESS.index(kind.unit)):
        second = TICKS[kind.unit]
        size = 86_400 * second if i == DAY else second // TICKS[FINENESS[i]]
        if not (ticks.to_numpy() % size).any():
            return i
    return FINENESS.index(kind.unit)


def date_cells(column: Any, fineness: int) -> Any:
    """Dates as 2024-03-01, 2024-03-01T10:00:00 or 2024-03-01T10:00:00+01:00."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text, zone = pa.large_string(), column.type.tz
    if fineness == DAY:
        return column.cast(pa.date32()).cast(text)
    if fineness < FINENESS.index(column.type.unit):
        column = column.cast(pa.timestamp(FINENESS[fineness], zone))
    cells = pc.replace_substring(column.cast(text), " ", "T", max_replacements=1)
    if zone is None:
        return cells
    cells = pc.replace_substring_regex(cells, "Z$", "+0000")
    return pc.replace_substring_regex(cells, r"([+-]\d\d)(\d\d)$", r"\1:\2")


def spelled(column: Any, reading: FlagText | DateText | None, fineness: int) -> Any:
    """Flags and dates written as in the table they come from; None if they cannot be."""
    import pyarrow as pa

    kind = column.type
    if isinstance(reading, FlagText) and pa.types.is_boolean(kind):
        return _spelled_flags(column, reading)
    if not (isinstance(reading, DateText) and pa.types.is_timestamp(kind)):
        return None
    if not (reading.order == "ymd" and reading.separator == "-" and reading.time):
        return None  # pyarrow reads no other dates with times
    return _spelled_dates(column, reading, max(fineness, FINENESS.index("s")))


def _spelled_flags(column: Any, reading: FlagText) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.large_string()
    missing = pa.scalar(None, text)
    words = pc.if_else(column, pa.scalar(reading.true, text), pa.scalar(reading.false, text))
    return pc.if_else(pc.is_valid(column), words, missing)


def _spelled_dates(column: Any, reading: DateText, fineness: int) -> Any:
    """Dates by their zone's clocks; without seconds if there are none and none were written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = column.type.unit
    if reading.zone:  # dates that were drawn have none: they are in UTC, as those that were read
        ahead = microseconds_ahead(reading.zone) * TICKS[unit] // TICKS["us"]
        column = pc.add(column.cast(pa.timestamp(unit)), pa.scalar(ahead, pa.duration(unit)))
    cells = date_cells(column, fineness)
    if reading.time == "hh:mm" and pc.all(pc.ends_with(cells, WHOLE_MINUTE)).as_py():
        cells = pc.replace_substring_regex(cells, f"{WHOLE_MINUTE}$", "")
    cells = pc.replace_substring(cells, "T", reading.joint, max_replacements=1)
    return joined(cells, reading.zone) if reading.zone else cells


def time_cells(column: Any, fineness: int) -> Any:
    """Times of the day as 10:00:00."""
    import pyarrow as pa

    if fineness < FINENESS.index(column.type.unit):
        unit = FINENESS[fineness]
        column = column.cast(pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit))
    return column.cast(pa.large_string())


# ---- lines ---------------------------------------------------------------------------------------


def csv_quoted(column: Any, separator: str, is_names: bool = False) -> Any:
    """Text with quotes where a reader of csv needs them to get the same text back.

    That is around separators, quotes, ends of lines and blanks at either end; around the empty
    text, which without quotes is a missing value; and, other than in names, around what would not
    be the same text after it was read as a number or as missing: '007', '1e5', 'NA'. Some readers
    take what is in quotes for text, whatever it looks like.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    needed = pc.match_substring_regex(column, f'["\r\n{separator}]|{EDGES}')
    if not is_names:
        number = pc.match_substring_regex(column, NUMBER)
        changes = pc.and_not(number, pc.match_substring_regex(column, SAME_NUMBER))
        mark = pc.is_in(column, pa.array(sorted(MISSING_MARKS), pa.large_string()))
        needed = pc.or_(needed, pc.or_(changes, mark))
    if not pc.any(needed).as_py():
        return column
    inside = pc.replace_substring(column, '"', '""')
    return pc.if_else(needed, joined('"', inside, '"'), column)


def json_quoted(column: Any) -> Any:
    """Text as JSON has it; every distinct text is looked at once."""
    import pyarrow as pa

    encoded = column.dictionary_encode()
    words = [json.dumps(word, ensure_ascii=False) for word in encoded.dictionary.to_pylist()]
    return pa.array(words, pa.large_string()).take(encoded.indices)


def lines(columns: Sequence[Any], between: str, before: str = "", after: str = "\n") -> memoryview:
    """The bytes of all rows; each is `before`, its cells with `between` in the midst, `after`."""
    columns = list(columns)
    columns[0] = joined(before, columns[0])
    columns[-1] = joined(columns[-1], after)
    return text_bytes(joined(*columns, between=between))


def joined(*parts: Any, between: str = "") -> Any:
    """Columns of text, or one text for all rows, side by side; missing if one of them is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.large_string()
    parts = tuple(pa.scalar(part, text) if isinstance(part, str) else part for part in parts)
    return pc.binary_join_element_wise(*parts, pa.scalar(between, text))


def text_bytes(column: Any) -> memoryview:
    """All texts of a column, one after the other."""
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset :]
    if content is None:
        return memoryview(b"")
    return memoryview(content)[ends[0] : ends[len(column)]]
