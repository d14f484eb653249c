"""Where UMAP starts: the slowest vibrations of the neighbour graph.

    D^-1/2 V D^-1/2 u = lambda u,   D = diag(row sums of V)

The eigenvectors after the first, u_2 to u_k+1, are the smoothest functions on the graph: neighbours
start near each other, and the large shape is right from the beginning. Of many rows a thousandth
of accuracy is plenty for a start. Parts of the graph that nothing joins have no shape in common:
each gets its own vectors, around a place that classical scaling finds for the means of the parts.

Cost: some tens of products with the graph, O(n k) each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lowdim.linalg.svd import deterministic_signs
from lowdim.maps.points import Points

WIDTH = 10.0  # of a start
DENSE = 512  # rows up to which all eigenvectors are found
TOL, FINE_TOL = 1e-3, 1e-6  # of eigenvalues; the finer one is cheap up to MANY rows
MANY = 5000
BASIS = 40  # vectors of the iteration
JITTER = 1e-4  # of the places: rows with equal starts would never part
DIGITS = 4  # of places that are kept: what is rounded otherwise does not matter
MANY_PARTS = 2000


def spectral_start(
    graph: sp.csr_array,
    k: int,
    random: np.random.Generator,
    points: Points | None = None,
    precomputed: bool = False,
) -> np.ndarray:
    """Places (n, k) from the graph; `points` say where parts lie that nothing joins.

    With `precomputed` the rows of points are distances.
    """
    n_parts, part = connected_components(graph, directed=False)
    if n_parts == 1:
        return widened(_vectors(graph, k, random))
    count = np.bincount(part).astype(np.float64)
    shares = (1.0 / count[part], (part, np.arange(len(part))))
    mean = sp.csr_array(shares, shape=(n_parts, len(part)))
    known = points is not None and n_parts <= MANY_PARTS
    products = _products(mean, points.rows, precomputed) if known else None  # type: ignore[union-attr]
    centers = _centers(products, n_parts, k, random)
    radius = _room(centers)
    Y = np.empty((graph.shape[0], k))
    order = np.argsort(part, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(part))[:-1]):
        own = part[members[0]]
        inside = graph[members][:, members] if len(members) > k + 1 else None
        shape = random.uniform(-1, 1, (len(members), k))
        if inside is not None:
            shape = widened(_vectors(sp.csr_array(inside), k, random), 2.0)
        Y[members] = centers[own] + radius[own] * shape
    return Y


def finished_start(Y: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A start of the usual width about 0 as float32, in which no two places are equal."""
    Y = np.asarray(Y, dtype=np.float64)
    Y = Y - (Y.max(axis=0) + Y.min(axis=0)) / 2
    widest = np.abs(Y).max(initial=0.0)
    if widest > 0:
        Y = Y * (WIDTH / 2 / widest)
    Y = np.round(Y, DIGITS) + random.normal(scale=JITTER, size=Y.shape)
    return np.ascontiguousarray(Y, dtype=np.float32)


def widened(Y: np.ndarray, width: float = WIDTH) -> np.ndarray:
    """Every axis about 0 and of this width: eigenvectors have no unit of their own."""
    low, high = Y.min(axis=0), Y.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (Y - (low + high) / 2) / span * width


def _vectors(graph: sp.csr_array, k: int, random: np.random.Generator) -> np.ndarray:
    """u_2 to u_k+1 of a connected graph."""
    n = graph.shape[0]
    if n <= k + 1:
        return random.uniform(-1, 1, (n, k))
    degree = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    scale = 1.0 / np.sqrt(np.maximum(degree, 1e-30))
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    values = graph.data.astype(np.float64) * scale[row] * scale[graph.indices]
    A = sp.csr_array((values, graph.indices, graph.indptr), shape=graph.shape)
    if n <= DENSE:
        _, vectors = scipy.linalg.eigh(A.toarray(), subset_by_index=[n - k - 1, n - 1])
    else:
        vectors = _iterated(A, k, random)
    return deterministic_signs(vectors[:, ::-1][:, 1 : k + 1].T).T


def _iterated(A: sp.csr_array, k: int, random: np.random.Generator) -> np.ndarray:
    """The k + 1 first eigenvectors, the first one last; what was found where it does not end."""
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = A.shape[0]
    size = min(n - 1, max(BASIS, 3 * k))
    start, tol = random.normal(size=n), FINE_TOL if n <= MANY else TOL
    try:
        values, vectors = eigsh(A, k + 1, which="LA", tol=tol, v0=start, ncv=size, maxiter=200)
    except ArpackNoConvergence as stopped:
        values, vectors = stopped.eigenvalues, stopped.eigenvectors
    vectors = vectors[:, np.argsort(values)]
    lacking = k + 1 - vectors.shape[1]
    return np.hstack([random.normal(size=(n, lacking)), vectors]) if lacking else vectors


# ---- parts that nothing joins --------------------------------------------------------------------


def _centers(
    products: np.ndarray | None, n_parts: int, k: int, random: np.random.Generator
) -> np.ndarray:
    """A place for each part by classical scaling of the products of their means, or at random."""
    if products is None:
        return random.uniform(-1, 1, (n_parts, k)) * WIDTH / 2
    products = products - products.mean(axis=0)
    products = products - products.mean(axis=1, keepdims=True)
    found = min(k, n_parts)
    values, vectors = scipy.linalg.eigh(products, subset_by_index=[n_parts - found, n_parts - 1])
    vectors = deterministic_signs(vectors[:, ::-1].T).T * np.sqrt(np.maximum(values[::-1], 0.0))
    Y = np.zeros((n_parts, k))
    Y[:, :found] = vectors
    widest = np.abs(Y).max(initial=0.0)
    return Y * (WIDTH / 2 / widest) if widest > 0 else random.uniform(-1, 1, Y.shape) * WIDTH / 2


def _products(mean: sp.csr_array, rows: Any, precomputed: bool) -> np.ndarray | None:
    """The products of the means of the parts, up to centring; None if nothing is known of them."""
    if precomputed:
        if sp.issparse(rows):
            return None  # a graph of distances says nothing of rows that it does not join
        squared = np.nan_to_num(np.asarray(rows, dtype=np.float64)) ** 2
        return np.asarray(-0.5 * (mean @ (mean @ squared).T))
    if sp.issparse(rows):
        means = sp.csr_array(mean @ rows)
        return (means @ means.T).toarray()
    means = mean @ np.nan_to_num(np.asarray(rows, dtype=np.float64))
    means = means - means.mean(axis=0)
    return np.asarray(means @ means.T)


def _room(centers: np.ndarray) -> np.ndarray:
    """Half of the way from each place to the nearest other one."""
    from scipy.spatial import cKDTree

    near = cKDTree(centers).query(centers, k=2)[0][:, 1]
    return np.maximum(near / 2, WIDTH / 100)[:, None]
