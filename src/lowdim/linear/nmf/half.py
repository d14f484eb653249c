"""One half of the alternation: what it asks of the data, and what it gets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linear.nmf.objective import Penalty


class Half(NamedTuple):
    """How the problems of a half-step are lowered, and how far its result is carried on."""

    solver: str  # of `solvers.py`
    penalty: Penalty
    sweeps: int  # over the coordinates, at the most
    stride: float = 0.0
    order: np.ndarray | None = None  # of the coordinates
    least: float = 0.0  # part of an entry that is left when it is carried on downwards

    def carried(self, new: np.ndarray, last: np.ndarray) -> np.ndarray:
        """new + stride (new - last), 0 or more."""
        if not self.stride:
            return new
        on = new - last
        on *= new.dtype.type(self.stride)
        on += new
        bound: Any = new.dtype.type(self.least) * new if self.least else 0
        return np.maximum(on, bound, out=on)


class CodeSums(NamedTuple):
    """What new codes add up."""

    for_columns: Any  # what the components follow from
    slope: float  # of J, over the codes
    penalty: float  # of the codes
    codes: Any  # row by row: (carried on, as found)


class Components(NamedTuple):
    """Components from the sums."""

    V: np.ndarray  # (d, k)
    slope: float
    fit: float  # D at the codes, carried on, and V


class Codes:
    """Row-aligned results of a pass that adds up something else: the sum of two is both."""

    def __init__(self, *parts: Any):
        self.parts = parts

    def __add__(self, other: Codes) -> Codes:
        return Codes(*self.parts, *other.parts)

    def joined(self) -> tuple:
        """The results of all rows."""
        if len(self.parts) == 1:
            return tuple(self.parts[0])
        return tuple(np.concatenate(field) for field in zip(*self.parts, strict=True))
