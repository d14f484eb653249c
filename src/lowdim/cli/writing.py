"""Codes written a block of rows at a time: .csv, .tsv, .parquet or .npy."""

from __future__ import annotations

import csv
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from lowdim.tables.files import pyarrow_module

STANDARD_OUTPUT = "-"
CLUSTER = "cluster"  # the column of clusters beside the codes
WRITABLE = (".csv", ".tsv", ".parquet", ".npy")


def check_output(
    path: str | None, input_path: str, kinds: Sequence[str] = WRITABLE, what: str = "codes"
) -> None:
    """Raise before any work is done if the file cannot be written, or is the one to be read."""
    if path is None or path == STANDARD_OUTPUT:
        return
    file = Path(path)
    if kinds and file.suffix.lower() not in kinds:
        raise ValueError(
            f"{path} ends in {file.suffix!r}; {what} are written to {', '.join(kinds)}."
        )
    if file.exists() and Path(input_path).exists() and file.samefile(input_path):
        raise ValueError(f"{path} is the table itself; choose another name for the output.")
    if file.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if not file.parent.is_dir():
        raise ValueError(f"There is no folder {file.parent} to write {file.name} to; create it.")
    if not os.access(file.parent, os.W_OK):
        raise ValueError(f"The folder {file.parent} cannot be written to; choose another.")
    if file.suffix.lower() in (".csv", ".tsv", ".parquet"):
        pyarrow_module("lib", f"Writing {path}")


class Writer(ABC):
    """Writes codes, a block of rows at a time."""

    def __init__(self, file: BinaryIO, names: Sequence[str], id_name: str | None):
        self.file, self.names, self.id_name = file, list(names), id_name

    @abstractmethod
    def write(self, ids: Any, codes: np.ndarray, clusters: np.ndarray | None = None) -> None:
        """Add rows; `ids` is a pyarrow array, or None."""

    def close(self) -> None:
        """Finish the file."""
        self.file.flush()

    def _table(self, ids: Any, codes: np.ndarray, clusters: np.ndarray | None) -> Any:
        import pyarrow as pa

        columns = {} if ids is None else {self.id_name: ids}
        for name, code in zip(self.names, codes.T, strict=True):
            columns[name] = pa.array(np.ascontiguousarray(code))
        if clusters is not None:
            columns[CLUSTER] = pa.array(clusters)
        return pa.table(columns)


class CsvWriter(Writer):
    """Text with a line of names; quotes only where they are needed."""

    delimiter = ","
    _started = False

    def write(self, ids: Any, codes: np.ndarray, clusters: np.ndarray | None = None) -> None:
        import pyarrow.csv as pacsv

        table = self._table(ids, codes, clusters)
        if not self._started:
            self._started = True
            line = StringIO()
            names = csv.writer(line, delimiter=self.delimiter, lineterminator="\n")
            names.writerow(table.column_names)
            self.file.write(line.getvalue().encode("utf-8"))
        plain = ids is None or not self._needs_quotes(ids)
        style = pacsv.WriteOptions(
            include_header=False,
            delimiter=self.delimiter,
            quoting_style="none" if plain else "needed",  # which quotes all text
        )
        pacsv.write_csv(table, self.file, style)

    def _needs_quotes(self, ids: Any) -> bool:
        import pyarrow as pa
        import pyarrow.compute as pc

        special = f'["\r\n{self.delimiter}]'
        return bool(pc.any(pc.match_substring_regex(ids.cast(pa.string()), special)).as_py())


class TsvWriter(CsvWriter):
    """The same, with tabs."""

    delimiter = "\t"


class ParquetWriter(Writer):
    """A parquet file, one row group per block."""

    _writer: Any = None

    def write(self, ids: Any, codes: np.ndarray, clusters: np.ndarray | None = None) -> None:
        import pyarrow.parquet as pq

        table = self._table(ids, codes, clusters)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self.file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        super().close()


class NpyWriter(Writer):
    """A matrix; the number of rows is put into its header at the end."""

    _shape = (0, 0)
    _header: dict[str, Any] | None = None

    def write(self, ids: Any, codes: np.ndarray, clusters: np.ndarray | None = None) -> None:
        if clusters is not None:
            codes = np.column_stack([codes, clusters.astype(codes.dtype)])
        if self._header is None:
            self._header = np.lib.format.header_data_from_array_1_0(codes)
            self._header["fortran_order"] = False
            self._shape = (0, codes.shape[1])
            self._write_header()
        self._shape = (self._shape[0] + len(codes), codes.shape[1])
        self.file.write(np.ascontiguousarray(codes).data)

    def close(self) -> None:
        if self._header is not None:
            self.file.seek(0)
            self._write_header()
        super().close()

    def _write_header(self) -> None:
        assert self._header is not None
        # NumPy leaves room for the number of rows to grow: the header's length stays the same
        self._header["shape"] = self._shape
        np.lib.format.write_array_header_1_0(self.file, self._header)


_WRITER: dict[str, type[Writer]] = {
    ".csv": CsvWriter,
    ".tsv": TsvWriter,
    ".parquet": ParquetWriter,
    ".npy": NpyWriter,
}


@contextmanager
def open_writer(path: str, names: Sequence[str], id_name: str | None) -> Iterator[Writer]:
    """A writer by the ending of the path. The file appears complete, or not at all."""
    if id_name in (*names, CLUSTER):
        raise ValueError(f"The id column has the name of a code, {id_name!r}; rename it.")
    if path == STANDARD_OUTPUT:
        writer: Writer = CsvWriter(sys.stdout.buffer, names, id_name)
        yield writer
        writer.close()
        return
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            writer = _WRITER[target.suffix.lower()](file, names, id_name)
            try:
                yield writer
            finally:
                writer.close()
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
