"""The columns of a mixed table: the family that describes each, and numbers for its labels.

Text, booleans, and categories that are not numbers become the place of their label among the
sorted labels of the column, by an `OrderedCodec` that neither centers nor scales; numbers stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.stream import CallableSource, StreamBlocks
from lowdim.core.validation import check_at_least
from lowdim.mixture.families import FAMILIES
from lowdim.tables.codecs import OrderedCodec, at_places
from lowdim.tables.errors import TableError, quoted
from lowdim.tables.frames.dtype_names import Dtype, held, plain_type
from lowdim.tables.frames.dtypes import (
    backend_of,
    dtype_of,
    joined_frames,
    restored,
    with_columns,
)
from lowdim.tables.frames.objects import words_as
from lowdim.tables.frames.series import values_of
from lowdim.tables.frames.values import Values
from lowdim.tables.survey import FORMS
from lowdim.tables.table import Table

HELD = FORMS | {"other": "values that are neither numbers nor words"}

# ---- families ------------------------------------------------------------------------------------


def families_of(
    columns: dict | None, d: int, names: Any, labels: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """By family the numbers of its columns: as `columns` says, the others by their type."""
    family_of = ["categorical" if str(f) in labels else "gaussian" for f in range(d)]
    said: dict[int, str] = {}
    for family, listed in (columns or {}).items():
        if family not in FAMILIES:
            raise ValueError(
                f"columns has the family {family!r}; choose from {', '.join(map(repr, FAMILIES))}."
            )
        for column in [listed] if isinstance(listed, str | int) else listed:
            f = _column_number(column, d, names)
            if f in said:
                raise ValueError(
                    f"columns has column {column!r} twice, as {said[f]!r} and as {family!r}."
                )
            if str(f) in labels and family != "categorical":
                raise ValueError(
                    f"columns says that column {column!r} is {family!r}, but it holds text or "
                    "booleans. Convert it to numbers first, or let it be 'categorical'."
                )
            said[f] = family_of[f] = family
    return {
        name: np.flatnonzero([of == name for of in family_of])
        for name in FAMILIES
        if name in family_of
    }


def _column_number(column: Any, d: int, names: Any) -> int:
    if isinstance(column, str):
        known = [] if names is None else list(names)
        if column not in known:
            listed = ", ".join(known[:5]) if known else "X has no names; give numbers"
            raise ValueError(f"columns has {column!r}, which is no column of X ({listed}).")
        return known.index(column)
    f = check_at_least("a number in columns", column, 0)
    if f >= d:
        raise ValueError(f"columns has the number {f}, but X has {d} columns, from 0 to {d - 1}.")
    return f


# ---- tables --------------------------------------------------------------------------------------


def header(table: Table) -> Any:
    """The first row, under the labels that the columns have."""
    first = next(iter(table.chunks(size=1)))
    if nw.dependencies.is_pandas_dataframe(first):
        first.columns = getattr(table, "labels", table.names)
    return first


def _chunks(table: Table) -> Iterator[Any]:
    """The table as a whole if it is in memory: a column of objects is what all of them are."""
    return table.chunks(size=None if table.streamed else table.n_rows)


def _columns(chunk: Any) -> Iterator[tuple[int, Any, Values]]:
    """Number, series and values of each column; of categories that are numbers, the numbers."""
    frame = nw.from_native(chunk, eager_only=True)
    for f, series in enumerate(frame.iter_columns()):
        values = values_of(series)
        if series.dtype in (nw.Categorical, nw.Enum):
            inner = held(dtype_of(series)).form
            values = (words_as(values, inner) if inner in ("number", "flag") else None) or values
        yield f, series, values


def labels_of(table: Table) -> dict[str, np.ndarray]:
    """The sorted labels of each column that does not hold numbers, by the column's number."""
    seen: dict[str, set] = {}
    for chunk in _chunks(table):
        if isinstance(chunk, np.ndarray) or sp.issparse(chunk):
            return {}
        for f, _, values in _columns(chunk):
            if values.form == "words":
                seen.setdefault(str(f), set()).update(values.levels)
            elif values.form == "flag":
                seen.setdefault(str(f), set()).update(_flags(values))
    return {f: _label_array(known) for f, known in seen.items()}


