"""Some rows or columns at a time, so that what is computed for them stays small."""

from __future__ import annotations

from collections.abc import Iterator

PART_BYTES = 2**23  # of memory, about, beside the sums over all rows


def pieces(count: int, numbers: int) -> Iterator[slice]:
    """Consecutive rows (or columns) of `count`, if each of them takes so many float64 numbers."""
    size = piece_size(numbers)
    return (slice(start, start + size) for start in range(0, count, size))


def piece_size(numbers: int) -> int:
    """How many rows (or columns) are looked at together."""
    return max(1, PART_BYTES // (8 * max(numbers, 1)))
