"""Which places of a sentence count as near."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

WEIGHTINGS = ("flat", "harmonic")


class Window(NamedTuple):
    """Which places count as near, and how much."""

    offsets: np.ndarray  # int64, in order
    weights: np.ndarray  # float64


def window_of(window: Any, weighting: str, longest: int = 2) -> Window:
    """The offsets of a window that matter in sentences of at most `longest` words."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting={weighting!r} must be 'flat' or 'harmonic'.")
    if _is_whole(window, 1):
        side = min(int(window), longest)
        offsets = [o for o in range(-side, side + 1) if o]
    elif isinstance(window, tuple) and len(window) == 2 and all(_is_whole(w, 0) for w in window):
        left, right = (min(int(side), longest) for side in window)
        offsets = [o for o in range(-left, right + 1) if o]
    elif isinstance(window, set | frozenset | list) and all(_is_whole(o, None) for o in window):
        offsets = sorted({int(o) for o in window})
    else:
        offsets = []
    if longest and (not offsets or 0 in offsets):
        raise ValueError(
            f"window={window!r} must be an int of at least 1, (left, right), a set or list of "
            "offsets that are not 0, 'sentence' or None."
        )
    weights = np.ones(len(offsets))
    if weighting == "harmonic":
        weights /= np.abs(offsets)
    return Window(np.array(offsets, dtype=np.int64), weights)


def _is_whole(value: Any, least: int | None) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and (least is None or int(value) >= least)
