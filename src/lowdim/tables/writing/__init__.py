"""Tables to files, a chunk of rows at a time; each file appears complete or not at all.

    .csv .tsv .txt       text with a line of names; .tsv and .txt with tabs; also with .gz
    .json .jsonl         a list of objects; an object per line; also with .gz
    .parquet             a row group per chunk
    .feather .arrow      Arrow files; the former compressed, the latter can be mapped into memory
    .xlsx                one sheet
    .npy .npz            a matrix of numbers; in .npz it is 'X', beside the 'names' of its columns
    -                    csv on standard output

Missing values are empty cells in text and sheets, null in JSON and Arrow, NaN in matrices; NaN is a
missing value everywhere. Categories are written as their values. In text and JSON, numbers have the
fewest digits that read back as the same number, or as many decimals as asked for; dates are those
of ISO 8601, with the offset of their time zone, and without a time if all are at midnight;
durations are days (36 hours are 1.5); flags are true and false. Flags and dates of a csv file that
is read and written again look as they did. Text is never altered: a cell that
begins with '=' stays as it is in csv, and is text, not a formula, in .xlsx.

Memory: the text of about a million cells, whatever the size of a chunk; for .parquet, .feather and
.arrow that of a chunk.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from glob import glob, has_magic
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, cast

from lowdim.core.atomic import replacing
from lowdim.tables.errors import TableError, plain
from lowdim.tables.writing.sheets import SheetWriter
from lowdim.tables.writing.writers import (
    ArrowWriter,
    CsvWriter,
    FeatherWriter,
    JsonLinesWriter,
    JsonWriter,
    NpyWriter,
    NpzWriter,
    ParquetWriter,
    TableWriter,
    TabsWriter,
    library,
)

STANDARD_OUTPUT = "-"
_WRITER: dict[str, type[TableWriter]] = {
    ".csv": CsvWriter,
    ".tsv": TabsWriter,
    ".txt": TabsWriter,
    ".parquet": ParquetWriter,
    ".feather": FeatherWriter,
    ".arrow": ArrowWriter,
    ".npy": NpyWriter,
    ".npz": NpzWriter,
    ".xlsx": SheetWriter,
    ".json": JsonWriter,
    ".jsonl": JsonLinesWriter,
}
TEXT = (".csv", ".tsv", ".txt", ".json", ".jsonl")
WRITABLE = (*_WRITER, *(f"{ending}.gz" for ending in TEXT))


def write_table(
    frame: Any,
    path: str,
    *,
    digits: Mapping[str, int] | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Write a table to a file; how is said at `open_writer`.

    Parameters
    ----------
    frame : data frame, or ndarray of shape (n, d)
        A pandas, polars or pyarrow table, or a matrix. A pandas index is not written.
    path : str
        The file, by its ending one of `WRITABLE`, or '-'.
    digits : dict of str to int, optional
        Decimals with which a column is written.
    names : sequence of str, optional
        Of the columns of a matrix; by default their numbers.
    """
    with open_writer(path, digits=digits) as writer:
        writer.write(frame, names)


