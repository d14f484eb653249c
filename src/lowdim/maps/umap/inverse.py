"""Rows for places of UMAP's map: what X would be there, by straight lines between neighbours.

    minimise over x, B     sum_j w_j |x_j - x - B (y_j - y)|^2 + ridge |B|^2

over the training rows whose places y_j are nearest to y, with UMAP's own similarities w_j. The
solution x = sum_j s_j x_j needs no rows, only places: the shares s_j sum to 1, and sum_j s_j y_j
lies at y but for the ridge. So a plane comes back as that plane. Each row for itself.

On digits that the map has not seen: an error of 2.32 per pixel; the weighted mean of neighbours has
2.39, umap-learn's search 2.97.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.maps.umap.curve import Curve, similarity

RIDGE = 0.1  # of the spread of the neighbours' places
AT_A_TIME = 2**21  # numbers of X in one piece of work


def shares(Y: np.ndarray, near: np.ndarray, curve: Curve) -> np.ndarray:
    """s (m, j) of the places near (m, j, k) of training rows, for places Y (m, k)."""
    gap = np.asarray(near, dtype=np.float64) - Y[:, None, :]
    w = similarity(np.einsum("mjk,mjk->mj", gap, gap), curve)
    w /= w.sum(axis=1, keepdims=True)
    mean = np.einsum("mj,mjk->mk", w, gap)
    gap -= mean[:, None, :]
    spread = np.einsum("mj,mjk,mjl->mkl", w, gap, gap)
    ridge = RIDGE * np.trace(spread, axis1=1, axis2=2)
    spread += np.maximum(ridge, 1e-300)[:, None, None] * np.eye(Y.shape[1])
    along = np.linalg.solve(spread, -mean[:, :, None])[:, :, 0]
    return np.asarray(w * (1.0 + np.einsum("mjk,mk->mj", gap, along)))


def combined(rows: Any, indices: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The rows sum_j s_j x_j in float64, dense."""
    m, d = len(indices), rows.shape[1]
    if sp.issparse(rows):
        starts = np.arange(0, m * indices.shape[1] + 1, indices.shape[1])
        take = sp.csr_array((share.ravel(), indices.ravel(), starts), shape=(m, rows.shape[0]))
        return np.asarray((take @ rows).toarray())
    X = np.empty((m, d))
    size = max(1, AT_A_TIME // max(1, indices.shape[1] * d))
    for first in range(0, m, size):
        part = slice(first, first + size)
        X[part] = np.einsum("mj,mjd->md", share[part], rows[indices[part]])
    return X
