"""Tables as sheets of .xlsx files.

Excel has float64 numbers, dates without a time zone from March 1900 on and to the millisecond, and
text of at most 32,767 characters. Other dates, times of the day and whole numbers that a float64
cannot hold are written as text, so that nothing is lost; longer text and infinite numbers are
refused. A missing value is a cell that is not there: last rows without any value cannot be seen.
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, BinaryIO, NamedTuple

from lowdim.tables.errors import TableError, quoted
from lowdim.tables.writing import cells
from lowdim.tables.writing.writers import TableWriter, library

MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 1_048_576, 16_384, 32_767
PART = 2**16  # cells that are in work at a time
# before, Excel counts a 29th of February 1900 that other programs do not
FIRST_DATE = datetime.datetime(1900, 3, 1)
DATES = ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd hh:mm:ss.000")  # by fineness
DURATION = "[h]:mm:ss"


class Cell(NamedTuple):
    """A value, how it is written, and how Excel shows it."""

    kind: str  # 'string', 'number', 'boolean' or 'datetime'
    value: Any
    shown: str = ""


class ExactFloat(float):
    """A number that is written with the fewest digits that read back as the same number.

    xlsxwriter asks for 16 digits; some numbers need 17.
    """

    def __format__(self, spec: str) -> str:
        return float.__repr__(self)


class SheetWriter(TableWriter):
    """One sheet; numbers are shown with as many decimals as asked for."""

    def __init__(self, file: BinaryIO, where: str, digits: Mapping[str, int] | None = None):
        super().__init__(file, where, digits)
        self._folder = tempfile.TemporaryDirectory(prefix="lowdim-")
        settings = {"constant_memory": True, "tmpdir": self._folder.name}
        self._book = library("xlsxwriter", self.where).Workbook(self.file, settings)
        self._book.use_zip64()
        self._sheet = self._book.add_worksheet()
        self._put = {
            "string": self._sheet.write_string,
            "number": self._sheet.write_number,
            "boolean": self._sheet.write_boolean,
            "datetime": self._sheet.write_datetime,
        }
        self._formats: dict[str, Any] = {"": None}
        self._n_rows = 0

    def _add(self, table: Any, is_first: bool) -> None:
        self._check_size(table)
        if is_first:
            self._write_row([Cell("string", name) for name in self.names])
        size = max(1, PART // table.num_columns)
        for start in range(0, table.num_rows, size):
            part = table.slice(start, size)
            columns = [
                list(self._cells(name, column.combine_chunks()))
                for name, column in zip(self.names, part.columns, strict=True)
            ]
            for row in zip(*columns, strict=True):
                self._write_row(row)

    def finish(self) -> None:
        super().finish()
        try:
            self._book.close()
        except library("xlsxwriter.exceptions", self.where).FileCreateError as error:
            raise error.args[0] from None  # what the system said
        self._folder.cleanup()

    def release(self) -> None:
        super().release()
        try:
            self._sheet.row_data_fh.close()
        finally:
            self._folder.cleanup()

    def _check_size(self, table: Any) -> None:
        n_rows = max(self._n_rows, 1) + table.num_rows  # the names are a row
        if n_rows > MOST_ROWS or table.num_columns > MOST_COLUMNS:
            raise TableError(
                f"{self.where} would have {n_rows:,} rows and {table.num_columns:,} columns; a "
                f"sheet has at most {MOST_ROWS:,} and {MOST_COLUMNS:,}.",
                "Write to .csv or .parquet.",
            )

    def _write_row(self, row: Any) -> None:
        for f, cell in enumerate(row):
            if cell is None:
                continue
            shown = self._formats.get(cell.shown)
            if shown is None and cell.shown:
                shown = self._book.add_format({"num_format": cell.shown})
                self._formats[cell.shown] = shown
            if self._put[cell.kind](self._n_rows, f, cell.value, shown) == -2:
                raise TableError(
                    f"{self.where}: column {quoted(self.names[f])} has a text of more than "
                    f"{MOST_CHARACTERS:,} characters, which a sheet cannot hold.",
                    "Write to .csv or .parquet.",
                )
        self._n_rows += 1

    def _cells(self, name: str, column: Any) -> Iterator[Cell | None]:
        import pyarrow as pa

        cells.check_finite(self.where, name, column)
        kind = column.type
        if cells.is_date(kind):
            return _date_cells(column)
        if pa.types.is_duration(kind):
            return _number_cells(cells.days(column), None, DURATION)
        if pa.types.is_boolean(kind):
            return _each("boolean", column.to_pylist())
        if cells.is_number(kind):
            return _number_cells(column, self.digits.get(name))
        return _each("string", cells.cells(name, column).to_pylist())


def _each(kind: str, values: list[Any], shown: str = "") -> Iterator[Cell | None]:
    return (None if value is None else Cell(kind, value, shown) for value in values)


def _number_cells(column: Any, digits: int | None, shown: str = "") -> Iterator[Cell | None]:
    """Numbers, shown with so many decimals where that is the number."""
    import pyarrow as pa

    exact = [digits is not None] * len(column)
    if digits is not None:
        shown = f"0.{'0' * digits}" if digits else "0"
        if pa.types.is_floating(column.type):
            values = column.to_numpy(zero_copy_only=False)
            exact = cells.in_decimals(values, digits)[1].tolist()
    for value, fits in zip(column.to_pylist(), exact, strict=True):
        yield None if value is None else _number(value, shown if fits or digits is None else "")


def _number(value: Any, shown: str) -> Cell:
    """A number, or its text if a float64 cannot hold it."""
    if isinstance(value, float):
        return Cell("number", ExactFloat(value), shown)
    number = float(value)
    if isinstance(value, Decimal):
        same = Decimal(repr(number)) == value
    else:
        same = int(number) == value
    return Cell("number", ExactFloat(number), shown) if same else Cell("string", str(value))


def _date_cells(column: Any) -> Iterator[Cell | None]:
    """Dates that Excel knows, else their text."""
    import pyarrow as pa

    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    fineness = cells.fineness_of(column)
    texts = cells.cells("", column, fineness=fineness).to_pylist()
    is_moment = pa.types.is_timestamp(column.type) and column.type.tz is None
    if not is_moment or fineness >= len(DATES):
        yield from _each("string", texts)
        return
    moments = column.cast(pa.timestamp("us")).to_pylist()
    for moment, text in zip(moments, texts, strict=True):
        if moment is None:
            yield None
        elif moment < FIRST_DATE:
            yield Cell("string", text)
        else:
            yield Cell("datetime", moment, DATES[fineness])
