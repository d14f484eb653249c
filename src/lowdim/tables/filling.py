"""The missing values of a table, filled by a model chunk by chunk, in the table's own kinds.

A filled value is what its column can hold: whole numbers whole, levels as levels, and by default
within what was seen. Cells that do not apply stay empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.opening import as_blocks
from lowdim.tables.applicable import does_not_apply
from lowdim.tables.codecs import DAY, CategoryCodec, DateCodec, FlagCodec, NumberCodec, are_marks
from lowdim.tables.decoding import Origin, restored_column
from lowdim.tables.encoding import Encoding, aligned, encoded_chunk, without_marks
from lowdim.tables.formats.base import steady_chunks
from lowdim.tables.frames.dtypes import dtype_of, with_columns
from lowdim.tables.frames.series import columns_of, native_columns
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo
from lowdim.tables.numbers import MOST_DIGITS
from lowdim.tables.table import Table


class Filler(NamedTuple):
    """What fills a table."""

    estimator: Any
    encoding: Encoding
    origin: Origin
    within: str | None = "observed"
    fill_not_applicable: bool = False
    with_std: bool = False
    with_levels: bool = False
    rounded: bool = False  # filled numbers have as many decimals as their column


class FilledCells(NamedTuple):
    """The filled cells of a column, in the numbers of the model."""

    rows: np.ndarray  # (m,)  of the chunk
    Z: np.ndarray  # (m, width of the column)
    S: np.ndarray  # (m, width)  standard deviations; 0 unless with_std


class FilledChunk(NamedTuple):
    """A chunk without its missing values."""

    table: Any  # as the chunk was
    std: dict[str, np.ndarray]  # by column: how uncertain, 0 where a value was there
    levels: dict[str, np.ndarray]  # by column of levels: probabilities (n, m)
    filled: dict[str, int]  # by column: how many cells
    left_empty: dict[str, int]  # by column: cells that do not apply
    cells: dict[str, FilledCells]  # by column that had missing values: what the model gave


def filled_chunks(filler: Filler, table: Table) -> Iterator[FilledChunk]:
    """All columns of the table, the used ones filled, chunk by chunk."""
    aligned(filler.encoding, table)  # raises or warns
    for chunk in steady_chunks(table):
        yield filled_chunk(filler, chunk.toarray() if sp.issparse(chunk) else chunk, table.names)


def filled_chunk(filler: Filler, chunk: Any, names: list[str]) -> FilledChunk:
    """A chunk with all columns of a table, filled."""
    encoding = filler.encoding
    found = _places(chunk, encoding, names)
    values = _values(chunk, encoding)
    rows = _encoded(chunk, encoding, found, names)
    Z, S = _imputed(filler, rows)
    new, std, levels, filled, empty, cells = {}, {}, {}, {}, {}, {}
    for column, span in zip(encoding.used, encoding.spans, strict=True):
        f = found[column.name]
        if f is None:
            continue
        lacking, keep = _empty_cells(column, values, found, filler)
        if filler.with_levels and isinstance(column.codec, CategoryCodec | FlagCodec):
            levels[column.name] = column.codec.probabilities(Z[:, span])
        if filler.with_std:
            std[column.name] = np.where(lacking, _std(column.codec, Z[:, span], S[:, span]), 0.0)
            std[column.name][keep] = np.nan
        filled[column.name], empty[column.name] = int(lacking.sum()), int(keep.sum())
        if lacking.any():
            assert column.codec is not None
            guess = column.codec.decode(Z[:, span], filler.within)
            guess = rounded(guess, column.codec) if filler.rounded else guess
            new[column.name] = put(values[f], guess, lacking, column)
            cells[column.name] = FilledCells(
                np.flatnonzero(lacking), Z[lacking, span], S[lacking, span]
            )
    table = _with_values(chunk, new, filler, found, names)
    return FilledChunk(table, std, levels, filled, empty, cells)


def decimals(encoding: Encoding) -> dict[str, int]:
    """How many decimals the columns of numbers have, where these are few."""
    return {
        column.name: column.codec.digits
        for column in encoding.used
        if isinstance(column.codec, NumberCodec) and column.codec.digits <= MOST_DIGITS
    }


def count_empty(filler: Filler, table: Table) -> tuple[Counter[str], Counter[str]]:
    """By used column of the table, how many cells are to be filled, and how many do not apply."""
    to_fill: Counter[str] = Counter()
    do_not_apply: Counter[str] = Counter()
    for cells in _empty_chunks(filler, table):
        for name, (lacking, keep) in cells.items():
            to_fill[name] += int(lacking.sum())
            do_not_apply[name] += int(keep.sum())
    return to_fill, do_not_apply


def empty_patterns(encoding: Encoding, origin: Origin, table: Table) -> np.ndarray:
    """Where the used columns of a table are empty, (n, used columns); not where they do not apply.

    A byte for each cell of the table.
    """
    filler = Filler(None, encoding, origin)
    parts = [
        np.column_stack([cells[column.name][0] for column in encoding.used])
        for cells in _empty_chunks(filler, table)
    ]
    return np.concatenate(parts)


def _empty_chunks(
    filler: Filler, table: Table
) -> Iterator[dict[str, tuple[np.ndarray, np.ndarray]]]:
    """For each chunk, by used column of the table, the cells to be filled and those to be kept."""
    for chunk in steady_chunks(table):
        found = _places(chunk, filler.encoding, table.names)
        values = _values(chunk, filler.encoding)
        yield {
            column.name: _empty_cells(column, values, found, filler)
            for column in filler.encoding.used
            if found[column.name] is not None
        }


def _places(chunk: Any, encoding: Encoding, names: list[str]) -> dict[str, int | None]:
    """Where the columns of an encoding are in a chunk with all columns of a table."""
    place = {name: f for f, name in enumerate(names)}
    by_name = encoding.named and not isinstance(chunk, np.ndarray)
    return {
        column.name: place.get(column.name) if by_name else f
        for f, column in enumerate(encoding.columns)
    }


def _empty_cells(
    column: ColumnInfo, values: list[Values], found: Mapping[str, int | None], filler: Filler
) -> tuple[np.ndarray, np.ndarray]:
    """Where cells of a column are to be filled, and where they do not apply, (n,) bool."""
    f = found[column.name]
    assert f is not None
    missing = _missing(values[f], column)
    keep = _not_applicable(column, values, found, filler) & missing
    return missing & ~keep, keep


def rounded(values: Values, codec: Any) -> Values:
    """Numbers with as many decimals as their column has."""
    if not isinstance(codec, NumberCodec) or values.numbers is None or codec.digits > MOST_DIGITS:
        return values
    return replace(values, numbers=np.round(values.numbers, codec.digits))


def _values(chunk: Any, encoding: Encoding) -> list[Values]:
    if isinstance(chunk, np.ndarray):
        return [Values("number", chunk[:, f]) for f in range(chunk.shape[1])]
    return [without_marks(column, encoding.marks) for column in columns_of(chunk)]


def _encoded(
    chunk: Any, encoding: Encoding, found: Mapping[str, int | None], names: list[str]
) -> Blocks:
    if isinstance(chunk, np.ndarray):
        rows = as_blocks(encoded_chunk(chunk[:, encoding.places], encoding, [])[0])
    else:
        wanted: list[str | None] = []
        for column in encoding.used:
            f = found[column.name]
            wanted.append(None if f is None else names[f])
        there = [name for name in wanted if name is not None]
        part = nw.from_native(chunk, eager_only=True).select(there).to_native()
        rows = as_blocks(encoded_chunk(part, encoding, wanted)[0])
    rows.feature_names = encoding.feature_names() if encoding.named else None
    return rows


def _imputed(filler: Filler, rows: Blocks) -> tuple[np.ndarray, np.ndarray]:
    if filler.with_std:
        Z, S = filler.estimator.impute(rows, return_std=True)
        return np.asarray(Z), np.asarray(S)
    Z = np.asarray(filler.estimator.impute(rows))
    return Z, np.zeros_like(Z)


def _missing(values: Values, column: ColumnInfo) -> np.ndarray:
    """Where a cell has no value that the codec could use."""
    if values.places is None:
        x = values.numbers
        assert x is not None
        return ~np.isfinite(x)
    reading = getattr(column.codec, "reading", None)
    if reading is not None:
        return np.append(np.isnan(reading.parse(values.levels)), True)[values.places]
    levels = getattr(column.codec, "levels", ())
    absent = are_marks(values.levels, levels) & ~np.isin(values.levels, levels)
    return np.append(absent, True)[values.places]


def _not_applicable(
    column: ColumnInfo, values: list[Values], found: Mapping[str, int | None], filler: Filler
) -> np.ndarray:
    rule = column.not_applicable
    guide = None if rule is None else found.get(rule.guide)
    if rule is None or guide is None or filler.fill_not_applicable:
        return np.zeros(len(values[0]), dtype=bool)
    return does_not_apply(rule, values[guide])


def _std(codec: Any, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
    """How uncertain a filled value is: in the column's units, of a date in days, of an ordered
    level in places; of a category or flag the probability that it is another one."""
    if isinstance(codec, CategoryCodec | FlagCodec):
        return 1.0 - codec.probabilities(Z).max(axis=1)
    if isinstance(codec, NumberCodec):
        if codec.zero is None and codec.scores is None:
            return S[:, 0] * codec.scale * codec.unit
        low, high = codec.ranges(Z, S[:, 0], 1.0)  # half of the range that one deviation makes
        return (high - low) / 2
    if isinstance(codec, DateCodec) and codec.scores is not None:
        first, last = codec.ranges(Z, S[:, 0], 1.0)
        assert first.numbers is not None and last.numbers is not None
        return (last.numbers - first.numbers) / (2 * DAY)
    return S[:, 0] * codec.scale


def put(values: Values, guess: Values, where: np.ndarray, column: ColumnInfo) -> Values:
    """The values with guesses at some of the rows; both are text, or both are numbers."""
    if values.numbers is not None and guess.numbers is not None:
        return replace(values, numbers=np.where(where, guess.numbers, values.numbers))
    own, other = _as_words(values), _as_words(guess)
    levels = sorted({*own.levels, *other.levels})
    place = {level: j for j, level in enumerate(levels)}
    left, right = (
        np.array([*(place[level] for level in part.levels), -1], dtype=np.int32)[part.places]
        for part in (own, other)
    )
    return Values("words", places=np.where(where, right, left), levels=tuple(levels))


def _as_words(values: Values) -> Values:
    if values.places is not None:
        return values
    assert values.numbers is not None
    known, places = np.unique(values.numbers, return_inverse=True)
    texts = tuple("" if np.isnan(x) else f"{x:g}" for x in known)
    return Values("words", places=places.astype(np.int32), levels=texts)


def _with_values(
    chunk: Any,
    new: Mapping[str, Values],
    filler: Filler,
    found: Mapping[str, int | None],
    names: list[str],
) -> Any:
    """The chunk with new columns in their places."""
    if isinstance(chunk, np.ndarray):
        X = chunk.astype(np.float64 if chunk.dtype != np.float32 else np.float32)
        for name, values in new.items():
            assert values.numbers is not None
            X[:, found[name]] = values.numbers
        return X
    if not new:
        return chunk
    places = {column.name: f for f, column in enumerate(filler.encoding.columns)}
    backend = str(nw.get_native_namespace(nw.from_native(chunk)).__name__)
    native = {}
    for name, values in new.items():
        f, dtype = found[name], filler.origin.dtypes[places[name]]
        assert f is not None
        info = filler.encoding.columns[places[name]]
        if dtype is None:  # of a text file, whose columns have the types of its reader
            dtype = dtype_of(native_columns(chunk)[f])
        native[names[f]] = restored_column(values, info, dtype, backend)
    return with_columns(chunk, native)
