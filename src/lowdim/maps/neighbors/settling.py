"""Neighbours among candidates: their squared distances one by one, and the k smallest of them.

A search says which points come into question for a row; here each of them is summed up in float64
(`maps/direct`), and ranked by its square and then by its number.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.maps.direct import squared_distance

MOST = 200  # neighbours that are put in their places one by one: more are sorted


@kernel
def settle(X, Y, spread, found, index, squares):
    """The k nearest of the points found for each row x: their numbers, and |x - y|^2 + s_y.

    Point -1 is none; what is missing is point -1 at infinity.
    """
    for i in range(len(X)):
        near, numbers = squares[i], index[i]
        for e in range(len(near)):
            near[e], numbers[e] = np.inf, -1
        for e in range(found.shape[1]):
            j = found[i, e]
            if j >= 0:
                put(near, numbers, squared_distance(X[i], Y[j]) + spread[j], j)


@kernel(within=True)
def put(near, numbers, far, j):
    """Put a point in its place, by its square and then by its number; the last one goes."""
    place = len(near) - 1
    if far < near[place] or (far == near[place] and j < numbers[place]):
        while place > 0 and (
            far < near[place - 1] or (far == near[place - 1] and j < numbers[place - 1])
        ):
            near[place], numbers[place] = near[place - 1], numbers[place - 1]
            place -= 1
        near[place], numbers[place] = far, j
