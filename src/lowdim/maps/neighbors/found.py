"""What a search for neighbours gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Neighbors(NamedTuple):
    """The nearest rows of each row, without itself.

    Attributes
    ----------
    indices : ndarray of shape (n, k) of int32
        Their numbers, the nearest first; of equal distances the row that comes first.
    distances : ndarray of shape (n, k)
        Their distances, rising in each row.
    """

    indices: np.ndarray
    distances: np.ndarray


def ranked(index: np.ndarray, squares: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest of each row and their squares, by size and then by number; -1 comes last."""
    squares = np.where(index < 0, np.inf, squares)
    order = np.argsort(squares, axis=1, kind="stable")
    rising = np.take_along_axis(squares, order, axis=1)
    ties = np.flatnonzero((rising[:, 1:] == rising[:, :-1]).any(axis=1))
    number = np.where(index[ties] < 0, np.iinfo(index.dtype).max, index[ties])
    order[ties] = np.lexsort((number, squares[ties]), axis=1)
    return np.take_along_axis(index, order[:, :k], axis=1), rising[:, :k]
