"""Where ALS starts from: the best approximation of rank k to the entries, with 0 where none is.

    Y   y of the observed entries, 0 elsewhere; rows weighted         E Y = density M
    Y = U S V',    v_r := (s_r / density)^1/2 (d / n)^1/4 v_r         the balanced factors of M

From random factors ALS may end at a poor fixed point when few entries are known; from here it
finds a matrix that can be recovered (Jain, Netrapalli and Sanghavi, 2013, Low-rank matrix
completion using alternating minimization), and in fewer iterations. Directions of noise start
small, and stay so if the iteration ends early.

Cost: four passes with two products each, O(N k); by orthogonal iteration (`linalg/subspace.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lowdim.linalg.subspace import leading_directions

ROUNDING = 1e-10  # a square below this part of the largest is 0; its fourth root would not be
NOISE = 0.01  # of size 1; every factor needs a direction to grow in, even where Y has none


def spectral_factors(
    gram_times: Callable[[np.ndarray], np.ndarray],
    n: float,
    d: int,
    k: int,
    density: float,
    random: np.random.Generator,
) -> np.ndarray:
    """First factors of the columns, (d, k).

    Parameters
    ----------
    gram_times : function
        Y'Y Q of Q (d, q).
    n : float
        Weight of the rows.
    density : float
        Weight of the observed entries, as a part of n d.
    """
    squares, V = leading_directions(gram_times, d, k, random)
    squares = np.where(squares > ROUNDING * squares[0], squares, 0.0)
    sizes = np.sqrt(np.sqrt(squares) / density) * (d / n) ** 0.25
    factors = NOISE / np.sqrt(k) * random.normal(size=(d, k))
    factors[:, : len(sizes)] += sizes * V
    return factors
