"""Dissimilarities for tests of MDS."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from lowdim.maps.mds.pairs import all_pairs, sorted_pairs


def planted(rng, n=30, d=2):
    """Places, and their distances (n, n)."""
    Y = rng.normal(size=(n, d))
    return Y, squareform(pdist(Y))


def noisy(rng, n=30, d=6):
    """Distances of points that fit no plane."""
    return squareform(pdist(rng.normal(size=(n, d))))


def between(D):
    """What gives dissimilarities between some rows and some others."""
    return lambda rows, columns: D[rows] if columns is None else D[np.ix_(rows, columns)]


def list_of(D, W=None, *, ordered=False):
    pairs = all_pairs(between(D), len(D), W)
    return sorted_pairs(pairs) if ordered else pairs


def random_weights(rng, n, zeros=0.3):
    W = rng.uniform(0.2, 2.0, size=(n, n))
    W[rng.random((n, n)) < zeros] = 0.0
    W = np.triu(W, 1)
    return W + W.T


def raw_stress(D, Y, W=None):
    """Sum over pairs of w (delta - d)^2."""
    d = squareform(pdist(Y))
    return float(((1.0 if W is None else W) * (D - d) ** 2).sum() / 2)
