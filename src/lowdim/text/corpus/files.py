"""Documents of text files: every file of a folder, or the lines or paragraphs of one.

Files are read piece by piece and decoded as they come. Bytes that are no characters are named by
their file and place; files that hold no text are refused before they are decoded.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from lowdim.tables.errors import plain, quoted
from lowdim.tables.formats.rows import GZIP
from lowdim.text.corpus.documents import CorpusError, Part, Source, in_parts

ENDINGS = (".txt", ".md", ".txt.gz", ".md.gz", ".gz")
TEXT_FILES = (".txt", ".md", ".txt.gz", ".md.gz")
PIECE_BYTES = 2**20
START_BYTES = 2**16
MOST_CONTROLS = 0.02  # of the bytes of text: beyond, it is none
LONGEST_PARAGRAPH = 20  # lines, on average, where blank lines are taken to end documents
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))


class TextFile:
    """A text file, perhaps packed by gzip."""

    def __init__(self, path: str, encoding: str, errors: str, where: str | None = None):
        self.path, self.where = path, plain(where or path, 200)
        self._encoding, self._errors = encoding, errors
        if not _is_encoding(encoding):
            raise CorpusError(
                f"encoding={encoding!r} is not known.", "Try utf-8, latin-1, cp1252 or utf-16."
            )

    def text(self, most: int | None = None) -> str:
        """All of it, if it has no more than `most` characters and one."""
        found, n = [], 0
        for piece in self.pieces():
            found.append(piece)
            n += len(piece)
            if most is not None and n > most:
                break
        return "".join(found)

    def lines(self, most: int | None = None) -> Iterator[str]:
        """Line by line, without line ends; of a line that is too long the first part, as the last.

        Blanks make no document: lines of them are read to their end.
        """
        waiting, n = list[str](), 0  # pieces of a line, joined once
        for piece in self.pieces():
            *whole, rest = piece.split("\n")
            if whole:
                yield "".join([*waiting, whole[0]]).removesuffix("\r")
                yield from (line.removesuffix("\r") for line in whole[1:])
                waiting, n = [], 0
            waiting.append(rest)
            n += 0 if rest.isspace() else len(rest)
            if most is not None and n > most:
                break
        if rest := "".join(waiting).removesuffix("\r"):
            yield rest

    def line_blocks(self) -> Generator[str, None, None]:
        """Whole lines, with their ends, about as many at a time as are read at once."""
        waiting: list[str] = []  # pieces of a line, joined once
        for piece in self.pieces():
            end = piece.rfind("\n") + 1
            if end:
                yield "".join([*waiting, piece[:end]])
                waiting = []
            waiting.append(piece[end:])
        if rest := "".join(waiting):
            yield rest

    def pieces(self) -> Generator[str, None, None]:
        """Its characters, some at a time; a mark of the encoding at the start is left out."""
        decoder = codecs.getincrementaldecoder(self._encoding)(self._errors)
        read, first = 0, True
        with self._readable(), self._open() as file:
            while piece := file.read(PIECE_BYTES):
                if first:
                    self._check_text(piece[:START_BYTES])
                text = self._decoded(decoder, piece, read)
                yield text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}") if first else text
                read, first = read + len(piece), False
            yield self._decoded(decoder, b"", read, final=True)

    def _open(self) -> Any:
        with open(self.path, "rb") as file:
            packed = file.read(2) == GZIP
        return gzip.open(self.path) if packed else open(self.path, "rb")

    def _decoded(self, decoder: Any, piece: bytes, read: int, final: bool = False) -> str:
        kept = len(decoder.getstate()[0])
        try:
            return decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            place = read - kept + error.start
            found = error.object[error.start : error.start + 4].hex(" ")
            raise CorpusError(
                f"{self.where} is not in {self._encoding}: the bytes {found} at byte {place:,} "
                "stand for no character.",
                "Name another {encoding} (latin-1, cp1252, utf-16), or say what to do with such "
                "bytes: {decode_error} 'replace' or 'ignore'.",
            ) from None

    def _check_text(self, start: bytes) -> None:
        if codecs.lookup(self._encoding).name.startswith(("utf-16", "utf-32")):
            return
        controls = len(start) - len(start.translate(None, _CONTROLS))
        if controls > MOST_CONTROLS * len(start) + 1:
            raise CorpusError(
                f"{self.where} is not a text file: {controls:,} of its first {len(start):,} bytes "
                "are control characters.",
                "Leave it out; or, if it is text, name its {encoding}, such as utf-16.",
            )

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise CorpusError(
                f"{self.where} is damaged or cut short: it cannot be unpacked to its end.",
                "Pack it again from the original.",
            ) from None
        except OSError as error:
            reason = error.strerror or error
            raise CorpusError(f"{self.where} cannot be read: {reason}.") from None


def _is_encoding(name: str) -> bool:
    """Whether it says how characters are written; Python's codecs can do other things, too."""
    try:
        return codecs.lookup(name)._is_text_encoding
    except LookupError:
        return False


