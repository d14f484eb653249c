"""Neighbours of very many words: nearly all of them, found in cells (`maps/neighbors`)."""

from __future__ import annotations

import numpy as np

from lowdim.maps.neighbors import neighbors
from lowdim.text.vectors.queries import Nearest

FEWEST = 1e9  # pairs of words: of fewer, the exact neighbours are found in seconds
SEED = 0  # the same neighbours in every run
WIDER = 1.5  # neighbours that are looked for, over those that are wanted: a few more are found


def worthwhile(m: int, n: int) -> bool:
    """Whether neighbours of m words among n take so long that it pays."""
    return m * n > FEWEST


def approximate_nearest(units: np.ndarray, own: np.ndarray, topn: int) -> Nearest:
    """The rows of `units`, all of length 1, most like the rows `own` of it, by their cosines."""
    k = min(int(WIDER * (topn + 1)) + 4, len(units) - 1)
    found = neighbors(units, k, metric="cosine", method="approximate", random_state=SEED).indices
    return _best(units, own, found[own], topn)


def _best(units: np.ndarray, own: np.ndarray, found: np.ndarray, topn: int) -> Nearest:
    """The best of the rows that were found, by exact cosines."""
    cosines = np.empty(found.shape, units.dtype)
    for first in range(0, len(own), 1024):
        rows = slice(first, first + 1024)
        np.einsum("ik,ijk->ij", units[own[rows]], units[found[rows]], out=cosines[rows])
    cosines = np.clip(cosines, -1, 1)
    order = np.lexsort((found, -cosines), axis=1)[:, :topn]
    taken = (np.take_along_axis(one, order, axis=1) for one in (found, cosines))
    return Nearest(*taken)
