"""Plain rows of text, read by kernels: faster than by pyarrow, and the same table.

Most cells of most large tables are plain: digits with a sign, a point and an exponent, or nothing;
words, also between quotes. One kernel goes over a piece of rows, reads its numbers and finds out
where other cells are; a second one puts the letters of each column together. Rows that are not
plain (too few cells, +5, inf, 1e999, 20 digits, text behind a closing quote, an empty line) are
left to pyarrow, which knows what they mean or what is wrong with them. What is plain is read to the
last bit as pyarrow reads it.

A number is w 10^q with a whole number w. If w < 2^53 and |q| <= 22, then w and 10^|q| are float64,
and one operation rounds their product or quotient (Clinger 1990). Otherwise the product of w and
the 128 leading bits of 5^q decides, except for the cases that are left to pyarrow (Lemire 2021,
Number parsing at a gigabyte per second, algorithm 1).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.tables.formats.types import Converter, is_text

NEWLINE, RETURN, BLANK, ZERO, PLUS, MINUS = map(ord, "\n\r 0+-")
SMALL_E, LARGE_E = map(ord, "eE")
SKIPPED, FIRST_OTHER = -1, -2  # places of columns that are no numbers
MOST_DIGITS = 19  # of a number below 2^64
EXACT = 2**53  # whole numbers up to this are float64
MOST_TENS = 22  # powers of ten that are
FIRST_POWER, LAST_POWER = -325, 300  # of ten, beside 19 digits; beyond are 0 and infinity
LOW = 2**32 - 1
FRACTION = 2**52 - 1


class PlainReader:
    """Reads plain rows as `converter.read` would, for columns of these types."""

    def __init__(self, converter: Converter, types: dict[str, Any]):
        import pyarrow as pa

        self._converter, self._types = converter, types
        self._numbers = [name for name, type_ in types.items() if type_ == pa.float64()]
        self._others = [name for name, type_ in types.items() if type_ != pa.float64()]
        self._in_lines = np.array([not is_text(types[name]) for name in self._others], np.int64)
        place = {name: g for g, name in enumerate(self._numbers)}
        place |= {name: FIRST_OTHER - t for t, name in enumerate(self._others)}
        self._places = np.array([place.get(name, SKIPPED) for name in converter.names])
        signs = (converter.between, converter.decimal, converter.quote or "\0")
        self._signs = np.array(list(map(ord, signs)))
        self._plain = self._odd = 0  # pieces so far

    def read(self, rows: bytes | bytearray) -> Any:
        """The rows as a table; None: they are not plain, or hardly any before them were."""
        import pyarrow as pa

        marks = tuple(self._converter.missing)
        if self._odd > 8 + self._plain or any(map(_may_be_number, marks)):
            return None
        if isinstance(rows, bytes) or not rows.endswith(b"\n"):
            rows = bytearray(rows) + (b"" if rows.endswith(b"\n") else b"\n")
        try:
            table = self._read(rows, marks)
        except pa.ArrowInvalid:
            table = None
        self._plain, self._odd = self._plain + (table is not None), self._odd + (table is None)
        return table

    def _read(self, rows: bytearray, marks: tuple[str, ...]) -> Any:
        import pyarrow as pa

        text = np.frombuffer(rows, np.uint8)
        most = np.count_nonzero(text == NEWLINE)  # fewer rows, if there are some between quotes
        X, missing = np.empty((len(self._numbers), most)), np.zeros(len(self._numbers), np.uint8)
        spans = np.empty((len(self._others), 2, most), np.int32)
        fixed = (self._signs, self._places, _marks(marks), *_powers())
        n = _read_rows(text, *fixed, X, X.view(np.uint64), missing, spans)
        if n < 0:
            return None
        found = dict(zip(self._numbers, _columns(X, n, missing), strict=True))
        if self._others:
            offsets, letters = np.empty((len(spans), n + 1), np.int32), np.empty_like(text)
            _gather(text, spans, self._signs, self._in_lines, offsets, letters)
            found |= self._read_others(offsets, letters, rows.isascii())
        return pa.table([found[name] for name in self._types], names=list(self._types))

    def _read_others(
        self, offsets: np.ndarray, letters: np.ndarray, is_ascii: bool
    ) -> dict[str, Any]:
        """Text from its letters; what is neither number nor text is read by pyarrow, as lines."""
        import pyarrow as pa

        found, n = {}, offsets.shape[1] - 1
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters[: offsets[-1, -1]])]
        for t, name in enumerate(self._others):
            type_ = self._types[name]
            if self._in_lines[t]:
                lines = letters[offsets[t, 0] : offsets[t, n]].tobytes()
                found[name] = self._converter.read(lines, {name: type_}, names=[name]).column(0)
                continue
            texts = pa.Array.from_buffers(pa.string(), n, buffers, 0, t * (n + 1))
            if not is_ascii:
                texts.validate(full=True)
            found[name] = texts if type_ == pa.string() else texts.dictionary_encode()
        return found


def _may_be_number(mark: str) -> bool:
    return any(map(str.isdigit, mark))


@cache
def _marks(missing: tuple[str, ...]) -> np.ndarray:
    """Marks of missing values: in each row a length and the bytes."""
    encoded = [mark.encode() for mark in missing]
    marks = np.zeros((len(encoded), 1 + max(map(len, encoded))), np.int64)
    for row, mark in zip(marks, encoded, strict=True):
        row[: 1 + len(mark)] = [len(mark), *mark]
    return marks


@cache
def _powers() -> tuple[np.ndarray, np.ndarray]:
    """Powers of ten as float64, and the 128 leading bits of powers of five.

    Those of 1 / 5^k are rounded up while that leaves all products with 64 bits exact enough to see
    a tie, and cut off beyond (Lemire 2021, section 5).
    """
    fives = []
    for q in range(FIRST_POWER, LAST_POWER + 1):
        power = 5 ** abs(q)
        size = power.bit_length()
        if q >= 0:
            leading = power << 128 >> size
        elif q >= -27:
            leading = (1 << size + 127) // power + 1
        else:
            leading = (1 << 2 * size + 128) // power + 1 >> size + 1
        fives.append([leading >> 64, leading & 2**64 - 1])
    return 10.0 ** np.arange(MOST_TENS + 1), np.array(fives, np.uint64)


def _columns(X: np.ndarray, n: int, missing: np.ndarray) -> list[Any]:
    """The first n numbers of each row of X, with null for NaN in those with missing values."""
    import pyarrow as pa

    numbers = pa.py_buffer(X)
    known = pa.py_buffer(np.packbits(~np.isnan(X), bitorder="little")) if missing.any() else None
    return [
        pa.Array.from_buffers(pa.float64(), n, [known if some else None, numbers], -1, offset)
        for some, offset in zip(missing, range(0, X.size, X.shape[1]), strict=True)
    ]


# ---- kernels -------------------------------------------------------------------------------------


@kernel(views=("X", "bits"))
def _read_rows(text, signs, places, marks, tens, fives, X, bits, missing, spans):
    """The numbers X, and from where to where the texts go; returns the number of rows.

    -1: they are not plain. `bits` are those of X.
    """
    separator, point, quote = signs[0], signs[1], signs[2]
    at, i = 0, 0
    while at < len(text):
        if text[at] == NEWLINE or text[at] == RETURN:
            return -1  # a line without a row
        for f in range(len(places)):
            start, place, in_quotes = at, places[f], text[at] == quote
            if place >= 0:
                at, w, q, negative = _decimal(text, start + in_quotes, point)
                if in_quotes and at >= 0:
                    at = at + 1 if text[at] == quote else -1
                if at < 0 or not _is_end(text[at], separator):
                    at = _cell_end(text, start, separator, quote)
                    if not _is_mark(text, start + in_quotes, at - in_quotes, marks):
                        return -1
                    X[place, i] = np.nan
                    missing[place] = 1
                elif w < EXACT and -MOST_TENS <= q <= MOST_TENS:
                    x = float(w)
                    if q < 0:
                        x /= tens[-q]
                    elif q > 0:
                        x *= tens[q]
                    X[place, i] = -x if negative else x
                else:
                    found = _rounded(w, q, fives)
                    if found == 0:
                        return -1
                    bits[place, i] = found | np.uint64(negative) << np.uint64(63)
            else:
                at = _cell_end(text, start, separator, quote)
                if place <= FIRST_OTHER:
                    spans[FIRST_OTHER - place, 0, i] = start + in_quotes
                    spans[FIRST_OTHER - place, 1, i] = at - in_quotes
            if at < 0 or (f + 1 < len(places) and text[at] != separator):
                return -1
            at += 1
        if text[at - 1] == RETURN:
            at += 1
        if text[at - 1] != NEWLINE:
            return -1
        i += 1
    return i


@kernel
def _gather(text, spans, signs, in_lines, offsets, letters):
    """The letters of each column of text, one after the other, each on a line if that is wanted.

    Of a cell between quotes, two quotes stand for one.
    """
    quote, used = signs[2], 0
    for t in range(len(spans)):
        for i in range(offsets.shape[1]):
            offsets[t, i] = used
            if i + 1 == offsets.shape[1]:
                break
            start, end = spans[t, 0, i], spans[t, 1, i]
            if start > 0 and text[start - 1] == quote:
                while start < end:
                    letters[used] = text[start]
                    start += 2 if text[start] == quote else 1
                    used += 1
            else:
                for j in range(start, end):
                    letters[used] = text[j]
                    used += 1
            if in_lines[t]:
                letters[used] = NEWLINE
                used += 1


@kernel(inlined=True)
def _decimal(text, at, point):
    w, q, none = np.uint64(0), 0, (-1, np.uint64(0), 0, False)
    c = np.int64(text[at])
    while c == BLANK:
        at += 1
        c = np.int64(text[at])
    negative = c == MINUS
    if negative:
        at += 1
        c = np.int64(text[at])
    start = at
    while c >= 48 and c <= 57:
        w = w * np.uint64(10) + np.uint64(c - ZERO)
        at += 1
        c = np.int64(text[at])
    digits = at - start
    if c == point:
        at += 1
        c = np.int64(text[at])
        behind = at
        while c >= 48 and c <= 57:
            w = w * np.uint64(10) + np.uint64(c - ZERO)
            at += 1
            c = np.int64(text[at])
        q = behind - at
        digits -= q
    if digits == 0 or (digits > MOST_DIGITS and digits - _zeros(text, start, point) > MOST_DIGITS):
        return none
    if c == SMALL_E or c == LARGE_E:
        at += 1
        less = text[at] == MINUS
        if less or text[at] == PLUS:
            at += 1
        e, behind = 0, at
        while 0 <= text[at] - ZERO <= 9 and at < behind + 4:
            e = 10 * e + text[at] - ZERO
            at += 1
        if at == behind:
            return none
        q += -e if less else e
        c = np.int64(text[at])
    while c == BLANK:
        at += 1
        c = np.int64(text[at])
    return at, w, q, negative


@kernel(within=True)
def _zeros(text, at, point):
    """How many zeros a number begins with."""
    n = 0
    while text[at] == ZERO or text[at] == point:
        n += text[at] == ZERO
        at += 1
    return n


@kernel(within=True)
def _rounded(w, q, fives):
    """The bits of the float64 nearest to w 10^q; 0: not decided, or too small or too large."""
    one = np.uint64(1)
    if w == 0 or q < FIRST_POWER or q > LAST_POWER:
        return np.uint64(0)
    shift = 0
    while w >> np.uint64(63) == 0:
        w <<= one
        shift += 1
    leading, further = fives[q - FIRST_POWER, 0], fives[q - FIRST_POWER, 1]
    high, low = _high_bits(w, leading), w * leading
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):  # the further bits may matter
        more = low + _high_bits(w, further)
        high += np.uint64(more < low)
        low = more
    top = high >> np.uint64(63)
    cut = top + np.uint64(9)
    m = high >> cut  # 54 bits: one more than fit
    exponent = (217706 * q >> 16) + 1086 + np.int64(top) - shift  # 217706 / 2^16 = log2(10)
    if low == ~np.uint64(0) or exponent <= 0 or exponent >= 2046:
        return np.uint64(0)
    if low <= one and -4 <= q <= 23 and m & np.uint64(3) == one and m << cut == high:
        m -= one  # a tie, to the even one
    m = m + (m & one) >> one
    if m >> np.uint64(53):
        m >>= one
        exponent += 1
    return m & np.uint64(FRACTION) | np.uint64(exponent) << np.uint64(52)


@kernel(within=True)
def _high_bits(a, b):
    """The upper 64 bits of a product of 128."""
    half, low = np.uint64(32), np.uint64(LOW)
    a1, a0, b1, b0 = a >> half, a & low, b >> half, b & low
    middle = a1 * b0 + (a0 * b0 >> half)
    return a1 * b1 + (middle >> half) + ((middle & low) + a0 * b1 >> half)


@kernel(within=True)
def _is_end(letter, separator):
    """Whether a cell ends here."""
    return letter == separator or letter == NEWLINE or letter == RETURN


@kernel(within=True)
def _cell_end(text, at, separator, quote):
    """Where the cell ends that starts here; -1: its quote is not closed."""
    if text[at] != quote:
        while not _is_end(text[at], separator):
            at += 1
        return at
    at += 1
    while at < len(text):
        if text[at] == quote:
            at += 1
            if text[at] != quote:
                return at
        at += 1
    return -1


@kernel(within=True)
def _is_mark(text, start, end, marks):
    """Whether a cell is a mark of missing values."""
    for k in range(len(marks)):
        if marks[k, 0] == end - start:
            j = 0
            while j < end - start and text[start + j] == marks[k, 1 + j]:
                j += 1
            if j == end - start:
                return True
    return False
