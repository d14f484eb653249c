"""Sparse matrices from outside: what their arrays of indices say is true.

SciPy's compiled functions and our kernels follow indices without looking: a wrong one reads or
writes foreign memory. So whatever comes in is looked at once, before anything else touches it:

    every column of every entry is one that the matrix has       one pass over `indices`
    the entries of a row end where those of the next one begin   one pass over `indptr`
    the arrays are as long as these say
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.numeric import refuse_complex

# A matrix may declare more rows or columns than anybody has: of so many (a number for each takes
# half a gigabyte), MOST_PER_ENTRY for each stored entry are believed
MANY = 2**26
MOST_PER_ENTRY = 16

CURE = (
    "Make it anew, for example with scipy.sparse.coo_array((values, (rows, columns)), shape=shape)."
)


def checked_sparse(X: Any, name: str = "X") -> Any:
    """X, a sparse matrix of any format, if its indices are true; raises a ValueError if not.

    Indices of other integer types than SciPy's own become those of SciPy.
    """
    if X.ndim != 2:
        raise ValueError(
            f"{name} is a sparse array of {X.ndim} dimensions (shape {X.shape}); expected a 2D "
            f"one, with rows and columns. For a single row give {name}.reshape(1, -1)."
        )
    if X.format != "dok" and not isinstance(X.data, np.ndarray):
        _lies(name, f"its data are a {type(X.data).__name__}, not an array")
    refuse_complex(X.dtype, name)
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} is a sparse matrix of dtype {X.dtype}; numbers are needed. If they are some, "
            "make it anew with values.astype(float)."
        )
    check = _CHECKS.get(X.format)
    if check is None:
        raise ValueError(f"{name} is a sparse matrix of the unknown format {X.format!r}. {CURE}")
    return check(X, name)


def check_declared(n: int, n_stored: int, what: str, name: str = "X") -> None:
    """Raise if a sparse matrix declares far more rows or columns than its entries can fill."""
    if n > MANY and n > MOST_PER_ENTRY * n_stored:
        raise ValueError(
            f"{name} is a sparse matrix of {n} {what} that stores {n_stored} values; one number "
            f"for each would take {8 * n / 2**30:.1f} GB. Look whether its largest number of "
            f"{what} is meant, or number only those that occur, with np.unique(numbers, "
            "return_inverse=True)."
        )


def _compressed(X: Any, name: str) -> Any:
    by_rows = X.format != "csc"
    outer, inner = ("row", "column") if by_rows else ("column", "row")
    n, d = X.shape if by_rows else X.shape[::-1]
    if X.format == "bsr":
        n, d = _in_blocks(X, name)
        outer, inner = "block of rows", "block of columns"
    _check_index_array(X.indptr, "indptr", name)
    _check_index_array(X.indices, "indices", name)
    if len(X.indptr) != n + 1:
        _lies(name, f"it has {n} {outer}s and an indptr of length {len(X.indptr)}, not {n + 1}")
    if X.indptr[0] != 0:
        _lies(name, f"{outer} 0 begins at entry {X.indptr[0]}, not at 0")
    falls = X.indptr[1:] < X.indptr[:-1]
    if falls.any():
        i = int(np.argmax(falls))
        _lies(
            name, f"{outer} {i} begins at entry {X.indptr[i]} and ends before, at {X.indptr[i + 1]}"
        )
    n_stored = int(X.indptr[-1])
    if n_stored > min(len(X.indices), len(X.data)):
        there = min(len(X.indices), len(X.data))
        i = int(np.searchsorted(X.indptr, there, side="right")) - 1
        _lies(name, f"{outer} {i} ends at entry {X.indptr[i + 1]}, and there are {there}")
    if X.format != "bsr" and X.data.ndim != 1:
        _lies(name, f"its data have {X.data.ndim} dimensions, not 1")
    e = _first_outside(X.indices[:n_stored], d)
    if e is not None:
        i = int(np.searchsorted(X.indptr, e, side="right")) - 1
        _lies(
            name, f"{outer} {i} has an entry in {inner} {X.indices[e]}, and there are {d} {inner}s"
        )
    if _usual(X.indptr) and _usual(X.indices) and X.indptr.dtype == X.indices.dtype:
        return X
    index = np.int64 if max(n_stored, *X.shape) >= 2**31 else np.int32
    parts = (X.data, X.indices.astype(index), X.indptr.astype(index))
    return type(X)(parts, shape=X.shape)


def _in_blocks(X: Any, name: str) -> tuple[int, int]:
    """Numbers of rows and columns of blocks."""
    if X.data.ndim != 3:
        _lies(name, f"its data have {X.data.ndim} dimensions, not 3")
    height, width = X.data.shape[1:]
    if height < 1 or width < 1 or X.shape[0] % height or X.shape[1] % width:
        _lies(name, f"blocks of {height} x {width} do not fill its shape {X.shape}")
    return X.shape[0] // height, X.shape[1] // width


def _coordinate(X: Any, name: str) -> Any:
    (n, d), (rows, columns) = X.shape, X.coords
    for numbers in X.coords:
        _check_index_array(numbers, "coords", name)
        if X.data.shape != numbers.shape:
            _lies(name, f"it has {len(numbers)} places for data of shape {X.data.shape}")
    e = _first_outside(rows, n)
    if e is not None:
        _lies(name, f"entry {e} lies in row {rows[e]}, and there are {n} rows")
    e = _first_outside(columns, d)
    if e is not None:
        _lies(name, f"row {rows[e]} has an entry in column {columns[e]}, and there are {d} columns")
    check_declared(n, len(X.data), "rows", name)
    if _usual(rows) and _usual(columns) and rows.dtype == columns.dtype:
        return X
    index = np.int64 if max(X.shape) >= 2**31 else np.int32
    return type(X)((X.data, (rows.astype(index), columns.astype(index))), shape=X.shape)


def _diagonal(X: Any, name: str) -> Any:
    n, d = X.shape
    _check_index_array(X.offsets, "offsets", name)
    if X.data.ndim != 2 or len(X.data) != len(X.offsets):
        _lies(name, f"it has {len(X.offsets)} offsets for diagonals of shape {X.data.shape}")
    outside = (X.offsets <= -n) | (X.offsets >= d)
    if n and d and outside.any():
        _lies(
            name, f"its diagonal {X.offsets[np.argmax(outside)]} lies outside its shape {X.shape}"
        )
    check_declared(n, X.data.size, "rows", name)
    return X


def _lists(X: Any, name: str) -> Any:
    n, d = X.shape
    if np.shape(X.rows) != (n,) or np.shape(X.data) != (n,):
        _lies(name, f"it has {n} rows and lists for {np.shape(X.rows)} and {np.shape(X.data)}")
    for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list):
            _lies(name, f"row {i} is no pair of lists")
        if len(columns) != len(values):
            _lies(name, f"row {i} has {len(columns)} columns for {len(values)} values")
        _check_numbers(columns, d, i, name)
    return X


def _keys(X: Any, name: str) -> Any:
    n, d = X.shape
    for key in X.keys():
        if not isinstance(key, tuple) or len(key) != 2:
            _lies(name, f"its key {key!r} is no pair of a row and a column")
        _check_numbers(key[1:], d, key[0], name)
        if not 0 <= key[0] < n:
            _lies(name, f"an entry lies in row {key[0]}, and there are {n} rows")
    check_declared(n, len(X.keys()), "rows", name)
    return X


_CHECKS = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinate,
    "dia": _diagonal,
    "lil": _lists,
    "dok": _keys,
}


def _check_numbers(columns: Any, d: int, row: Any, name: str) -> None:
    for number in columns:
        if not isinstance(number, int | np.integer) or not 0 <= number < d:
            _lies(name, f"row {row} has an entry in column {number}, and there are {d} columns")


def _check_index_array(numbers: Any, what: str, name: str) -> None:
    if not isinstance(numbers, np.ndarray) or numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        kind = f"of dtype {numbers.dtype}" if isinstance(numbers, np.ndarray) else type(numbers)
        _lies(name, f"its {what} are {kind} and shape {np.shape(numbers)}, not a list of integers")


def _first_outside(numbers: np.ndarray, limit: int) -> int | None:
    """The place of the first number that is not one of 0 to limit - 1."""
    if not len(numbers):
        return None
    if not numbers.dtype.isnative:
        numbers = numbers.astype(numbers.dtype.newbyteorder("="))
    # as unsigned numbers, negative ones are the largest of all: one look finds both
    unsigned = numbers.view(f"u{numbers.dtype.itemsize}")
    if int(unsigned.max()) < limit:
        return None
    return int(np.argmax(unsigned >= limit))


def _usual(numbers: np.ndarray) -> bool:
    return numbers.dtype in (np.int32, np.int64) and numbers.dtype.isnative


def _lies(name: str, found: str) -> None:
    raise ValueError(f"{name} is a sparse matrix whose indices are wrong: {found}. {CURE}")
