"""What a column was in its library, and columns and tables of that kind made again.

    dtype_of(column)                        'Int64' of pandas, 'timestamp[us, tz=UTC]' of pyarrow
    restored(values, dtype, backend)        a column of that type, or of the nearest that fits
    build_frame(backend, columns)           a table of such columns

A `Dtype` is plain data: it goes into a model's file, and is understood where its library is not
installed, since every type has its nearest one in every other library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.tables.frames.dtype_names import Dtype, held, holding, translated
from lowdim.tables.frames.objects import detail_of, form_of_objects, words_as
from lowdim.tables.frames.restoring import COLUMN
from lowdim.tables.frames.series import (
    arrow_dictionary,
    library_of,
    native_columns,
    plain_arrow,
    values_of,
)
from lowdim.tables.frames.values import Values
from lowdim.tables.table import Table

LIBRARY = {"dict": "numpy", "array": "numpy"}  # of the other backends, their own name


# ---- what a column is ----------------------------------------------------------------------------


def dtypes_of(chunk: Any) -> list[Dtype]:
    """The types of all columns of a data frame or matrix."""
    if isinstance(chunk, np.ndarray) or sp.issparse(chunk):
        return [Dtype("number", str(chunk.dtype), "array")] * chunk.shape[1]
    return [dtype_of(column) for column in native_columns(chunk)]


def dtype_of(series: Any) -> Dtype:
    """The type of a column of narwhals, pandas, polars, pyarrow or NumPy."""
    column = nw.to_native(series, pass_through=True)
    return _DTYPE_OF[library_of(column)](column)


def _of_array(array: np.ndarray, backend: str = "dict") -> Dtype:
    if array.dtype == object:
        return Dtype(form_of_objects(array), "object", backend, detail=detail_of(array))
    return Dtype(values_of(array[:0]).form, str(array.dtype), backend)


def _of_pandas(series: Any) -> Dtype:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype):
        return _of_array(series.to_numpy(), "pandas")
    if isinstance(kind, pd.ArrowDtype):
        arrow = _of_arrow(series.array.__arrow_array__())
        return arrow._replace(native=f"{arrow.native}[pyarrow]", backend="pandas")
    if isinstance(kind, pd.CategoricalDtype):
        inner, known = dtype_of(kind.categories), _category_array(kind.categories)
        return Dtype("words", "category", "pandas", known, bool(kind.ordered), holding(inner))
    if isinstance(kind, pd.IntervalDtype):
        distinct = pd.Index(series.dropna().unique())
        return Dtype("words", str(kind), "pandas", _category_array(distinct))
    detail = kind.storage if isinstance(kind, pd.StringDtype) else ""
    return Dtype(values_of(series[:0]).form, str(kind), "pandas", detail=detail)


def _of_polars(series: Any) -> Dtype:
    import polars as pl

    kind = series.dtype
    dtype = Dtype(values_of(series.head(0)).form, str(kind), "polars")
    if kind == pl.Object:
        objects = np.array([*series.to_list(), None], dtype=object)[:-1]
        return dtype._replace(form=form_of_objects(objects), detail=detail_of(objects))
    if isinstance(kind, pl.Enum):
        known = np.array(kind.categories.to_list(), dtype=object)
        return dtype._replace(native="Enum", categories=known)
    if isinstance(kind, pl.Categorical):
        return dtype._replace(native="Categorical", detail=_categories_name(kind))
    only_nan = kind.is_float() and not series.null_count() and series.is_nan().any()
    return dtype._replace(detail="nan") if only_nan else dtype


def _categories_name(kind: Any) -> str:
    """Of categories that are not polars' own: their name, namespace and integers."""
    known = getattr(kind, "categories", None)
    if known is None or known.is_global():
        return ""
    return f"{known.name()}|{known.namespace()}|{known.physical()}"


def _of_arrow(column: Any) -> Dtype:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = plain_arrow(column)
    kind = column.type
    dtype = Dtype(values_of(column[:0]).form, str(kind), "pyarrow")
    if pa.types.is_dictionary(kind):
        encoded = arrow_dictionary(column)
        known = encoded.chunk(0).dictionary if encoded.num_chunks else pa.nulls(0, kind.value_type)
        known = known.drop_null()
        inner = holding(dtype_of(known))
        return dtype._replace(categories=_category_array(known), ordered=kind.ordered, detail=inner)
    if pa.types.is_floating(kind) and not column.null_count:
        if pc.any(pc.is_nan(column.cast(pa.float64()))).as_py():
            return dtype._replace(detail="nan")
    return dtype


