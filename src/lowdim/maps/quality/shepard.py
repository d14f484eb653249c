"""Shepard's diagram: the distance of each pair in a map against its dissimilarity.

    disparities    the rising function of the dissimilarity that is nearest to the distances:
                   minimise  sum over pairs (f(dissimilarity) - distance)^2,   f never falls

Points on the curve: the map keeps the order of the dissimilarities. Equal dissimilarities have one
disparity (ties='secondary' of `MDS`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.maps.quality.space import map_space, open_space
from lowdim.maps.square import square_matrix


class Shepard(NamedTuple):
    """Pairs in the order of their dissimilarities.

    Attributes
    ----------
    dissimilarity : ndarray of shape (m,)
        What was given, rising.
    distance : ndarray of shape (m,)
        In the map.
    disparity : ndarray of shape (m,)
        The rising function of the dissimilarity that is nearest to the distances.
    """

    dissimilarity: np.ndarray
    distance: np.ndarray
    disparity: np.ndarray


@single_threaded_blas()
def shepard(
    dissimilarity: Any,
    Y: Any,
    *,
    metric: Any = "precomputed",
    metric_params: dict | None = None,
    n_pairs: int = 500_000,
    random_state: Any = None,
) -> Shepard:
    """Dissimilarities, distances in a map, and the rising curve between them.

    Parameters
    ----------
    dissimilarity : array of shape (n, n) or (n (n - 1) / 2,), or rows of data
        Of all pairs, as a square or as SciPy's `pdist` gives them. Pairs that are NaN are left out.
        With another metric: the data (n, d), as `trustworthiness` takes them.
    Y : array-like of shape (n, k)
        The map: the place of each row.
    metric : str or callable, default='precomputed'
        Of the dissimilarities, where data are given.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    n_pairs : int, default=500000
        At most so many pairs, all up to 1,000 rows; of more, so many are drawn at random.
    random_state : int, Generator, RandomState or None, default=None
        For pairs that are drawn.

    Returns
    -------
    Shepard
        Three arrays: dissimilarity (rising), distance, disparity.

    See Also
    --------
    plots.shepard : The diagram.
    stress : How far distances are from disparities, in one number.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> found = lowdim.shepard(square, square[:, :1], metric="euclidean")
    >>> found.distance.round(2), found.disparity.round(2)
    (array([0., 1., 1., 0., 1., 1.]), array([0.5, 0.5, 0.5, 0.5, 1. , 1. ]))
    """
    n_pairs = check_at_least("n_pairs", n_pairs, 1)
    random = random_generator(random_state)
    if isinstance(metric, str) and metric == "precomputed":
        D = square_matrix(dissimilarity, "dissimilarity", "shepard", nan=True, zero_diagonal=False)
        places = map_space(Y, len(D), "Y", "dissimilarity")
        i, j = drawn_pairs(len(D), n_pairs, random)
        delta = D[i, j]
    else:
        data = open_space(dissimilarity, metric, metric_params, "expected", "shepard")
        places = map_space(Y, data.n, "Y", "dissimilarity")
        i, j = drawn_pairs(data.n, n_pairs, random)
        delta = data.apart(i, j)
    known = ~np.isnan(delta)
    if not known.any():
        raise ValueError("dissimilarity has no pair that is known: give at least 2 rows, not NaN.")
    delta, distance = delta[known], places.apart(i[known], j[known])
    order = np.lexsort((distance, delta))
    delta, distance = delta[order], distance[order]
    return Shepard(delta, distance, disparities(delta, distance))


def disparities(dissimilarity: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The rising function of dissimilarities, which rise, nearest to the distances."""
    starts = np.flatnonzero(np.diff(dissimilarity, prepend=-np.inf))
    number = np.diff(starts, append=len(distance))
    mean = np.add.reduceat(distance, starts) / number
    return np.repeat(isotonic_regression(mean, weights=number.astype(np.float64)).x, number)


def drawn_pairs(n: int, most: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs i < j of n rows: all, in the order of `pdist`, or `most` different ones at random."""
    total = n * (n - 1) // 2
    if total <= most:
        i, j = np.triu_indices(n, 1)
        return i, j
    number = np.sort(random.choice(total, size=most, replace=False, shuffle=False))
    # row i starts at number i (2n - i - 1) / 2: its root, mended by one where that was rounded
    i = ((2 * n - 1 - np.sqrt((2.0 * n - 1) ** 2 - 8.0 * number)) / 2).astype(np.int64)
    i -= _first_of(i, n) > number
    i += _first_of(i + 1, n) <= number
    return i, number - _first_of(i, n) + i + 1


def _first_of(i: np.ndarray, n: int) -> np.ndarray:
    return i * (2 * n - i - 1) // 2
