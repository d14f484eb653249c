"""Small graphs and tables for the tests of UMAP."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from lowdim.maps.umap.graph import directed, fuzzy_union, memberships


def neighbors_of(X, k):
    """(indices, distances) of the k nearest other rows."""
    distances, indices = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    return indices, distances


def graph_of(X, n_neighbors=15):
    """The graph of UMAP for rows."""
    indices, distances = neighbors_of(X, n_neighbors - 1)
    own = memberships(distances, n_neighbors)
    return fuzzy_union(directed(own.weights, indices, len(X)))


def groups(rng, n=90, d=5, count=3, gap=12.0):
    """Rows in groups far apart, and their labels."""
    labels = np.arange(n) % count
    return rng.normal(size=(n, d)) + gap * np.eye(d)[labels], labels


def kept(X, Y, k=10):
    """The part of the k nearest rows in X that are among the k nearest in Y."""
    before, after = neighbors_of(X, k)[0], neighbors_of(Y, k)[0]
    return np.mean([len(np.intersect1d(a, b)) / k for a, b in zip(before, after, strict=True)])
