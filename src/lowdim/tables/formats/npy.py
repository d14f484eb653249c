"""NumPy's files: a matrix of numbers (.npy), which may be larger than memory, or packed (.npz).

Columns go by their numbers, '0', '1', ...
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import as_floats
from lowdim.core.sparse import check_declared, checked_sparse
from lowdim.tables.errors import TableError, listed, no_such_column, plain
from lowdim.tables.table import Table, rows_at_a_time

MOST_UNPACKED = 2**33  # bytes of an .npz file, which comes as a whole


class MatrixTable(Table):
    """A matrix of numbers, float32 or float64."""

    named = False
    backend = "array"
    matrix: Any = None  # None: streamed
    dtype: np.dtype

    @property
    def bytes_in_memory(self) -> float:
        """How much memory all rows take."""
        return float((self.n_rows or 0) * len(self.names) * self.dtype.itemsize)

    def hold(self, most: float | None = None) -> None:
        """Keep all rows in memory, unless they take more than `most` bytes."""

    def _set_shape(self, matrix: Any) -> None:
        self.n_rows, n_columns = matrix.shape
        self.names = [str(f) for f in range(n_columns)]
        self.is_sparse = sp.issparse(matrix)
        self.dtype = as_floats(matrix[:1]).dtype

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        wanted = self.names if columns is None else list(columns)
        places = dict(zip(self.names, range(len(self.names)), strict=True))
        for name in wanted:
            if name not in places:
                raise no_such_column(self.where, name, self.names)
        index = None if wanted == self.names else [places[name] for name in wanted]
        return self._parts(index, size or rows_at_a_time(len(self.names)))

    def _parts(self, index: list[int] | None, size: int) -> Iterator[Any]:
        for start in range(0, self.n_rows or 0, size):
            rows = self._rows(start, start + size)
            yield as_floats(rows if index is None else rows[:, index])

    def _rows(self, start: int, stop: int) -> Any:
        return self.matrix[start:stop]


class NpyTable(MatrixTable):
    """A .npy file, mapped into memory and read in parts."""

    streamed = True

    def __init__(self, where: str, path: str):
        super().__init__()
        self.where, self._path = where, path
        self._set_shape(self._mapped())

    def hold(self, most: float | None = None) -> None:
        if most is None or self.bytes_in_memory <= most:
            self.matrix, self.streamed = np.array(self._mapped()), False

    def _rows(self, start: int, stop: int) -> Any:
        # mapped anew for each part and copied: pages already read do not stay with us
        return (
            super()._rows(start, stop)
            if not self.streamed
            else np.array(self._mapped()[start:stop])
        )

    def _mapped(self) -> np.ndarray:
        with numpy_errors(self.where):
            return checked_matrix(np.load(self._path, mmap_mode="r"), self.where)


class NpzTable(MatrixTable):
    """An .npz file with one matrix, or a sparse matrix as scipy.sparse.save_npz writes it."""

    def __init__(self, where: str, path: str):
        super().__init__()
        self.where = where
        with numpy_errors(where):
            check_unpacked_size(where, path)
            with np.load(path) as arrays:
                self.matrix = self._load(path, arrays)
        self._set_shape(self.matrix)

    def _load(self, path: str, arrays: Any) -> Any:
        if "format" in arrays and "shape" in arrays:
            return checked_matrix(_true_sparse(sp.load_npz(path), self.where), self.where)
        matrices = [name for name in arrays.files if np.ndim(arrays[name]) == 2]
        if len(matrices) != 1:
            raise TableError(
                f"{self.where} holds {len(matrices)} 2-D arrays ({listed(arrays.files)}); exactly "
                "1 is needed.",
                "Save the one you mean as .npy.",
            )
        return checked_matrix(arrays[matrices[0]], self.where)


def checked_matrix(matrix: Any, where: str) -> Any:
    """The matrix, if it is one, of numbers."""
    if matrix.ndim != 2:
        raise TableError(
            f"{where} holds an array of shape {matrix.shape}; 2-D is needed.",
            "Save a matrix (rows, columns).",
        )
    if matrix.dtype.kind not in "biuf":
        raise TableError(
            f"{where} holds values of dtype {plain(matrix.dtype)}; numbers are needed."
        )
    return matrix


def _true_sparse(matrix: Any, where: str) -> Any:
    """The sparse matrix by rows, if its indices are true."""
    try:
        matrix = checked_sparse(matrix, where)
        check_declared(matrix.shape[1], matrix.nnz, "columns", where)
    except ValueError as error:
        raise TableError(str(error)) from None
    return sp.csr_array(matrix)


def check_unpacked_size(where: str, path: str) -> None:
    """Refuse a file that would fill the memory when unpacked."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
    if unpacked > MOST_UNPACKED:
        raise TableError(
            f"{where} unpacks to {unpacked / 2**30:,.0f} GB; .npz files are read up to "
            f"{MOST_UNPACKED / 2**30:.0f} GB.",
            "Save it as .npy, which is read in parts.",
        )


@contextmanager
def numpy_errors(where: str) -> Iterator[None]:
    """NumPy's complaints about damaged files, with the file's name."""
    try:
        yield
    except TableError:
        raise
    except (EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, OSError) as error:
        raise TableError(f"{where} is damaged: {plain(error, 200)}.") from None
    except MemoryError:
        raise TableError(f"{where} claims to hold more than the memory can.") from None
    except (ValueError, KeyError, TypeError, SyntaxError, NotImplementedError) as error:
        objects = "it is damaged, or holds Python objects"
        reason = objects if "pickle" in str(error) or "object" in str(error) else plain(error, 200)
        raise TableError(f"{where} cannot be read: {reason.rstrip('.')}.") from None
