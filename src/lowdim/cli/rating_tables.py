"""Ratings and titles from files, their columns found by name; ids are text, as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowdim.completion.ratings import Lines, found_column
from lowdim.tables.files import STANDARD_INPUT, CsvFormat, Table, listed, open_table


class ColumnNames(NamedTuple):
    """What the user says the columns are called; None is found by usual names."""

    user: str | None = None
    item: str | None = None
    rating: str | None = None
    timestamp: str | None = None
    title: str | None = None

    def find(self, table: Table, what: str, *, needed: bool = False) -> str | None:
        """The column of `what` in a table."""
        wanted = getattr(self, what)
        if wanted is not None:
            table.check_columns([wanted])
            return wanted
        found = found_column(table.names, what)
        if found is None and needed:
            raise ValueError(
                f"{table.where} has no column of {what}s that is known by its name (it has "
                f"{listed(table.names)}); name it with --{what}-column."
            )
        return found


def read_triplets(path: str, form: CsvFormat, names: ColumnNames, *, use_ratings: bool) -> Lines:
    """Ratings from a table; those of a column that is not named are left out if not wanted."""
    table, ids = _opened(path, form, names, ("user", "item"))
    rating = names.find(table, "rating") if use_ratings or names.rating is not None else None
    time, title = names.find(table, "timestamp"), names.find(table, "title")
    for name, kind in ((rating, "number"), (title, "text")):
        if name is not None and table.kinds[name] != kind:
            raise ValueError(
                f"{table.where} has {table.kinds[name]} in the column {name!r}, where {kind} is "
                "needed; name another column."
            )
    user, item = (_text(table, name) for name in ids)
    titles = None if title is None else dict(zip(item, _text(table, title), strict=True))
    return Lines(
        user,
        item,
        None if rating is None else _numbers(table, rating),
        None if time is None else _times(table, time),
        titles,
    )


def read_titles(path: str, form: CsvFormat, names: ColumnNames) -> dict:
    """Titles from a table with a column of items and one of titles."""
    table, (item,) = _opened(path, form, names, ("item",))
    title = names.find(table, "title", needed=True)
    assert title is not None
    return dict(zip(_text(table, item), _text(table, title), strict=True))


def _opened(
    path: str, form: CsvFormat, names: ColumnNames, ids: Sequence[str]
) -> tuple[Table, list[str]]:
    """The table, its columns of ids read as text: 007 is not the number 7."""
    # standard input can be read only once: ids that look like numbers are numbers there
    first = open_table(path, form, stream=None if path == STANDARD_INPUT else _can_stream(path))
    if not first.named:
        raise ValueError(
            f"{first.where} has no column names; ratings are read from .csv, .tsv and .parquet."
        )
    found = [str(names.find(first, what, needed=True)) for what in ids]
    if path == STANDARD_INPUT:
        return first, found
    return open_table(path, form, as_text=found), found


def _can_stream(path: str) -> bool | None:
    return None if path.endswith((".npy", ".npz")) else True


def _text(table: Table, name: str) -> np.ndarray:
    parts = [
        table.text(block, name).to_numpy(zero_copy_only=False) for block in table.blocks([name])
    ]
    values = np.concatenate(parts)
    return values.astype(object)


def _numbers(table: Table, name: str) -> np.ndarray:
    values = np.concatenate([table.numbers(block, [name])[:, 0] for block in table.blocks([name])])
    missing = np.isnan(values)
    if missing.any():
        raise ValueError(
            f"{table.where} has {missing.sum()} lines without a number in {name!r} (first: line "
            f"{np.argmax(missing) + 1}); leave them out."
        )
    return values


def _times(table: Table, name: str) -> np.ndarray:
    if table.kinds[name] == "number":
        return np.concatenate(
            [table.numbers(block, [name])[:, 0] for block in table.blocks([name])]
        )
    return _text(table, name)  # ISO dates sort as text
