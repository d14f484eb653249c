"""Files as tables, whatever they are written in.

    .csv .tsv .txt .data    text, also packed by gzip          csv.py: found out by detect.py
    .xlsx                   a sheet of a workbook              excel.py
    .parquet                                                   parquet.py
    .feather .arrow                                            arrow.py
    .npy .npz               a matrix, or a sparse matrix       npy.py
    .json .jsonl            rows or columns, also packed       json.py

A folder, or a pattern such as 'part-*.csv', of files with the same columns is one table (parts.py).
A table is held in memory, or read again for every pass if it is streamed.
"""

from __future__ import annotations

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lowdim.tables.errors import TableError, listed, plain, quoted
from lowdim.tables.formats.base import STREAM_BYTES as STREAM_BYTES
from lowdim.tables.formats.base import RereadNeeded as RereadNeeded
from lowdim.tables.formats.base import TextColumns as TextColumns
from lowdim.tables.formats.base import fold_chunks as fold_chunks
from lowdim.tables.formats.form import TextFormat as TextFormat
from lowdim.tables.table import Table

STANDARD_INPUT = "-"
TEXT = (".csv", ".tsv", ".txt", ".data")
PACKED = (*TEXT, ".json", ".jsonl")  # also with .gz
KINDS = (
    *TEXT,
    *(".xlsx", ".parquet", ".feather", ".arrow", ".npy", ".npz", ".json", ".jsonl"),
)
READABLE = (*KINDS, *(f"{kind}.gz" for kind in PACKED))


def open_file(
    path: str,
    form: TextFormat = TextFormat(),  # noqa: B008  (immutable)
    *,
    text_columns: TextColumns = (),
    stream: bool | None = None,
) -> Table:
    """Open a table by the ending of its name.

    Parameters
    ----------
    path : str
        A file that ends in one of `READABLE`; a folder or a pattern of such files with the same
        columns, which are taken in the order of their names; or '-', a text table from standard
        input.
    form : TextFormat
        How a text table is written, where it should not be found from the content.
    text_columns : sequence of str, or function
        Columns of a text table or a workbook that stay as they are written: '007' is not 7; or what
        gives them from the names of all columns.
    stream : bool or None
        Read in parts for every pass (True), or once into memory (False); None: in parts if it would
        take more than 1 GiB.

    Returns
    -------
    table : Table
        Its chunks are pyarrow tables; those of .npy and .npz files arrays or csr_arrays.
    """
    table: Any = _open(str(path), form, text_columns)
    if table.n_rows == 0:
        raise TableError(f"{table.where} has no rows.", "It needs a row of names, and rows.")
    if stream and not table.streamed:
        raise TableError(
            f"{table.where} comes as a whole: it cannot be read in parts.",
            "Leave {stream} out, or keep the table as .csv, .parquet, .jsonl or .npy.",
        )
    if stream is False and table.streamed:
        table.hold()
    elif stream is None and table.streamed and table.bytes_in_memory <= STREAM_BYTES:
        table.hold(STREAM_BYTES)
    if table.n_rows == 0:
        raise TableError(f"{table.where} has no rows.", "It needs a row of names, and rows.")
    return table


def file_kind(path: str) -> str:
    """The ending that says what a file holds: of data.csv.gz it is .csv."""
    suffixes = Path(path.lower().removesuffix(".gz")).suffixes
    return suffixes[-1] if suffixes else ""


def _open(path: str, form: TextFormat, text_columns: TextColumns) -> Table:
    if path == STANDARD_INPUT:
        return _open_standard_input(form, text_columns)
    if os.path.isdir(path):
        return _open_parts(path, _files_of_folder(path), form, text_columns)
    if glob.has_magic(path) and not os.path.exists(path):
        found = sorted(name for name in glob.glob(path) if not os.path.isdir(name))
        if not found:
            raise FileNotFoundError(f"No file matches {quoted(path)}.")
        return _open_parts(path, found, form, text_columns)
    return open_one(path, form, text_columns)


def open_one(
    path: str,
    form: TextFormat = TextFormat(),  # noqa: B008  (immutable)
    text_columns: TextColumns = (),
) -> Table:
    """A single file, streamed if its kind can be."""
    where, kind = plain(path, 200), file_kind(path)
    _check_file(path, where)
    ending = kind + ".gz" if path.lower().endswith(".gz") else kind
    if ending not in READABLE:
        raise TableError(
            f"{where} ends in {quoted(ending)}.", f"Tables are read from {', '.join(KINDS)}."
        )
    try:
        return _OPEN[kind](where, path, form, text_columns)
    except PermissionError as error:
        raise TableError(f"{where} cannot be opened: {error.strerror}.") from None


