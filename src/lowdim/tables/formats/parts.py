"""Several files with the same columns as one table: its rows one file after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lowdim.tables.errors import TableError, quoted
from lowdim.tables.formats.base import ArrowTable, RereadNeeded, closing_chunks
from lowdim.tables.formats.csv import TextTable
from lowdim.tables.formats.npy import MatrixTable
from lowdim.tables.formats.types import joined_type
from lowdim.tables.table import Table


def one_table(where: str, parts: Sequence[Table]) -> Table:
    """The parts as one table; they must have the same columns."""
    for part in parts[1:]:
        _check_columns(parts[0], part)
    matrices = [part for part in parts if isinstance(part, MatrixTable)]
    tables = [part for part in parts if isinstance(part, ArrowTable)]
    return MatrixParts(where, matrices) if matrices else TableParts(where, tables)


def _check_columns(first: Table, part: Table) -> None:
    cure = "Parts of one table need the same columns."
    if first.is_sparse != part.is_sparse:
        kinds = {True: "sparse", False: "dense"}
        raise TableError(
            f"{part.where} is {kinds[part.is_sparse]} and {first.where} is "
            f"{kinds[first.is_sparse]}.",
            cure,
        )
    if first.named != part.named or (not first.named and len(first.names) != len(part.names)):
        raise TableError(
            f"{part.where} has {_columns(part)} and {first.where} has {_columns(first)}.", cure
        )
    for one, other in ((part, first), (first, part)):
        for name in other.names:
            if name not in one.names:
                raise TableError(
                    f"{one.where} has no column {quoted(name)}, which {other.where} has.", cure
                )


def _columns(table: Table) -> str:
    return f"{len(table.names):,} columns {'with' if table.named else 'without'} names"


class MatrixParts(MatrixTable):
    """Matrices, one below the other."""

    def __init__(self, where: str, parts: Sequence[MatrixTable]):
        super().__init__()
        self.where, self._files = where, parts
        self.names, self.is_sparse = parts[0].names, parts[0].is_sparse
        self.n_rows = sum(part.n_rows or 0 for part in parts)
        self.streamed = any(part.streamed for part in parts)
        self.dtype = np.result_type(*(part.dtype for part in parts))

    @property
    def bytes_in_memory(self) -> float:
        return sum(part.bytes_in_memory for part in self._files)

    def hold(self, most: float | None = None) -> None:
        if most is None or self.bytes_in_memory <= most:
            for part in self._files:
                part.hold()
            self.streamed = False

    def _parts(self, index: list[int] | None, size: int) -> Iterator[Any]:
        for part in self._files:
            for rows in part._parts(index, size):
                yield rows.astype(self.dtype, copy=False)


class TableParts(ArrowTable):
    """Tables, one below the other; a column has one type in all of them."""

    def __init__(self, where: str, parts: Sequence[ArrowTable]):
        super().__init__()
        self.where, self._files = where, parts
        first = parts[0]
        self.names, self.named, self.index_name = first.names, first.named, first.index_name
        self.written_by_hand = first.written_by_hand
        self.notes = [f"{len(parts):,} files", *first.notes]
        if isinstance(first, TextTable):
            self.form, self.read_as, self.units = first.form, first.read_as, first.units
            self.spelling = first.spelling
        counts = [part.n_rows for part in parts]
        self.n_rows = None if None in counts else sum(counts)  # type: ignore[arg-type]
        self._join_types()

    @property
    def bytes_in_memory(self) -> float:
        return sum(part.bytes_in_memory for part in self._files)

    def _join_types(self) -> None:
        import pyarrow as pa

        wanted = [*self.names, *([self.index_name] if self.index_name else [])]
        self.schema = pa.schema([(name, self._joined(name)) for name in wanted])

    def _joined(self, name: str) -> Any:
        """The type of a column; text if it is text in some files of text."""
        import pyarrow as pa

        first = self._files[0]
        joined = first.schema.field(name).type
        for part in self._files[1:]:
            found = joined_type(joined, part.schema.field(name).type)
            if found is None and all(isinstance(part, TextTable) for part in self._files):
                for file in self._files:
                    file.read_as_text([name])  # type: ignore[attr-defined]
                return pa.string()
            if found is None:
                raise TableError(
                    f"{part.where}: column {quoted(name)} holds {part.schema.field(name).type}, "
                    f"and {joined} in {first.where}.",
                    "Parts of one table need columns of the same kinds.",
                )
            joined = found
        return joined

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        import pyarrow as pa

        target = pa.schema([self.schema.field(name) for name in columns])
        reread = None
        for part in self._files:
            try:
                with closing_chunks(part.chunks(columns, size)) as chunks:
                    for table in chunks:
                        if reread is None:
                            yield table.cast(target)
            except RereadNeeded as error:
                reread = error
        counts = [part.n_rows for part in self._files]
        self.n_rows = None if None in counts else sum(counts)  # type: ignore[arg-type]
        if reread is not None:
            self._join_types()
            raise reread
