"""Sparse matrices that may outgrow memory: rows in order, and sums of whole matrices.

`RowStore` takes the rows of a matrix in order, a run of them at a time. Beyond `spill_bytes` of the
settings the entries are in temporary files, and the matrix sees these files (as memory maps): the
system reads pages as they are needed, and takes memory back when others ask for it.

`MatrixSum` adds matrices up. As long as the sum and what comes next fit, it is one matrix in
memory; a sum that does not becomes a sorted run on disk, and another one is begun. In the end the
runs are merged, some rows at a time.
"""

from __future__ import annotations

import functools
import mmap
import operator
import tempfile
from collections.abc import Generator
from contextlib import closing
from typing import IO, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.config import get_config
from lowdim.core.threads import ordered_map
from lowdim.linalg.sparse import row_cuts

ENTRIES_AT_A_TIME = 2**21  # of all runs, that are merged, or written, together
LEAST_AT_A_TIME = 2**10
MOST_INT32 = 2**31 - 1


class Rows(NamedTuple):
    """Some rows of a matrix."""

    length: np.ndarray  # (rows,)  entries of each
    columns: np.ndarray  # int32, in order
    values: np.ndarray


def rows_of(matrix: sp.csr_array) -> Rows:
    """The rows of a matrix whose indices are in order."""
    return Rows(np.diff(matrix.indptr), matrix.indices, matrix.data)