def _flags(values: Values) -> set[bool]:
    assert values.numbers is not None
    return {x == 1.0 for x in np.unique(values.numbers).tolist() if x == x}


def _label_array(known: set) -> np.ndarray:
    """Booleans as such, all else as text."""
    if known and all(isinstance(label, bool) for label in known):
        return np.array(sorted(known), dtype=bool)
    return np.array(sorted(map(str, known)), dtype=object)


def codec_of(labels: np.ndarray) -> OrderedCodec:
    """What makes numbers of labels."""
    return OrderedCodec(tuple(map(str, labels.tolist())))


def rows_of(table: Table, labels: Mapping[str, np.ndarray]) -> Blocks:
    """The table as rows of numbers, NaN where a label is missing or unknown."""
    codecs = {int(f): codec_of(known) for f, known in labels.items()}

    def blocks() -> Iterator[Any]:
        for chunk in _chunks(table):
            yield _numbers(chunk, codecs)

    if table.streamed:
        return StreamBlocks([CallableSource(blocks, None)], None)
    return ArrayBlocks(next(blocks()))


def _numbers(chunk: Any, codecs: Mapping[int, OrderedCodec]) -> Any:
    if isinstance(chunk, np.ndarray) or sp.issparse(chunk):
        return chunk
    columns = [
        _column_numbers(series, values, codecs.get(f)) for f, series, values in _columns(chunk)
    ]
    return np.column_stack(columns)  # float32 if all of them are


def _column_numbers(series: Any, values: Values, codec: OrderedCodec | None) -> np.ndarray:
    name = quoted(series.name)
    if codec is not None:
        if series.dtype.is_numeric() and not values.missing.all():
            raise TableError(
                f"Column {name} holds numbers, but in fit it held text or booleans (such as "
                f"{quoted(codec.levels[0])}).",
                "Give it as it was in fit.",
            )
        return codec.encode(series.name, values)[:, 0]
    if values.form not in ("number", "flag"):
        raise TableError(
            f"X has columns that are not numbers: {name} holds {HELD[values.form]}.",
            "Drop it, or convert it to numbers first.",
        )
    assert values.numbers is not None
    return values.numbers


# ---- filled tables -------------------------------------------------------------------------------


def filled_table(table: Table, filled: np.ndarray, labels: Mapping[str, np.ndarray]) -> Any:
    """The table with filled numbers, or the labels they stand for, where it has no known value."""
    codecs = {int(f): codec_of(known) for f, known in labels.items()}
    parts, start = [], 0
    for chunk in _chunks(table):
        part = filled[start : start + chunk.shape[0]]
        parts.append(part if isinstance(chunk, np.ndarray) else _filled_chunk(chunk, part, codecs))
        start += chunk.shape[0]
    return joined_frames(parts, table, backend_of(table))


def _filled_chunk(chunk: Any, filled: np.ndarray, codecs: Mapping[int, OrderedCodec]) -> Any:
    new = {}
    for f, series, values in _columns(chunk):
        codec = codecs.get(f)
        missing = np.isnan(_column_numbers(series, values, codec))
        if missing.any():
            dtype = dtype_of(series)
            if codec is None:
                values = _with_numbers(values, filled[:, f], missing, dtype)
            else:
                values = codec.decode(filled[:, [f]])
            new[series.name] = restored(values, dtype, nw.get_native_namespace(series).__name__)
    return with_columns(chunk, new)


def _with_numbers(values: Values, filled: np.ndarray, missing: np.ndarray, dtype: Dtype) -> Values:
    """Numbers in the place of missing ones, the nearest that the column's type can hold."""
    assert values.numbers is not None
    if dtype.form == "words":  # categories that are numbers
        order = np.argsort(dtype.categories)
        known = dtype.categories[order].astype(np.float64)
        numbers = np.where(missing, filled, values.numbers)
        place = order[np.searchsorted((known[1:] + known[:-1]) / 2, numbers)]
        return at_places(place, list(map(str, dtype.categories.tolist())), None)
    plain = plain_type(dtype)
    if "int" in plain.kind or plain.kind == "decimal":
        filled = np.round(filled, plain.digits)
    return replace(values, numbers=np.where(missing, filled, values.numbers))
