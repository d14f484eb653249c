"""Patches as sums of few atoms, which are learnt from the noisy picture itself.

    minimise over D, z     sum_p |z_p|_0     with     |x_p - z_p D|^2 <= d (1.15 sigma)^2

by K-SVD: orthogonal matching pursuit of patches without their mean, then each atom with its
coefficients. Then all patches are coded, and the picture is the mean of what the codes say and,
with the weight of 30 / sigma patches, of the picture as it was.

Reference: Elad and Aharon (2006), Image denoising via sparse and redundant representations over
learned dictionaries, IEEE Transactions on Image Processing 15(12).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.threads import ordered_map
from lowdim.sparse.bases.axes import cosine_atoms
from lowdim.sparse.bases.making import basis
from lowdim.sparse.dictionary.sweep import sweep
from lowdim.sparse.pictures.patches import Estimate, Part, Shape, averaged, patches_of
from lowdim.sparse.pursuit.greedy import omp

GAIN = 1.15  # errors of a patch may be so much larger than its noise
AS_IT_WAS = 30.0  # of 255
TRAINED_ON, SWEEPS = 40_000, 10
PIECE = 2**12  # patches coded at a time


def first_atoms(shape: Shape, k: int) -> np.ndarray:
    """(k, d): products of cosines, low frequencies first; more than a basis has, if asked for."""
    if shape.h == 1:
        return np.ascontiguousarray(_cosines(shape.w, k), np.float32)
    side = int(np.ceil(np.sqrt(k)))
    D = np.kron(*(_cosines(s, side) for s in shape))
    r, c = np.divmod(np.arange(len(D)), side)
    first = np.sort(np.argsort(r + c, kind="stable")[:k])
    return np.ascontiguousarray(D[first], np.float32)


def _cosines(size: int, count: int) -> np.ndarray:
    """(count, size): of length 1."""
    if count < size:  # the lowest frequencies of a basis
        return basis("dct", size).matrix().T[:count]
    return cosine_atoms(size, count).T


def learn(
    X: np.ndarray,
    shape: Shape,
    k: int,
    sigma: float,
    random: np.random.Generator,
    sweeps: int = SWEEPS,
) -> np.ndarray:
    """(k, d): atoms for patches (n, d)."""
    X = X - X.mean(axis=1, keepdims=True)
    bound = float(shape.d * (GAIN * sigma) ** 2)
    busy = np.einsum("ij,ij->i", X, X) > bound  # the others are coded by nothing
    X = np.ascontiguousarray(X[busy])
    D = first_atoms(shape, k)
    if not len(X):
        return D
    for _ in range(sweeps):
        Z = codes(X, D, bound)
        D, _, _ = sweep(X - (Z @ D).astype(np.float32), Z, D, None, None, False)
        D = _without_idle(D, Z, X, random)
    return D


def _without_idle(D: np.ndarray, Z: Any, X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Atoms that no patch uses become patches."""
    used = np.bincount(Z.indices, minlength=len(D))
    idle = np.flatnonzero(used == 0)
    if len(idle):
        D = D.copy()
        rows = X[random.choice(len(X), len(idle))]
        D[idle] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return D


def codes(X: np.ndarray, D: np.ndarray, bound: float) -> sp.csr_array:
    """Codes of patches, each with as few atoms as its noise allows, (n, k) CSR."""
    gram = np.ascontiguousarray(D @ D.T)
    starts = range(0, len(X), PIECE)
    most = max(1, X.shape[1] // 2)

    def piece(start: int) -> sp.csr_array:
        P = X[start : start + PIECE]
        squares = np.einsum("ij,ij->i", P, P)
        return omp(gram, np.ascontiguousarray(P @ D.T), squares, most, bound)

    return sp.csr_array(sp.vstack(list(ordered_map(piece, starts)), format="csr"))


def by_atoms(
    plane: np.ndarray, shape: Shape, D: np.ndarray, sigma: float, as_it_was: float = AS_IT_WAS
) -> np.ndarray:
    """A plane of which all patches are sums of few atoms."""
    bound = float(shape.d * (GAIN * sigma) ** 2)

    def estimate(part: Part) -> Estimate:
        P = patches_of(plane[part.where].astype(np.float32), shape)
        mean = P.mean(axis=1, keepdims=True)
        X = P - mean
        out = np.broadcast_to(mean, P.shape).copy()
        busy = np.flatnonzero(np.einsum("ij,ij->i", X, X) > bound)
        if len(busy):
            out[busy] += (codes(np.ascontiguousarray(X[busy]), D, bound) @ D).astype(np.float32)
        return out, np.ones(len(P))

    total, weight = averaged(plane.shape, shape, estimate)
    own = as_it_was / max(sigma, 1e-3)
    return (total + own * plane) / (weight + own)
