"""How a text table is written: what the user says, and what is found where nothing is said."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from lowdim.tables.errors import TableError, quoted

WHITESPACE = "whitespace"  # the separator of columns that are aligned by blanks
BY_NAME = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "none": ""}
SPOKEN = {"\t": "tabs", " ": "single blanks", WHITESPACE: "blanks"}


@dataclass(frozen=True)
class TextFormat:
    """How a text table is written; None: found from the content.

    Parameters
    ----------
    separator : str or None
        What is between columns: one character, 'tab', 'space', 'whitespace' (any run of blanks
        and tabs), or 'none' (one column).
    decimal : '.' or ',' or None
        The decimal mark.
    thousands : str or None
        What is between thousands: '1,200'. Such numbers stay text here, whose meaning is found
        later.
    quote : str or None
        What text with separators in it stands between; '' or 'none': quotes mean nothing.
    encoding : str or None
        How characters are written: 'utf-8', 'cp1252', 'utf-16', ...
    header : bool or None
        Whether the first row holds the names of the columns.
    comment : str or None
        What lines begin with that are no rows; '' or 'none': no line does.
    units : bool or None
        Whether the row beneath the names holds units.
    missing : tuple of str
        Marks of missing values beside the usual ones.
    sheet : str or int or None
        Of a workbook: the sheet, by name or by number from 0; None: the first.
    """

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    comment: str | None = None
    units: bool | None = None
    missing: tuple[str, ...] = ()
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        for field in ("separator", "quote", "comment"):
            given = getattr(self, field)
            object.__setattr__(self, field, BY_NAME.get(given, given))
        object.__setattr__(self, "missing", tuple(self.missing))
        self._check_marks()
        if self.encoding is not None:
            try:
                "".encode(codecs.lookup(self.encoding).name)
            except (LookupError, ValueError):
                raise TableError(
                    f"The encoding {quoted(self.encoding)} is not known.",
                    "The usual ones are utf-8, latin-1, cp1252 and utf-16: {encoding}",
                ) from None

    def _check_marks(self) -> None:
        one = "one character of plain ASCII"
        if self.separator not in (WHITESPACE, "") and not _is_mark(self.separator):
            raise TableError(
                f"The separator {quoted(self.separator)} is not {one}.",
                "Name what is between columns, or 'tab' or 'whitespace': {separator}",
            )
        if self.quote != "" and not _is_mark(self.quote):
            raise TableError(
                f"The quote {quoted(self.quote)} is not {one}.", "Name one, or 'none': {quote}"
            )
        if self.decimal not in (None, ".", ","):
            raise TableError(
                f"The decimal mark {quoted(self.decimal)} is not '.' or ','.",
                "Name one of these: {decimal}",
            )
        if self.separator is not None and self.separator in (self.quote, self.decimal):
            raise TableError(
                f"{quoted(self.separator)} cannot stand between columns and be the "
                f"{'quote' if self.separator == self.quote else 'decimal mark'} as well.",
                "Name another {separator}",
            )


def _is_mark(given: str | None) -> bool:
    return given is None or (len(given) == 1 and given.isascii() and given not in "\n\r\0")


def spoken_separator(separator: str) -> str:
    """The separator in a message: "';'", 'tabs'."""
    return SPOKEN.get(separator, quoted(separator))


def read_as(form: TextFormat, kind: str) -> str:
    """What is unusual about a text table, in one line; '' if nothing is.

    Parameters
    ----------
    form : TextFormat
        Nothing in it is None.
    kind : str
        The ending of the file's name: in a '.tsv', tabs are not unusual.
    """
    usual = "\t" if kind == ".tsv" else ","
    said = []
    if form.separator not in (usual, ""):
        said.append(f"{spoken_separator(form.separator or '')} between columns")
    if form.decimal == ",":
        said.append("',' for decimals")
    if form.thousands:
        said.append(f"{quoted(form.thousands)} between thousands")
    if form.quote not in ('"', ""):
        said.append(f"text between {form.quote}")
    if codecs.lookup(form.encoding or "utf-8").name not in ("utf-8", "utf-8-sig", "ascii"):
        said.append(str(form.encoding))
    if not form.header:
        said.append("no row of names")
    if form.comment:
        said.append(f"lines with {quoted(form.comment)} are comments")
    if form.units:
        said.append("units beneath the names")
    return "read as: " + ", ".join(said) if said else ""
