"""Tables in memory: any data frame, dict of arrays, matrix or Dask collection as a `Table`.

    pandas, polars, pyarrow, dict of arrays     FrameTable
    NumPy, SciPy sparse, lists, Blocks          MatrixTable; a FrameTable where they are no numbers
    Dask DataFrame and array                    DaskTable

Nothing is copied on opening but what has to be converted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from lowdim.core.blocks import Blocks, as_floats, is_dask
from lowdim.core.numeric import refuse_complex
from lowdim.core.sparse import check_declared, checked_sparse
from lowdim.tables.errors import TableError, listed, no_such_column, quoted
from lowdim.tables.frames.dtypes import build_frame, default_backend, dtype_of, restored
from lowdim.tables.frames.objects import first_container, form_of_objects, values_of_objects
from lowdim.tables.frames.series import values_of
from lowdim.tables.table import Table, rows_at_a_time


def open_frame(X: Any, where: str = "The table") -> Table:
    """A table in memory, or on Dask, as a Table.

    Parameters
    ----------
    X : data frame of pandas, polars or pyarrow, dict of arrays (one for each column), Dask
        DataFrame or array, array of numbers or of objects (n, d), list of rows, masked array,
        SciPy sparse matrix or array, Blocks
    where : str
        What to call it in messages.

    Raises
    ------
    TableError
        If a frame is lazy, has no rows or no columns, or if columns differ in length.
    ValueError
        If an array does not have two dimensions, is empty, or is complex.
    TypeError
        If it is no table, or an array of objects that are neither numbers nor text.
    """
    X = nw.to_native(X, pass_through=True)
    if isinstance(X, Table):
        return X
    if isinstance(X, Blocks):
        return MatrixTable(X, where)
    if is_dask(X):
        return DaskTable(X, where)
    if isinstance(X, Mapping) and not sp.issparse(X):  # sparse matrices by keys are dicts, too
        return FrameTable(_checked_dict(X, where), where)
    frame = _as_frame(X, where)
    if frame is not None:
        return FrameTable(frame, where)
    if sp.issparse(X):
        X = _checked_matrix(checked_sparse(X, where))
        check_declared(X.shape[1], X.nnz, "columns", where)
        return MatrixTable(sp.csr_array(X), where)
    if isinstance(X, list | tuple) or hasattr(X, "__array__"):
        return _open_array(_as_array(X, where), where)
    raise TypeError(
        f"A table cannot be made from {type(X).__name__}; give a data frame of pandas, polars, "
        "pyarrow or Dask, a dict of arrays, or a matrix."
    )


class _InMemory(Table):
    """Columns with the labels that the user gave them.

    Attributes
    ----------
    labels : list
        The columns' own labels, where `names` are texts; of a label that comes again, its name.
    """

    labels: list[Hashable]

    def _label(self, labels: Sequence[Hashable]) -> None:
        self.names = different_names(labels)
        pairs = list(zip(labels, self.names, strict=True))
        first = dict(zip(reversed(labels), reversed(self.names), strict=True))
        self.labels = [label if first[label] == name else name for label, name in pairs]
        renamed = [name for label, name in pairs if str(label) != name]
        if renamed:
            self.notes.append(f"renamed: columns that had the name of another: {listed(renamed)}")

    def _chosen(self, columns: Sequence[str] | None) -> list[str]:
        if columns is None:
            return self.names
        known = {*self.names, self.index_name}
        for column in columns:
            if column not in known:
                raise no_such_column(self.where, column, self.names)
        return list(columns)

    def _check_shape(self, n: int | None, d: int) -> None:
        if d == 0:
            shape, what = f"({n}, 0)" if n is not None else "(?, 0)", "feature"
        elif n == 0:
            shape, what = f"(0, {d})", "sample"
        else:
            return
        raise TableError(
            f"{self.where} has no {'columns' if d == 0 else 'rows'}: 0 {what}(s) (shape={shape}) "
            "while a minimum of 1 is required."
        )


def different_names(labels: Sequence[Hashable]) -> list[str]:
    """Labels as texts; the second 'x' becomes 'x_2', unless that is a label too."""
    texts = list(map(str, labels))
    taken, names = set(texts), []
    count: Counter[str] = Counter()
    for text in texts:
        count[text] += 1
        name = text
        while count[text] > 1 and name in taken:
            name = f"{text}_{count[text]}"
            count[text] += name in taken
        taken.add(name)
        names.append(name)
    return names


# ---- data frames ---------------------------------------------------------------------------------


class FrameTable(_InMemory):
    """A data frame of pandas, polars or pyarrow, or a dict of arrays, which becomes one of them.

    Parameters
    ----------
    frame : data frame, or dict of ndarrays (n,)
    where : str
    named : bool
        Whether its columns have names; False for an array of objects that came as a dict.

    Attributes
    ----------
    index : (name, index) or None
        The index of a pandas frame, where it names the rows.
    """

    index: tuple[Any, Any] | None = None

    def __init__(self, frame: Any, where: str = "The table", *, named: bool = True):
        super().__init__()
        self.where, self.named = where, named
        if isinstance(frame, dict):
            self.backend = "dict" if named else "array"
            n, labels = len(next(iter(frame.values()))) if frame else 0, list(frame)
        else:
            self.backend = _backend(frame)
            n, labels = len(frame), list(getattr(frame, "column_names", frame.columns))
        self._check_shape(n, len(labels))
        self._label(labels if named else range(len(labels)))
        self.n_rows = n
        if self.backend == "pandas":
            self._name_rows(frame.index)
        if isinstance(frame, dict):
            frame = _frame_of_arrays(dict(zip(self.names, frame.values(), strict=True)))
        self._frame = _with_names(frame, self.names, self.index_name)

    def _name_rows(self, index: Any) -> None:
        """By the index of a pandas frame, unless it is an unnamed running number."""
        own = [name for name in index.names if name is not None]
        whole = index.nlevels == 1 and index.dtype.kind in "iu"
        if not own and whole and np.array_equal(index.to_numpy(), np.arange(len(index))):
            return
        self.index = (index.name, index)
        label = " / ".join(map(str, own)) or "index"
        self.index_name = different_names([*self.names, label])[-1]
        if index.nlevels > 1:
            self.notes.append(f"rows are named by the {index.nlevels} levels of the index, joined")

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        chosen = self._chosen(columns)
        size = size or rows_at_a_time(len(chosen))
        assert self.n_rows is not None
        for start in range(0, self.n_rows, size):
            yield _part(self._frame, chosen, slice(start, min(start + size, self.n_rows)))


def _as_frame(X: Any, where: str) -> Any:
    """A data frame of pandas, polars or pyarrow; None if X is no frame."""
    known = nw.dependencies
    if known.is_pandas_dataframe(X) or known.is_polars_dataframe(X) or known.is_pyarrow_table(X):
        return X
    arrow = known.get_pyarrow()
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        return arrow.Table.from_batches([X])
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TableError(
            f"{where} is a lazy frame ({type(X).__name__}), which holds no values yet.",
            "Call .collect() first.",
        )
    return frame.to_pandas() if isinstance(frame, nw.DataFrame) else None


def _backend(frame: Any) -> str:
    known = nw.dependencies
    if known.is_pandas_dataframe(frame):
        return "pandas"
    return "polars" if known.is_polars_dataframe(frame) else "pyarrow"


def _with_names(frame: Any, names: list[str], index_name: str | None) -> Any:
    """The frame with these names; its index as a column of its own, if that has a name."""
    if nw.dependencies.is_pyarrow_table(frame):
        return frame.rename_columns(names)
    if not nw.dependencies.is_pandas_dataframe(frame):
        return frame
    named = frame.copy(deep=False)  # the user's frame keeps its labels
    named.columns = names
    if index_name is not None:
        named.insert(0, index_name, _row_names(frame.index))
    named.index = range(len(named))
    return named


def _row_names(index: Any) -> Any:
    """The values of an index; of several levels, joined as text."""
    if index.nlevels == 1:
        return index.array
    return [" / ".join(map(str, row)) for row in index]


def _part(frame: Any, columns: list[str], rows: slice) -> Any:
    """Some rows and columns of a frame."""
    known = nw.from_native(frame, eager_only=True)
    part = known[rows]
    return (part if known.columns == columns else part.select(columns)).to_native()


# ---- dicts ---------------------------------------------------------------------------------------


def _checked_dict(columns: Mapping, where: str) -> dict[Hashable, np.ndarray]:
    """Its columns as arrays (n,), all of one length."""
    arrays = {label: _column_array(value) for label, value in columns.items()}
    for label, array in arrays.items():
        if array.ndim != 1:
            raise TableError(
                f"{where} has a column {quoted(label)} of shape {array.shape}.",
                "Give every column as an array of one dimension.",
            )
    lengths = {label: len(array) for label, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        few, many = (edge(lengths, key=lambda label: lengths[label]) for edge in (min, max))
        raise TableError(
            f"{where} has columns of different lengths: {lengths[few]} values in {quoted(few)}, "
            f"{lengths[many]} in {quoted(many)}.",
            "Give every column one value for each row.",
        )
    return arrays


def _frame_of_arrays(arrays: dict[str, np.ndarray]) -> Any:
    """Arrays as a data frame of whatever library is installed."""
    backend = default_backend()
    if backend == "dict":
        raise ImportError(
            'Columns that are no matrix of numbers need pyarrow: pip install "lowdim[io]"'
        )
    if backend == "pandas":  # holds all objects as they are
        return build_frame(backend, {name: _native(array) for name, array in arrays.items()})
    return build_frame(
        backend,
        {name: restored(values_of(a), dtype_of(a), backend) for name, a in arrays.items()},
    )


def _native(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "T":
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _column_array(column: Any) -> np.ndarray:
    series = nw.from_native(column, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return series.to_numpy()
    if isinstance(column, np.ma.MaskedArray):
        return _unmasked(column)
    array = np.asarray(column)
    if array.dtype.kind in "US" and not hasattr(column, "__array__"):
        array = np.array(column, dtype=object)  # NumPy makes text of [1, 'a']
    return array


# ---- matrices ------------------------------------------------------------------------------------


class MatrixTable(_InMemory):
    """A matrix of numbers; its columns go by their numbers, unless a stream knows their names.

    Parameters
    ----------
    matrix : ndarray or csr_array (n, d) of numbers, or Blocks
    where : str
    """

    named = False
    backend = "array"

    def __init__(self, matrix: Any, where: str = "The table"):
        super().__init__()
        self.where, self._matrix = where, matrix
        labels: Sequence[Hashable]
        if isinstance(matrix, Blocks):
            self.streamed, self.is_sparse = matrix.in_memory is None, matrix.is_sparse
            self.n_rows, d = matrix.known_rows, matrix.n_columns
            self.named = matrix.feature_names is not None
            labels = matrix.feature_names if matrix.feature_names is not None else range(d)
        else:
            self.is_sparse = sp.issparse(matrix)
            self.n_rows, d = matrix.shape
            labels = range(d)
        self._check_shape(self.n_rows, d)
        self._label(labels)

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        chosen = _places(self.names, self._chosen(columns))
        size = size or rows_at_a_time(len(self.names))
        if isinstance(self._matrix, Blocks):
            for (block,) in self._matrix.batches(size):
                yield _matrix_part(block, chosen)
            return
        for start in range(0, self._matrix.shape[0], size):
            yield _matrix_part(self._matrix[start : start + size], chosen)


def _places(names: list[str], columns: list[str]) -> list[int] | None:
    """The numbers of some columns; None for all in their order."""
    if columns == names:
        return None
    place = {name: f for f, name in enumerate(names)}
    return [place[name] for name in columns]


def _matrix_part(block: Any, columns: list[int] | None) -> Any:
    return as_floats(block if columns is None else block[:, columns])


def _as_array(X: Any, where: str) -> np.ndarray:
    """Arrays and lists as an array, of objects if they hold more than numbers."""
    if isinstance(X, np.ma.MaskedArray):
        return _unmasked(X)
    if not isinstance(X, list | tuple):
        return X if isinstance(X, np.ndarray) else np.asarray(X)
    try:
        array = np.asarray(X)
    except ValueError:
        raise TableError(
            f"{where} is a list whose rows differ in length or depth.",
            "Give every row one value for each column.",
        ) from None
    return array if array.dtype.kind in "biufc" else np.array(X, dtype=object)


def _unmasked(X: np.ma.MaskedArray) -> np.ndarray:
    if X.dtype.kind in "biuf":
        return np.ma.filled(as_floats(X), np.nan)
    objects = np.ma.getdata(X).astype(object)
    objects[np.ma.getmaskarray(X)] = None
    return objects


def _open_array(X: np.ndarray, where: str) -> Table:
    if X.dtype.names:
        return FrameTable({name: X[name] for name in X.dtype.names}, where)
    X = _checked_matrix(X)
    if X.dtype.kind in "biuf":
        return MatrixTable(X, where)
    if X.dtype == object:
        if form_of_objects(X.ravel()) in ("number", "flag"):
            values = values_of_objects(X.ravel()).numbers
            assert values is not None
            return MatrixTable(values.reshape(X.shape), where)
        _refuse_containers(X, where)
    return FrameTable({str(f): X[:, f] for f in range(X.shape[1])}, where, named=False)


def _checked_matrix(X: Any) -> Any:
    """X with two dimensions, rows, columns and no complex numbers; scikit-learn says why not."""
    refuse_complex(X.dtype, "X")
    return check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)


def _refuse_containers(X: np.ndarray, where: str) -> None:
    place = first_container(X.ravel())
    if place is not None:
        row, column = divmod(place, X.shape[1])
        raise TypeError(
            f"{where} holds a value of type {type(X[row, column]).__name__!r} in row {row}, column "
            f"{column}; argument must be a string or a number."
        )


# ---- Dask ----------------------------------------------------------------------------------------


class DaskTable(_InMemory):
    """A Dask DataFrame, or a Dask array as a matrix, one partition after the other.

    Parameters
    ----------
    X : Dask DataFrame or array
    where : str

    Attributes
    ----------
    partitions : list of Delayed
        The parts of the table as data frames with the columns `names` (and before them
        `index_name`, if there is one) or as matrices of floats; nothing of them is computed yet.
    meta : data frame, or matrix
        A part without rows, with the columns `names`.
    """

    streamed = True

    def __init__(self, X: Any, where: str = "The table"):
        super().__init__()
        self.where = where
        dimensions = getattr(X, "ndim", None)
        if not isinstance(dimensions, int):
            raise TypeError(
                f"A table cannot be made from a Dask {type(X).__name__}; give a Dask DataFrame or "
                "a Dask array."
            )
        if dimensions != 2:
            raise ValueError(
                f"Expected 2D array, got {dimensions}D array instead: {where} is a Dask "
                f"{type(X).__name__}. Reshape your data, or give a Dask DataFrame."
            )
        if hasattr(X, "columns"):
            self._open_dask_frame(X)
        else:
            self._open_dask_array(X)

    def _open_dask_frame(self, X: Any) -> None:
        import dask

        self._check_shape(None, len(X.columns))
        self._label(list(X.columns))
        self.backend = "pandas"
        self.meta = _with_names(X._meta, self.names, None)
        if X.index.name is not None:
            self.index_name = different_names([*self.names, X.index.name])[-1]
        named: Callable = dask.delayed(_with_names)
        self.partitions = [named(part, self.names, self.index_name) for part in X.to_delayed()]

    def _open_dask_array(self, X: Any) -> None:
        refuse_complex(X.dtype, self.where)
        if X.dtype.kind not in "biuf":
            raise TableError(
                f"{self.where} is a Dask array of {X.dtype}; numbers are needed.",
                "Give columns of other types as a Dask DataFrame.",
            )
        n, d = X.shape
        self.n_rows = None if math.isnan(n) else int(n)
        self._check_shape(self.n_rows, d)
        self._label(range(d))
        self.named, self.backend, self.is_sparse = False, "array", sp.issparse(X._meta)
        from lowdim.core.dask_blocks import with_true_indices

        X = with_true_indices(X)
        whole_rows = as_floats(X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X)
        self.meta = whole_rows._meta
        self.partitions = list(whole_rows.to_delayed().ravel())

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        import dask

        chosen, any_rows = self._chosen(columns), False
        for partition in self.partitions:
            (part,) = dask.compute(partition)
            n = part.shape[0]
            any_rows |= n > 0
            for start in range(0, n, size or max(n, 1)):
                yield self._rows(part, chosen, slice(start, min(start + (size or n), n)))
        if not any_rows:
            self._check_shape(0, len(self.names))

    def _rows(self, part: Any, columns: list[str], rows: slice) -> Any:
        if self.named:
            return _part(part, columns, rows)
        part = sp.csr_array(part) if self.is_sparse else part
        return _matrix_part(part[rows], _places(self.names, columns))
