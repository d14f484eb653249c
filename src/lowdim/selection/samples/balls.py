"""Precision, recall, density and coverage: where each sample lies, by balls around its rows.

    B(x)       the ball around a row that reaches its k-th nearest row of the same side

    precision  share of fakes in the ball of some real row        invented modes lower it
    recall     share of real rows in the ball of some fake        dropped modes lower it
    density    real balls that a fake is in, on average, over k   1 for honest draws, can be above
    coverage   share of real rows whose ball holds a fake

One far real row with its large ball raises precision; density and coverage mind that less.

Cost: O(n^2 d) time, memory of a block.
Kynkaanniemi et al. (2019), Improved precision and recall metric, NeurIPS.
Naeem et al. (2020), Reliable fidelity and diversity metrics for generative models, ICML.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.selection.samples.pairs import over_blocks

NEIGHBORS = 5


class Overlap(NamedTuple):
    """How the places of two samples overlap."""

    precision: float
    recall: float
    density: float
    coverage: float


def overlap(real: np.ndarray, fake: np.ndarray, k: int = NEIGHBORS) -> Overlap:
    """How the places of the rows of two matrices overlap."""
    k = min(k, len(real) - 1, len(fake) - 1)
    middle = real.mean(axis=0)
    real, fake = real - middle, fake - middle
    of_real, of_fake = _radii(real, k), _radii(fake, k)

    def work(rows: slice, squared: np.ndarray) -> tuple[Any, Any, Any]:
        inside = squared <= of_real[rows, None]
        reached = (squared <= of_fake).any(axis=1)
        return inside.sum(axis=0), inside.any(axis=1), reached

    balls = np.zeros(len(fake), dtype=np.int64)  # real ones that each fake is in
    covered, reached = [], []
    for count, with_fake, near_fake in over_blocks(work, real, fake):
        balls += count
        covered.append(with_fake)
        reached.append(near_fake)
    return Overlap(
        float((balls > 0).mean()),
        float(np.concatenate(reached).mean()),
        float(balls.mean() / k),
        float(np.concatenate(covered).mean()),
    )


def _radii(X: np.ndarray, k: int) -> np.ndarray:
    """Squared distance of each row from its k-th nearest other row."""

    def work(_: slice, squared: np.ndarray) -> np.ndarray:
        # the row itself is the first; a view would keep the whole block
        return np.partition(squared, k, axis=1)[:, k].copy()

    return np.concatenate(list(over_blocks(work, X, X)))
