"""Kullback-Leibler of complete rows: both halves of the alternation look at entries x > 0 alone.

    D = sum x log(x / y) - x + y,     sum y = (sum_i w_i)'(sum_j v_j)

A row of X gives a problem of `coordinates.py` for its code, a column one for its components. In
memory X is kept by rows and by columns; of streams and Dask some columns at a time are collected,
as many as COLUMN_ENTRIES allow, so that results are those in memory.

Cost: O(N k) for a sweep over N entries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy

from lowdim.core.blocks import Blocks
from lowdim.linalg.sparse import by_column, row_numbers, with_values
from lowdim.linear.nmf.coordinates import Lowered, lower_counts, positive_part
from lowdim.linear.nmf.data import InMemory, total, weighted
from lowdim.linear.nmf.half import Codes, CodeSums, Components, Half
from lowdim.linear.nmf.objective import Penalty, Units, in_unit, sorted_csr

SWEEPS = 2  # over the coordinates of a row, and of a column, at the most
ENOUGH = 0.01  # a sweep that moves a row by less than this part of the first one was its last
LEAST = 0.1  # part of an entry that is left when it is carried on downwards
ENTRIES_AT_A_TIME = 2**16  # whose logarithms are in memory
COLUMN_ENTRIES = 2**24  # of a stream that are in memory at a time


class Size(NamedTuple):
    """What X adds up."""

    sum_x: float
    constant: float  # sum x log x - x
    entries: int  # above 0


class Positive(ABC):
    """Rows whose entries above 0 are all that counts."""

    shape: tuple[int, int]
    dtype: np.dtype
    weight: np.ndarray | None
    floor: float

    @property
    @abstractmethod
    def size(self) -> Size:
        """What all rows add up."""

    @property
    def squares(self) -> float:
        """Twice the sum of x: D is a part of half of it, as an error is of 1/2 |X|^2."""
        return 2.0 * self.size.sum_x

    @abstractmethod
    def columns(self) -> Any:
        """(first, last, csr_array of these columns of X as rows), rows of X weighted."""

    def components(self, sums: CodeSums, V: np.ndarray, half: Half) -> Components:
        """Components that lower J from V, given these codes."""
        W = sums.codes.joined()[0]
        mass = weighted(W, self.weight).sum(axis=0, dtype=np.float64)
        parts, slope, logs = [], 0.0, 0.0
        for first, last, X in self.columns():
            found = _lower(X, W, V[first:last], mass, half, self.floor, logs=True)
            parts.append(found.Z)
            slope += float(found.slope.sum())
            logs += float(found.logs.sum())
        new = parts[0] if len(parts) == 1 else np.concatenate(parts)
        new = new.astype(V.dtype, copy=False)
        fit = self.size.constant - logs + float(mass @ new.sum(axis=0, dtype=np.float64))
        return Components(new, slope, max(fit, 0.0))


class PositiveInMemory(Positive):
    """An array or a sparse matrix, by rows and by columns."""

    def __init__(self, data: InMemory, floor: float):
        self.shape, self.dtype, self.weight = data.shape, data.dtype, data.weight
        self.floor = floor
        self._rows, self._columns = data.entries(positive_part)
        if self.weight is not None:
            w = self.weight[self._columns.indices].astype(self.dtype)
            self._columns = with_values(self._columns, self._columns.data * w)

    @cached_property
    def size(self) -> Size:
        return size_of_positive(self._rows, self.weight)

    def columns(self) -> Any:
        yield 0, self.shape[1], self._columns

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        """New codes from W."""
        return half_of_block(self._rows, half, V, self.floor, self.weight, W, last)


class PositiveBlockwise(Positive):
    """Rows of a stream or of Dask."""

    def __init__(self, rows: Blocks, weight: np.ndarray | None, floor: float):
        self._rows, self.weight, self.floor = rows, weight, floor
        self.shape, self.dtype = rows.shape, rows.dtype

    @cached_property
    def size(self) -> Size:
        return Size(*self._rows.fold(size_of_positive, along=(self.weight,)))

    def columns(self) -> Any:
        d = self.shape[1]
        groups = -(-self.size.entries // COLUMN_ENTRIES) or 1
        edges = np.unique(np.linspace(0, d, groups + 1).round().astype(int))
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            part = self._rows.fold(_some_columns, first, last, along=(self.weight,))
            yield first, last, part.joined()

    def half(self, half: Half, V: np.ndarray, W: np.ndarray, last: np.ndarray) -> CodeSums:
        """New codes from W."""
        V = V.astype(self.dtype)
        return self._rows.fold(half_of_block, half, V, self.floor, along=(self.weight, W, last))


def positive_data(data: Any, rows: Blocks, weight: Any, units: Units, floor: float) -> Positive:
    """Rows in their unit, of which `data` are what the start was found from."""
    if isinstance(data, InMemory):
        return PositiveInMemory(data, floor)
    rows = rows if units.unit == 1.0 else rows.seen(in_unit, units.unit)
    return PositiveBlockwise(rows, weight, floor)


# ---- one block -----------------------------------------------------------------------------------


def _entries(X: Any) -> Any:
    return sorted_csr(X) if sp.issparse(X) else positive_part(X)


def half_of_block(
    X: Any, half: Half, V: np.ndarray, floor: float, weight: Any, W: np.ndarray, last: np.ndarray
) -> CodeSums:
    """New codes of a block."""
    found = _lower(_entries(X), V, W, V.sum(axis=0, dtype=np.float64), half, floor, logs=False)
    on = half.carried(found.Z, last)
    penalty = half.penalty.of(on, weight)
    return CodeSums(0.0, total(found.slope, weight), penalty, Codes((on, found.Z)))


def _lower(
    X: Any, V: np.ndarray, Z: np.ndarray, s: np.ndarray, half: Half, floor: float, logs: bool
) -> Lowered:
    of, sweeps = half.penalty, half.sweeps
    return lower_counts(X, V, Z, s, of, floor=floor, sweeps=sweeps, enough=ENOUGH, logs=logs)


def size_of_positive(X: Any, weight: np.ndarray | None) -> Size:
    """What a block adds up, some entries at a time."""
    X = _entries(X)
    of_entries = None if weight is None else weight[row_numbers(X)]
    sums = np.zeros(2)
    for first in range(0, X.nnz, ENTRIES_AT_A_TIME):
        some = slice(first, first + ENTRIES_AT_A_TIME)
        x = X.data[some].astype(np.float64)
        w = np.ones(len(x)) if of_entries is None else of_entries[some]
        sums += w @ x, w @ (xlogy(x, x) - x)
    return Size(float(sums[0]), float(sums[1]), int(np.count_nonzero(X.data)))


def count_error(
    X: Any, V: np.ndarray, Z: np.ndarray, weight: np.ndarray | None, floor: float
) -> float:
    """D of the rows of a block and their codes Z."""
    entries, V = _entries(X), V.astype(np.float64)
    s = V.sum(axis=0)
    at = lower_counts(entries, V, Z, s, Penalty(), floor=floor, sweeps=0, logs=True)
    explained = total(at.logs, weight) - float(weighted(Z, weight).sum(axis=0) @ s)
    return max(size_of_positive(entries, weight).constant - explained, 0.0)


class Columns:
    """Some columns of blocks of rows: the sum of two is both."""

    def __init__(self, *parts: Any):
        self.parts = parts

    def __add__(self, other: Columns) -> Columns:
        return Columns(*self.parts, *other.parts)

    def joined(self) -> Any:
        """The columns as rows of a csr_array."""
        return sorted_csr(by_column(sp.csr_array(sp.vstack(self.parts, format="csr"))))


def _some_columns(X: Any, first: int, last: int, weight: np.ndarray | None) -> Columns:
    X = _entries(X)
    if weight is not None:
        X = with_values(X, X.data * weight[row_numbers(X)].astype(X.dtype))
    return Columns(X if last - first == X.shape[1] else X[:, first:last])
