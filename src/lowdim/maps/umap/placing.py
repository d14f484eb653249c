"""New rows among the places of UMAP's training rows, each for itself.

A new row is joined to its nearest training rows as training rows are to each other, starts at their
mean place, and settles: pulled by these, pushed by rows drawn at random, which stay where they are.
The rows that are drawn are the same for all new rows, so a row's place does not depend on others.

    y <- y + alpha (sum_j A_j (y_j - y) + R) / (1 + alpha sum_j A_j)

Cost: O(epochs (neighbours + draws)) for each row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.umap.curve import SHIFT, Coefficients
from lowdim.maps.umap.graph import rounded
from lowdim.maps.umap.layout import ALL_PAIRS, DRAWS

EPOCHS = 100
ROWS = 256  # of a piece of work


class Settling(NamedTuple):
    """What new rows are settled with."""

    tables: Coefficients
    n_epochs: int
    alpha: float
    negatives: int
    seed: int


def placed(
    places: np.ndarray, indices: np.ndarray, weights: np.ndarray, settling: Settling
) -> np.ndarray:
    """Places (m, k) of new rows joined to training rows by weights (m, neighbours)."""
    # a row that is joined to nothing (disconnection_distance) is placed by all its neighbours
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    weight = rounded(weights / weights.max(axis=1, keepdims=True))
    near = np.ascontiguousarray(places[indices], dtype=np.float32)  # (m, neighbours, k)
    total = np.zeros((len(weight), 1))
    Y = np.zeros((len(weight), places.shape[1]))
    for j in range(weight.shape[1]):  # one after the other, however many rows there are
        total += weight[:, j, None]
        Y += weight[:, j, None] * near[:, j].astype(np.float64)
    Y = np.ascontiguousarray(Y / total, dtype=np.float32)
    if settling.negatives == 0 or settling.n_epochs == 0:
        return Y
    far = drawn_places(places, settling)
    draws = far.shape[1]
    share = (settling.negatives * total[:, 0] / draws).astype(np.float32)
    tables = settling.tables.attraction, settling.tables.repulsion

    def work(first: int) -> None:
        rows = slice(first, first + ROWS)
        move = np.empty(Y.shape[1], dtype=np.float32)
        steps = settling.n_epochs, settling.alpha
        _settle(Y[rows], near[rows], weight[rows], share[rows], far, *tables, *steps, move)

    for _ in ordered_map(work, range(0, len(Y), ROWS)):
        pass
    return Y


def drawn_places(places: np.ndarray, settling: Settling) -> np.ndarray:
    """The places (epochs, draws, k) that push in each epoch; of few rows all, in every epoch."""
    n = len(places)
    if n <= ALL_PAIRS:
        return np.ascontiguousarray(places, dtype=np.float32)[None]
    random = np.random.default_rng(settling.seed)
    chosen = random.integers(n, size=(settling.n_epochs, DRAWS * settling.negatives))
    return np.ascontiguousarray(places[chosen], dtype=np.float32)


@kernel(any_order=True)
def _settle(Y, near, weight, share, far, pull, push, n_epochs, alpha, move):
    """All epochs of each row."""
    one = np.float32(1.0)
    k = Y.shape[1]
    for i in range(Y.shape[0]):
        for epoch in range(n_epochs):
            e = epoch if far.shape[0] > 1 else 0
            step = np.float32(alpha * (1.0 - epoch / n_epochs))
            for c in range(k):
                move[c] = 0.0
            for j in range(far.shape[1]):
                squared = np.float32(0.0)
                for c in range(k):
                    gap = Y[i, c] - far[e, j, c]
                    squared += gap * gap
                force = push[np.float32(squared).view(np.uint32) >> np.uint32(SHIFT)] * share[i]
                for c in range(k):
                    move[c] += force * (Y[i, c] - far[e, j, c])
            stiffness = np.float32(0.0)
            for j in range(near.shape[1]):
                squared = np.float32(0.0)
                for c in range(k):
                    gap = Y[i, c] - near[i, j, c]
                    squared += gap * gap
                force = pull[np.float32(squared).view(np.uint32) >> np.uint32(SHIFT)] * weight[i, j]
                stiffness -= force
                for c in range(k):
                    move[c] += force * (Y[i, c] - near[i, j, c])
            step = step / (one + step * stiffness)
            for c in range(k):
                Y[i, c] += step * move[c]
