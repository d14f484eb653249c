"""Steps downhill with momentum, stiff springs at first and, if asked for, some jitter.

    v <- momentum v - step_i g_i          y <- y + v (+ noise, less with each step)

With learning_rate="auto" each point has its own step, by the stiffness of all of its springs:

    step_i = (1 + momentum) / 2 / (4 exaggeration sum_j a_ij)

Then springs alone do not overshoot (with momentum m steps of 2 (1 + m) / curvature do, and their
curvature is at most 8 sum_j a_ij), however many neighbours a point has: on the digits both kinds of
SNE are at their minimum, to four digits, 100 steps after the exaggeration has ended.

At first the springs are `exaggeration` times as stiff. A map for which that is too stiff shrinks to
a point; it is kept at the size of the start, so that it can unfold afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.maps.axes import middle_of
from lowdim.maps.sne.springs import Springs, descent
from lowdim.maps.start import START_SIZE

STIFF_STEPS = 100  # with exaggeration: at most so many, and a quarter of all
LONGEST = 5.0  # a point moves so far in a step, at the most
LEAST_STIFF = 0.5  # what a point's springs sum to in conditional affinities, at least
CHUNK = 25  # steps of an iteration of the loop
TINY = 1e-38  # what a map shrinks to if all rows are equally alike
SETTLED = 1e-4  # moved so little in a chunk, of the map's size


class Plan(NamedTuple):
    """How to go downhill."""

    learning_rate: float | None  # None: by each point's springs
    momentum: float
    exaggeration: float
    stiff_steps: int  # with exaggeration
    noise: float  # standard deviation at the start
    noisy_steps: int
    max_iter: int


class State(NamedTuple):
    """What a step needs of the one before."""

    Y: np.ndarray  # (n, k) float32
    velocity: np.ndarray  # (n, k)
    step: int
    random: np.random.Generator


def plan_of(
    learning_rate: float | str,
    momentum: float,
    exaggeration: float,
    noise: float,
    max_iter: int,
) -> Plan:
    """The plan of a model's arguments."""
    rate = None if isinstance(learning_rate, str) else float(learning_rate)
    stiff = min(STIFF_STEPS, max_iter // 4) if exaggeration != 1 else 0
    noisy = max_iter // 4 if noise > 0 else 0
    return Plan(rate, float(momentum), float(exaggeration), stiff, float(noise), noisy, max_iter)


def advance(springs: Springs, state: State, plan: Plan, steps: int) -> tuple[State, float, float]:
    """Some steps on; the divergence before, and how far points moved, in units of the map's size.

    That is infinite while springs are too stiff, or jitter moves the points.
    """
    Y, velocity, step, random = state
    Y, velocity = Y.copy(), velocity.copy()
    before, divergence = Y.copy(), np.nan
    for number in range(step, step + steps):
        stiff = number < plan.stiff_steps
        exaggeration = plan.exaggeration if stiff else 1.0
        g, here = descent(springs, Y, exaggeration)
        divergence = here if number == step else divergence
        velocity *= np.float32(plan.momentum)
        velocity -= _rates(springs, plan, exaggeration) * g
        _shorten(velocity)
        Y += velocity
        if number < plan.noisy_steps:
            size = plan.noise * (1 - number / plan.noisy_steps)
            Y += (size * random.standard_normal(Y.shape)).astype(np.float32)
        Y -= middle_of(Y).astype(np.float32)
        if stiff:
            _keep_size(Y, velocity)
    waits = step < max(plan.stiff_steps, plan.noisy_steps)
    moved = np.inf if waits else _size(Y - before) / max(_size(Y), TINY)
    return State(Y, velocity, step + steps, random), divergence, moved


def _rates(springs: Springs, plan: Plan, exaggeration: float) -> np.ndarray | np.float32:
    """What g is multiplied with."""
    if plan.learning_rate is not None:
        n = len(springs.stiffness)
        return np.float32(plan.learning_rate / (n if springs.symmetric else 1))
    stiffness = np.float32(4 * exaggeration) * np.maximum(springs.stiffness, LEAST_STIFF)
    return np.float32((1 + plan.momentum) / 2) / stiffness


def _shorten(velocity: np.ndarray) -> None:
    """No point moves farther than LONGEST."""
    length = np.sqrt(np.einsum("ij,ij->i", velocity, velocity))
    long = length > LONGEST
    if long.any():
        velocity[long] *= (LONGEST / length[long])[:, None]


def _keep_size(Y: np.ndarray, velocity: np.ndarray) -> None:
    """A map that shrinks below the size of the start is widened to it."""
    size = max(_size(Y), _size(velocity))  # a map may swing through a point
    if 0 < size < START_SIZE:
        widen = np.float32(START_SIZE / size)
        Y *= widen
        velocity *= widen


def _size(Y: np.ndarray) -> float:
    return float(np.sqrt(np.square(Y, dtype=np.float64).mean()))