def _category_array(known: Any) -> np.ndarray:
    """Categories as an array that can be saved."""
    if hasattr(known, "closed") and hasattr(known, "left"):  # intervals of pandas
        return np.column_stack([_category_array(known.left), _category_array(known.right)])
    values = values_of(known)
    if values.places is not None:
        return np.array([*values.levels, ""], dtype=object)[values.places]
    assert values.numbers is not None
    if values.form in ("moment", "span"):
        letter = "M" if values.form == "moment" else "m"
        return np.rint(values.numbers).astype(np.int64).view(f"{letter}8[us]")
    if values.form == "flag":
        return values.numbers.astype(bool)
    exact = np.asarray(known)  # whole numbers of 64 bits
    return exact if exact.dtype.kind in "iuf" else values.numbers


_DTYPE_OF: dict[str, Any] = {
    "numpy": _of_array,
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_arrow,
}


# ---- columns -------------------------------------------------------------------------------------


def restored(values: Values, dtype: Dtype, backend: str) -> Any:
    """A column of a library with these values, in this type or the nearest that holds them.

    Parameters
    ----------
    values : Values
        Words are mapped back to what they were: '3' to 3 in categories that are numbers.
    dtype : Dtype
        Of any library; where it is another one than `backend`, its nearest type there is taken.
    backend : {'pandas', 'polars', 'pyarrow', 'dict', 'array'}

    Returns
    -------
    column : Series of pandas or polars, Array of pyarrow, ndarray
    """
    library = LIBRARY.get(backend, backend)
    own = LIBRARY.get(dtype.backend, dtype.backend) == library
    if not own and library in ("polars", "numpy") and held(dtype).form != "words":
        dtype = held(dtype)  # these have categories of text only
    if values.form != dtype.form and {values.form, dtype.form} != {"number", "flag"}:
        meant = words_as(values, dtype.form) if values.places is not None else None
        if meant is not None:
            values = meant
        else:
            dtype, own = Dtype(values.form, "", ""), False
    return COLUMN[library](values, dtype if own else translated(dtype, library))


# ---- tables --------------------------------------------------------------------------------------


def default_backend() -> str:
    """The library that tables from files become tables of: the first one that is installed."""
    installed = (name for name in ("pandas", "polars", "pyarrow") if find_spec(name))
    return next(installed, "dict")


def backend_of(table: Table) -> str:
    """The library that tables made from this one are tables of."""
    return default_backend() if table.backend == "file" else table.backend


def build_frame(
    backend: str, columns: Mapping[Any, Any], index: tuple[Any, Any] | None = None
) -> Any:
    """A table of a library.

    Parameters
    ----------
    backend : {'pandas', 'polars', 'pyarrow', 'dict', 'array'}
        'dict' gives a dict of arrays, 'array' one matrix, of floats if it can be.
    columns : dict of label -> column of that library, or ndarray
    index : (name, values) or None
        The names of rows: the index of a pandas table, the first column of others, nothing of
        'array'.
    """
    if backend == "pandas":
        return _pandas_frame(columns, index)
    if index is not None and backend != "array":
        columns = _index_column(index, columns, backend) | dict(columns)
    if backend == "polars":
        import polars as pl

        return pl.DataFrame([_polars_series(str(label), c) for label, c in columns.items()])
    if backend == "pyarrow":
        import pyarrow as pa

        return pa.table(list(columns.values()), names=list(map(str, columns)))
    arrays = {label: np.asarray(column) for label, column in columns.items()}
    return arrays if backend == "dict" else _matrix(list(arrays.values()))


def _pandas_frame(columns: Mapping[Any, Any], index: tuple[Any, Any] | None) -> Any:
    import pandas as pd

    rows = None
    if index is not None:
        name, values = index
        rows = values if isinstance(values, pd.MultiIndex) else pd.Index(values, name=name)
    plain = {}
    for label, column in columns.items():
        array = getattr(column, "array", column)
        if column.dtype == object:  # of plain arrays of text pandas makes another type
            array = pd.Series(array, index=rows, dtype=object)
        plain[label] = array
    return pd.DataFrame(plain, index=rows)


