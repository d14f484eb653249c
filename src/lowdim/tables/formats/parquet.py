"""Parquet files: only the columns that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lowdim.tables.formats.base import NamedColumns, needed, unreadable


class ParquetTable(NamedColumns):
    """A parquet file."""

    def __init__(self, where: str, path: str):
        super().__init__()
        self.where, self._path = where, path
        self._parquet = needed("pyarrow.parquet", where, "; .npy files need nothing.")
        with unreadable(where, "a parquet file"), self._open() as file:
            self._set_columns(file.schema_arrow)
            self.n_rows = file.metadata.num_rows
            groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
            self._unpacked = sum(group.total_byte_size for group in groups)

    @property
    def bytes_in_memory(self) -> float:
        return max(self._unpacked, (self.n_rows or 0) * len(self.schema) * 8)

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        import pyarrow as pa

        given = list(dict.fromkeys(self.given[name][0] for name in columns))
        with unreadable(self.where, "a parquet file"), self._open() as file:
            for batch in file.iter_batches(batch_size=size, columns=given):
                yield self._selected(pa.Table.from_batches([batch]), columns)

    def _open(self) -> Any:
        # with pyarrow's defaults, all that has been read of the file stays until it is closed
        return self._parquet.ParquetFile(self._path, pre_buffer=False, buffer_size=2**16)
