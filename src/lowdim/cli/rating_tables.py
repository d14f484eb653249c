"""Ratings and titles from files, their columns found by name; ids are text, as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lowdim.cli.table_verb import TableRequest
from lowdim.completion.recommender.ratings import Lines, found_column
from lowdim.tables.errors import TableError, listed, no_such_column, quoted
from lowdim.tables.frames.series import values_of
from lowdim.tables.survey import FORMS
from lowdim.tables.table import Table
from lowdim.tables.writing.cells import as_arrow, cells

AS_TEXT = ("user", "item", "title")


class ColumnNames(NamedTuple):
    """What the user says the columns are called; None is found by usual names."""

    user: str | None = None
    item: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    title: str | None = None

    def find(self, table: Table, what: str) -> str | None:
        """The column of `what` in a table; None if there is none that is known by its name."""
        wanted = getattr(self, what)
        if wanted is not None and wanted not in table.names:
            option = "time" if what == "timestamp" else what
            raise no_such_column(table.where, wanted, table.names, f"{option}_column")
        return found_column(table.names, what) if wanted is None else wanted

    def needed(self, table: Table, what: str) -> str:
        """The same, where there must be one."""
        found = self.find(table, what)
        if found is None:
            raise TableError(
                f"{table.where} has no column of {what}s that is known by its name (it has "
                f"{listed(table.names)}).",
                f"Name it: {{{what}_column}}.",
            )
        return found

    def as_text(self, names: Sequence[str]) -> list[str]:
        """The columns of ids and titles, which stay as they are written: 007 is not 7."""
        found = (getattr(self, what) or found_column(names, what) for what in AS_TEXT)
        return [name for name in found if name is not None and name in names]


def read_triplets(request: TableRequest, names: ColumnNames, *, use_ratings: bool) -> Lines:
    """Ratings from a table; those of a column that is not named are left out if not wanted."""
    table = _opened(request, names)
    user, item = (_text(table, names.needed(table, what)) for what in ("user", "item"))
    rating = names.find(table, "rating") if use_ratings or names.rating is not None else None
    time, title = names.find(table, "timestamp"), names.find(table, "title")
    return Lines(
        user,
        item,
        None if rating is None else _numbers(table, rating),
        None if time is None else _times(table, time),
        None if title is None else dict(zip(item, _text(table, title), strict=True)),
    )


def read_titles(request: TableRequest, path: str, names: ColumnNames) -> dict:
    """Titles from a table with a column of items and one of titles."""
    table = _opened(replace(request, path=path), names)
    item, title = (_text(table, names.needed(table, what)) for what in ("item", "title"))
    return dict(zip(item, title, strict=True))


def _opened(request: TableRequest, names: ColumnNames) -> Table:
    table = request.open(names.as_text)
    if table.backend == "array":
        raise TableError(
            f"{table.where} has no column names.", "Give ratings as .csv, .tsv or .parquet."
        )
    request.say(*table.notes)
    return table


def _parts(table: Table, name: str) -> list[Any]:
    return [as_arrow(chunk)[name].combine_chunks() for chunk in table.chunks([name])]


def _text(table: Table, name: str) -> np.ndarray:
    parts = [cells(name, part).to_numpy(zero_copy_only=False) for part in _parts(table, name)]
    return np.concatenate(parts).astype(object)


def _numbers(table: Table, name: str) -> np.ndarray:
    parts = [values_of(part) for part in _parts(table, name)]
    for part in parts:
        if part.form != "number":
            raise TableError(
                f"{table.where} has {FORMS[part.form]} in the column {quoted(name)}, where numbers "
                "are needed.",
                "Name another column: {rating_column}.",
            )
    values = np.concatenate([part.numbers for part in parts])
    missing = ~np.isfinite(values)
    if missing.any():
        lines = "1 line" if missing.sum() == 1 else f"{missing.sum():,} lines"
        raise TableError(
            f"{table.where} has {lines} without a number in {quoted(name)} (first: row "
            f"{np.argmax(missing) + 1:,}).",
            "Leave these lines out.",
        )
    return values


def _times(table: Table, name: str) -> np.ndarray:
    parts = [values_of(part) for part in _parts(table, name)]
    if all(part.numbers is not None for part in parts):
        return np.concatenate([part.numbers for part in parts])
    return _text(table, name)  # ISO dates sort as text
