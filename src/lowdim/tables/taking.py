"""Some rows of a table, held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.tables.errors import TableError, no_such_column
from lowdim.tables.formats.base import fold_chunks
from lowdim.tables.frames.dtypes import stacked_chunks
from lowdim.tables.table import Table, rows_at_a_time


def take_rows(table: Table, rows: Any = None) -> Table:
    """A table of some rows of another one, held in memory; all else is as it was.

    Parameters
    ----------
    table : Table
        In memory, or read in parts: of its chunks only these rows are kept.
    rows : array of int, or None
        The numbers of the rows, from 0 up and each once; None: all.
    """
    if rows is None:
        return HeldRows(table, None)
    wanted = np.asarray(rows)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or (np.diff(wanted) <= 0).any():
        raise ValueError("rows must be whole numbers that increase: each row once, in order.")
    return HeldRows(table, wanted)


class HeldRows(Table):
    """Rows of a table, in memory.

    Attributes
    ----------
    labels : list
        The columns' own labels, where `names` are texts.
    index : (name, index) or None
        The index of a pandas frame, where it names the rows.
    """

    def __init__(self, table: Table, rows: np.ndarray | None):
        super().__init__()
        self.where, self.names, self.named = table.where, table.names, table.named
        self.backend, self.index_name = table.backend, table.index_name
        self.path, self.asked = table.path, table.asked
        self.is_sparse, self.written_by_hand = table.is_sparse, table.written_by_hand
        self.notes = list(table.notes)
        self.labels = list(getattr(table, "labels", table.names))
        self.index = _taken_index(getattr(table, "index", None), rows)
        self._frame = _collected(table, self._all_names(), rows)
        self.n_rows = int(self._frame.shape[0])

    def _all_names(self) -> list[str]:
        return self.names if self.index_name is None else [self.index_name, *self.names]

    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        chosen = self.names if columns is None else list(columns)
        known = self._all_names()
        for name in chosen:
            if name not in known:
                raise no_such_column(self.where, name, self.names)
        size = size or rows_at_a_time(len(chosen))
        assert self.n_rows is not None
        for start in range(0, self.n_rows, size):
            yield _columns(self._frame, known, chosen, slice(start, start + size))


def _collected(table: Table, names: list[str], rows: np.ndarray | None) -> Any:
    """These rows of all chunks, below each other."""

    def step(found: tuple[int, list[Any]], chunk: Any) -> tuple[int, list[Any]]:
        start, parts = found
        end = start + int(chunk.shape[0])
        if rows is None:
            parts.append(chunk)
        else:
            first, last = np.searchsorted(rows, [start, end])
            if last > first:
                parts.append(_rows(chunk, rows[first:last] - start))
        return end, parts

    def nothing() -> tuple[int, list[Any]]:
        return 0, []

    n, parts = fold_chunks(table, nothing, step, names)
    if rows is not None and len(rows) and (rows[0] < 0 or rows[-1] >= n):
        raise ValueError(f"rows has {int(rows[-1])}; {table.where} has {n} rows, from 0.")
    if not parts:
        raise TableError(f"{table.where} has no rows to take.")
    return stacked_chunks(parts)


def _is_matrix(chunk: Any) -> bool:
    return isinstance(chunk, np.ndarray) or sp.issparse(chunk)


def _rows(chunk: Any, rows: np.ndarray) -> Any:
    if _is_matrix(chunk):
        return chunk[rows]
    return nw.from_native(chunk, eager_only=True)[rows].to_native()


def _columns(frame: Any, known: list[str], chosen: list[str], rows: slice) -> Any:
    if _is_matrix(frame):
        part = frame[rows]
        return part if chosen == known else part[:, [known.index(name) for name in chosen]]
    part = nw.from_native(frame, eager_only=True)[rows]
    return (part if chosen == known else part.select(chosen)).to_native()


def _taken_index(index: Any, rows: np.ndarray | None) -> Any:
    if index is None or rows is None:
        return index
    name, values = index
    return name, values[rows]
