"""How the characters of a text file are written, found from its first bytes.

a mark at the start     UTF-8, UTF-16, UTF-32
zero bytes              UTF-16 without a mark, or no text at all
valid as UTF-8          UTF-8
anything else           what charset-normalizer finds in text of many different characters, and
                        cp1252 in text of few: there it cannot know, and cp1252 is most common
"""

from __future__ import annotations

import codecs
import re

from lowdim.tables.errors import TableError
from lowdim.tables.formats.base import needed

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FEW = 6  # different bytes beyond ASCII: too few to know an alphabet by
SIGN_IN_WORD = re.compile(r"[^\W\d_][¡-¿×÷]|[¡-¿×÷][^\W\d_]")  # of a text that is not in cp1252


def found_encoding(start: bytes, where: str) -> str:
    """The encoding of a file that starts with these bytes."""
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    if b"\0" in start:
        encoding = _two_byte_encoding(start)
        if not encoding:
            raise zero_bytes(where)
        return encoding
    return "utf-8" if is_valid(start, "utf-8") else other_encoding(start, where)


def zero_bytes(where: str, line: int | None = None) -> TableError:
    """The error for a file with bytes that no text has."""
    place = f" in line {line:,}" if line else ""
    return TableError(
        f"{where} is not a text table: it has zero bytes (NUL){place}.",
        "Name the file as what it is; if it is text, say how its characters are written, such as "
        "utf-16: {encoding}",
    )


def is_valid(start: bytes, encoding: str) -> bool:
    """Whether bytes can be decoded; the last character may be cut."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeError:
        return False
    return True


def first_invalid(text: bytes) -> int:
    """Where the first bytes stand that are not UTF-8; the end if all are."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(text)


def other_encoding(start: bytes, where: str) -> str:
    """The encoding of text that is not UTF-8."""
    usual = "cp1252" if is_valid(start, "cp1252") else "latin-1"
    if len(set(start) - set(range(128))) < FEW:
        return usual
    if usual == "cp1252" and _is_western(start.decode("cp1252")):
        return usual
    found = needed("charset_normalizer", where).from_bytes(start).best()
    return usual if found is None else str(found.encoding).replace("_", "-")


def _is_western(text: str) -> bool:
    """Whether most letters are ASCII, and signs such as ¿ or ³ do not stand within words."""
    beyond = [c for c in text if not c.isascii()]
    letters = sum(c.isalpha() for c in text)
    return 3 * len(beyond) < letters and len(SIGN_IN_WORD.findall(text)) * 10 < len(beyond)


def _two_byte_encoding(start: bytes) -> str:
    """UTF-16 without a mark, if bytes that look like line ends are some in it; else ''."""
    for encoding in ("utf-16-le", "utf-16-be"):
        if is_valid(start, encoding):
            text = start.decode(encoding, errors="ignore")
            ends = text.count("\n") + text.count("\r")
            if "\0" not in text and 2 * ends > start.count(b"\n") + start.count(b"\r"):
                return encoding
    return ""
