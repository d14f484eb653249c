"""Text in pieces of whole rows: where a row ends, and how a file comes piece by piece.

    file -> unpacked -> UTF-8 -> pieces of about PIECE_BYTES that end where a row ends

A line end within quotes is part of a value. Quotes count where a field starts, as pyarrow has it;
within plain text (5" pipe) they are characters like others.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables.errors import TableError
from lowdim.tables.formats.form import WHITESPACE

PIECE_BYTES = 2**20  # fits the cache: larger pieces are slower
LONGEST_ROW = 2**25  # bytes
GZIP = b"\x1f\x8b"


# ---- where rows end ------------------------------------------------------------------------------


class RowEnds(NamedTuple):
    """Where the rows of a piece end, and where a quote is left open (-1: nowhere)."""

    ends: np.ndarray
    open_quote: int


@dataclass(frozen=True)
class Cutter:
    """Cuts text into rows: `separator`, `quote` ('': none) and `newline` are single bytes."""

    separator: str
    quote: str
    newline: bytes = b"\n"

    @cached_property
    def _before_fields(self) -> np.ndarray:
        """Of each byte, whether a field starts after it."""
        between = b" \t" if self.separator == WHITESPACE else self.separator.encode()
        return np.isin(np.arange(256), list(between + b"\n\r"))

    def row_ends(self, piece: bytes | bytearray | memoryview) -> RowEnds:
        """The ends of all rows; each is the start of the next."""
        array = np.frombuffer(piece, np.uint8)
        lines = np.flatnonzero(array == self.newline[0]) + 1
        quotes = self._quotes(array)
        within = np.searchsorted(quotes, lines) % 2 == 1
        if len(quotes) % 2 == 0:
            return RowEnds(lines[~within], -1)
        return RowEnds(lines[~within], int(self._quotes(array, every=False)[-1]))

    def last_row_end(self, piece: bytes | bytearray) -> int:
        """Where the last whole row ends; 0: none does."""
        end = piece.rfind(self.newline) + 1
        if not self.quote or self.quote.encode() not in piece:
            return end
        quotes = self._quotes(np.frombuffer(piece, np.uint8))
        while end and (before := int(np.searchsorted(quotes, end))) % 2:
            end = piece.rfind(self.newline, 0, int(quotes[before - 1])) + 1
        return end

    def _quotes(self, array: np.ndarray, every: bool = True) -> np.ndarray:
        """Where quotes open and close fields, in turn.

        With `every`, both quotes of a pair that stands for one may be among them: what is between
        fields is the same.
        """
        if not self.quote:
            return np.empty(0, int)
        at = np.flatnonzero(array == ord(self.quote))
        if len(at) == 0:
            return at
        before = array[at - 1]
        starts = self._before_fields[before]
        starts[0] |= at[0] == 0
        # if every other quote starts a field, or doubles the one before it, all of them count
        if every and np.all((starts | (before == ord(self.quote)))[::2]):
            return at
        return _counting_quotes(at, starts)


def _counting_quotes(at: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Of all quotes, those that open a field or close it, in turn.

    Quotes side by side are a run. In a field, two of them stand for one, so that a run of odd
    length closes it; outside, a run opens a field if it starts one, and is plain text otherwise.
    """
    first = np.flatnonzero(np.diff(at, prepend=-2) != 1)
    length = np.diff(first, append=len(at))
    next_start, next_odd = _next(starts[first]), _next(length % 2 == 1)
    counting: list[int] = []
    run = next_start[0]
    while run < len(first):
        counting.append(at[first[run]])
        closing = run if length[run] % 2 == 0 else next_odd[run + 1]
        if closing == len(first):
            break
        counting.append(at[first[closing] + length[closing] - 1])
        run = next_start[closing + 1]
    return np.array(counting, int)


def _next(wanted: np.ndarray) -> np.ndarray:
    """For each place (and the one after the last) the first wanted one from there on."""
    n = len(wanted)
    places = np.append(np.where(wanted, np.arange(n), n), n)
    return np.minimum.accumulate(places[::-1])[::-1]


# ---- what is done to a piece before it is read ---------------------------------------------------


def without_comments(piece: bytes, mark: bytes, cutter: Cutter) -> bytes:
    """The piece without the rows that begin with the mark."""
    if not piece.startswith(mark) and cutter.newline + mark not in piece:
        return piece
    ends = [0, *cutter.row_ends(piece).ends.tolist()]
    ends += [len(piece)] if ends[-1] < len(piece) else []
    rows = (piece[a:b] for a, b in pairwise(ends))
    return b"".join(row for row in rows if not row.startswith(mark))


def tabbed(piece: bytes, quote: str) -> bytes:
    """Columns that are aligned by blanks, with one tab between them instead."""
    if not quote or quote.encode() not in piece:
        return b"\n".join(b"\t".join(line.split()) for line in piece.splitlines()) + b"\n"
    q = re.escape(quote.encode())
    token = re.compile(rb"%b(?:[^%b]|%b%b)*%b|[ \t\r]*\n|^[ \t]+|[ \t]+" % (q, q, q, q, q))

    def replaced(match: re.Match[bytes]) -> bytes:
        found = match[0]
        if found.startswith(quote.encode()):
            return found
        if found.endswith(b"\n"):
            return b"\n"
        at_edge = match.start() == 0 or piece[match.start() - 1 : match.start()] == b"\n"
        return b"" if at_edge or match.end() == len(piece) else b"\t"

    return token.sub(replaced, piece)


# ---- files ---------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """Whole rows of a file, and the byte (of UTF-8) at which they start."""

    rows: bytes | bytearray
    offset: int


