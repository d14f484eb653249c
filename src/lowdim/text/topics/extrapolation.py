"""Where two steps of EM point: SQUAREM for shares and counts, which stay positive."""

from __future__ import annotations

import numpy as np

from lowdim.linalg.accelerate import squarem_point

KEPT = 0.1  # of what was reached in two steps: EM keeps what is 0 for ever


def pointed(
    start: np.ndarray, once: np.ndarray, twice: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """Where two steps point, at least a part of where they are, (n, k).

    A row of weight 2 counts as two rows: so weights and repeated rows point to the same place.
    """
    if weight is None:
        return np.maximum(squarem_point(start, once, twice), KEPT * twice)
    some = weight > 0
    root = np.sqrt(weight[some])[:, None]
    point = twice.copy()
    point[some] = squarem_point(*(root * part[some] for part in (start, once, twice))) / root
    return np.maximum(point, KEPT * twice)
