"""Which pixels are known: those that are no NaN, and that are said to be observed.

It is worked out a part at a time: beside a large picture, what is known of it is never written down
as a whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import as_array
from lowdim.sparse.pictures.signals import Signal
from lowdim.sparse.pictures.strips import strips


class Known(NamedTuple):
    """Where the visible values of a signal are known."""

    values: np.ndarray  # (n,), (h, w) or (h, w, c): without alpha, as given
    observed: np.ndarray | None  # of the same shape, or without channels

    def of(self, where: Any) -> np.ndarray:
        """Of a part, in its shape: which values are known."""
        x = self.values[where]
        known = ~np.isnan(x) if x.dtype.kind == "f" else np.ones(x.shape, bool)
        if self.observed is not None:
            there = self.observed[where]
            known &= there if there.ndim == x.ndim else there[..., None]
        return known

    def complete(self, where: Any) -> np.ndarray:
        """Of a part, without channels: pixels of which all of them are known.

        Working colours mix channels, so that the others are worth nothing."""
        known = self.of(where)
        return np.all(known, axis=2) if known.ndim == 3 else known


def open_known(signal: Signal, observed: Any) -> Known:
    """What is known of a signal: something has to be."""
    x = signal.values
    given = None
    if observed is not None:
        given = as_array(observed, "observed", "inpaint")
        if given.shape not in (x.shape, signal.size) or given.dtype.kind != "b":
            raise ValueError(
                f"observed has the shape {given.shape} and type {given.dtype}; it needs True and "
                f"False for each pixel: {signal.size}" + (f" or {x.shape}." if x.ndim == 3 else ".")
            )
        given = given[..., : signal.visible] if given.ndim == 3 else given
    known = Known(x[..., : signal.visible] if x.ndim == 3 else x, given)
    if not any(known.of(part).any() for part in strips(signal.size)):
        raise ValueError(
            "image has no observed pixel, so there is nothing to fill from; check observed: True "
            "is for pixels that are there."
        )
    if not any(known.complete(part).any() for part in strips(signal.size)):
        raise ValueError(
            "image has no pixel of which all channels are observed, so that colours cannot be "
            "filled together; fill each channel alone: inpaint(image[..., 0]), ..."
        )
    return known
