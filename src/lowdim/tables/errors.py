"""What is wrong with a table, in words for Python and for the command line.

A message says what was found; its cure names arguments in braces, and each side writes them in its
own way:

    TableError("data.csv has one column.", "Name what is between columns: {separator}.")

    in Python               ... Name what is between columns: separator=...
    on the command line     ... Name what is between columns: --separator
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches

ARGUMENT = re.compile(r"\{([a-z_]+)\}")
LONGEST = 60  # characters of a value or name in a message


class TableError(ValueError):
    """A table that cannot be used as it is.

    Parameters
    ----------
    found : str
        What is wrong, and where: the file, the row, the column.
    cure : str
        What to do; arguments stand in braces: '{separator}'.
    """

    def __init__(self, found: str, cure: str = ""):
        super().__init__(found, cure)
        self.found, self.cure = found, cure

    def __str__(self) -> str:
        return self._with(ARGUMENT.sub(r"\1=...", self.cure))

    def for_command_line(self) -> str:
        """The message with the options of the command line."""
        return self._with(as_options(self.cure))

    def _with(self, cure: str) -> str:
        return f"{self.found} {cure}" if cure else self.found


class TableWarning(UserWarning):
    """Something about a table that the user should know; its cure is written as in TableError."""

    def __init__(self, found: str, cure: str = ""):
        super().__init__(found, cure)
        self.found, self.cure = found, cure

    __str__ = TableError.__str__
    for_command_line = TableError.for_command_line
    _with = TableError._with


def as_options(text: str) -> str:
    """Arguments in braces as options of the command line: '{max_levels}' is --max-levels."""
    return ARGUMENT.sub(lambda match: "--" + match[1].replace("_", "-"), text)


def plain(text: object, longest: int = LONGEST) -> str:
    """Text from a table that is safe to print: in one line, nothing that moves the cursor.

    Control characters, direction marks and halves of surrogate pairs become a replacement sign.
    """
    shown = "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") else c
        for c in str(text)[: longest + 1]
    )
    shown = shown.replace("\u2028", " ").replace("\u2029", " ")
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def quoted(text: object) -> str:
    """A name or value of a table in a message: 'age'."""
    return f"'{plain(text)}'"


def listed(names: Sequence[object], most: int = 6) -> str:
    """The names between commas; of many, the first."""
    shown = ", ".join(plain(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def no_such_column(where: str, column: str, names: Sequence[str], argument: str = "") -> TableError:
    """The error for a column that a table does not have."""
    close = get_close_matches(str(column), list(names), n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"it has {listed(names)}."
    cure = f"Name one of its columns in {{{argument}}}." if argument else ""
    return TableError(f"{where} has no column {quoted(column)}; {hint}", cure)
