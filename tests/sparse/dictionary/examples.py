"""Rows that are sparse sums of known atoms, and how many of these were found."""

import numpy as np

from lowdim.sparse.dictionary.start import random_atoms


def planted(rng, n=3000, d=24, k=48, s=4, decibels=25.0, missing=0.0):
    """Rows with s of k atoms each, with noise, and the atoms."""
    atoms = random_atoms(k, d, rng)
    Z = np.zeros((n, k))
    chosen = rng.random((n, k)).argsort(axis=1)[:, :s]
    np.put_along_axis(Z, chosen, rng.normal(size=(n, s)), axis=1)
    X = Z @ atoms
    noise = rng.normal(size=X.shape)
    X += noise * np.linalg.norm(X) / np.linalg.norm(noise) * 10.0 ** (-decibels / 20)
    X[rng.random(X.shape) < missing] = np.nan
    return X, atoms


def share_found(found, atoms):
    """The share of atoms that one of those found equals, up to its sign."""
    return np.mean(np.abs(found @ atoms.T).max(axis=0) > 0.99)
