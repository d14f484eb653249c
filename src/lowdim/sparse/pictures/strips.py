"""A large picture is worked on a part at a time; parts are cut by its size alone."""

from __future__ import annotations

STRIP_PIXELS = 2**20  # of one strip, about
EVEN = 64  # sides of tiles are multiples of it


def strips(size: tuple[int, ...], at_least: int = 1, pixels: int | None = None) -> list[slice]:
    """Ranges of rows (of numbers, of a signal) that together are all, in order."""
    width = size[1] if len(size) == 2 else 1
    rows = max(at_least, (STRIP_PIXELS if pixels is None else pixels) // width, 1)
    return [slice(start, min(start + rows, size[0])) for start in range(0, size[0], rows)]


def with_margin(part: slice, margin: int, length: int) -> slice:
    """The range and so many more on both sides, within the picture."""
    return slice(max(part.start - margin, 0), min(part.stop + margin, length))


def tiles(size: tuple[int, ...], side: int) -> list[tuple[slice, ...]]:
    """Rectangles of about the same size, at most side x side, row by row; a signal is one piece."""
    if len(size) == 1:
        return [(slice(0, size[0]),)]
    rows, columns = (_even_parts(length, side) for length in size)
    return [(r, c) for r in rows for c in columns]


def pieces(size: tuple[int, ...], side: int) -> list[tuple[slice, ...]]:
    """Tiles of a picture; of a signal, about equal parts of at most side^2 numbers."""
    if len(size) == 2:
        return tiles(size, side)
    return [(part,) for part in _even_parts(size[0], side * side)]


def _even_parts(length: int, most: int) -> list[slice]:
    count = -(-length // most)
    step = -(-length // count)
    step = min(most, -(-step // EVEN) * EVEN)
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]