def _index_column(index: tuple[Any, Any], columns: Mapping, backend: str) -> dict[str, Any]:
    name, values = index
    if getattr(values, "nlevels", 1) > 1:
        values = np.array([" / ".join(map(str, row)) for row in values], dtype=object)
    label = "index" if name is None else str(name)
    label = label if label not in columns else f"{label}_2"
    return {label: restored(values_of(values), dtype_of(values), backend)}


def _polars_series(name: str, column: Any) -> Any:
    import polars as pl

    if isinstance(column, np.ndarray) and column.dtype == object:
        column = column.tolist()
    return pl.Series(name, column)


def _matrix(arrays: list[np.ndarray]) -> np.ndarray:
    kinds = {array.dtype for array in arrays}
    if all(kind.kind in "biuf" for kind in kinds):
        small = kinds == {np.dtype(np.float32)}
        return np.column_stack(arrays).astype(np.float32 if small else np.float64, copy=False)
    return np.column_stack([array.astype(object) for array in arrays])


def with_columns(chunk: Any, columns: Mapping[str, Any]) -> Any:
    """A data frame with other columns, of its library, in place of those with these names."""
    backend = nw.get_native_namespace(chunk).__name__
    if backend == "polars":
        return chunk.with_columns(column.alias(name) for name, column in columns.items())
    if backend == "pyarrow":
        for name, column in columns.items():
            chunk = chunk.set_column(chunk.column_names.index(name), name, column)
        return chunk
    chunk = chunk.copy(deep=False)
    for name, column in columns.items():
        chunk[name] = column.array  # row by row, whatever the index
    return chunk


def joined_frames(frames: Sequence[Any], table: Table, backend: str) -> Any:
    """Chunks of a table as one table of a library, with the labels and row names that it had."""
    whole = stacked_chunks(frames)
    if isinstance(whole, np.ndarray) or sp.issparse(whole):
        return whole
    labels = getattr(table, "labels", None) or table.names
    carried = [_carried(column, LIBRARY.get(backend, backend)) for column in native_columns(whole)]
    index = getattr(table, "index", None)
    return build_frame(backend, dict(zip(labels, carried, strict=True)), index)


def stacked_chunks(chunks: Sequence[Any]) -> Any:
    """Chunks of a table below each other, in the library that holds them."""
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    if sp.issparse(chunks[0]):
        return sp.vstack(chunks, format="csr")
    return _JOINED[nw.get_native_namespace(chunks[0]).__name__](chunks)


def _joined_pandas(frames: Sequence[Any]) -> Any:
    import pandas as pd

    frames = [frame.copy(deep=False) for frame in frames]
    for name, kind in frames[0].dtypes.items():
        columns = [frame[name] for frame in frames]
        if isinstance(kind, pd.CategoricalDtype) and any(c.dtype != kind for c in columns):
            whole = pd.api.types.union_categoricals(columns, ignore_order=True)
            for frame in frames:
                frame[name] = frame[name].astype(whole.dtype)
    return pd.concat(frames, ignore_index=True)


def _joined_polars(frames: Sequence[Any]) -> Any:
    import polars as pl

    return pl.concat(frames, how="vertical_relaxed")


def _joined_arrow(frames: Sequence[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(frames, promote_options="permissive")


_JOINED = {"pandas": _joined_pandas, "polars": _joined_polars, "pyarrow": _joined_arrow}


def _carried(column: Any, library: str) -> Any:
    """A column in another library, without loss."""
    own = library_of(column)
    if own == library:
        return column
    series = nw.from_native(column, series_only=True)
    if library == "numpy":
        return series.to_numpy()
    if library == "polars":
        return series.to_polars()
    if library == "pyarrow":
        return series.to_arrow()
    whole = series.dtype.is_integer() or series.dtype == nw.Boolean
    if (
        own == "pyarrow" and whole and column.null_count
    ):  # else they would become floats, or objects
        import pandas as pd

        name = str(column.type).replace("u", "U").replace("int", "Int")
        kind = pd.api.types.pandas_dtype("boolean" if name == "bool" else name)
        return column.to_pandas(types_mapper=lambda _: kind)
    return series.to_pandas()
