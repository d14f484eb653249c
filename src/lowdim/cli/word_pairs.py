"""Pairs of words from a file: a word and its translation on each line.

    .csv          between the columns stands a comma, a semicolon or a tab, as in the first line
    .tsv          a tab
    .txt          a tab, or else blanks, as in the dictionaries of MUSE

All also with .gz. Words are text as they are written: NA, null and 007 are words.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator, Sequence

from lowdim.tables.errors import TableError, no_such_column, plain

ENDINGS = (".csv", ".tsv", ".txt")


def read_pairs(path: str, columns: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """The pairs of a file.

    Parameters
    ----------
    path : str
    columns : two names, or None
        Of the columns with the words, which the first line of the file names; None: the first two
        columns, and the first line is a pair like the others.
    """
    lines = _lines(path)
    first, second = 0, 1
    if columns is not None:
        heads = [head.strip() for head in next(lines, (0, []))[1]]
        for name in columns:
            if name not in heads:
                raise no_such_column(plain(path, 200), name, heads, "columns")
        first, second = (heads.index(name) for name in columns)
    pairs = []
    for number, cells in lines:
        if max(first, second) >= len(cells):
            raise TableError(
                f"Line {number} of {plain(path, 200)} has no second word.",
                "A line is a word and its translation, with a comma or a tab between.",
            )
        one, other = cells[first].strip(), cells[second].strip()
        if one and other:
            pairs.append((one, other))
    if not pairs:
        raise TableError(f"{plain(path, 200)} has no pairs of words.")
    return pairs


def _lines(path: str) -> Iterator[tuple[int, list[str]]]:
    """The numbers of lines that are not blank, and their cells."""
    if not os.path.exists(path):
        raise TableError(f"There is no file {plain(path, 200)}.")
    ending = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    if ending not in ENDINGS:
        raise TableError(
            f"{plain(path, 200)} does not end like a file of pairs.",
            f"Such files end in {', '.join(ENDINGS)}, also with .gz.",
        )
    packed = path.lower().endswith(".gz")
    try:
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            start = file.readline()
            file.seek(0)
            if ending == ".txt" and "\t" not in start:
                yield from ((i, line.split()) for i, line in enumerate(file, 1) if line.strip())
                return
            rows = csv.reader(file, delimiter=_separator(start, ending))
            yield from ((rows.line_num, cells) for cells in rows if any(map(str.strip, cells)))
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, csv.Error) as error:
        raise TableError(f"{plain(path, 200)} is not a table in UTF-8 ({error}).") from error


def _separator(line: str, ending: str) -> str:
    if ending != ".csv":
        return "\t"
    return max((",", ";", "\t"), key=line.count)