@contextmanager
def open_writer(
    path: str,
    *,
    digits: Mapping[str, int] | None = None,
    spelling: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[TableWriter]:
    """A writer of one table, by the ending of the path: `writer.write(chunk)` adds rows.

    The file takes its place when the block ends; if the block raises, what was there stays. If
    `path` is a link, the file that it points to is written. On standard output rows appear as they
    are written.

    Parameters
    ----------
    path : str
        The file, by its ending one of `WRITABLE`, or '-'.
    digits : dict of str to int, optional
        Decimals with which columns are written to text, JSON and sheets: with 2, 18.7 is '18.70'
        and 3750 is '3750.00'; with 0, it is '3750'. A number that needs more decimals keeps them.
        Columns that are not named, and Decimals, are written as they are.
    spelling : dict of str to FlagText or DateText, optional
        How columns of flags, and of dates with times, are written to csv, as
        `Table.spelling` has it: True, 2024-03-01 10:00.
    """
    if path == STANDARD_OUTPUT:
        _require_libraries("Standard output", ".csv")
        sys.stdout.flush()  # what was printed comes first
        with _finished(CsvWriter(sys.stdout.buffer, "Standard output", digits)) as writer:
            writer.spelling = spelling
            yield writer
        sys.stdout.buffer.flush()
        return
    ending = _ending(path)
    _check_ending("path", path, WRITABLE)
    _require_libraries(path, ending)
    with (
        replacing(path) as file,
        _compressed(file, ending) as content,
        _finished(_WRITER[ending.removesuffix(".gz")](content, path, digits)) as writer,
    ):
        writer.spelling = spelling
        yield writer


@contextmanager
def _compressed(file: BinaryIO, ending: str) -> Iterator[BinaryIO]:
    """The file, or what compresses into it; equal tables give equal bytes."""
    if not ending.endswith(".gz"):
        yield file
        return
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as content:
        yield cast(BinaryIO, content)


@contextmanager
def _finished(writer: TableWriter) -> Iterator[TableWriter]:
    try:
        yield writer
        writer.finish()
    except BaseException:
        with suppress(Exception):  # the file is thrown away, and the first error is the one to show
            writer.release()
        raise


# ---- before any work -----------------------------------------------------------------------------


def check_outputs(
    outputs: Mapping[str, str | None],
    inputs: Sequence[str | None],
    kinds: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Raise a TableError before any work if an output cannot be written, or would harm a file.

    Each must have an ending that can be written, be in a folder that exists and can be written to,
    and be neither one of the inputs nor another output, however its path is spelled: through links,
    as a hard link, as a file of a folder or pattern that is read.

    Parameters
    ----------
    outputs : dict of str to (str or None)
        Paths by the name of their argument; None: not asked for.
    inputs : sequence of (str or None)
        Files, folders and patterns that are read: the table, the model.
    kinds : dict of str to sequence of str
        Endings that an output may have, where it is no table; () allows any.
    """
    read = [path for path in inputs if path is not None and path != STANDARD_OUTPUT]
    taken: dict[tuple[Any, ...], str] = {}
    for argument, path in outputs.items():
        if path is None:
            continue
        allowed = kinds.get(argument, WRITABLE)
        _check_ending(argument, path, allowed)
        if path != STANDARD_OUTPUT:
            _check_place(argument, path)
            _check_not_read(argument, path, read)
        if allowed:
            _require_libraries(path, ".csv" if path == STANDARD_OUTPUT else _ending(path))
        same = taken.setdefault(_identity(path), argument)
        if same != argument:
            raise TableError(
                f"{_shown(path)} would be written twice.",
                f"Choose different files for {{{same}}} and {{{argument}}}.",
            )


def _check_ending(argument: str, path: str, allowed: Sequence[str]) -> None:
    ending = ".csv" if path == STANDARD_OUTPUT else _ending(path)
    if not allowed or ending in allowed:
        return
    if path == STANDARD_OUTPUT:
        found = "Only csv can be written to standard output ('-')."
    else:
        found = f"{_shown(path)} ends in {plain(ending)!r}, which cannot be written."
        found = found if ending else f"{_shown(path)} has no ending that says how to write it."
    some = [name for name in allowed if not name.endswith(".gz")]
    more = "; of text, also with .gz" if len(some) < len(allowed) else ""
    raise TableError(found, f"End {{{argument}}} in {', '.join(some)}{more}.")


def _check_place(argument: str, path: str) -> None:
    """The file can be created or replaced, through links."""
    target = os.path.realpath(path)
    folder, other = os.path.dirname(target), f"Choose another file for {{{argument}}}."
    if os.path.isdir(target) or path.endswith(("/", os.sep)):
        raise TableError(f"{_shown(path)} is a folder.", f"Name a file in it for {{{argument}}}.")
    if os.path.lexists(target) and not os.path.isfile(target):
        raise TableError(f"{_shown(path)} is not a regular file.", other)
    if not os.path.isdir(folder):
        found = f"There is no folder {_shown(folder)} to write {_shown(os.path.basename(path))} to."
        raise TableError(found, f"Create it, or choose another for {{{argument}}}.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise TableError(f"The folder {_shown(folder)} cannot be written to.", other)
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise TableError(f"{_shown(path)} is read-only.", other)


def _check_not_read(argument: str, path: str, read: Sequence[str]) -> None:
    """The file is none of those that are read."""
    if not os.path.exists(path):
        return
    for source in read:
        files = [source] if os.path.exists(source) or not has_magic(source) else glob(source)
        inside = os.path.isdir(source) and _is_inside(path, source)
        if inside or _identity(path) in map(_identity, files):
            part = "" if source == path else f" (as {_shown(source)})"
            raise TableError(
                f"{_shown(path)} is read{part}; writing it would destroy it.",
                f"Choose another file for {{{argument}}}.",
            )


def _is_inside(path: str, folder: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _identity(path: str) -> tuple[Any, ...]:
    """The same for two paths to the same file, also where it is not there yet."""
    if path == STANDARD_OUTPUT:
        return (path,)
    target = os.path.realpath(path)
    with suppress(OSError):
        found = os.stat(target)
        return (found.st_dev, found.st_ino)
    return (target,)


def _require_libraries(path: str, ending: str) -> None:
    if ending not in (".npy", ".npz"):
        library("pyarrow", _shown(path))
    if ending == ".xlsx":
        library("xlsxwriter", _shown(path))


def _ending(path: str) -> str:
    """'.csv' or '.csv.gz', in small letters; '' if there is none."""
    name = Path(path).name.lower()
    stem, gz = (name[:-3], ".gz") if name.endswith(".gz") else (name, "")
    return Path(stem).suffix + gz


def _shown(path: str) -> str:
    return plain(path, longest=200)
