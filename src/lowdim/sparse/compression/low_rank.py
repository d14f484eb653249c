"""A picture as a sum of k columns times rows: the singular value decomposition of its planes.

k (h + w + 1) numbers for each channel; from k = h w / (h + w + 1) on that is more than the picture.
Cost: O(h w min(h, w)), and the factors of all ranks in memory.
"""

from __future__ import annotations

import warnings

import numpy as np

from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.contents import Factors
from lowdim.sparse.compression.plan import Plan
from lowdim.sparse.compression.storing import judged
from lowdim.sparse.pictures.signals import Signal


def break_even(h: int, w: int) -> int:
    """The largest rank that needs no more numbers than the picture."""
    return (h * w) // (h + w + 1)


class Decomposed:
    """The factors of all ranks of a picture."""

    def __init__(self, signal: Signal, plan: Plan):
        planes = plan.planes(signal, tuple(slice(0, s) for s in plan.size))
        self._signal, self._plan = signal, plan
        self._U, self.sizes, self._V = np.linalg.svd(planes, full_matrices=False)

    @property
    def most(self) -> int:
        return self.sizes.shape[1]

    def of_rank(self, k: int) -> Compressed:
        """The best of rank k, in each plane."""
        parts = (self._U[:, :, :k], self.sizes[:, :k], self._V[:, :k])
        stored = [np.ascontiguousarray(part, dtype=np.float32) for part in parts]
        return judged(self._signal, Factors(self._plan, *stored), k * self._plan.channels)

    def first_rank(self, good: object) -> int:
        """Ranks are halved until one is found for which `good` holds and the one below fails."""
        assert callable(good)
        low, high = 0, self.most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if good(self.of_rank(middle)) else (middle, high)
        return high

    def last_rank(self, good: object) -> int:
        """The largest rank for which `good` holds; 0 if none."""
        assert callable(good)
        low, high = 0, self.most + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if good(self.of_rank(middle)) else (low, middle)
        return low


def warn_if_large(k: int, size: tuple[int, ...]) -> None:
    """Say when the factors have more numbers than the picture."""
    h, w = size
    if k > break_even(h, w):
        warnings.warn(
            f"rank={k} stores {k} * ({h} + {w} + 1) = {k * (h + w + 1):,} numbers, more than the "
            f"{h * w:,} of the picture; up to rank={break_even(h, w)} it saves some.",
            UserWarning,
            stacklevel=4,
        )
