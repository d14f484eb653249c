"""Fewer iterations: what the last steps of a search say of the next one.

    solve x = F(x)    where the last steps F(x) - x, as linear in x, are zero      Anderson
                      the same along one line, from two steps                      SQUAREM
    minimise f(x)     x + direction,  -H^-1 grad f(x), H from the last steps       linalg/lbfgs.py

F is one iteration of EM, or of any other alternation. Points are arrays of any one shape; the past
is stacked along a first axis, the newest last, so that a named tuple of plain arrays holds it in a
checkpoint. These functions only propose. F itself never raises the objective, a proposal may: look
at it, and fall back on F's own step if the objective rose (half the length, for a direction).

    points = with_newest(points, x, most)
    steps = with_newest(steps, F(x) - x, most)
    x = anderson_point(points, steps)

Cost: O(m p) for m remembered steps of p numbers (Anderson O(m^2 p)), beside a pass over the rows
nothing. NaN and infinity pass through.
"""

from __future__ import annotations

import numpy as np


def with_newest(past: np.ndarray, new: np.ndarray, most: int) -> np.ndarray:
    """The past (m, ...) and what is new (...), the oldest left out beyond `most`."""
    return np.concatenate([past, new[None]])[-most:]


def anderson_point(points: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Where to look next: where the steps, taken as linear in the point, come to rest.

    Parameters
    ----------
    points : array of shape (m, p)
        The last points x, the newest last; at least 1.
    steps : array of shape (m, p)
        F(x) - x at each.

    Returns
    -------
    array of shape (p,)
        F at the combination of the points (coefficients sum to 1) whose step is shortest. With one
        point only, F of it.

    References
    ----------
    Walker and Ni (2011), Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg.accelerate import anderson_point
    >>> points = np.array([[0.0], [1.0]])      # F(x) = 0.9 x + 1, so the steps are 1 - 0.1 x
    >>> anderson_point(points, 1.0 - 0.1 * points).round(12)
    array([10.])
    """
    if len(points) == 1:
        return points[0] + steps[0]
    moved, bent = np.diff(points, axis=0), np.diff(steps, axis=0)
    mix = np.linalg.lstsq(bent @ bent.T, bent @ steps[-1], rcond=1e-10)[0]
    return points[-1] + steps[-1] - mix @ (moved + bent)


def squarem_point(start: np.ndarray, once: np.ndarray, twice: np.ndarray) -> np.ndarray:
    """Where two steps of F lead, extrapolated: needs no past beside them.

    Parameters
    ----------
    start, once, twice : arrays of one shape
        x, F(x) and F(F(x)).

    Returns
    -------
    array of that shape
        x - 2 a r + a^2 v with r = F(x) - x, v = F(F(x)) - F(x) - r and a = -|r| / |v|, at most -1:
        a = -1 gives F(F(x)) itself.

    References
    ----------
    Varadhan and Roland (2008), Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm, Scand. J. Stat. 35: scheme SqS3.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg.accelerate import squarem_point
    >>> F = lambda x: 0.9 * x + 1.0
    >>> squarem_point(np.zeros(1), F(np.zeros(1)), F(F(np.zeros(1)))).round(12)
    array([10.])
    """
    r = once - start
    v = twice - once - r
    bend = float(np.linalg.norm(v))
    if bend == 0.0:
        return twice
    a = min(-float(np.linalg.norm(r)) / bend, -1.0)
    return start - 2.0 * a * r + a * a * v
