"""Dictionaries and signals for the tests of basis pursuit."""

import numpy as np

from lowdim import sparse


def planted(rng, D, L, K, *, whole=False):
    """A Gaussian dictionary, a code of K non-zeros, and its signal."""
    U = rng.normal(size=(D, L)) / np.sqrt(D)
    return U, *coded(rng, U, K, whole=whole)


def coded(rng, U, K, *, whole=False):
    """A code of K non-zeros and its signal; whole numbers make ties."""
    z = np.zeros(U.shape[1])
    values = rng.integers(1, 4, size=K) * rng.choice([-1, 1], K) if whole else rng.normal(size=K)
    z[rng.choice(len(z), K, replace=False)] = values
    return z, U @ z


def awkward(kind, rng):
    """Dictionaries with ties, doubles, much in common, or fewer atoms than numbers."""
    if kind == "signs":
        return sparse.union(sparse.basis("identity", 16), sparse.basis("hadamard", 16)).matrix()
    if kind == "whole":
        U = rng.integers(-1, 2, size=(6, 20)).astype(float)
        return U[:, np.abs(U).sum(axis=0) > 0]
    if kind == "doubled":
        A = rng.normal(size=(8, 10))
        return np.hstack([A, A, -A])
    if kind == "steps":
        return np.hstack([np.eye(8), np.ones((8, 1)), np.triu(np.ones((8, 8)))])
    if kind == "near":
        return sparse.basis("dct-overcomplete", 16, redundancy=4).matrix()
    if kind == "tall":
        return rng.normal(size=(20, 8))
    return np.abs(rng.normal(size=(10, 30))) + 5.0  # all atoms in one direction


AWKWARD = ("signs", "whole", "doubled", "steps", "near", "tall", "positive")


def proves(U, x, found, *, noise=0.0, weights=1.0, tol=1e-8):
    """The certificate, checked from its definition."""
    cost = np.sum(weights * np.abs(found.coef))
    assert np.all(np.abs(U.T @ found.dual) <= weights * (1 + 1e-12))
    assert np.linalg.norm(x - U @ found.coef) <= noise + 1e-8 * np.linalg.norm(x)
    gap = cost - (x @ found.dual - noise * np.linalg.norm(found.dual))
    return abs(gap - found.gap) <= 1e-9 * max(cost, 1e-300) and abs(gap) <= tol * cost
