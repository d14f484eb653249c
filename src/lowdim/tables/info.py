"""What was decided about the columns of a table, to be printed and shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from lowdim.tables.errors import ARGUMENT, plain
from lowdim.tables.kinds import ColumnInfo

HEADS = ("column", "kind", "missing", "levels", "what is done")
MOST_LINES = 100


class ColumnTable(Sequence):
    """A line for each column: kind, missing values, levels, and what becomes of it.

    `table[3]` and `table["age"]` give a line as a `ColumnInfo`, a loop gives all of them.
    """

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

    def __repr__(self) -> str:
        lines = [HEADS, *self.lines()[:MOST_LINES]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        if len(self) > MOST_LINES:
            shown.append(f"and {len(self) - MOST_LINES:,} more columns")
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in HEADS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self.lines()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def lines(self) -> list[tuple[str, ...]]:
        """The cells of each line, as text."""
        return [
            (
                plain(column.name, 40),
                column.kind,
                f"{column.n_missing:,}" if column.n_missing else "",
                "" if column.n_levels is None else f"{column.n_levels:,}",
                explained(column),
            )
            for column in self._columns
        ]


def explained(column: ColumnInfo) -> str:
    """What is done with a column, and what else there is to know, in Python's words."""
    return ARGUMENT.sub(r"\1=", "; ".join(remarks(column)))


def remarks(column: ColumnInfo) -> list[str]:
    """What is done with a column, where it does not apply, what the user may want to say of it."""
    rule = column.not_applicable
    parts = [column.done, "" if rule is None else rule.sentence(), column.hint]
    return [part for part in parts if part]
