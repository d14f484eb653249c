"""Columns of pandas, polars, pyarrow and NumPy as `Values`.

Numbers are taken as they lie in memory where that is possible. Words are made distinct by the
library that holds them; only objects are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from lowdim.tables.frames.objects import values_of_objects, words_of_objects
from lowdim.tables.frames.values import Values, microseconds, nothing, numbers, other, times, words


def values_of(series: Any) -> Values:
    """A column as numbers or words.

    Parameters
    ----------
    series : a series of narwhals, pandas or polars, an array of pyarrow, or an ndarray (n,)
    """
    native = nw.to_native(series, pass_through=True)
    return _READERS[library_of(native)](native)


def columns_of(chunk: Any) -> list[Values]:
    """All columns of a data frame, or of a dict of arrays, such as `Table.chunks` gives."""
    return [values_of(column) for column in native_columns(chunk)]


def columns_and_numbers(chunk: Any, known: Mapping[int, Values]) -> tuple[list[Values], np.ndarray]:
    """All columns, and as rows of float64 those that are no words; `known` columns are not read."""
    native, is_arrow = native_columns(chunk), nw.dependencies.is_pyarrow_table(chunk)
    X, g = np.empty((len(native), len(native[0]))), 0
    columns = []
    for f, column in enumerate(native):
        x = X[g]
        if f in known:
            values = known[f]
        else:
            values = _of_arrow(column, x) if is_arrow else values_of(column)
        if values.numbers is not None:
            if values.numbers is not x:
                x[:] = values.numbers
            g += 1
        columns.append(values)
    return columns, X[:g]


def native_columns(chunk: Any) -> list[Any]:
    """The columns of a data frame or dict, each in the library that holds it."""
    if isinstance(chunk, dict):
        return list(chunk.values())
    if nw.dependencies.is_pyarrow_table(chunk):
        return chunk.columns
    if nw.dependencies.is_pandas_dataframe(chunk):
        return [column for _, column in chunk.items()]  # ten times faster, of many columns
    frame = nw.from_native(chunk, eager_only=True)
    return [column.to_native() for column in frame.iter_columns()]


def library_of(column: Any) -> str:
    """What holds a column: 'numpy', 'pandas', 'polars' or 'pyarrow'."""
    known = nw.dependencies
    if isinstance(column, np.ndarray):
        return "numpy"
    if known.is_pandas_series(column) or known.is_pandas_index(column):
        return "pandas"
    if known.is_polars_series(column):
        return "polars"
    arrow = known.get_pyarrow()
    if arrow is not None and isinstance(column, arrow.ChunkedArray | arrow.Array):
        return "pyarrow"
    raise TypeError(
        f"A column cannot be read from {type(column).__name__}; give a series of pandas or polars, "
        "an array of pyarrow, or a NumPy array."
    )


# ---- NumPy ---------------------------------------------------------------------------------------


def _of_array(array: np.ndarray) -> Values:
    kind = array.dtype.kind
    if kind in "iuf":
        return numbers(array)
    if kind == "b":
        return numbers(array, "flag")
    if kind in "mM":
        return times(array)
    if kind == "O":
        return values_of_objects(array)
    if kind in "UT":
        return words_of_objects(array.astype(object))
    return other(np.zeros(len(array), dtype=bool))


# ---- pandas --------------------------------------------------------------------------------------


def _of_pandas(series: Any) -> Values:
    import pandas as pd

    array, dtype = series.array, series.dtype
    if isinstance(dtype, np.dtype):
        return _of_array(series.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        return words(array.codes, list(map(str, dtype.categories.tolist())))
    text = isinstance(dtype, pd.StringDtype)
    if isinstance(dtype, pd.ArrowDtype) or (text and dtype.storage == "pyarrow"):
        return _of_arrow(array.__arrow_array__())
    if text or isinstance(dtype, pd.IntervalDtype):
        places, distinct = pd.factorize(array)
        return words(places, list(map(str, distinct)))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return times(array.tz_convert(None).to_numpy())
    if isinstance(dtype, pd.PeriodDtype):
        return times(period_starts(array))
    if isinstance(dtype, pd.SparseDtype):
        return _of_array(np.asarray(array))
    if dtype.kind in "iufb":
        small = dtype.numpy_dtype == np.float32
        dense = array.to_numpy(dtype=np.float32 if small else np.float64, na_value=np.nan)
        return Values("flag" if dtype.kind == "b" else "number", dense)
    return values_of_objects(array.to_numpy(dtype=object))


def period_starts(periods: Any) -> np.ndarray:
    """When each period of a PeriodArray begins, as datetime64."""
    fine = "ns" if str(periods.dtype).endswith("ns]") else "us"
    return periods.asfreq(fine, how="start").asi8.view(f"datetime64[{fine}]")


# ---- polars --------------------------------------------------------------------------------------


def _of_polars(series: Any) -> Values:
    import polars as pl

    dtype = series.dtype
    if dtype.is_numeric() or dtype == pl.Boolean:
        small = dtype == pl.Float32 or str(dtype) == "Float16"
        dense = series.cast(pl.Float32 if small else pl.Float64).to_numpy()
        return Values("flag" if dtype == pl.Boolean else "number", dense)
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return _polars_words(series)
    if dtype.is_temporal():
        unit = {"Date": "D", "Time": "ns"}.get(str(dtype)) or dtype.time_unit
        ticks = series.to_physical().fill_null(0).to_numpy().astype(np.int64, copy=False)
        form = "moment" if isinstance(dtype, pl.Date | pl.Datetime) else "span"
        return Values(form, microseconds(ticks, unit, series.is_null().to_numpy()))
    if dtype == pl.Object:
        objects = np.empty(len(series), dtype=object)
        objects[:] = series.to_list()
        return values_of_objects(objects)
    return nothing(len(series)) if dtype == pl.Null else other(series.is_null().to_numpy())


def _polars_words(series: Any) -> Values:
    import polars as pl

    distinct = series.drop_nulls().unique()
    if distinct.is_empty():
        return words(np.full(len(series), -1), [])
    if series.dtype == pl.String:
        distinct = distinct.sort()  # as UTF-8, which is by characters
    texts = distinct.cast(pl.String).to_list()
    if series.dtype != pl.String:
        series, distinct = series.to_physical(), distinct.to_physical()
    places = pl.Series(np.arange(len(texts), dtype=np.int32))
    own = series.replace_strict(distinct, places, default=None).fill_null(-1).to_numpy()
    if distinct.dtype == pl.String:
        return Values("words", places=own, levels=tuple(texts))
    return words(own, texts)


# ---- pyarrow -------------------------------------------------------------------------------------


def _of_arrow(column: Any, x: np.ndarray | None = None) -> Values:
    """`x` may take the numbers: those of most columns of most files are then copied once."""
    import pyarrow as pa

    if column.type == pa.float64() and isinstance(column, pa.ChunkedArray):
        return Values("number", column.to_numpy() if x is None else _joined(column, x))
    column = plain_arrow(column)
    kind = column.type
    if pa.types.is_decimal(kind):  # by way of text, which is rounded correctly
        column, kind = column.cast(pa.string()).cast(pa.float64()), pa.float64()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        small = pa.types.is_float16(kind) or pa.types.is_float32(kind)
        dense = column.cast(pa.float32() if small else pa.float64(), safe=False).to_numpy()
        return Values("flag" if pa.types.is_boolean(kind) else "number", dense)
    if is_arrow_text(kind) or pa.types.is_dictionary(kind):
        return _arrow_words(column)
    if pa.types.is_null(kind):
        return nothing(len(column))
    missing = column.is_null().to_numpy()
    if not pa.types.is_temporal(kind) or pa.types.is_interval(kind):
        return other(missing)
    integers = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = column.cast(integers).cast(pa.int64()).fill_null(0).to_numpy()
    unit = "D" if pa.types.is_date32(kind) else "ms" if pa.types.is_date64(kind) else kind.unit
    moment = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return Values("moment" if moment else "span", microseconds(ticks, unit, missing))


def _joined(column: Any, x: np.ndarray) -> np.ndarray:
    """x, with the numbers of a chunked array, NaN where they are missing."""
    at = 0
    for part in column.chunks:
        x[at : at + len(part)] = part.to_numpy(zero_copy_only=False)
        at += len(part)
    return x


def plain_arrow(column: Any) -> Any:
    """A chunked array of a plain type: without extension types and runs."""
    import pyarrow as pa

    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    if isinstance(column.type, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=column.type.storage_type)
    if pa.types.is_run_end_encoded(column.type):
        import pyarrow.compute as pc

        chunks = [pc.run_end_decode(chunk) for chunk in column.chunks]
        column = pa.chunked_array(chunks, type=column.type.value_type)
    return column


def is_arrow_text(kind: Any) -> bool:
    """Whether an Arrow type is text."""
    import pyarrow.types as types

    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _arrow_words(column: Any) -> Values:
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = arrow_dictionary(column)
    if not encoded.num_chunks:
        return words(np.full(0, -1), [])
    parts = [chunk.indices.cast(pa.int64()).fill_null(-1).to_numpy() for chunk in encoded.chunks]
    own, distinct = np.concatenate(parts), encoded.chunk(0).dictionary
    given = pa.types.is_dictionary(column.type)
    if given and not (is_arrow_text(distinct.type) and _all_occur(own, distinct)):
        return words(own, arrow_texts(distinct))
    distinct = distinct.cast(pa.large_string())
    order = pc.array_sort_indices(distinct)  # as UTF-8, which is by characters
    place = np.full(len(order) + 1, -1, dtype=np.int32)
    place[order] = np.arange(len(order))
    return Values("words", places=place[own], levels=tuple(distinct.take(order).to_pylist()))


def _all_occur(at: np.ndarray, distinct: Any) -> bool:
    """Whether each value of a dictionary is a text, occurs, and is there once."""
    import pyarrow.compute as pc

    occurs = np.zeros(len(distinct) + 1, dtype=bool)  # the last one is for -1
    occurs[at] = True
    return bool(occurs[:-1].all()) and pc.count_distinct(
        distinct, mode="only_valid"
    ).as_py() == len(distinct)


def arrow_dictionary(column: Any) -> Any:
    """Words as chunks with one dictionary for all."""
    import pyarrow as pa

    is_dictionary = pa.types.is_dictionary(column.type)
    return column.unify_dictionaries() if is_dictionary else column.dictionary_encode()


def arrow_texts(distinct: Any) -> list[str | None]:
    """Values of an Arrow array as text."""
    return [None if value is None else str(value) for value in distinct.to_pylist()]


_READERS = {
    "numpy": _of_array,
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
}
