"""Feather and Arrow files: only the columns that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lowdim.tables.errors import TableError
from lowdim.tables.formats.base import NamedColumns, needed, unreadable

FILE = b"ARROW1"
OLD_FEATHER = b"FEA1"


class IpcTable(NamedColumns):
    """Record batches as pyarrow.ipc writes them: a file (feather), or a stream."""

    def __init__(self, where: str, path: str):
        super().__init__()
        self.where, self._path = where, path
        self._ipc = needed("pyarrow.ipc", where, "; .npy files need nothing.")
        with open(path, "rb") as file:
            start = file.read(len(FILE))
            self._size = file.seek(0, 2)
        if start.startswith(OLD_FEATHER):
            raise TableError(
                f"{where} is a feather file of the first version, which is no longer read.",
                "Write it again by a newer program.",
            )
        self._is_file = start == FILE
        with self._reader(None) as reader:
            self._set_columns(reader.schema)

    @property
    def bytes_in_memory(self) -> float:
        return 2.0 * self._size  # batches may be packed

    def _read(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        import pyarrow as pa

        places = {name: f for f, name in enumerate(self.schema.names)}
        with self._reader(sorted(places[name] for name in set(columns))) as reader:
            for batch in self._batches(reader):
                batch.validate(full=True)  # a damaged file may point anywhere
                yield self._selected(pa.Table.from_batches([batch]), columns)

    def _batches(self, reader: Any) -> Iterator[Any]:
        if not self._is_file:
            yield from reader
            return
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)

    @contextmanager
    def _reader(self, fields: list[int] | None) -> Iterator[Any]:
        import pyarrow as pa

        options = self._ipc.IpcReadOptions(included_fields=fields, use_threads=False)
        opened = self._ipc.open_file if self._is_file else self._ipc.open_stream
        with (
            unreadable(self.where, "an Arrow file"),
            pa.OSFile(self._path) as file,
            opened(file, options=options) as reader,
        ):
            yield reader
