"""What was decided about the columns of a table, to be printed and shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from lowdim.core.result_table import PrintedTable
from lowdim.tables.errors import ARGUMENT, plain
from lowdim.tables.kinds import ColumnInfo

HEADS = ("column", "kind", "missing", "levels", "what is done")


class ColumnTable(PrintedTable, Sequence):
    """A line for each column: kind, missing values, levels, and what becomes of it.

    `table[3]` and `table["age"]` give a line as a `ColumnInfo`, a loop gives all of them;
    `to_frame` makes a data frame.
    """

    most_lines: ClassVar[int] = 100
    more: ClassVar[str] = "more columns"

    def __init__(self, columns: Iterable[ColumnInfo]):
        self._columns = tuple(columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            for column in self._columns:
                if column.name == key:
                    return column
            raise KeyError(key)
        return self._columns[key]

    def _head(self) -> list[str]:
        return list(HEADS)

    def _cells(self, most: int) -> list[list[str]]:
        return [list(line) for line in self.lines(most)]

    def _values(self) -> dict[str, list[Any]]:
        lines = [
            (column.name, column.kind, column.n_missing or 0, column.n_levels, explained(column))
            for column in self._columns
        ]
        values = zip(*lines, strict=True) if lines else ([] for _ in HEADS)
        return {name: list(column) for name, column in zip(HEADS, values, strict=True)}

    def lines(self, most: int | None = None) -> list[tuple[str, ...]]:
        """The cells of each line, or of the first ones, as text."""
        return [
            (
                plain(column.name, 40),
                column.kind,
                f"{column.n_missing:,}" if column.n_missing else "",
                "" if column.n_levels is None else f"{column.n_levels:,}",
                explained(column),
            )
            for column in self._columns[:most]
        ]


def explained(column: ColumnInfo) -> str:
    """What is done with a column, and what else there is to know, in Python's words."""
    return ARGUMENT.sub(r"\1=", "; ".join(remarks(column)))


def remarks(column: ColumnInfo) -> list[str]:
    """What is done with a column, where it does not apply, what the user may want to say of it."""
    rule = column.not_applicable
    parts = [column.done, "" if rule is None else rule.sentence(), column.hint]
    return [part for part in parts if part]
