"""Where two steps of EM point: SQUAREM for shares and counts, which stay positive.

    x, F(x), F(F(x))     r = F(x) - x,  v = F(F(x)) - F(x) - r,  a = |r| / |v|
    point to             x + 2 a r + a^2 v,      1 <= a <= 4

as `linalg.accelerate.squarem_point`, but for weights of rows, for a limit on a, and for what would
become negative. Long steps magnify rounding by a^2 each time: without the limit, a model of 15
documents and 10 topics differs in the ninth digit if documents come in another order.

Two points and a step are in memory, and no third point: r is all that is needed of x, and of
F(F(x)) what leads back to it. A step takes half of a point: float32 says well enough where to go,
and the way back is exact all the same, as the point is *defined* as F(F(x)) plus the rounded step.

    step = step_between(x, once)           then x may go
    back = move_on(step, once, twice)      `twice` is the point; then `once` may go
    move_back(twice, back)                 `twice` is F(F(x)) again, but for rounding
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import shared_map
from lowdim.linalg.checks import power_of_two

LONGEST = 4.0
NUMBERS_AT_A_TIME = 2**15  # that a thread works on
KEPT = 0.1  # of what was reached in two steps: EM keeps what is 0 for ever
FARTHEST = 2.0**20  # times what was reached in two steps: the way back keeps ten digits
LEAST = 2.0**-100  # of the largest number: float32 has all its digits from 2^-126 on


class Step(NamedTuple):
    """A difference of two points."""

    by: np.ndarray  # (n, k)  float32
    unit: float  # a power of two, in which it is measured

    def part(self, run: slice) -> np.ndarray:
        """Of some rows."""
        return np.multiply(self.by[run], self.unit, dtype=np.float64)


def step_between(start: np.ndarray, end: np.ndarray) -> Step:
    """end - start, for points (n, k)."""
    largest = max(float(start.max(initial=0.0)), float(end.max(initial=0.0)))
    unit, by = power_of_two(largest), np.empty(start.shape, np.float32)

    def work(run: slice) -> None:
        change = end[run] - start[run]
        np.divide(change, unit, out=by[run], casting="same_kind")

    _on_threads(work, start)
    return Step(by, unit)


def move_on(
    step: Step, once: np.ndarray, twice: np.ndarray, weight: np.ndarray | None = None
) -> Step:
    """Write to `twice` where two steps point, and return what was added to it.

    Nothing falls below a part of what two steps reached. A row of weight 2 counts as two rows: so
    weights and repeated rows point to the same place. What is returned takes the place of `step`.
    """
    a = _stride(step, once, twice, weight)

    def work(run: slice) -> None:
        reached, there = twice[run], _bend(step, once, twice, run)
        there *= a * a * step.unit
        there += (2.0 * a - 1.0) * step.part(run)
        there += once[run]
        np.clip(there, KEPT * reached, FARTHEST * reached, out=there)
        there -= reached
        there /= step.unit
        there[np.abs(there) < LEAST] = 0.0
        step.by[run] = there if a > 1.0 else 0.0
        reached += step.part(run)

    _on_threads(work, once)
    return step


def move_back(there: np.ndarray, back: Step) -> None:
    """Undo `move_on`, in place."""

    def work(run: slice) -> None:
        there[run] -= back.part(run)

    _on_threads(work, there)


def _stride(step: Step, once: np.ndarray, twice: np.ndarray, weight: np.ndarray | None) -> float:
    """a; where nothing bends 1, which leads to F(F(x))."""

    def work(run: slice) -> tuple[float, float]:
        w = None if weight is None else weight[run]
        r = step.by[run].astype(np.float64)
        return _squares(r, w), _squares(_bend(step, once, twice, run), w)

    length, bend = np.sum(_on_threads(work, once), axis=0)
    return min(max(float(np.sqrt(length / bend)), 1.0), LONGEST) if bend > 0.0 else 1.0


def _bend(step: Step, once: np.ndarray, twice: np.ndarray, run: slice) -> np.ndarray:
    """v of some rows, in the unit of the step."""
    v = twice[run] - once[run]
    v /= step.unit
    v -= step.by[run]
    return v


def _on_threads(work: Callable[[slice], Any], points: np.ndarray) -> list:
    """work(run) for runs of rows, which depend on the shape alone."""
    n, k = points.shape
    size = max(1, NUMBERS_AT_A_TIME // k)
    return shared_map(work, [slice(first, first + size) for first in range(0, n, size)])


def _squares(x: np.ndarray, weight: np.ndarray | None) -> float:
    squares = np.einsum("ij,ij->i", x, x)
    return float(squares.sum() if weight is None else weight @ squares)
