"""The nearest words of each, by the cosine in the whole space: what a map cannot show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lowdim

NEIGHBOURS = 10


class Near(NamedTuple):
    """The nearest words of some words, the nearest first.

    Attributes
    ----------
    index : ndarray of int, shape (n, k)
        Their places in the vocabulary.
    cosine : ndarray of shape (n, k)
    """

    index: np.ndarray  # type: ignore[assignment]  # tuples have a method of this name
    cosine: np.ndarray


def nearest_words(rows: np.ndarray, units: np.ndarray, own: np.ndarray | None = None) -> Near:
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
        return Near(np.zeros(shape, dtype=np.int64), np.zeros(shape))
    top = min(most + (own is not None), len(units))
    index, cosine = lowdim.text.cosine(rows, units, top=top)
    if own is not None:
        index, cosine = _without(index, cosine, own, most)
    return Near(np.asarray(index, dtype=np.int64), np.asarray(cosine, dtype=np.float64))


def _without(
    index: np.ndarray, cosine: np.ndarray, own: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Each row without itself; if it is not among its nearest (equal rows), without the last."""
    others = index != own[:, None]
    others[others.all(axis=1), -1] = False
    rows = np.arange(len(index))[:, None]
    keep = np.argsort(~others, axis=1, kind="stable")[:, :most]
    return index[rows, keep], cosine[rows, keep]
