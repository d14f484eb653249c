"""Word vectors made comparable: centred, of length 1, without directions that all of them share.

    "center"    x - mean of all vectors
    "unit"      x / |x|
    remove      x - P x, P the projection on the top principal directions (Mu and Viswanath 2018):
                they hold how common words are rather than what they mean

Steps are taken one after the other. Directions are removed after the last centring (without one,
before all steps), so that a last "unit" still holds. What is learned from one set of vectors can be
applied to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.linalg.products import dense_times
from lowdim.text.vectors.queries import unit_rows

STEPS = ("center", "unit")
ROWS = 4096  # of a block


class Normalization(NamedTuple):
    """Steps with what was learned: None, a mean (d,), or directions (r, d), orthonormal rows."""

    steps: tuple[tuple[str, np.ndarray | None], ...]


def checked_steps(steps: Any, name: str = "steps") -> tuple[str, ...]:
    """Names of steps as a tuple."""
    steps = (steps,) if isinstance(steps, str) else tuple(() if steps is None else steps)
    for step in steps:
        if step not in STEPS:
            raise ValueError(
                f"{name}={steps!r} has {step!r}, which is no step; choose of 'center' and 'unit'."
            )
    return steps


def normalize(
    vectors: np.ndarray, steps: Sequence[str], remove: int = 0
) -> tuple[np.ndarray, Normalization]:
    """Vectors after all steps, in their dtype, and what was learned of them."""
    plan = list(steps)
    if remove:
        after = max((k + 1 for k, step in enumerate(plan) if step == "center"), default=0)
        plan.insert(after, "remove")
    learned: list[tuple[str, np.ndarray | None]] = []
    for step in plan:
        found = _learn(vectors, step, remove)
        learned.append((step, found))
        vectors = _taken(vectors, step, found)
    return vectors, Normalization(tuple(learned))


def apply(vectors: np.ndarray, normalization: Normalization) -> np.ndarray:
    """Other vectors after the same steps, with the same means and directions."""
    for step, found in normalization.steps:
        vectors = _taken(vectors, step, found)
    return vectors


def _learn(vectors: np.ndarray, step: str, remove: int) -> np.ndarray | None:
    if step == "center":
        return vectors.mean(axis=0, dtype=np.float64)
    return _top_directions(vectors, remove) if step == "remove" else None


def _taken(vectors: np.ndarray, step: str, found: np.ndarray | None) -> np.ndarray:
    if step == "unit":
        return unit_rows(vectors)
    assert found is not None
    found = found.astype(vectors.dtype)
    if step == "center":
        return vectors - found
    return vectors - dense_times(dense_times(vectors, found.T.copy()), found)


def _top_directions(vectors: np.ndarray, n: int) -> np.ndarray:
    """The n directions in which vectors are largest, by the eigenvectors of X'X."""
    largest = np.abs(vectors).max()
    scale = float(largest) if largest > 0 else 1.0

    def square(first: int) -> np.ndarray:
        X = vectors[first : first + ROWS].astype(np.float64) / scale
        return X.T @ X

    total = reduce(np.add, ordered_map(square, range(0, len(vectors), ROWS)))
    return np.ascontiguousarray(np.linalg.eigh(total)[1][:, ::-1][:, :n].T)
