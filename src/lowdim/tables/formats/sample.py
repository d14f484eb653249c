"""The first rows of a text file: enough to see what it is like, whatever its encoding."""

from __future__ import annotations

import codecs
import os
from typing import NamedTuple

from lowdim.tables.errors import TableError
from lowdim.tables.formats.encodings import first_invalid, found_encoding, is_valid, zero_bytes
from lowdim.tables.formats.rows import (
    LONGEST_ROW,
    Cutter,
    TextSource,
    is_utf8,
    too_long,
    undecodable,
)

SAMPLE_BYTES = 2**18
LEAST_LINES = 3
LONGEST_SAMPLE = 2**23  # bytes in which to look for so many lines
LOOK_BYTES = 2**16  # further down the file, to see more of its columns


class Sample(NamedTuple):
    """The start of a text file in UTF-8, without its mark.

    offset : bytes of the mark.
    is_all : whether the file has no more.
    """

    text: bytes
    encoding: str
    offset: int
    is_all: bool


def take_sample(source: TextSource, encoding: str | None) -> Sample:
    """The first rows of a file, in an encoding that is found if it is not given."""
    if source.size == 0:
        raise TableError(f"{source.where} is empty.", "It needs a row of names, and rows.")
    if encoding is None:
        encoding = found_encoding(source.start(SAMPLE_BYTES), source.where)
    n = SAMPLE_BYTES
    while True:
        text = source.start(n, encoding)
        is_all = len(text) < n
        if b"\0" in text:
            raise zero_bytes(source.where)
        lines = max(text.count(b"\n"), text.count(b"\r"))
        if is_all or lines >= LEAST_LINES or (lines and n >= LONGEST_SAMPLE):
            break
        if n >= LONGEST_ROW:
            raise too_long(source, Cutter("", ""), 0, encoding)
        n *= 2
    if not is_valid(text, "utf-8"):  # the encoding was given
        raise undecodable(source.where, encoding, 1 + text.count(b"\n", 0, first_invalid(text)))
    if not text.strip():
        raise TableError(
            f"{source.where} has no rows{'' if is_all else ' near its start, only blank lines'}.",
            "It needs a row of names, and rows.",
        )
    offset = len(codecs.BOM_UTF8) if text.startswith(codecs.BOM_UTF8) else 0
    return Sample(text[offset:], encoding, offset, is_all)


def further_rows(source: TextSource, encoding: str, cutter: Cutter) -> bytes:
    """Rows from the middle and the end of a file, where they can be had at once.

    Nothing of a packed file, or one in another encoding, or one with quotes, in which a row may
    have started long before.
    """
    if source.packed or not is_utf8(encoding) or source.size < 4 * SAMPLE_BYTES:
        return b""
    looks = []
    with source.readable(), open(source.path, "rb") as file:
        for at in (source.size // 2, max(source.size - LOOK_BYTES, source.size // 2)):
            file.seek(at, os.SEEK_SET)
            look = file.read(LOOK_BYTES)
            _, _, rows = look[: look.rfind(cutter.newline) + 1].partition(cutter.newline)
            looks.append(rows)
    found = b"".join(looks)
    unusual = (cutter.quote and cutter.quote.encode() in found) or b"\0" in found
    return b"" if unusual or not is_valid(found, "utf-8") else found
