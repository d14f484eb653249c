"""The search for places of least stress: one step that lowers it at a time.

    newton     -slope / |bend| (Sammon 1969), corrected by what the last steps have shown of the
               curvature (L-BFGS); `magic` is the length of the first step
    gradient   -rate slope; the rate starts at magic / bend, grows with each step that is taken at
               once, and is halved with each that is not

A step that does not lower the stress is shortened until it does: the stress never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.linalg.lbfgs import Search, search_from, searched
from lowdim.maps.sammon.pairs import Look, Pairs, look

FLATTEST = 0.1  # of the typical bend: a coordinate with less would take too long a step
LONGER, SHORTER = 1.5, 0.5  # how the rate of "gradient" changes
SHORTEST = 1e-12  # a rate that moves nothing


class NewtonState(NamedTuple):
    """Between two steps of "newton"."""

    search: Search  # over Y (k, n)
    magic: float

    @property
    def Y(self) -> np.ndarray:
        return self.search.point

    @property
    def stress(self) -> float:
        return self.search.objective


class GradientState(NamedTuple):
    """Between two steps of "gradient"."""

    Y: np.ndarray  # (k, n)
    stress: float  # infinite before the first look
    slope: np.ndarray  # (k, n)
    rate: float


def search_start(Y: np.ndarray, magic: float, solver: str) -> NewtonState | GradientState:
    """Before the first look, at places Y (k, n)."""
    if solver == "newton":
        return NewtonState(search_from(Y), magic)
    return GradientState(Y, np.inf, np.zeros_like(Y), magic)


def search_step(pairs: Pairs, state: NewtonState | GradientState) -> NewtonState | GradientState:
    """After one more step that lowers the stress, if there is one; the first only looks."""
    if isinstance(state, NewtonState):
        return _newton_step(pairs, state)
    return _gradient_step(pairs, state)


def _newton_step(pairs: Pairs, state: NewtonState) -> NewtonState:
    at = state.search
    if at.stuck:
        return state
    while True:
        seen = look(pairs, at.trial)
        at = searched(at, seen.stress, seen.slope, curvature(seen) / state.magic)
        if at.tries == 0 or at.stuck:
            return state._replace(search=at)


def _gradient_step(pairs: Pairs, state: GradientState) -> GradientState:
    if not np.isfinite(state.stress):
        seen = look(pairs, state.Y)
        rate = state.rate / (float(np.median(np.abs(seen.bend))) or 1.0)
        return GradientState(state.Y, seen.stress, seen.slope, rate)
    rate, once = state.rate, True
    while rate > SHORTEST * state.rate:
        Y = state.Y - rate * state.slope
        seen = look(pairs, Y)
        if seen.stress < state.stress:
            return GradientState(Y, seen.stress, seen.slope, rate * (LONGER if once else 1.0))
        rate, once = rate * SHORTER, False
    return state._replace(rate=0.0)  # as low as rounding lets one see


def sized(pairs: Pairs, Y: np.ndarray) -> np.ndarray:
    """Y times the factor that makes the stress least: sum d / sum d^2 / delta.

    Both follow from the stress at Y and at 2 Y: c E(t Y) = c - 2 t sum d + t^2 sum d^2 / delta.
    """
    if not pairs.total > 0:
        return Y
    once, twice = (look(pairs, t * Y).stress - 1.0 for t in (1.0, 2.0))
    square = 0.5 * twice - once
    return Y * (0.5 * (square - once) / square) if square > 0 else Y


def curvature(seen: Look) -> np.ndarray:
    """What slopes are divided by: the size of the bend, where there is some."""
    size = np.abs(seen.bend)
    typical = np.median(size, axis=1, keepdims=True)
    return np.maximum(size, np.maximum(FLATTEST * typical, np.finfo(float).tiny))
