"""Patches as sums of few atoms, which are learnt from the noisy picture itself.

    minimise over D, z     sum_p |z_p|_0     with     |x_p - z_p D|^2 <= d (1.15 sigma)^2

by K-SVD: orthogonal matching pursuit of patches without their mean, then each atom with its
coefficients. Then all patches are coded, and the picture is the mean of what the codes say and,
with the weight of 30 / sigma patches, of the picture as it was.

Reference: Elad and Aharon (2006), Image denoising via sparse and redundant representations over
learned dictionaries, IEEE Transactions on Image Processing 15(12).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.sparse.bases.axes import cosine_atoms
from lowdim.sparse.dictionary.sweep import sweep
from lowdim.sparse.pictures.patches import Estimate, Part, Shape, averaged, patches_of
from lowdim.sparse.pursuit.greedy import omp

GAIN = 1.15  # errors of a patch may be so much larger than its noise
AS_IT_WAS = 30.0  # of 255
TRAINED_ON, SWEEPS = 40_000, 10
PIECE = 2**12  # patches coded at a time


def first_atoms(shape: Shape, k: int) -> np.ndarray:
    """(k', d): products of cosines, more than fit in a basis; at least k."""
    sides = [int(np.ceil(k ** (1.0 / (2 if shape.h > 1 else 1))))] * 2
    if shape.h == 1:
        return np.ascontiguousarray(cosine_atoms(shape.w, max(k, shape.w)).T, np.float32)
    rows, columns = (cosine_atoms(s, max(m, s)).T for s, m in zip(shape, sides, strict=True))
    return np.kron(rows, columns).astype(np.float32)


def learn(
    planes: Sequence[np.ndarray], shape: Shape, k: int, sigma: float, random: np.random.Generator
) -> np.ndarray:
    """(k, d): atoms for the patches of all planes."""
    X = _some_patches(planes, shape, random)
    X = X - X.mean(axis=1, keepdims=True)
    bound = np.float32(shape.d * (GAIN * sigma) ** 2)
    busy = np.einsum("ij,ij->i", X, X) > bound  # the others are coded by nothing
    X = np.ascontiguousarray(X[busy])
    D = first_atoms(shape, k)[:k]
    if len(D) < k or not len(X):
        return D
    for _ in range(SWEEPS):
        Z = codes(X, D, bound)
        D, _, _ = sweep(X - (Z @ D).astype(np.float32), Z, D, None, None, False)
        D = _without_idle(D, Z, X, random)
    return D


def _some_patches(
    planes: Sequence[np.ndarray], shape: Shape, random: np.random.Generator
) -> np.ndarray:
    each = -(-TRAINED_ON // len(planes))
    found = []
    for plane in planes:
        rows, columns = plane.shape[0] - shape.h + 1, plane.shape[1] - shape.w + 1
        n = rows * columns
        at = np.sort(random.choice(n, min(each, n), replace=False))
        windows = np.lib.stride_tricks.sliding_window_view(plane, shape)
        found.append(windows[at // columns, at % columns].reshape(len(at), shape.d))
    return np.concatenate(found).astype(np.float32)


def _without_idle(D: np.ndarray, Z: object, X: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Atoms that no patch uses become patches."""
    used = np.bincount(Z.indices, minlength=len(D))  # type: ignore[attr-defined]
    idle = np.flatnonzero(used == 0)
    if len(idle):
        D = D.copy()
        rows = X[random.choice(len(X), len(idle))]
        D[idle] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return D


def codes(X: np.ndarray, D: np.ndarray, bound: float):  # type: ignore[no-untyped-def]
    """Codes of patches, each with as few atoms as its noise allows, (n, k) CSR."""
    import scipy.sparse as sp

    gram = np.ascontiguousarray(D @ D.T)
    starts = range(0, len(X), PIECE)
    most = max(1, X.shape[1] // 2)

    def piece(start: int) -> sp.csr_array:
        P = X[start : start + PIECE]
        squares = np.einsum("ij,ij->i", P, P)
        return omp(gram, np.ascontiguousarray(P @ D.T), squares, most, bound)

    return sp.csr_array(sp.vstack(list(ordered_map(piece, starts)), format="csr"))


def by_atoms(plane: np.ndarray, shape: Shape, D: np.ndarray, sigma: float) -> np.ndarray:
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
    own = AS_IT_WAS / max(sigma, 1e-3)
    return (total + own * plane) / (weight + own)
