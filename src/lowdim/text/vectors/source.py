"""Files of word vectors as bytes: piece by piece, unpacked, and what is none of them refused."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lowdim.tables.errors import TableError

PIECE_BYTES = 2**20
LONGEST_LINE = 2**26  # bytes
GZIP = b"\x1f\x8b"
FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"  # the first bytes of fastText's .bin


class WordFileError(TableError):
    """A file of word vectors that cannot be read as it is."""


@contextmanager
def readable(where: str) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise WordFileError(
            f"{where} is damaged or cut short: it cannot be unpacked to its end.",
            "Get it again.",
        ) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(error.errno, f"there is no file {where}") from None
        raise WordFileError(f"{where} cannot be read: {error.strerror or error}.") from None


def opened(path: str | os.PathLike[str], where: str) -> Any:
    """A file to read; a pipe or a device would be waited for."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise WordFileError(
            f"{where} is not a regular file.", "Write what it gives to a file first."
        )
    return open(path, "rb")


def unpacked(raw: Any) -> Any:
    packed = raw.peek(2)[:2] == GZIP
    return gzip.GzipFile(fileobj=raw) if packed else raw


class Source:
    """Bytes of a file, some at a time."""

    def __init__(self, file: Any, where: str):
        self._file, self._where = file, where
        self._held, self._at = b"", 0

    def peek(self, n: int) -> bytes:
        """The next n bytes, which stay; fewer at the end."""
        while len(self._held) - self._at < n and self._more():
            pass
        return self._held[self._at : self._at + n]

    def take(self, n: int) -> bytes:
        taken = self.peek(n)
        self._at += len(taken)
        return taken

    def until(self, sign: bytes, most: int) -> bytes | None:
        """What stands before a sign, which is passed over; None if none comes within `most`."""
        looked = 0
        while (end := self._held.find(sign, self._at + looked)) < 0:
            looked = len(self._held) - self._at
            if looked > most or not self._more():
                return None
        found = self._held[self._at : end]
        self._at = end + len(sign)
        return found

    def _more(self) -> bool:
        """Read some more, if there is more."""
        waiting = len(self._held) - self._at
        more = self._file.read(max(PIECE_BYTES, waiting))
        self._held, self._at = self._held[self._at :] + more, 0
        return bool(more)

    def line(self) -> bytes | None:
        """The next line without its end; None after the last."""
        found = self.until(b"\n", LONGEST_LINE)
        if found is None:
            found = self.peek(LONGEST_LINE + 1)
            if len(found) > LONGEST_LINE:
                raise WordFileError(
                    f"{self._where} has a line of more than {LONGEST_LINE:,} bytes; it is no file "
                    "of word vectors."
                )
            if not found:
                return None
            self._at += len(found)
        return found.removesuffix(b"\r")

    def lines(self) -> Iterator[list[bytes]]:
        """Some whole lines at a time, without their ends."""
        while True:
            held = self.peek(PIECE_BYTES)
            end = held.rfind(b"\n")
            if end < 0:
                line = self.line()
                if line is None:
                    return
                yield [line]
            else:
                self._at += end + 1
                yield held[:end].split(b"\n")


def refuse_others(source: Source, where: str) -> None:
    """Raise for files that hold vectors in another way, and say how to get them out."""
    start = source.peek(8)
    if not start:
        raise WordFileError(f"{where} is empty; it has no words.")
    if start[0] == 0x80 and 2 <= start[1:2][0] <= 5:  # the protocols of pickle
        raise WordFileError(
            f"{where} is a pickle, as gensim's save() writes it: reading it would run what is in "
            "it, so it is not read.",
            "If you trust it, write it with gensim once more: KeyedVectors.load(path)"
            ".save_word2vec_format('vectors.bin', binary=True) (of a Word2Vec model: "
            "Word2Vec.load(path).wv.save_word2vec_format), or give the object to "
            "WordVectors.from_gensim.",
        )
    if start[:4] == FASTTEXT_MODEL:
        raise WordFileError(
            f"{where} is a model of fastText, which holds parts of words beside vectors.",
            "Use the .vec file that fastText writes beside it.",
        )
    if start[:4] == b"PK\x03\x04":
        raise WordFileError(
            f"{where} is a zip archive, not a file of word vectors.",
            "Unpack it first; what lowdim saved is read by lowdim.load.",
        )
    if start[:6] in (b"\x93NUMPY", b"\x89HDF\r\n"):
        raise WordFileError(f"{where} is a file of arrays without words.")
