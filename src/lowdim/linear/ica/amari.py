"""How well sources were found, when the truth is known."""

from __future__ import annotations

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.threads import single_threaded_blas


@single_threaded_blas()
def amari_distance(W: np.ndarray, A: np.ndarray) -> float:
    """How far W A is from a scaled permutation: 0 for perfect unmixing, at most 1.

    Amari, Cichocki and Yang (1996), equation 4, divided by its largest value.
    """
    W, A = (numeric_array(part, name, "amari_distance") for part, name in ((W, "W"), (A, "A")))
    if W.ndim != 2 or W.shape != A.shape[::-1]:
        raise ValueError(
            f"W has the shape {W.shape} and A {A.shape}; amari_distance needs (k, d) and (d, k)."
        )
    P = np.abs(W @ A)
    k = len(P)
    rows = (P.sum(axis=1) / P.max(axis=1) - 1).sum()
    columns = (P.sum(axis=0) / P.max(axis=0) - 1).sum()
    return float((rows + columns) / (2 * k * (k - 1))) if k > 1 else 0.0
