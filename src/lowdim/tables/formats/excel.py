"""Workbooks (.xlsx): one sheet, read by fastexcel into memory."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lowdim.tables.errors import TableError, listed, plain, quoted
from lowdim.tables.formats.base import HeldTable, TextColumns, needed, text_names
from lowdim.tables.formats.form import TextFormat
from lowdim.tables.formats.headers import unique_names

MOST_UNPACKED = 2**31  # bytes of a workbook, which is packed


class ExcelTable(HeldTable):
    """A sheet of a workbook: the first, or the one that `form.sheet` names."""

    def __init__(self, where: str, path: str, form: TextFormat, text_columns: TextColumns = ()):
        super().__init__()
        self.where = where
        needed("pyarrow", where, "; .npy files need nothing.")
        fastexcel = needed("fastexcel", where)
        with workbook_errors(where):
            _check_size(where, path)
            book = fastexcel.read_excel(path)
            sheet = self._sheet(book.sheet_names, form.sheet)
            self._load(book, sheet, form, text_columns)
        if len(book.sheet_names) > 1 and form.sheet is None:
            others = [name for name in book.sheet_names if name != sheet]
            self.notes.insert(0, f"sheet {quoted(sheet)}; there are also {listed(others)}")

    def _sheet(self, names: Sequence[str], wanted: str | int | None) -> str:
        wanted = 0 if wanted is None else wanted
        if isinstance(wanted, int) and 0 <= wanted < len(names):
            return names[wanted]
        if wanted in names:
            return str(wanted)
        if str(wanted).isdecimal() and int(wanted) < len(names):
            return names[int(wanted)]
        raise TableError(
            f"{self.where} has no sheet {quoted(wanted)}; it has {listed(names)}.",
            "Name one of them: {sheet}",
        )

    def _load(self, book: Any, sheet: str, form: TextFormat, text_columns: TextColumns) -> None:
        import pyarrow as pa

        named = form.header is not False
        top = pa.table(
            book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_arrow()
        )
        if top.num_columns == 0 or top.num_rows == 0:
            raise TableError(f"{self.where}, sheet {quoted(sheet)}, is empty.")
        cells = [column[0].as_py() or "" for column in top.columns]
        if not named:
            cells = [f"column_{f + 1}" for f in range(len(cells))]
        self.named = named
        self.names, notes = unique_names(cells, rows_first=True)
        self.notes += notes
        as_text = text_names(text_columns, self.names, self.where)
        # all rows are looked at: else a word far down in a column of numbers would be lost
        read = book.load_sheet(
            sheet,
            header_row=0 if named else None,
            schema_sample_rows=None,
            dtypes={self.names.index(name): "string" for name in as_text} or None,
            whitespace_as_null=True,
        )
        columns = pa.table(read.to_arrow()).columns
        empty = [pa.nulls(len(c), pa.float64()) if c.null_count == len(c) else c for c in columns]
        self._hold_all(pa.table(empty, names=self.names))


def _check_size(where: str, path: str) -> None:
    """Refuse what is no workbook, and one that would fill the memory when unpacked.

    What the archive says about sizes may be wrong, so it is unpacked once, and thrown away.
    """
    with zipfile.ZipFile(path) as archive:
        names, left = archive.namelist(), MOST_UNPACKED
        if "[Content_Types].xml" not in names:
            raise TableError(f"{where} is a zip archive, but not a workbook.")
        for info in archive.infolist():
            info.file_size = 2**62  # read to the end of the data
            with archive.open(info) as member:
                while left >= 0 and (read := member.read(2**20)):
                    left -= len(read)
            if left < 0:
                raise TableError(
                    f"{where} unpacks to more than {MOST_UNPACKED / 2**30:.0f} GB.",
                    "Save the sheet as .csv, which is read in parts.",
                )


@contextmanager
def workbook_errors(where: str) -> Iterator[None]:
    """What is wrong with a workbook, in one line; fastexcel's words about empty columns are kept
    from the user's terminal."""
    logger = logging.getLogger("fastexcel")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    except (TableError, ImportError):
        raise
    except zipfile.BadZipFile:
        raise TableError(
            f"{where} is not a workbook, or it is damaged.",
            "Save it again as .xlsx; older .xls files are not read.",
        ) from None
    except Exception as error:
        reason = plain(str(error).partition("\n")[0], 200)
        raise TableError(f"{where} cannot be read as a workbook: {reason}.") from None
    finally:
        logger.setLevel(level)
