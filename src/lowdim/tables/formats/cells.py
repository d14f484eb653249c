"""What single cells of a text table look like, and how a row is cut into them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from lowdim.tables.formats.form import WHITESPACE

# what stands for a missing value in a column of numbers
MISSING = (
    *("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "none", "?", "-", ".", "--"),
    "#N/A",
)

BLANKS = " '’\u00a0\u202f"  # what is found between thousands, beside points and commas
NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
GROUPED = re.compile(rf"[+-]?[$€£¥]? ?\d{{1,3}}(?:[,.{BLANKS}]\d{{3}})*(?:[.,]\d+)? ?[%$€£¥]?")
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ]\d{1,2}:\d{2}[\d:.,+Z-]{0,25})?")
TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?")
LETTER = re.compile(r"[^\W\d_]")
OTHER_SEPARATOR = re.compile(r"[,;|\t]")
LONGEST = 200  # characters of a cell that are looked at
NEVER = "\x1f"  # stands between the columns of a table that has one


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a missing value."""
    return cell[:LONGEST].strip() in MISSING


def is_number(cell: str) -> bool:
    """Whether a cell is a number, with either decimal mark, thousands, or a sign of a unit."""
    cell = cell[:LONGEST].strip()
    return bool(NUMBER.fullmatch(cell) or GROUPED.fullmatch(cell))


def is_typed(cell: str) -> bool:
    """Whether a cell is a number, a date or a time."""
    cell = cell[:LONGEST].strip()
    return is_number(cell) or bool(DATE.fullmatch(cell) or TIME.fullmatch(cell))


def looks_like_value(cell: str) -> bool:
    """Whether a cell is one value, and not several that should have been parted."""
    cell = cell[:LONGEST].strip()
    if is_missing(cell) or is_typed(cell):
        return True
    return bool(LETTER.search(cell)) and not OTHER_SEPARATOR.search(cell)


def split_row(text: str, separator: str, quote: str) -> list[str]:
    """The cells of one row."""
    if separator == WHITESPACE:
        return _split_at_blanks(text, quote)
    lines = text.splitlines(keepends=True)
    try:
        found = csv.reader(
            lines,
            delimiter=separator or NEVER,
            quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        )
        return [cell for row in found for cell in row]
    except csv.Error:  # a field longer than the csv module takes
        return text.split(separator or NEVER)


def _split_at_blanks(text: str, quote: str) -> list[str]:
    if not quote or quote not in text:
        return text.split()
    q = re.escape(quote)
    return [
        cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == quote else cell
        for cell in re.findall(rf"{q}(?:[^{q}]|{q}{q})*{q}|\S+", text)
    ]


# ---- decimal mark and thousands ------------------------------------------------------------------

# of a number such as 1.234,5 one can say what its marks mean; of 1,234 one cannot
MARKS = {
    "comma decimal": re.compile(r"[+-]?(?:\d*,(?!\d{3}$)\d+|0+,\d+|\d{4,},\d+)(?:[eE][+-]?\d+)?"),
    "point decimal": re.compile(
        r"[+-]?(?:\d*\.(?!\d{3}$)\d+|0+\.\d+|\d{4,}\.\d+)(?:[eE][+-]?\d+)?"
    ),
    "points, comma": re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+"),
    "commas, point": re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d+"),
    "points": re.compile(r"[+-]?\d{1,3}(?:\.\d{3}){2,}"),
    "commas": re.compile(r"[+-]?\d{1,3}(?:,\d{3}){2,}"),
    "point or points": re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}"),
    "comma or commas": re.compile(r"[+-]?[1-9]\d{0,2},\d{3}"),
    "blanks, comma": re.compile(rf"[+-]?\d{{1,3}}(?:[{BLANKS}]\d{{3}})+,\d+"),
    "blanks, point": re.compile(rf"[+-]?\d{{1,3}}(?:[{BLANKS}]\d{{3}})+\.\d+"),
    "blanks": re.compile(rf"[+-]?\d{{1,3}}(?:[{BLANKS}]\d{{3}})+"),
}


def number_marks(cells: Iterable[str], separator: str) -> tuple[str, str]:
    """The decimal mark and what is between thousands ('': nothing)."""
    counts = dict.fromkeys(MARKS, 0)
    between = ""
    for cell in cells:
        text = cell[:LONGEST].strip(" $€£¥%")
        for name, pattern in MARKS.items():
            if pattern.fullmatch(text):
                counts[name] += 1
                between = between or (re.sub(r"[\d.,+-]", "", text)[:1])
    commas = sum(counts[name] for name in MARKS if name.endswith((", comma", "comma decimal")))
    points = sum(counts[name] for name in MARKS if name.endswith((", point", "point decimal")))
    commas, points = commas + counts["points"], points + counts["commas"]
    undecided = counts["comma or commas"] > 0 and separator == ";" and commas == points == 0
    decimal = "," if separator != "," and (commas > points or undecided) else "."
    if between:
        return decimal, between
    if decimal == ",":
        grouped = counts["points, comma"] or counts["points"] or counts["point or points"]
        return decimal, "." if grouped and not counts["point decimal"] else ""
    grouped = counts["commas, point"] or counts["commas"] or counts["comma or commas"]
    return decimal, "," if grouped else ""
