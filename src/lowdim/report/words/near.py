"""The nearest words of each, by the cosine in the whole space: what a map cannot show."""

from __future__ import annotations

import numpy as np

import lowdim
from lowdim.text.similarity import Nearest

NEIGHBOURS = 10


def nearest_words(rows: np.ndarray, units: np.ndarray, own: np.ndarray | None = None) -> Nearest:
    """The nearest rows of `units` to each of `rows`, both of length 1.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    units : ndarray of shape (m, d)
    own : ndarray of int, shape (n,), or None
        Which of `units` each row is itself, and is left out; None: it is none of them.
    """
    most = min(NEIGHBOURS, len(units) - (own is not None))
    if most < 1 or not len(rows):
        shape = (len(rows), max(most, 0))
        return Nearest(np.zeros(shape, dtype=np.int64), np.zeros(shape))
    top = min(most + (own is not None), len(units))
    index, cosine = lowdim.text.cosine(rows, units, top=top)
    if own is not None:
        index, cosine = _without(index, cosine, own, most)
    return Nearest(np.asarray(index, dtype=np.int64), np.asarray(cosine, dtype=np.float64))


def _without(
    index: np.ndarray, cosine: np.ndarray, own: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each row without itself; if it is not among its nearest (equal rows), without the last."""
    others = index != own[:, None]
    others[others.all(axis=1), -1] = False
    rows = np.arange(len(index))[:, None]
    keep = np.argsort(~others, axis=1, kind="stable")[:, :most]
    return index[rows, keep], cosine[rows, keep]
