"""Landmarks: some rows that are laid out, with affinities that all rows have a say in.

    p_j|i = probability that a random walk over neighbours from landmark i comes to landmark j first

(`maps/walks.py`; van der Maaten and Hinton 2008, section 5), and p_ij = (p_j|i + p_i|j) / 2m.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.validation import check_at_most
from lowdim.maps.walks import landmark_affinities


def drawn_landmarks(model: Any, n: int, random: np.random.Generator) -> np.ndarray | None:
    """The numbers of the landmarks of a model, sorted; None if all rows are laid out."""
    if model.landmarks is None:
        return None
    if model._metric.is_precomputed:
        raise ValueError(
            f"landmarks={model.landmarks} needs rows, and metric={model.metric!r} has none; leave "
            "landmarks out, or give rows and another metric."
        )
    check_at_most("landmarks", model.landmarks, n, "rows of X")
    return np.sort(random.choice(n, model.landmarks, replace=False)).astype(np.int64)


def walked(P: sp.csr_array, landmarks: np.ndarray) -> sp.csr_array:
    """p_ij of the landmarks, from those of all rows; symmetric, of sum 1."""
    p = landmark_affinities(P, landmarks)
    joint = sp.csr_array(p + p.T)
    joint.sort_indices()
    total = joint.data.sum(dtype=np.float64)
    return joint / (total if total > 0 else 1.0)
