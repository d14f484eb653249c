"""The leading directions of a matrix that is only seen through products, in a few passes.

    Q = orthonormal basis of V,   V <- Y'Y Q         orthogonal iteration, `PASSES` times

Some more directions than asked for make so few passes suffice for a start; `linalg/eigen.py` finds
them to all digits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PASSES, MORE = 4, 10  # and directions beyond k


def leading_directions(
    gram_times: Callable[[np.ndarray], np.ndarray], d: int, k: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Squares of the k largest singular values of Y (n, d), and right singular vectors (d, k).

    At most d of them, the largest first; the largest entry of each vector is positive.

    Parameters
    ----------
    gram_times : function
        Y'Y Q of Q (d, q).
    """
    V = random.normal(size=(d, min(k + MORE, d)))
    for _ in range(PASSES):
        Q = np.linalg.qr(V)[0]
        V = gram_times(Q)
    squares, turn = np.linalg.eigh(Q.T @ V)
    squares, turn = squares[::-1][:k], turn[:, ::-1][:, :k]
    V = Q @ turn
    V *= np.sign(V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])])
    return squares, V