class Folder(Source):
    """Each text file of a folder and its folders is a document, named by its path."""

    def __init__(self, path: str, form: tuple[str, str], most: int | None):
        self.where = plain(path, 200)
        self._path, self._form, self._most = path, form, most
        self._names = _text_files(path)
        self.n_documents = len(self._names)
        if not self._names:
            raise CorpusError(
                f"{self.where} is a folder without documents.",
                f"Documents are read from files ending in {', '.join(ENDINGS)}.",
            )

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(self._rows(), ())

    def _rows(self) -> Iterator[tuple]:
        for name in self._names:
            path = os.path.join(self._path, name)
            yield TextFile(path, *self._form).text(self._most), name.replace(os.sep, "/")


def _text_files(path: str) -> list[str]:
    found = [
        os.path.relpath(os.path.join(folder, name), path)
        for folder, folders, names in os.walk(path)
        for name in _seen(names, folders)
        if name.lower().endswith(ENDINGS)
    ]
    return sorted(found, key=lambda name: name.split(os.sep))


def _seen(names: list[str], folders: list[str]) -> list[str]:
    """The names that are not hidden; hidden folders are not walked into."""
    folders[:] = [name for name in folders if not name.startswith(".")]
    return [name for name in names if not name.startswith(".")]


class Lines(Source):
    """The lines or paragraphs of one text file, named by their (first) line; or the file itself."""

    def __init__(self, path: str, split: str, form: tuple[str, str], most: int | None):
        self._file, self._most = TextFile(path, *form), most
        self.where = self._file.where
        self.split = _found_split(self._file) if split == "auto" else split
        if self.split not in _ROWS:
            raise CorpusError(
                f"split={split!r} is not known.", "Split by 'line', 'blank' (lines) or 'file'."
            )
        if self.split == "file":
            self.n_documents = 1

    def parts(self) -> Generator[Part, None, None]:
        yield from in_parts(_ROWS[self.split](self._file, self._most), ())

    def line_blocks(self) -> Generator[str, None, None] | None:
        return self._file.line_blocks() if self.split == "line" else None


def _by_line(file: TextFile, most: int | None) -> Iterator[tuple]:
    for number, line in enumerate(file.lines(most), start=1):
        if line and not line.isspace():
            yield line, number


def _by_blank_line(file: TextFile, most: int | None) -> Iterator[tuple]:
    numbered = enumerate(file.lines(most), start=1)
    for is_text, lines in groupby(numbered, key=lambda line: bool(line[1].strip())):
        if is_text:
            first, text = next(lines)
            texts, n = [text], len(text)
            for _, line in lines:
                texts.append(line)
                n += len(line) + 1
                if most is not None and n > most:
                    break
            yield "\n".join(texts), first


def _as_whole(file: TextFile, most: int | None) -> Iterator[tuple]:
    yield file.text(most), os.path.basename(file.path)


_ROWS = {"line": _by_line, "blank": _by_blank_line, "file": _as_whole}


def _found_split(file: TextFile) -> str:
    """'blank' if the start of a file has paragraphs of few lines each, else 'line'."""
    pieces = file.pieces()
    start = next(pieces, "")[:START_BYTES]
    pieces.close()
    blank = [not line.strip() for line in start.strip().split("\n")]
    paragraphs = sum(1 for is_blank, _ in groupby(blank) if not is_blank)
    n_lines = len(blank) - sum(blank)
    few = paragraphs > 1 and n_lines <= LONGEST_PARAGRAPH * paragraphs
    return "blank" if few and n_lines > paragraphs else "line"


def unknown_ending(path: str, known: tuple[str, ...]) -> CorpusError:
    """The error for a file of which nobody knows how it holds documents."""
    return CorpusError(
        f"{plain(path, 200)} ends in {quoted(os.path.splitext(path)[1])}.",
        f"Documents are read from {', '.join(known)}, and from folders of text files.",
    )
