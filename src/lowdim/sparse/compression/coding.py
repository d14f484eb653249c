"""Bands of whole numbers as few bytes, and back.

Most numbers are 0, and large ones lie where large ones are known to be. So the numbers of a band
are put in order of what can be expected of them, largest first, from what is decoded before: bands
that it refers to, and neighbours in the band itself, which is coded in four parts (every other row
and column). Two numbers share a byte, with signs folded in (0, 1, -1, 2, ... are 0, 1, 2, 3, ...);
from 15 on the rest has a byte of its own, from 255 on eight. What lzma makes of the bytes adapts to
their slowly falling size, much as if it knew what was expected.

Expectations are whole numbers, so every machine decodes in the same order.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from typing import Any

import numpy as np

from lowdim.sparse.compression.bands import Bands

PARTS = ((0, 0), (1, 1), (0, 1), (1, 0))  # rows and columns of a band, in the order of coding
MOST = 31  # a number beyond counts as so many, where others are expected from it
NEIGHBORS = 20  # weight of neighbours in the band
NIBBLE, BYTE = 15, 255
DICTIONARY = 2**22


# ---- numbers to symbols --------------------------------------------------------------------------


class Writer:
    """Collects the numbers of bands."""

    def __init__(self) -> None:
        self._small: list[np.ndarray] = []
        self._bytes: list[np.ndarray] = []
        self._wide: list[np.ndarray] = []

    def add(self, transform: Bands, bands: Sequence[np.ndarray]) -> None:
        """All bands of a plane, whole numbers."""
        known: list[np.ndarray] = []
        for i, band in enumerate(bands):
            if i == 0 and transform.smooth:
                self._numbers(np.diff(band.ravel(), prepend=0))
            else:
                expected = _Expected(transform, i, known)
                for part in PARTS:
                    self._numbers(band[part[0] :: 2, part[1] :: 2].ravel()[expected.order(part)])
                    expected.learn(part, band[part[0] :: 2, part[1] :: 2])
            known.append(_sizes(band))

    def _numbers(self, numbers: np.ndarray) -> None:
        symbols = np.where(numbers > 0, 2 * numbers - 1, -2 * numbers).astype(np.uint64)
        large = symbols[symbols >= NIBBLE] - np.uint64(NIBBLE)
        self._bytes.append(np.minimum(large, BYTE).astype(np.uint8))
        self._wide.append((large[large >= BYTE] - np.uint64(BYTE)).astype("<u8"))
        small = np.minimum(symbols, NIBBLE).astype(np.uint8)
        if len(small) % 2:
            small = np.append(small, np.uint8(0))
        self._small.append(small[::2] * np.uint8(16) + small[1::2])

    def packed(self) -> bytes:
        """Everything, through lzma."""
        count = np.array([sum(map(len, self._bytes))], "<u4").tobytes()
        parts = [part.tobytes() for part in (*self._small, *self._bytes, *self._wide)]
        return squeezed(count + b"".join(parts))


class Reader:
    """Gives the numbers of bands again, in the order in which they were written."""

    def __init__(self, stream: bytes, transforms: Sequence[Bands]):
        n_small = sum(_small_length(t) for t in transforms)
        n = sum(t.count for t in transforms)
        raw = np.frombuffer(opened(stream, 4 + n_small + 9 * n), np.uint8)
        _require(len(raw) >= 4 + n_small, "it is too short")
        count = int(raw[:4].view("<u4")[0])
        rest = raw[4 + n_small :]
        _require(count <= len(rest) and (len(rest) - count) % 8 == 0, "its parts do not fit")
        self._small, self._bytes = raw[4 : 4 + n_small], rest[:count]
        self._wide = rest[count:].copy().view("<u8")
        self._at = [0, 0, 0]

    def bands(self, transform: Bands) -> list[np.ndarray]:
        """The next plane."""
        bands: list[np.ndarray] = []
        known: list[np.ndarray] = []
        for i, shape in enumerate(transform.shapes):
            if i == 0 and transform.smooth:
                band = np.cumsum(self._numbers(shape[0] * shape[1])).reshape(shape)
            else:
                band = np.zeros(shape, np.int64)
                expected = _Expected(transform, i, known)
                for part in PARTS:
                    view = band[part[0] :: 2, part[1] :: 2]
                    order = expected.order(part)
                    inside = np.empty(view.size, np.int64)
                    inside[order] = self._numbers(view.size)
                    view[...] = inside.reshape(view.shape)
                    expected.learn(part, view)
            bands.append(band)
            known.append(_sizes(band))
        return bands

    def end(self) -> None:
        """All has been read."""
        ends = [len(self._small), len(self._bytes), len(self._wide)]
        _require(self._at == ends, "it has more numbers than bands")

    def _next(self, which: int, source: np.ndarray, count: int) -> np.ndarray:
        start = self._at[which]
        _require(start + count <= len(source), "it has fewer numbers than bands")
        self._at[which] += count
        return source[start : start + count]

    def _numbers(self, count: int) -> np.ndarray:
        pairs = self._next(0, self._small, (count + 1) // 2)
        symbols = np.stack([pairs >> 4, pairs & 15], axis=1).reshape(-1)[:count].astype(np.uint64)
        at = np.flatnonzero(symbols == NIBBLE)
        large = self._next(1, self._bytes, len(at)).astype(np.uint64)
        wide = np.flatnonzero(large == BYTE)
        large[wide] += self._next(2, self._wide, len(wide))
        symbols[at] += large
        half = (symbols >> np.uint64(1)).astype(np.int64)
        odd = (symbols & np.uint64(1)).astype(np.int64)
        return np.where(odd == 1, half + 1, -half)


def _small_length(transform: Bands) -> int:
    """Bytes with two numbers each of all bands."""
    total = 0
    for i, (h, w) in enumerate(transform.shapes):
        if i == 0 and transform.smooth:
            total += (h * w + 1) // 2
        else:
            sizes = [((h + 1 - r) // 2) * ((w + 1 - c) // 2) for r, c in PARTS]
            total += sum((size + 1) // 2 for size in sizes)
    return total


# ---- what is expected ----------------------------------------------------------------------------


class _Expected:
    """How large the numbers of a band should be, from what is known so far; times 160."""

    def __init__(self, transform: Bands, i: int, known: list[np.ndarray]):
        shape = transform.shapes[i]
        self._others = np.zeros(shape, np.int16)
        for band, weight in transform.references[i]:
            self._others += np.int16(weight) * _upsampled(_blurred(known[band]), shape)
        if transform.by_frequency:
            r, c = np.ogrid[: shape[0], : shape[1]]
            self._others += (4096 // (1 + np.minimum(r + c, 4095))).astype(np.int16)
        self._own = np.zeros((shape[0] + 2, shape[1] + 2), np.int16)  # with a margin of zeros

    def order(self, part: tuple[int, int]) -> np.ndarray:
        """Places of a part, flat, from the largest expectation to the least."""
        expected = self._others[part[0] :: 2, part[1] :: 2].copy()
        near = self._near(part)
        if near is not None:
            expected += np.int16(NEIGHBORS) * near
        return np.argsort(-expected.ravel(), kind="stable")  # a radix sort: linear

    def _near(self, part: tuple[int, int]) -> np.ndarray | None:
        """16 times the mean of the neighbours that are known."""
        if part == PARTS[0]:
            return None
        own, (h, w) = self._own, self._others.shape

        def at(r: int, c: int) -> np.ndarray:
            rows = slice(part[0] + 1 + r, h + 1 + r, 2)
            return own[rows, slice(part[1] + 1 + c, w + 1 + c, 2)]

        diagonal = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)
        if part == PARTS[1]:
            return 4 * diagonal
        straight = at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0)
        return 4 * straight if part == PARTS[2] else 3 * straight + diagonal

    def learn(self, part: tuple[int, int], numbers: np.ndarray) -> None:
        """What a part turned out to be."""
        h, w = self._others.shape
        self._own[part[0] + 1 : h + 1 : 2, part[1] + 1 : w + 1 : 2] = _sizes(numbers)


def _sizes(band: np.ndarray) -> np.ndarray:
    return np.minimum(np.abs(band), MOST).astype(np.int16)


def _blurred(sizes: np.ndarray) -> np.ndarray:
    """16 times a mean with weights 1, 2, 1 in both directions."""
    wide = np.pad(sizes, 1, mode="edge")
    rows = wide[:-2] + 2 * wide[1:-1] + wide[2:]
    return rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]


def _upsampled(band: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Each number for all that lie beneath it in a finer band."""
    for axis in (0, 1):
        ratio = -(-shape[axis] // band.shape[axis])
        if ratio > 1:
            band = np.repeat(band, ratio, axis=axis)
    return band[: shape[0], : shape[1]]


# ---- bytes ---------------------------------------------------------------------------------------


def _filters(**settings: Any) -> list[dict[str, Any]]:
    kind = {"id": lzma.FILTER_LZMA1, "dict_size": DICTIONARY, "lc": 0, "lp": 0, "pb": 0}
    return [{**kind, **settings}]


def squeezed(raw: bytes) -> bytes:
    """Through lzma, without a header."""
    room = min(DICTIONARY, max(4096, 1 << len(raw).bit_length()))  # a large one takes time to make
    settings = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 273, "dict_size": room}
    return lzma.compress(raw, lzma.FORMAT_RAW, filters=_filters(**settings))


def opened(stream: bytes, most: int) -> bytes:
    """The bytes again, never more than so many: a damaged stream may promise any number."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_filters())
    try:
        raw = decompressor.decompress(stream, max_length=most + 1)
    except lzma.LZMAError as error:
        raise ValueError(f"its coefficients cannot be read: {error}") from error
    _require(decompressor.eof and len(raw) <= most, "they do not end where they should")
    return raw


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise ValueError(f"its coefficients cannot be read: {problem}")
