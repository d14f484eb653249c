"""Where two steps of EM point: SQUAREM for shares and counts, which stay positive.

    x, F(x), F(F(x))     r = F(x) - x,  v = F(F(x)) - F(x) - r,  a = |r| / |v|
    point to             x + 2 a r + a^2 v,      1 <= a <= 4

as `linalg.accelerate.squarem_point`, but for weights of rows, for a limit on a, and for what would
become negative. Long steps magnify rounding by a^2 each time: without the limit, a model of 15
documents and 10 topics differs in the ninth digit if documents come in another order.
"""

from __future__ import annotations

import numpy as np

LONGEST = 4.0
NUMBERS_AT_A_TIME = 2**14  # of which r and v are in memory
KEPT = 0.1  # of what was reached in two steps: EM keeps what is 0 for ever


def pointed(
    start: np.ndarray,
    once: np.ndarray,
    twice: np.ndarray,
    weight: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Where two steps point, at least a part of where they are, (n, k).

    A row of weight 2 counts as two rows: so weights and repeated rows point to the same place.
    `out`, to which it is written, may be one of the three.
    """
    point = np.empty_like(twice) if out is None else out
    length, bend = 0.0, 0.0
    for run in _runs(*start.shape):
        r, v = _bent(start[run], once[run], twice[run])
        w = None if weight is None else weight[run]
        length += _squares(r, w)
        bend += _squares(v, w)
    if bend == 0.0:
        np.copyto(point, twice)
        return point
    a = min(max(float(np.sqrt(length / bend)), 1.0), LONGEST)
    for run in _runs(*start.shape):
        r, v = _bent(start[run], once[run], twice[run])
        np.maximum(start[run] + 2.0 * a * r + a * a * v, KEPT * twice[run], out=point[run])
    return point


def _runs(n: int, k: int) -> list[slice]:
    size = max(1, NUMBERS_AT_A_TIME // k)
    return [slice(first, first + size) for first in range(0, n, size)]


def _bent(start: np.ndarray, once: np.ndarray, twice: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """r and v."""
    r = once - start
    return r, twice - once - r


def _squares(x: np.ndarray, weight: np.ndarray | None) -> float:
    squares = np.einsum("ij,ij->i", x, x)
    return float(squares.sum() if weight is None else weight @ squares)
