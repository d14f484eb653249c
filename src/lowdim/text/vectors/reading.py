"""Word vectors from the files of word2vec, GloVe, fastText and gensim.

    text      [number of words, size]      a header, which GloVe leaves out
              word x_1 x_2 ... x_d         in each line
    binary    number of words, size        in text
              word, a blank, d float32     with or without a line end after each

Files are read piece by piece, also packed by gzip. Nothing is believed of a header: memory is taken
for what was read, and what contradicts the header, or is no number, is named with its line.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables.errors import plain, quoted
from lowdim.text.vectors.source import (
    PIECE_BYTES,
    Source,
    WordFileError,
    opened,
    readable,
    refuse_others,
    unpacked,
)

SEEN_BYTES = 2**12  # say whether a file is binary: floats have bytes that no text has
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r"))
LONGEST_WORD = 2**20  # bytes, in binary files
LARGEST_SIZE = 2**20  # numbers of a vector
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DIGITS = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
NUMBER = re.compile(DIGITS.pattern + rb"|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Form(NamedTuple):
    """How words are written, and what is done with what should not be there."""

    encoding: str = "utf8"
    errors: str = "strict"
    duplicates: str = "error"


class Read(NamedTuple):
    words: list[str]
    vectors: np.ndarray  # (n, d)


def read_vectors(
    path: str | os.PathLike[str],
    form: Form,
    *,
    binary: bool | None,
    no_header: bool | None,
    limit: int | None,
    dtype: Any,
) -> Read:
    """Words and vectors of a file; None means that it is found out."""
    where = plain(os.fspath(path), 200)
    with readable(where), opened(path, where) as raw, unpacked(raw) as file:
        source = Source(file, where)
        refuse_others(source, where)
        if source.peek(3) == BYTE_ORDER_MARK:
            source.take(3)
        header = None if no_header else _header(source, where, required=no_header is False)
        if binary is None:
            binary = header is not None and _looks_binary(source, header[1])
        if binary and header is None:
            raise WordFileError(
                f"{where} has no header (number of words and size), which a binary file needs."
            )
        store = _Store(where, form, limit, dtype, None if header is None else header[0])
        if binary:
            assert header is not None
            _read_binary(source, store, header[1])
        else:
            _read_text(source, store, None if header is None else header[1])
        return store.finished()


def read_counts(path: str | os.PathLike[str], form: Form) -> dict[str, int]:
    """Words and counts of a vocabulary file: a word, a blank and its count in each line."""
    where, counts = plain(os.fspath(path), 200), dict[str, int]()
    with readable(where), opened(path, where) as raw, unpacked(raw) as file:
        source, number = Source(file, where), 0
        while (line := source.line()) is not None:
            number += 1
            if not line.strip():
                continue
            word, _, count = line.rstrip().rpartition(b" ")
            if not word or not count.isdigit() or len(count) > 18:
                raise WordFileError(
                    f"{where}, line {number:,}: {quoted(_shown(line))} is not a word, a blank and "
                    "its count."
                )
            counts[_decoded(word, form, where, f"line {number:,}")] = int(count)
    return counts


def text_lines(path: str | os.PathLike[str], encoding: str) -> Iterator[str]:
    """The lines of a text file, perhaps packed."""
    where = plain(os.fspath(path), 200)
    with readable(where), opened(path, where) as raw, unpacked(raw) as file:
        source, number = Source(file, where), 0
        while (line := source.line()) is not None:
            number += 1
            try:
                yield line.decode(encoding)
            except UnicodeDecodeError:
                raise WordFileError(
                    f"{where}, line {number:,}: this is not in {encoding}.",
                    "Name another encoding.",
                ) from None


# ---- what the first lines say --------------------------------------------------------------------


def _header(source: Source, where: str, required: bool) -> tuple[int, int] | None:
    """(number of words, size), if the first line is that; it is then passed over."""
    start = source.peek(64)
    line = start.split(b"\n", 1)[0].rstrip(b"\r ") if b"\n" in start else b""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        if required:
            raise WordFileError(
                f"{where} does not begin with a line that says the number of words and the size "
                "of vectors.",
                "If it has none, as files of GloVe, read it with no_header=True.",
            )
        return None
    source.line()
    n, d = map(int, fields)
    if not 1 <= d <= LARGEST_SIZE:
        raise WordFileError(
            f"{where}, line 1: vectors of {d:,} numbers; at least 1 and at most {LARGEST_SIZE:,} "
            "are read."
        )
    return n, d


def _looks_binary(source: Source, d: int) -> bool:
    """Whether what comes after the header is no text; text with a mistake is text all the same."""
    start = source.peek(SEEN_BYTES)
    if len(start) > len(start.translate(None, CONTROLS)):
        return True
    numbers = start.split(b"\n", 1)[0].split()[1:]
    if numbers and all(_is_number(field) for field in numbers[-d:]):
        return False
    try:
        start[: start.rfind(b" ") + 1].decode("utf-8")  # the last word may be cut
    except UnicodeDecodeError:
        return True
    return False


def _is_number(field: bytes) -> bool:
    return NUMBER.fullmatch(field) is not None


def _shown(line: bytes) -> str:
    return line[:200].decode("utf8", "replace")


def _decoded(word: bytes, form: Form, where: str, place: str) -> str:
    try:
        return word.decode(form.encoding, form.errors)
    except UnicodeDecodeError:
        raise WordFileError(
            f"{where}, {place}: the word {quoted(_shown(word))} is not in {form.encoding}.",
            "Name another encoding, or say what to do with such bytes: load_word2vec_format(path, "
            "unicode_errors='replace').",
        ) from None


# ---- what was read -------------------------------------------------------------------------------


class _Store:
    """Words and vectors as they come: memory grows with them."""

    def __init__(self, where: str, form: Form, limit: int | None, dtype: Any, expected: int | None):
        self.where, self.form, self.dtype = where, form, np.dtype(dtype)
        self.expected, self.limit = expected, limit
        self.seen = 0  # also those that are left out
        self._first_line: dict[str, int] = {}  # of each word
        self._vectors = np.empty((0, 0), self.dtype)

    @property
    def n(self) -> int:
        return len(self._first_line)

    @property
    def wanted(self) -> int | None:
        """How many more are wanted; None: all."""
        return None if self.limit is None else self.limit - self.seen

    def line_of(self, k: int) -> str:
        """The place of the k-th word."""
        return f"line {k + 1 + (self.expected is not None):,}"

    def add(self, words: list[bytes], vectors: np.ndarray, place: Any) -> None:
        """Some words; place(k) says where the k-th of the file stands."""
        if self.expected is not None and self.seen + len(words) > self.expected:
            raise WordFileError(
                f"{self.where}, {place(self.expected)}: there are more than the {self.expected:,} "
                "words that line 1 says.",
                "Correct line 1, or read the first words alone, with limit=.",
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            k = int(np.argmin(finite))
            raise WordFileError(
                f"{self.where}, {place(self.seen + k)}: the vector of "
                f"{quoted(_shown(words[k]))} has NaN or infinite values.",
                "Leave that word out of the file.",
            )
        kept = self._new(words, place)
        self._append(vectors if len(kept) == len(words) else vectors[kept])
        self.seen += len(words)

    def _new(self, words: list[bytes], place: Any) -> list[int]:
        """The numbers of the words that were not there before, which are now."""
        kept = []
        for k, raw in enumerate(words):
            word = _decoded(raw, self.form, self.where, place(self.seen + k))
            before = self._first_line.setdefault(word, self.seen + k)
            if before == self.seen + k:
                kept.append(k)
            elif self.form.duplicates == "error":
                raise WordFileError(
                    f"{self.where}, {place(self.seen + k)}: the word {quoted(word)} stands there "
                    f"a second time, after {place(before)}.",
                    "Leave one out of the file, or keep the first: load_word2vec_format(path, "
                    "duplicates='first').",
                )
        return kept

    def _append(self, vectors: np.ndarray) -> None:
        n, more, d = len(self._first_line), len(vectors), vectors.shape[1]
        if n > len(self._vectors):
            grown = np.empty((0, d), self.dtype) if self._vectors.size == 0 else self._vectors
            self._vectors = grown
            self._vectors.resize((max(n, len(grown) + len(grown) // 2), d), refcheck=False)
        self._vectors[n - more : n] = vectors

    def finished(self) -> Read:
        complete = self.limit is None or self.seen < self.limit
        if complete and self.expected is not None and self.seen < self.expected:
            raise WordFileError(
                f"{self.where} ends after {self.seen:,} words, and line 1 says {self.expected:,}: "
                "it is cut short.",
                "Get it again; or correct line 1 if this is all.",
            )
        if not self.n:
            raise WordFileError(f"{self.where} has no words.")
        self._vectors.resize((self.n, self._vectors.shape[1]), refcheck=False)
        return Read(list(self._first_line), self._vectors)


# ---- binary --------------------------------------------------------------------------------------


def _read_binary(source: Source, store: _Store, d: int) -> None:
    most = store.expected if store.limit is None else min(store.limit, store.expected or 0)
    assert most is not None
    size, batch = 4 * d, max(1, PIECE_BYTES // (4 * d))

    def place(k: int) -> str:
        return f"word {k + 1:,}"

    while store.seen < most:
        words: list[bytes] = []
        numbers = bytearray()
        for _ in range(min(batch, most - store.seen)):
            word = source.until(b" ", LONGEST_WORD)
            values = b"" if word is None else source.take(size)
            if len(values) < size:
                break
            assert word is not None
            words.append(word.lstrip(b"\r\n"))
            numbers += values
        if not words:
            break
        vectors = np.frombuffer(numbers, "<f4").reshape(-1, d)
        store.add(words, _narrow(vectors, store.dtype), place)
    rest = source.peek(64).strip()
    if store.seen == store.expected and rest:
        raise WordFileError(
            f"{store.where}: after the {store.expected:,} words that line 1 says there is more.",
            "Correct line 1, or read the first words alone, with limit=.",
        )


# ---- text ----------------------------------------------------------------------------------------


def _read_text(source: Source, store: _Store, d: int | None) -> None:
    blank = 0  # lines at the end of what was read: nothing may come after them
    for lines in source.lines():
        lines = lines if store.wanted is None else lines[: store.wanted]
        if not lines:
            return
        whole = _without_blank_end(lines)
        if whole:
            if blank:
                raise _blank_line(store, store.seen)
            d = _size_of(whole[0], store) if d is None else d
            store.add(*_parsed(whole, d, store), store.line_of)
        blank += len(lines) - len(whole)


def _without_blank_end(lines: list[bytes]) -> list[bytes]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _blank_line(store: _Store, k: int) -> WordFileError:
    return WordFileError(
        f"{store.where}, {store.line_of(k)}: this line is blank, and more come after it.",
        "Delete it.",
    )


def _size_of(line: bytes, store: _Store) -> int:
    """How many numbers a line has: those at its end, after the word."""
    fields = line.split()
    d = 0
    while d < len(fields) - 1 and _is_number(fields[-1 - d]):
        d += 1
    if not 1 <= d <= LARGEST_SIZE:
        raise WordFileError(
            f"{store.where}, {store.line_of(0)}: {quoted(_shown(line))} is no word with its "
            "numbers.",
            "Lines hold a word and the numbers of its vector, with blanks between.",
        )
    return d


def _parsed(lines: list[bytes], d: int, store: _Store) -> tuple[list[bytes], np.ndarray]:
    """Words and vectors of some lines: all numbers at once, or line by line if some are wrong."""
    cut = [line.partition(b" ") for line in lines]
    numbers = _numbers(b" ".join([rest for _, _, rest in cut]))
    if numbers is not None and len(numbers) == d * len(lines):
        if all(rest.rstrip().count(b" ") == d - 1 for _, _, rest in cut):
            return [word for word, _, _ in cut], _narrow(numbers.reshape(-1, d), store.dtype)
    words, vectors = [], np.empty((len(lines), d))
    for k, line in enumerate(lines):
        if not line.strip():
            raise _blank_line(store, store.seen + k)
        word, vectors[k] = _parsed_line(line, d, f"{store.where}, {store.line_of(store.seen + k)}")
        words.append(word)
    return words, _narrow(vectors, store.dtype)


def _narrow(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    with np.errstate(over="ignore"):  # what becomes infinite is found
        return numbers.astype(dtype)


def _parsed_line(line: bytes, d: int, place: str) -> tuple[bytes, list[float]]:
    """The word and numbers of one line; a word may hold blanks."""
    fields = line.split()
    if len(fields) != d + 1:
        fields = line.rstrip().replace(b"\t", b" ").rsplit(b" ", d)
    for field in fields[1:]:
        if not _is_number(field):
            raise WordFileError(f"{place}: {quoted(_shown(field))} is not a number.")
    if len(fields) <= d:
        raise WordFileError(
            f"{place}: {len(fields) - 1} numbers after the word, and {d} are expected.",
            "The file may be cut short: get it again.",
        )
    if DIGITS.fullmatch(fields[0].rpartition(b" ")[2]) and b" " in fields[0]:
        raise WordFileError(
            f"{place}: more than the {d} numbers that are expected stand after the word."
        )
    return fields[0], [float(field) for field in fields[1:]]


def _numbers(text: bytes) -> np.ndarray | None:
    """All numbers of a text; None if there is something else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(text, np.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
