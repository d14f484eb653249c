"""Tables that print themselves: as text, as HTML, and as a data frame of any library.

`text_table` and `html_table` lay out cells; a `PrintedTable` has cells and values, and all ways to
show them; a `ResultTable` is one made of columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from html import escape
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np

LONGEST_CELL = 48


def text_table(
    lines: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    widths: Sequence[int] | None = None,
) -> str:
    """Cells as text, columns aligned and two spaces apart; a line may end early.

    Columns in `right` are aligned to the right, others to the left. `widths` are those of the
    columns, where several tables are to have the same.

    Examples
    --------
    >>> from lowdim.core.result_table import text_table
    >>> print(text_table([["item", "price"], ["tea", "4.25"], ["ink"]], right={1}))
    item  price
    tea    4.25
    ink
    """
    widths = column_widths(lines) if widths is None else widths
    return "\n".join(
        "  ".join(
            cell.rjust(width) if c in right else cell.ljust(width)
            for c, (cell, width) in enumerate(zip(line, widths, strict=False))
        ).rstrip()
        for line in lines
    )


def column_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """The longest cell of each column."""
    count = max(map(len, lines), default=0)
    return [max(len(line[c]) for line in lines if c < len(line)) for c in range(count)]


def html_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Cells as an HTML table; whatever they hold stays text."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines
    )
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


class PrintedTable(ABC):
    """What a table needs to be shown; a subclass has a length, and says what is in it.

    A long table shows its first lines, and how many more there are; `to_text` shows all.
    """

    most_lines: ClassVar[int] = 20
    more: ClassVar[str] = "more lines"  # what is not shown

    @abstractmethod
    def _values(self) -> dict[str, list[Any]]:
        """The columns, by name."""

    def _cells(self, most: int) -> list[list[str]]:
        """The text of the first lines, cell by cell."""
        columns = [
            [cell_text(value) for value in column[:most]] for column in self._values().values()
        ]
        return [list(line) for line in zip(*columns, strict=True)]

    def _head(self) -> list[str]:
        """The names of the columns, as they are shown."""
        return list(self._values())

    def __len__(self) -> int:
        return len(next(iter(self._values().values())))

    def to_text(self) -> str:
        """All lines as text, columns aligned."""
        return text_table([self._head(), *self._cells(len(self))])

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            Of which library; None means pandas.
        """
        library: Any = backend or "pandas"
        return nw.from_dict(self._values(), backend=library).to_native()

    def __repr__(self) -> str:
        text = text_table([self._head(), *self._cells(self.most_lines)])
        return "\n".join([text, *self._rest()])

    def _repr_html_(self) -> str:
        table = html_table(self._head(), self._cells(self.most_lines))
        return table + "".join(f"<p>{escape(line)}</p>" for line in self._rest())

    def _rest(self) -> list[str]:
        """How much is not shown."""
        left = len(self) - self.most_lines
        return [f"and {left:,} {self.more}"] if left > 0 else []


class ResultTable(PrintedTable):
    """Columns of equal length, by name.

    `table["item"]` is a column, `len(table)` the number of lines, a loop gives the lines as dicts,
    and `to_frame` makes a data frame.

    Examples
    --------
    >>> from lowdim.core.result_table import ResultTable
    >>> ResultTable({"item": ["tea", "ink"], "score": [4.25, 3.0]})
    item  score
    tea   4.25
    ink   3
    """

    def __init__(self, columns: dict[str, Any], backend: str | None = None):
        self._columns = {name: _array(values) for name, values in columns.items()}
        self._backend = backend

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line in zip(*self._values().values(), strict=True):
            yield dict(zip(self._columns, line, strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            Of which library; None takes that of the ratings, or else pandas.
        """
        return super().to_frame(backend or self._backend)

    def _values(self) -> dict[str, list[Any]]:
        return {name: column.tolist() for name, column in self._columns.items()}

    def _cells(self, most: int) -> list[list[str]]:
        return _lines([column[:most] for column in self._columns.values()])


def cell_text(value: Any) -> str:
    """A value as it is printed: numbers with four digits, long texts cut."""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _lines(columns: Sequence[Any]) -> list[list[str]]:
    """Columns of values as lines of text."""
    cells = [[cell_text(value) for value in column] for column in columns]
    return [list(line) for line in zip(*cells, strict=True)]


def _array(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), dtype=object)
    for e, value in enumerate(values):  # not array[:] = values, which would unpack tuples
        array[e] = value
    return array
