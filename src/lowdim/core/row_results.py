"""Row-aligned results of blocks, as one."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

NO_ROWS = "X has no rows (n_samples=0); at least 1 is needed."


class RowResults:
    """Row-aligned results of blocks in memory, in one array that threads write to.

    Never held twice: what threads free is not given back to the system.
    """

    def __init__(self, n: int, out: np.ndarray | None = None):
        self._n, self._allocating = n, threading.Lock()
        self._whole: Any = out
        self._parts: dict[int, Any] = {}  # by their first row, where they are sparse

    def put(self, rows: slice, part: Any) -> None:
        """Keep what these rows gave."""
        if not _is_dense(part):
            self._parts[rows.start] = part
            return
        with self._allocating:  # the first block to be done knows the shape of a row's result
            if self._whole is None:
                self._whole = _empty_like_rows(part, self._n)
        _put(self._whole, rows, part)

    def joined(self) -> Any:
        """The results of all rows."""
        if self._whole is not None:
            return self._whole
        return joined(self._parts[first] for first in sorted(self._parts))


def joined(parts: Iterable, n: int | None = None, out: np.ndarray | None = None) -> Any:
    """Row-aligned results of consecutive blocks as one; given their number n, never held twice."""
    parts = iter(parts)
    first = next(parts, None)
    if first is None:
        raise ValueError(NO_ROWS)
    if n is None or not _is_dense(first):
        return stacked([first, *parts])
    results, start = _empty_like_rows(first, n) if out is None else out, 0
    for part in chain([first], parts):
        stop = start + _n_rows(part)
        _put(results, slice(start, stop), part)
        start = stop
    return results


def stacked(parts: Sequence) -> Any:
    first = parts[0]
    if len(parts) == 1 or first is None:
        return first
    if isinstance(first, tuple):
        return same_tuple(first, map(stacked, zip(*parts, strict=True)))
    return sp.vstack(parts, format="csr") if sp.issparse(first) else np.concatenate(parts)


def same_tuple(like: tuple, values: Iterable) -> tuple:
    return like._make(values) if hasattr(like, "_make") else tuple(values)


def _n_rows(result: Any) -> int:
    return _n_rows(result[0]) if isinstance(result, tuple) else len(result)


def _is_dense(result: Any) -> bool:
    if isinstance(result, tuple):
        return all(map(_is_dense, result))
    return isinstance(result, np.ndarray)


def _empty_like_rows(first: Any, n: int) -> Any:
    if isinstance(first, tuple):
        return same_tuple(first, (_empty_like_rows(part, n) for part in first))
    return np.empty((n, *first.shape[1:]), dtype=first.dtype)


def _put(results: Any, rows: slice, part: Any) -> None:
    if isinstance(results, tuple):
        for result, piece in zip(results, part, strict=True):
            _put(result, rows, piece)
        return
    place = results[rows]
    if place.shape != part.shape:  # NumPy would repeat a single row to fill the place
        raise ValueError(
            f"map needs one result per row: shape {place.shape} for this block, but the function "
            f"gave {part.shape}."
        )
    np.copyto(place, part, casting="same_kind")