class TextSource:
    """A text file that can be read from its start any number of times.

    `kept` is what must live as long: the temporary file with the content of a pipe.
    """

    def __init__(self, where: str, path: str, kept: Any = None):
        self.where, self.path, self._kept = where, path, kept
        with open(path, "rb") as file:
            self.packed = file.read(2) == GZIP
            self.size = file.seek(0, io.SEEK_END)

    def open(self, encoding: str, skip: int = 0) -> Any:
        """The file, unpacked, as UTF-8, from byte number `skip` of that."""
        file: Any = self.open_raw()
        if is_utf8(encoding):
            file.seek(skip)
            return file
        file = Recoded(file, encoding)
        while skip:
            skip -= len(file.read(min(skip, PIECE_BYTES)) or bytes(skip))
        return file

    def open_raw(self) -> Any:
        """The file, unpacked, in its own encoding."""
        return gzip.open(self.path) if self.packed else open(self.path, "rb", buffering=0)

    def start(self, n: int, encoding: str | None = None) -> bytes:
        """The first n bytes (of UTF-8, if the encoding is given), or all there are."""
        with self.readable(), self.open(encoding) if encoding else self.open_raw() as file:
            start = bytearray(n)
            return bytes(start[: filled(start, 0, file)])

    def line_number(self, encoding: str, offset: int, newline: bytes) -> int:
        """The number, from 1, of the line with this byte of UTF-8."""
        line = 1
        with self.open(encoding) as file:
            while offset and (read := file.read(min(offset, PIECE_BYTES))):
                line, offset = line + read.count(newline), offset - len(read)
        return line

    @contextmanager
    def readable(self) -> Iterator[None]:
        """What goes wrong when the bytes of a file are read, with the file's name."""
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise TableError(
                f"{self.where} is damaged or cut short: it cannot be unpacked to its end.",
                "Pack it again from the original.",
            ) from None
        except UnicodeError as error:
            raise undecodable(self.where, str(getattr(error, "encoding", "text"))) from None
        except OSError as error:
            raise TableError(f"{self.where} cannot be read: {error.strerror or error}.") from None


def pieces(
    source: TextSource, encoding: str, cutter: Cutter, skip: int, size: int
) -> Generator[Piece, None, None]:
    """The rows of a file after its first `skip` bytes, about `size` bytes at a time."""
    with source.readable(), source.open(encoding, skip) as file:
        rest, offset, ended, room = b"", skip, False, size
        while not ended:
            rows = bytearray(len(rest) + room)
            rows[: len(rest)] = rest
            n = filled(rows, len(rest), file)
            ended = n < len(rows)
            del rows[n:]
            end = n if ended else cutter.last_row_end(rows)
            if end == 0 and not ended:  # a row longer than this
                if n >= LONGEST_ROW:
                    raise too_long(source, cutter, offset, encoding)
                rest, room = bytes(rows), n
                continue
            rest, room = bytes(memoryview(rows)[end:]), size
            del rows[end:]
            if ended and (at := cutter.row_ends(rows).open_quote) >= 0:
                raise left_open(source, cutter, offset + at, encoding)
            if rows:
                yield Piece(rows, offset)
            offset += len(rows)


def filled(target: bytearray, n: int, file: Any) -> int:
    """Read until the target is full or the file ends; n bytes are there already."""
    with memoryview(target) as view:
        while n < len(target) and (read := file.readinto(view[n:])):
            n += read
    return n


class Recoded(io.RawIOBase):
    """A file in any encoding as UTF-8."""

    def __init__(self, file: Any, encoding: str):
        self._file, self._ready = file, b""
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._keeps_ascii = keeps_ascii(encoding)

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        read = b"."
        while read and not self._ready:
            read = self._file.read(PIECE_BYTES)
            if self._keeps_ascii and read.isascii() and not self._decoder.getstate()[0]:
                self._ready = read  # most pieces of most files; decoding would take longer
            else:
                self._ready = self._decoder.decode(read, final=not read).encode()
        n = min(len(target), len(self._ready))
        target[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


def is_utf8(encoding: str) -> bool:
    """Whether bytes in this encoding are UTF-8 as they are."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")


def keeps_ascii(encoding: str) -> bool:
    """Whether ASCII stands for itself."""
    ascii_ = bytes(range(128))
    try:
        return ascii_.decode(encoding).encode("ascii") == ascii_
    except UnicodeError:
        return False


# ---- what is wrong -------------------------------------------------------------------------------


def undecodable(where: str, encoding: str, line: int | None = None) -> TableError:
    """The error for bytes that are no characters in this encoding."""
    place = f"{where}, line {line:,}," if line else where
    return TableError(
        f"{place} is not in {encoding}: it has bytes that stand for no character.",
        "Try latin-1, cp1252 or utf-16: {encoding}",
    )


def left_open(source: TextSource, cutter: Cutter, at: int, encoding: str) -> TableError:
    """The error for a quote, at this byte of UTF-8, that has no end."""
    line = source.line_number(encoding, at, cutter.newline)
    return TableError(
        f"{source.where}, line {line:,}: a quote ({cutter.quote}) is opened and never closed.",
        "Close it; or, if quotes mean nothing in this file, say 'none': {quote}",
    )


def too_long(source: TextSource, cutter: Cutter, at: int, encoding: str) -> TableError:
    """The error for a row, from this byte of UTF-8, that is too long to be one."""
    line = source.line_number(encoding, at, cutter.newline)
    return TableError(
        f"{source.where} has a row of more than {LONGEST_ROW // 2**20} MB at line {line:,}.",
        "Is a quote left open there, or is it no table of text? A table with that many columns is "
        "better kept as .parquet or .npy.",
    )
