"""What a text table is like, found from its first rows.

lines   -> the mark of comments
rows    -> separator and quote: those with which rows have the same number of cells, and cells
           look like values
cells   -> decimal mark, thousands
columns -> whether there are names and units above them
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from lowdim.tables.formats.cells import (
    is_number,
    is_typed,
    looks_like_value,
    number_marks,
    split_row,
)
from lowdim.tables.formats.form import WHITESPACE, TextFormat
from lowdim.tables.formats.headers import has_header, has_units
from lowdim.tables.formats.rows import Cutter

SEPARATORS = (",", "\t", ";", "|", WHITESPACE)  # of two that explain as much, the first
COMMENTS = ("#", "%", "//")
MOST_ROWS = 300  # that are looked at
MOST_CELLS = 5000
MOST_LEAD = 10  # lines before the table that are no part of it


class Row(NamedTuple):
    """A row of the sample: its cells, and the bytes where it starts and ends."""

    cells: list[str]
    start: int
    end: int


class Layout(NamedTuple):
    """What was found.

    form : nothing in it is None.
    width : number of columns.
    header, units : the cells of these rows; None without one.
    skip : where the rows of values start, in bytes of the sample.
    lead : lines before the table that are no part of it.
    ends_empty : whether the last cell of all rows is empty.
    """

    form: TextFormat
    width: int
    header: list[str] | None
    units: list[str] | None
    skip: int
    lead: int
    ends_empty: bool
    newline: bytes


def find_layout(sample: bytes, form: TextFormat) -> Layout:
    """How the rows of a sample (in UTF-8) are written; what `form` says is not questioned."""
    newline = b"\r" if b"\n" not in sample and b"\r" in sample else b"\n"
    comment = _comment(sample, newline) if form.comment is None else form.comment
    rows, separator, quote = _best_rows(sample, newline, form, comment)
    width = _width(rows)
    if comment and form.comment is None and _begins_rows(rows, comment, width):
        rows, comment = _after_comments(rows, comment), ""
    comments, rows = _parted(rows, comment)
    rows, lead = _without_lead(rows, width)
    cells = [row.cells for row in rows]
    decimal, thousands = number_marks(islice(chain(*cells), MOST_CELLS), separator)
    header = has_header(cells, width) if form.header is None else form.header
    above = rows[: int(header)]
    if not header and form.header is None:
        above = _commented_header(comments, rows, comment, separator, quote, width)
    fitting = [row.cells for row in (*above, *rows[int(header) :]) if len(row.cells) == width]
    units = bool(above) and (has_units(fitting) if form.units is None else form.units)
    values = rows[int(header) + int(units) :]
    return Layout(
        replace(
            form,
            separator=separator,
            quote=quote,
            decimal=form.decimal or decimal,
            thousands=thousands if form.thousands is None else form.thousands,
            header=bool(above),
            units=units,
            comment=comment,
        ),
        width,
        above[0].cells if above else None,
        rows[int(header)].cells if units and len(rows) > int(header) else None,
        values[0].start if values else len(sample),
        lead,
        all(not row.cells[-1].strip() for row in values),
        newline,
    )


# ---- comments, and lines before the table --------------------------------------------------------


def _comment(sample: bytes, newline: bytes) -> str:
    """The mark that the first line begins with, unless all lines do."""
    lines = [line.strip() for line in sample.split(newline, 2 * MOST_ROWS)[: 2 * MOST_ROWS]]
    lines = [line for line in lines if line]
    for mark in COMMENTS:
        begins = [line.startswith(mark.encode()) for line in lines]
        if begins and begins[0] and not all(begins):
            return mark
    return ""


def _is_comment(row: Row, comment: str) -> bool:
    return bool(comment) and row.cells[0].lstrip().startswith(comment)


def _after_comments(rows: Sequence[Row], comment: str) -> list[Row]:
    first = next(i for i, row in enumerate(rows) if not _is_comment(row, comment))
    return list(rows[first:])


def _begins_rows(rows: Sequence[Row], comment: str, width: int) -> bool:
    """Whether rows of values begin with the mark, too: then it marks comments only above them."""
    later = [row for row in _after_comments(rows, comment)[1:] if _is_comment(row, comment)]
    return width > 1 and any(len(row.cells) == width for row in later)


def _parted(rows: Sequence[Row], comment: str) -> tuple[list[Row], list[Row]]:
    """Comments, and rows."""
    comments = [row for row in rows if _is_comment(row, comment)]
    return comments, [row for row in rows if not _is_comment(row, comment)]


def _commented_header(
    comments: Sequence[Row],
    rows: Sequence[Row],
    comment: str,
    separator: str,
    quote: str,
    width: int,
) -> list[Row]:
    """The comment right above the rows, if it names their columns, as numpy.savetxt writes it."""
    above = [row for row in comments if rows and row.end <= rows[0].start]
    if not above:
        return []
    first = above[-1].cells[0].lstrip().removeprefix(comment)
    cells = [first, *above[-1].cells[1:]]
    if separator == WHITESPACE and not first:
        cells = cells[1:]
    named = len(cells) == width and width > 1 and not any(map(is_typed, cells))
    return [above[-1]._replace(cells=cells)] if named else []


def _without_lead(rows: Sequence[Row], width: int) -> tuple[list[Row], int]:
    """The rows from the header on, and how many lines are above: titles have fewer cells."""
    lead = next((i for i, row in enumerate(rows) if len(row.cells) == width), 0)
    below = [row.cells for row in rows[lead:]]
    is_title = 0 < lead <= MOST_LEAD and max(len(row.cells) for row in rows[:lead]) < width - 1
    if is_title and has_header(below, width) and any(map(is_typed, chain(*below[1:]))):
        return list(rows[lead:]), lead
    return list(rows), 0


# ---- separator and quote -------------------------------------------------------------------------


def _best_rows(
    sample: bytes, newline: bytes, form: TextFormat, comment: str
) -> tuple[list[Row], str, str]:
    """The rows of the sample, cut by what explains them best."""
    separators = (*SEPARATORS, "") if form.separator is None else (form.separator,)
    quotes = ('"', *_single_quote(sample)) if form.quote is None else (form.quote,)
    cuts = [(separator, quote) for quote in quotes for separator in separators]
    found = [sample_rows(sample, Cutter(*cut, newline)) for cut in cuts]
    scores = [
        _score(_parted(rows, comment)[1], *cut) for rows, cut in zip(found, cuts, strict=True)
    ]
    best = max(range(len(cuts)), key=lambda i: (round(scores[i], 9), -i))
    return found[best], *cuts[best]


def _score(rows: Sequence[Row], separator: str, quote: str) -> float:
    """How well a separator explains rows: by their equal width, and cells that look like values.

    Without a separator rows are equal by nature, and words have blanks between them in any text:
    both explain less.
    """
    width = _width(rows)
    if not rows or (separator and width < 2):
        return 0.0
    fitting = [row.cells for row in rows if len(row.cells) == width]
    cells = list(islice(chain(*fitting), MOST_CELLS))
    values = sum(map(looks_like_value, cells)) / len(cells)
    stray = sum(bool(quote) and quote in cell[:1] + cell[-1:] for cell in cells) / len(cells)
    prior = 1.0 if separator else 0.8
    if separator == WHITESPACE and not any(map(is_number, cells)):
        prior = 0.5
    if len(rows[0].cells) < max(width - 1, 2) and separator:  # beneath a title, or one name
        prior *= 0.7
    is_short = len(rows[0].cells) == width - 1 > 1  # without a name above the names of rows
    return prior * (len(fitting) + is_short) / len(rows) * (0.3 + 0.7 * values) * (1 - stray)


def _single_quote(sample: bytes) -> tuple[str, ...]:
    """The single quote, if fields stand between such and none between double ones."""
    single = re.search(rb"(?:^|[,;|\t ])'[^'\n]*'(?=[,;|\t\r\n]|$)", sample, re.MULTILINE)
    double = re.search(rb'(?:^|[,;|\t])"', sample, re.MULTILINE)
    return ("'",) if single and not double else ()


def sample_rows(sample: bytes, cutter: Cutter) -> list[Row]:
    """The first rows that are not empty."""
    rows: list[Row] = []
    start = 0
    for end in (*cutter.row_ends(sample).ends[: 2 * MOST_ROWS].tolist(), len(sample)):
        text = sample[start:end].decode(errors="replace").strip("\r\n")
        if text.strip() and len(rows) < MOST_ROWS:
            rows.append(Row(split_row(text, cutter.separator, cutter.quote), start, end))
        start = end
    return rows


def _width(rows: Sequence[Row]) -> int:
    """The number of cells that most rows have; of two, the larger."""
    counts = Counter(len(row.cells) for row in rows)
    return max(counts, key=lambda width: (counts[width], width)) if counts else 0
