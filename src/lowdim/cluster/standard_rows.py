"""Rows as k-means should see them: columns in units of their size, holes at their mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lowdim.core.blocks import Blocks


class StandardRows(Blocks):
    """(x - mean) / unit of the rows of other blocks, and 0 for NaN; nothing is stored.

    Parameters
    ----------
    rows : Blocks of shape (n, d), dense
    mean, unit : ndarray of shape (d,)
    """

    def __init__(self, rows: Blocks, mean: np.ndarray, unit: np.ndarray):
        self._rows, self._mean, self._unit = rows, mean, unit
        self.dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows.shape

    @property
    def n_columns(self) -> int:
        return self._rows.n_columns

    @property
    def known_rows(self) -> int | None:
        return self._rows.known_rows

    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        view = (self._mean, self._unit, function, params)
        return self._rows.map(_of_standardized, *view, along=along)

    def take(self, index: np.ndarray) -> Any:
        return standardized(self._rows.take(index), self._mean, self._unit)

    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        for X, *companions in self._rows.batches(size, along):
            yield standardized(X, self._mean, self._unit), *companions

    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        view = (self._mean, self._unit, function, params)
        return self._rows._reduce(_of_standardized, view, along, combine)


def standardized(X: np.ndarray, mean: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """A block of rows in units of its columns."""
    Z = np.subtract(X, mean, dtype=np.float64)
    Z /= unit
    np.copyto(Z, 0.0, where=np.isnan(Z))
    return Z


def _of_standardized(
    X: np.ndarray,
    mean: np.ndarray,
    unit: np.ndarray,
    function: Callable,
    params: tuple,
    *companions: Any,
) -> Any:
    return function(standardized(X, mean, unit), *params, *companions)
