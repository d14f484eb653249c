"""Whole tables written a block of rows at a time: .csv, .tsv, .parquet, and .npy of numbers."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from lowdim.cli.writing import STANDARD_OUTPUT

DELIMITER = {".csv": ",", ".tsv": "\t"}


class ArrowFile:
    """Writes pyarrow tables of one schema, one after the other."""

    def __init__(self, file: BinaryIO, kind: str):
        self._file, self._kind = file, kind
        self._parquet: Any = None
        self._started = False
        self._matrix: list[np.ndarray] = []

    def write(self, table: Any) -> None:
        """Add rows."""
        if self._kind == ".parquet":
            self._write_parquet(table)
        elif self._kind == ".npy":
            self._matrix.append(np.column_stack([column.to_numpy() for column in table.columns]))
        else:
            self._write_text(table, DELIMITER[self._kind])

    def close(self) -> None:
        """Finish the file."""
        if self._parquet is not None:
            self._parquet.close()
        if self._matrix:
            np.save(self._file, np.concatenate(self._matrix))
        self._file.flush()

    def _write_parquet(self, table: Any) -> None:
        import pyarrow.parquet as pq

        if self._parquet is None:
            self._parquet = pq.ParquetWriter(self._file, table.schema)
        self._parquet.write_table(table)

    def _write_text(self, table: Any, delimiter: str) -> None:
        import pyarrow.csv as pacsv

        if not self._started:
            self._started = True
            line = StringIO()
            csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(table.column_names)
            self._file.write(line.getvalue().encode("utf-8"))
        style = pacsv.WriteOptions(
            include_header=False,
            delimiter=delimiter,
            # pyarrow's "needed" puts quotes around all text
            quoting_style="needed" if _needs_quotes(table, delimiter) else "none",
        )
        pacsv.write_csv(table, self._file, style)


@contextmanager
def open_arrow_file(path: str) -> Iterator[ArrowFile]:
    """A file by the ending of its name, '-' for csv on standard output; complete, or not there."""
    if path == STANDARD_OUTPUT:
        output = ArrowFile(sys.stdout.buffer, ".csv")
        yield output
        output.close()
        return
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            output = ArrowFile(file, target.suffix.lower())
            try:
                yield output
            finally:
                output.close()
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _needs_quotes(table: Any, delimiter: str) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    special = f'["\r\n{delimiter}]'
    for column in table.columns:
        kind = column.type
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            if pc.any(pc.match_substring_regex(column, special)).as_py():
                return True
    return False
