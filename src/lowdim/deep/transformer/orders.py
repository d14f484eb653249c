"""In which order the columns of a row are said."""

from __future__ import annotations

from typing import Any

import numpy as np


def checked_order(order: Any, d: int) -> np.ndarray | None:
    """A permutation of d columns that was given; None if none was."""
    if order is None or isinstance(order, str):
        return None
    given = np.asarray(order)
    whole = given.ndim == 1 and given.dtype.kind in "iu"
    if not whole or not np.array_equal(np.sort(given), np.arange(d)):
        raise ValueError(
            f"order={_short(order)} must hold each of the {d} columns 0 to {d - 1} once; or choose "
            "None, or 'random'."
        )
    return given.astype(np.int64)


def order_of(order: Any, d: int, seed: int) -> np.ndarray:
    """The columns in the order in which they are said, (d,)."""
    if isinstance(order, str):
        return np.random.default_rng([seed, d]).permutation(d)
    given = checked_order(order, d)
    return np.arange(d) if given is None else given


def _short(order: Any) -> str:
    text = " ".join(repr(order).split())
    return text if len(text) <= 60 else text[:57] + "..."