def at_a_time(most: int) -> int:
    """How many entries are worked on together: so many, or fewer if memory is for fewer."""
    entry_bytes = 12
    return min(most, max(LEAST_AT_A_TIME, get_config().spill_bytes // (8 * entry_bytes)))


class RowStore:
    """The rows of a matrix with n columns, as they come.

    Parameters
    ----------
    n_columns : int
    most : int
        Entries that may come. Room for them takes no memory before they do.
    """

    def __init__(self, n_columns: int, most: int):
        self._n_columns = n_columns
        self._most = most
        self._lengths: list[np.ndarray] = []
        self._entries: tuple[np.ndarray, np.ndarray] | None = None  # with room for more
        self._files: tuple[IO[bytes], IO[bytes]] | None = None
        self._stored = 0

    def append(self, rows: Rows) -> None:
        self._lengths.append(rows.length)
        new = rows[1:]
        types = (np.dtype(np.int32), rows.values.dtype)
        in_memory = get_config().spill_bytes // sum(dtype.itemsize for dtype in types)
        if self._entries is None:
            room = min(self._most, in_memory)
            self._entries = (np.empty(room, types[0]), np.empty(room, types[1]))
        more = self._stored + len(rows.columns)
        if self._files is None and more > len(self._entries[0]):
            self._files = (_file(), _file())
            for array, file in zip(self._entries, self._files, strict=True):
                array[: self._stored].tofile(file)
                array.resize(0, refcheck=False)
        if self._files is not None:
            for array, file in zip(new, self._files, strict=True):
                array.tofile(file)
        else:
            for all_, some in zip(self._entries, new, strict=True):
                all_[self._stored : more] = some
        self._stored = more

    def matrix(self) -> sp.csr_array:
        """What was stored; the store is empty afterwards."""
        length = np.concatenate(self._lengths) if self._lengths else np.zeros(0, np.int64)
        indptr = np.concatenate([[0], np.cumsum(length, dtype=np.int64)])
        index = np.dtype(np.int32 if self._stored <= MOST_INT32 else np.int64)
        columns, values = self._in_memory(index) if self._files is None else self._mapped(index)
        self._entries = self._files = None
        shape = (len(length), self._n_columns)
        matrix = sp.csr_array((values, columns, indptr.astype(index)), shape=shape)
        matrix.has_canonical_format = True
        return matrix

    def _in_memory(self, index: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        columns, values = self._entries or (np.empty(0, np.int32), np.empty(0))
        for array in (columns, values):
            array.resize(self._stored, refcheck=False)
        return columns.astype(index, copy=False), values

    def _mapped(self, index: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        assert self._files is not None and self._entries is not None
        columns, values = self._files
        if index != np.int32:
            columns = _widened(columns, self._stored, index)
        dtype = self._entries[1].dtype
        return mapped(columns, index, self._stored), mapped(values, dtype, self._stored)


def stored(runs: Generator[Rows, None, None], n_columns: int, most: int) -> sp.csr_array:
    """The matrix of runs of rows with `most` entries or fewer."""
    store = RowStore(n_columns, most)
    with closing(runs):  # whatever happens here, it lets go of threads and BLAS
        for rows in runs:
            store.append(rows)
    return store.matrix()


class MatrixSum:
    """The sum of sparse matrices of one shape, whose indices are in order."""

    def __init__(self, shape: tuple[int, int]):
        self._shape = shape
        self._runs: list[sp.csr_array] = []  # all but the last one are not to be added to

    def add(self, matrix: sp.csr_array) -> None:
        """Add one more."""
        if not self._runs:
            self._runs.append(matrix)
        elif _bytes(self._runs[-1]) + _bytes(matrix) <= get_config().spill_bytes:
            self._runs[-1] = sp.csr_array(self._runs[-1] + matrix)
        else:
            self._runs[-1] = _on_disk(self._runs[-1])
            self._runs.append(matrix)

    def result(self) -> sp.csr_array:
        """The sum; it is not added to afterwards."""
        if not self._runs:
            return sp.csr_array(self._shape, dtype=np.float64)
        if len(self._runs) == 1:
            return self._runs.pop()
        before = np.zeros(self._shape[0] + 1, dtype=np.int64)
        for run in self._runs:
            before += run.indptr

        def merged(cut: tuple[int, int]) -> Rows:
            rows = functools.reduce(operator.add, (run[slice(*cut)] for run in self._runs))
            for run in self._runs:
                _let_go(run.data)
                _let_go(run.indices)
            return rows_of(sp.csr_array(rows))

        cuts = row_cuts(before, at_a_time(ENTRIES_AT_A_TIME))
        total = stored(ordered_map(merged, cuts), self._shape[1], int(before[-1]))
        self._runs = []
        return total


def _on_disk(matrix: sp.csr_array) -> sp.csr_array:
    """The same matrix in files."""
    if is_mapped(matrix.data):
        return matrix
    parts = []
    for array in (matrix.data, matrix.indices):
        file = _file()
        array.tofile(file)
        parts.append(mapped(file, array.dtype, len(array)))
    same = sp.csr_array((*parts, matrix.indptr), shape=matrix.shape)
    same.has_canonical_format = matrix.has_canonical_format
    return same


def is_mapped(array: np.ndarray) -> bool:
    """Whether an array sees a file."""
    return isinstance(_owner(array), mmap.mmap)


def _owner(array: np.ndarray) -> Any:
    """Whose memory an array sees."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner


def _let_go(array: np.ndarray) -> None:
    """Leave to the system what was read of a file; it is read again when it is looked at."""
    owner = _owner(array)
    if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        owner.madvise(mmap.MADV_DONTNEED)


def _bytes(matrix: sp.csr_array) -> int:
    return int(matrix.data.nbytes + matrix.indices.nbytes)


def _file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="lowdim-")


def mapped(file: IO[bytes], dtype: np.dtype, n: int) -> np.ndarray:
    """n numbers of a file, as an array that may be written into.

    The file has no name: it goes with the last array that sees it.
    """
    file.flush()
    if n == 0:
        file.close()
        return np.empty(0, dtype=dtype)
    with file:
        return np.asarray(np.memmap(file, dtype=dtype, mode="r+", shape=(n,)))


def _widened(file: IO[bytes], n: int, dtype: np.dtype) -> IO[bytes]:
    """The int32 numbers of a file in another type, in another file."""
    wide = _file()
    file.seek(0)
    with file:
        for first in range(0, n, ENTRIES_AT_A_TIME):
            some = np.fromfile(file, dtype=np.int32, count=min(ENTRIES_AT_A_TIME, n - first))
            some.astype(dtype).tofile(wide)
    return wide
