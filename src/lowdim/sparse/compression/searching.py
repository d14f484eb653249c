"""The coarsest steps that keep a PSNR, or the finest that fit into a number of bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lowdim.sparse.compression.compressed import Compressed
from lowdim.sparse.compression.plan import Plan
from lowdim.sparse.compression.storing import Coefficient, by_step, error_at
from lowdim.sparse.pictures.quality import psnr_of
from lowdim.sparse.pictures.signals import Signal, peak_of

CLOSE_DB, CLOSE_BYTES = 0.01, 0.005  # to a target
MOST_TRIES = 24
FINEST, COARSEST = 2.0**-12, 2.0**3  # steps, of the peak


def for_psnr(signal: Signal, plan: Plan, target: float) -> Compressed:
    """At least so many dB, with as few numbers as steps allow."""
    peak, source = peak_of(signal.values), Coefficient(plan, signal, {})

    def below(step: float) -> float:
        error = error_at(signal, plan, step, source) / signal.values.size
        return target - min(psnr_of(error, peak), target + 60.0)

    guess = peak * 10.0 ** (-target / 20.0) * np.sqrt(12.0)  # white errors within all steps
    step = largest_with(below, guess, FINEST * peak, COARSEST * peak, CLOSE_DB)
    if step is None:
        raise ValueError(
            f"psnr={target:g} asks for less than rounding leaves; choose less, or keep=1.0, which "
            "keeps every coefficient."
        )
    return by_step(signal, plan, step, source)


def for_bytes(signal: Signal, plan: Plan, target: int) -> Compressed:
    """The best that fits into so many bytes."""
    peak, source = peak_of(signal.values), Coefficient(plan, signal, {})
    made: dict[float, Compressed] = {}

    def above(step: float) -> float:
        """Negative where it fits; grows as steps become finer."""
        made[step] = by_step(signal, plan, step, source)
        return float(np.log(made[step].nbytes / target))

    step = smallest_with(above, peak / 16.0, FINEST * peak, COARSEST * peak, CLOSE_BYTES)
    if step is None:
        least = min(one.nbytes for one in made.values())
        raise ValueError(
            f"nbytes={target} is less than the {least} bytes that this signal needs at least in "
            f"{plan.basis}; choose more."
        )
    return made[step]


def largest_with(
    f: Callable[[float], float], guess: float, low: float, high: float, close: float
) -> float | None:
    """The largest x with f(x) <= 0, for f that rises; within `close` of 0, or as near as comes."""
    good: list[tuple[float, float]] = []
    bad: list[tuple[float, float]] = []
    x = float(np.clip(guess, low, high))
    for _ in range(MOST_TRIES):
        value = f(x)
        (good if value <= 0 else bad).append((x, value))
        if -close <= value <= 0 or (value <= 0 and x >= high) or (value > 0 and x <= low):
            break
        x = _next(max(good, default=None), min(bad, default=None), low, high)
    return max(good)[0] if good else None


def smallest_with(
    f: Callable[[float], float], guess: float, low: float, high: float, close: float
) -> float | None:
    """The smallest x with f(x) <= 0, for f that falls."""
    found = largest_with(lambda y: f(1.0 / y), 1.0 / guess, 1.0 / high, 1.0 / low, close)
    return None if found is None else 1.0 / found


def _next(
    good: tuple[float, float] | None, bad: tuple[float, float] | None, low: float, high: float
) -> float:
    """Where to look next: on the line between the two in the logarithm, well inside."""
    if good is None or bad is None:
        x, value = good or bad or (1.0, 0.0)
        return float(np.clip(x * (2.0 if value <= 0 else 0.5), low, high))
    share = -good[1] / (bad[1] - good[1])
    share = float(np.clip(share, 0.05, 0.95))
    return float(np.exp((1 - share) * np.log(good[0]) + share * np.log(bad[0])))
