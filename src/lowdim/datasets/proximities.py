"""How alike, or how far apart, a few objects are: matrices for maps."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

import numpy as np


class Dissimilarities(NamedTuple):
    """How far apart objects are, two by two.

    Attributes
    ----------
    dissimilarity : ndarray of shape (n, n)
        Symmetric; 0 on the diagonal.
    names : list of str
        The names of the objects.
    """

    dissimilarity: np.ndarray
    names: list[str]


class Similarities(NamedTuple):
    """How alike objects are, two by two.

    Attributes
    ----------
    similarity : ndarray of shape (n, n)
        Symmetric, between 0 and 1; 1 on the diagonal.
    names : list of str
        The names of the objects.
    """

    similarity: np.ndarray
    names: list[str]


def load_eurodist() -> Dissimilarities:
    """Distances by road between 21 cities of Europe, in kilometres.

    They are no distances of a plane: roads bend, and lead around seas and mountains.

    Returns
    -------
    Dissimilarities
        `dissimilarity` of shape (21, 21) and `names`, the cities.

    References
    ----------
    .. [1] The Cambridge Encyclopaedia (1990), the table of distances between European cities; also
       in R as `eurodist`.

    Examples
    --------
    >>> from lowdim.datasets import load_eurodist
    >>> roads = load_eurodist()
    >>> roads.names[:2], roads.dissimilarity[0, 1]
    (['Athens', 'Barcelona'], np.float64(3313.0))
    """
    return Dissimilarities(*_matrix("eurodist.csv"))


def load_ekman() -> Similarities:
    """How alike 14 colours look: means of what 31 people said.

    Each person rated each pair from 0 (not alike) to 4 (the same); means are divided by 4. The
    names are the wavelengths in nanometres, from 434 (violet) to 674 (red). In a map of two
    dimensions the colours lie on a circle, in their order.

    Returns
    -------
    Similarities
        `similarity` of shape (14, 14) and `names`, the wavelengths.

    References
    ----------
    .. [1] G. Ekman (1954). Dimensions of color vision. Journal of Psychology 38, 467-474.

    Examples
    --------
    >>> from lowdim.datasets import load_ekman
    >>> colours = load_ekman()
    >>> colours.names[:2], colours.similarity[0, 1]
    (['434', '445'], np.float64(0.86))
    """
    return Similarities(*_matrix("ekman.csv"))


def _matrix(name: str) -> tuple[np.ndarray, list[str]]:
    """A symmetric matrix and the names of its rows, from a file of its lower triangle."""
    text = (files("lowdim.datasets") / "data" / name).read_text(encoding="utf-8")
    names, *lines = [line.split(",") for line in text.splitlines()]
    A = np.zeros((len(names), len(names)))
    for i, line in enumerate(lines):
        A[i, : i + 1] = A[: i + 1, i] = [float(cell) for cell in line]
    return A, names
