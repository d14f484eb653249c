"""A small table that prints itself and becomes a data frame of any library."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

MOST_LINES = 20
LONGEST_CELL = 48


class ResultTable:
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
        lists = [column.tolist() for column in self._columns.values()]
        for line in zip(*lists, strict=True):
            yield dict(zip(self._columns, line, strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            Of which library; None takes that of the ratings, or else pandas.
        """
        library: Any = backend or self._backend or "pandas"
        lists = {name: column.tolist() for name, column in self._columns.items()}
        return nw.from_dict(lists, backend=library).to_native()

    def to_text(self) -> str:
        """All lines as text, columns aligned."""
        cells = self._cells(len(self))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        )

    def __repr__(self) -> str:
        if len(self) <= MOST_LINES:
            return self.to_text()
        first = {name: column[:MOST_LINES] for name, column in self._columns.items()}
        return f"{ResultTable(first).to_text()}\n... {len(self)} lines"

    def _repr_html_(self) -> str:
        head, *body = self._cells(min(len(self), MOST_LINES))
        lines = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body
        )
        names = "".join(f"<th>{escape(name)}</th>" for name in head)
        return f"<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"

    def _cells(self, n: int) -> list[list[str]]:
        columns = [[_cell(value) for value in column[:n]] for column in self._columns.values()]
        return [self.columns, *map(list, zip(*columns, strict=True))]


def _array(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), dtype=object)
    for e, value in enumerate(values):  # not array[:] = values, which would unpack tuples
        array[e] = value
    return array


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
