"""t-SNE's descent: momentum, a gain for each number, and steps that are not too long.

    minimise  C(Y) = KL(P || Q),      q_ij = w_ij / Z,   w = (1 + d^2 / dof)^(-(dof + 1) / 2)

    dC/dy_i = 2 (dof + 1) / dof sum_j (p_ij - q_ij) (y_i - y_j) / (1 + d_ij^2 / dof)
            = 2 (dof + 1) / dof attraction_i + 2 / Z grad phi(y_i)

with P times `exaggeration` while clusters form. A gain grows by 0.2 while the gradient points where
the last step went, and shrinks to 0.8 of it when it turns (Jacobs 1988). A point moves by at most
LONGEST in a step (the embedding of a large table would fly apart otherwise).

Cost of a step: that of `attraction.py` and `repulsion.py`, and one pass over the points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.maps.tsne.attraction import Pairs, attract_rows, attraction, divergence
from lowdim.maps.tsne.repulsion import Push, repulsion

MOMENTUM = 0.8
LEAST_GAIN = 0.01
LONGEST = 5.0


class Layout(NamedTuple):
    """A map on its way: all that the next step needs."""

    Y: np.ndarray  # (n, axes) float32
    velocity: np.ndarray  # the last step
    gains: np.ndarray
    step: int  # steps made
    early_rounds: int  # rounds of the loop in the early phase


class Forces(NamedTuple):
    """How the pairs of a map act on each other."""

    method: str
    dof: float
    angle: float


class Phase(NamedTuple):
    """What holds for some steps."""

    exaggeration: float
    learning_rate: float
    compression: float


def start_layout(Y: np.ndarray) -> Layout:
    """At rest."""
    Y = np.array(Y, np.float32, order="C")
    return Layout(Y, np.zeros_like(Y), np.ones_like(Y), 0, 0)


def stepped(
    layout: Layout, pairs: Pairs, forces: Forces, phase: Phase, push: Push | None = None
) -> tuple[Layout, float]:
    """One step, and the norm of the gradient before it; `push` is the repulsion, if known."""
    Y = layout.Y
    n, axes = Y.shape
    push = push or repulsion(Y, *forces)
    moved, velocity, gains = np.empty_like(Y), np.empty_like(Y), np.empty_like(Y)
    settings = _settings(forces, phase, push, n)

    def piece(rows: tuple[int, int]) -> tuple[float, np.ndarray]:
        sums = np.zeros(axes + 1)
        attract_rows(pairs, Y, forces.dof, rows, moved)  # where the pull was, the place will be
        before = Y, layout.velocity, layout.gains
        _move(*before, push.gradients, settings, *rows, moved, velocity, gains, sums)
        return sums[-1], sums[:axes]

    done = shared_map(piece, pairs.pieces)
    middle = sum(sums for _, sums in done) / n
    moved -= middle.astype(np.float32)
    norm = float(np.sqrt(sum(square for square, _ in done)))
    return Layout(moved, velocity, gains, layout.step + 1, layout.early_rounds), norm


def _settings(forces: Forces, phase: Phase, push: Push, n: int) -> np.ndarray:
    """The factors of attraction, repulsion and place in the gradient; then those of the step."""
    pull = phase.exaggeration * 2 * (forces.dof + 1) / forces.dof
    factors = (pull, 2 / push.Z, 2 * phase.compression / n)
    return np.array([*factors, phase.learning_rate, MOMENTUM, LEAST_GAIN, LONGEST], np.float32)


def gradient(Y: np.ndarray, pairs: Pairs, forces: Forces, phase: Phase) -> np.ndarray:
    """The gradient of C (n, axes), with P exaggerated, and the compression's."""
    push = repulsion(Y, *forces)
    a, b, c = _settings(forces, phase, push, len(Y))[:3]
    return a * attraction(pairs, Y, forces.dof) + b * push.gradients + c * Y


def map_divergence(Y: np.ndarray, pairs: Pairs, forces: Forces) -> float:
    """KL(P || Q) of a map; a mesh is finer than that of the steps."""
    return divergence(pairs, Y, forces.dof, repulsion(Y, *forces, fine=True).Z)


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _move(Y, velocity, gains, slopes, settings, first, last, new_Y, new_velocity, new_gains, sums):
    """Move some rows; adds up their places and the square of their gradient.

    new_Y has their pulls, and then their places.
    """
    pull, push, press = settings[0], settings[1], settings[2]
    rate, momentum, least, longest = settings[3], settings[4], settings[5], settings[6]
    axes = Y.shape[1]
    for i in range(first, last):
        length = np.float32(0)
        for f in range(axes):
            g = pull * new_Y[i, f] + push * slopes[i, f] + press * Y[i, f]
            v, gain = velocity[i, f], gains[i, f]
            # a step is against the gradient: unequal signs mean that it goes on
            gain = gain + np.float32(0.2) if (g > 0) != (v > 0) else gain * np.float32(0.8)
            gain = gain if gain > least else least
            step = momentum * v - rate * gain * g
            new_gains[i, f], new_velocity[i, f] = gain, step
            length += step * step
            sums[axes] += np.float64(g) * g
        shrink = np.float32(1)
        if length > longest * longest:
            shrink = longest / np.sqrt(length)
        for f in range(axes):
            new_velocity[i, f] *= shrink
            new_Y[i, f] = Y[i, f] + new_velocity[i, f]
            sums[f] += new_Y[i, f]
