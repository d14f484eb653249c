"""Neighbours by pynndescent: nearly all of them, in less time where words are very many."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.text.vectors.queries import Nearest

FEWEST = 2.5e9  # pairs of words: of fewer, the exact neighbours are found sooner
SEED = 0  # the same neighbours in every run
WIDER = 1.5  # neighbours that are looked for, over those that are wanted: a few more are found


def worthwhile(m: int, n: int) -> bool:
    """Whether neighbours of m words among n take so long that it pays.

    Raises ImportError without pynndescent.
    """
    _descent()
    return m * n > FEWEST


def _descent() -> Any:
    try:
        from pynndescent import NNDescent
    except ImportError:
        raise ImportError(
            "approximate=True needs pynndescent: pip install 'lowdim[maps]'. Without it, "
            "approximate=False finds the exact neighbours."
        ) from None
    return NNDescent


def approximate_nearest(
    units: np.ndarray, Z: np.ndarray, own: np.ndarray | None, topn: int
) -> Nearest:
    """The rows of `units` most like each row of Z, both of length 1, by their cosines.

    own : the numbers of the rows of Z in `units`, which are none of their own neighbours, or None.
    """
    k = min(int(WIDER * (topn + 1)) + 4, len(units))
    index = _descent()(units, metric="dot", n_neighbors=k, random_state=SEED, n_jobs=1)
    found = index.neighbor_graph[0] if Z is units else index.query(Z, k=k)[0]
    return _best(units, Z, found.astype(np.intp), own, topn)


def _best(
    units: np.ndarray, Z: np.ndarray, found: np.ndarray, own: np.ndarray | None, topn: int
) -> Nearest:
    """The best of the rows that were found, by exact cosines."""
    there = found >= 0 if own is None else (found >= 0) & (found != own[:, None])
    cosines = np.empty(found.shape, units.dtype)
    for first in range(0, len(Z), 1024):
        rows = slice(first, first + 1024)
        np.einsum("ik,ijk->ij", Z[rows], units[found[rows]], out=cosines[rows])
    cosines = np.clip(cosines, -1, 1)
    cosines[~there] = -np.inf
    order = np.lexsort((found, -cosines), axis=1)[:, :topn]
    index = np.take_along_axis(np.where(there, found, -1), order, axis=1)
    return Nearest(index, np.take_along_axis(cosines, order, axis=1))
