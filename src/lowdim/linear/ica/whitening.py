"""Whitening: K with K S K' = I, from the leading eigenvectors of the covariance S."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.linalg

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.validation import check_at_most
from lowdim.linalg.moments import covariance


def whitening(
    rows: Blocks, weight: np.ndarray | None, n_components: int | None, *, white: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, K with K S K' = I, and the sum of weights; of white rows, zero and the identity."""
    n, mean, scatter, unit = covariance(rows, weight)
    d = rows.n_columns
    limit = min(int(n), d)
    k = n_components
    if k is not None:
        check_at_most("n_components", k, limit, "that X allows, min(n_samples, n_features)")
    if white:
        if k is not None and k != d:
            warnings.warn(
                f"n_components={k} is ignored with whiten=False: all {d} sources are found.",
                UserWarning,
                stacklevel=level_of_caller(),
            )
        return np.zeros(d), np.eye(d), n
    values, vectors = scipy.linalg.eigh(scatter / n)
    values, vectors = values[::-1], vectors[:, ::-1]
    rounding = 10 * d * np.finfo(rows.dtype).eps * max(values[0], 0.0)
    rank = max(int(np.count_nonzero(values > rounding)), 1)
    if k is not None and k > rank:
        warnings.warn(
            f"n_components={k} is more than the rank {rank} of X; {rank} sources are found.",
            UserWarning,
            stacklevel=level_of_caller(),
        )
    k = min(k or rank, rank)
    signs = np.where(vectors[0] < 0, -1.0, 1.0)  # as scikit-learn: a fixed sign for K
    scale = np.sqrt(np.where(values[:k] > 0, values[:k], 1.0)) * unit
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        K = (vectors * signs)[:, :k].T / scale[:, None]
    if not np.isfinite(K).all():
        raise ValueError(
            f"X varies by no more than {unit:.0e}, and what would make variances of 1 of that is "
            "no number. Multiply X by a power of ten."
        )
    return mean, K, n
