"""What a shape may be: the length of a signal, or the height and width of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np


def checked_shape(shape: Any) -> tuple[int, ...]:
    """(D,) or (h, w)."""
    sizes = shape if isinstance(shape, tuple | list | np.ndarray) else (shape,)
    whole = all(isinstance(s, int | np.integer) and not isinstance(s, bool) for s in sizes)
    if not whole or len(sizes) not in (1, 2) or min(sizes) < 1:
        raise ValueError(
            f"shape={shape!r} must be the length of a signal, or the height and width of a picture."
        )
    return tuple(int(s) for s in sizes)