def _check_file(path: str, where: str) -> None:
    """Refuse what is no file before it is opened: a pipe would wait for ever."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {where}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"{where} cannot be opened: {reason}.") from None
    if stat.S_ISREG(found.st_mode):
        if found.st_size == 0:
            raise TableError(f"{where} is empty.", "It needs a row of names, and rows.")
        return
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
    kind = kinds.get(stat.S_IFMT(found.st_mode), "a device")
    raise TableError(
        f"{where} is {kind}, not a file.", "A pipe is read from standard input: name it '-'."
    )


def _files_of_folder(path: str) -> list[str]:
    """The files of a folder that hold tables; all must be of one kind."""
    names = sorted(entry.name for entry in os.scandir(path) if not entry.is_dir())
    tables = [name for name in names if name[0] != "." and file_kind(name) in KINDS]
    if not tables:
        raise TableError(
            f"{plain(path, 200)} is a folder without tables.",
            f"Tables are read from {', '.join(KINDS)}.",
        )
    kinds = sorted({file_kind(name) for name in tables})
    if len(kinds) > 1:
        raise TableError(
            f"{plain(path, 200)} is a folder with files of several kinds: {listed(kinds)}.",
            f"Name those that belong together: '{plain(path, 200)}/*{kinds[0]}'.",
        )
    return [os.path.join(path, name) for name in tables]


def _open_parts(
    path: str, files: Sequence[str], form: TextFormat, text_columns: TextColumns
) -> Table:
    from lowdim.tables.formats.csv import TextTable
    from lowdim.tables.formats.parts import one_table

    files = [file for file in files if os.path.getsize(file)] or files[:1]
    first = open_one(files[0], form, text_columns)
    if isinstance(first, TextTable):  # what is found in the first part holds for all
        form = replace(first.form, encoding=form.encoding)
    parts = [first, *(open_one(file, form, text_columns) for file in files[1:])]
    return parts[0] if len(parts) == 1 else one_table(plain(path, 200), parts)


def _open_standard_input(form: TextFormat, text_columns: TextColumns) -> Table:
    from lowdim.tables.formats.csv import TextTable
    from lowdim.tables.formats.rows import TextSource

    kept = tempfile.NamedTemporaryFile(prefix="lowdim-")  # as long as the table
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.flush()
    source = TextSource("Standard input", kept.name, kept)
    return TextTable(source, ".csv", form, text_columns)


def _open_text(where: str, path: str, form: TextFormat, text_columns: TextColumns) -> Table:
    from lowdim.tables.formats.csv import TextTable
    from lowdim.tables.formats.rows import TextSource

    return TextTable(TextSource(where, path), file_kind(path), form, text_columns)


def _open_parquet(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.parquet import ParquetTable

    return ParquetTable(where, path)


def _open_ipc(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.arrow import IpcTable

    return IpcTable(where, path)


def _open_npy(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.npy import NpyTable

    return NpyTable(where, path)


def _open_npz(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.npy import NpzTable

    return NpzTable(where, path)


def _open_excel(where: str, path: str, form: TextFormat, text_columns: TextColumns) -> Table:
    from lowdim.tables.formats.excel import ExcelTable

    return ExcelTable(where, path, form, text_columns)


def _open_json(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.json import JsonTable
    from lowdim.tables.formats.rows import TextSource

    return JsonTable(TextSource(where, path))


def _open_json_lines(where: str, path: str, *_: Any) -> Table:
    from lowdim.tables.formats.json import JsonLinesTable
    from lowdim.tables.formats.rows import TextSource

    return JsonLinesTable(TextSource(where, path))


_OPEN: dict[str, Callable[[str, str, TextFormat, TextColumns], Table]] = {
    **dict.fromkeys(TEXT, _open_text),
    ".xlsx": _open_excel,
    ".parquet": _open_parquet,
    ".feather": _open_ipc,
    ".arrow": _open_ipc,
    ".npy": _open_npy,
    ".npz": _open_npz,
    ".json": _open_json,
    ".jsonl": _open_json_lines,
}
