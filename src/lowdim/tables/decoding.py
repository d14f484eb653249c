"""A matrix as a table again: each column by its codec, in the library and types that came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables.applicable import does_not_apply
from lowdim.tables.codecs import CategoryCodec, FlagCodec, words_of
from lowdim.tables.encoding import Encoding
from lowdim.tables.frames.dtype_names import Dtype
from lowdim.tables.frames.dtypes import build_frame, restored
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo

NATURAL = {  # types of columns that have none of their own, by form
    "number": "float64",
    "words": "str",
    "flag": "bool",
    "moment": "datetime64[us]",
    "span": "timedelta64[us]",
}
WIDTH = 1.96  # standard deviations on each side: 95 of 100 values of a normal distribution


class Origin(NamedTuple):
    """What the table was: its library, the labels and the types of its columns.

    Of text files also how columns of flags, and of dates with times, are written.
    """

    backend: str
    labels: tuple[Any, ...]
    dtypes: tuple[Dtype | None, ...]
    spelling: Mapping[str, Any] = {}


class Ranges(NamedTuple):
    """How sure the values of a decoded table are."""

    low: Any  # a table of the least probable values, columns of numbers, dates and ordered levels
    high: Any
    levels: dict[str, Any]  # for each category and flag a table of probabilities


def decoded_columns(
    encoding: Encoding, Z: np.ndarray, within: str | None, fill_not_applicable: bool = False
) -> dict[str, Values]:
    """The values of each column that can be had from the matrix, in the table's order."""
    found: dict[str, Values] = {}
    spans = dict(zip((c.name for c in encoding.used), encoding.spans, strict=True))
    for column in encoding.columns:
        if column.codec is not None:
            found[column.name] = column.codec.decode(Z[:, spans[column.name]], within)
        elif isinstance(column.value, str):
            found[column.name] = words_of([column.value] * len(Z))
        elif column.value is not None:
            found[column.name] = Values(column.form, np.full(len(Z), column.value))
        elif column.kind == "constant":  # it has no values, and stays that way
            found[column.name] = Values("number", np.full(len(Z), np.nan))
    for column in encoding.columns:
        if column.copy_of is not None and column.copy_of in found:
            found[column.name] = found[column.copy_of]
    if not fill_not_applicable:
        _leave_empty(found, encoding)
    return {c.name: found[c.name] for c in encoding.columns if c.name in found}


def _leave_empty(found: dict[str, Values], encoding: Encoding) -> None:
    for column in encoding.columns:
        rule = column.not_applicable
        if rule is not None and rule.levels and rule.guide in found and column.name in found:
            empty = does_not_apply(rule, found[rule.guide])
            found[column.name] = emptied(found[column.name], empty)


def emptied(values: Values, where: np.ndarray) -> Values:
    """The values, missing at some of the rows."""
    if values.places is not None:
        return replace(values, places=np.where(where, -1, values.places).astype(np.int32))
    assert values.numbers is not None
    return replace(values, numbers=np.where(where, np.nan, values.numbers))


def decoded_frame(
    encoding: Encoding,
    origin: Origin,
    Z: np.ndarray,
    within: str | None,
    fill_not_applicable: bool = False,
    index: Any = None,
) -> Any:
    """The table that the matrix stands for."""
    columns = decoded_columns(encoding, Z, within, fill_not_applicable)
    return framed(encoding, origin, columns, index)


def framed(
    encoding: Encoding, origin: Origin, columns: Mapping[str, Values], index: Any = None
) -> Any:
    """Columns of values as a table of the library that the encoder was fitted with."""
    place = {column.name: f for f, column in enumerate(encoding.columns)}
    native = {
        origin.labels[place[name]]: restored_column(
            values, encoding.columns[place[name]], origin.dtypes[place[name]], origin.backend
        )
        for name, values in columns.items()
    }
    return build_frame(origin.backend, native, index)


def restored_column(values: Values, info: ColumnInfo, dtype: Dtype | None, backend: str) -> Any:
    """A native column; of files, whose types are those of text, the type that suits the kind."""
    if dtype is not None and dtype.form == "words" and info.form == "":  # a column without values
        values = words_of([None] * len(values))
    if dtype is None or (values.places is None) != (dtype.form != "words"):
        dtype = natural_dtype(values, info)
    if values.form == "number":  # levels that are dates or durations are known by their numbers
        values = replace(values, form=dtype.form)
    return restored(values, dtype, backend)


def natural_dtype(values: Values, info: ColumnInfo) -> Dtype:
    """The type of a column that has none of its own."""
    kind = getattr(info.codec, "kind", "")
    whole = kind in ("whole number", "flag")
    native = "int64" if values.form == "number" and whole else NATURAL[values.form]
    return Dtype(values.form, native, "")


def decoded_ranges(encoding: Encoding, origin: Origin, Z: np.ndarray, S: np.ndarray) -> Ranges:
    """Probable ranges of numbers, probabilities of levels."""
    low: dict[str, Values] = {}
    high: dict[str, Values] = {}
    levels: dict[str, Any] = {}
    for column, span in zip(encoding.used, encoding.spans, strict=True):
        codec = column.codec
        if isinstance(codec, CategoryCodec | FlagCodec):
            share = codec.probabilities(Z[:, span])
            named = zip(codec.levels, share.T, strict=True)
            levels[column.name] = build_frame(origin.backend, {n: p.copy() for n, p in named})
            continue
        assert codec is not None
        ends = codec.ranges(Z[:, span], S[:, span.start], WIDTH)
        low[column.name], high[column.name] = (
            end if isinstance(end, Values) else Values(getattr(codec, "form", "number"), end)
            for end in ends
        )
    return Ranges(_plain_frame(low, origin), _plain_frame(high, origin), levels)


def _plain_frame(columns: Mapping[str, Values], origin: Origin) -> Any:
    """Columns in their natural types: the ends of a range need not be of the column's own."""
    native = {
        name: restored(values, Dtype(values.form, NATURAL[values.form], ""), origin.backend)
        for name, values in columns.items()
    }
    return build_frame(origin.backend, native)
