"""L-BFGS: a Hessian from the last steps of a search.

    minimise f(x)     x + direction,  direction = -H^-1 grad f(x)

Points are arrays of any one shape; the past is stacked along a first axis, the newest last, so that
a named tuple of plain arrays holds it in a checkpoint. A direction only proposes: look at the point
that it leads to, and go half as far if f rose.

Cost: O(m p) for m remembered steps of p numbers, beside a pass over the rows nothing.
"""

from __future__ import annotations

import numpy as np


def lbfgs_direction(
    gradient: np.ndarray,
    steps: np.ndarray,
    turns: np.ndarray,
    curvature: np.ndarray | float | None = None,
) -> np.ndarray:
    """-H^-1 gradient, for a Hessian H of which the last steps are known.

    Parameters
    ----------
    gradient : array of any shape
        Of f, at the current point.
    steps : array of shape (m, ...)
        The last steps s, the newest last; m may be 0.
    turns : array of shape (m, ...)
        How the gradient changed along each, t. s't must be positive: leave out steps along which f
        does not curve upwards.
    curvature : array like the gradient, float or None, default=None
        Diagonal of the first guess of H, positive. None takes t't / s't of the last step (1
        without any).

    Notes
    -----
    The two-loop recursion: Nocedal and Wright (2006), Numerical optimization, algorithm 7.4. The
    default guess is their (7.20).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim.linalg.lbfgs import lbfgs_direction
    >>> step = np.array([[1.0, 0.0]])
    >>> lbfgs_direction(np.array([4.0, 1.0]), step, 4.0 * step, curvature=1.0)
    array([-1., -1.])
    """
    if curvature is None:
        curvature = (
            np.vdot(turns[-1], turns[-1]) / np.vdot(steps[-1], turns[-1]) if len(steps) else 1.0
        )
    q, known = gradient.copy(), []
    for step, turn in zip(steps[::-1], turns[::-1], strict=True):
        scale = 1.0 / np.vdot(step, turn)
        a = scale * np.vdot(step, q)
        q -= a * turn
        known.append((step, turn, scale, a))
    q /= curvature
    for step, turn, scale, a in reversed(known):
        q += (a - scale * np.vdot(turn, q)) * step
    return -q
