"""Neighbours that the user gives: (indices, distances), a sparse graph, or what finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import numeric_array
from lowdim.core.sparse import checked_sparse
from lowdim.maps.neighbors.found import Neighbors, ranked
from lowdim.maps.neighbors.graph import smallest_of_graph
from lowdim.maps.points import Points


def given_neighbors(given: Any, points: Points, k: int, n_rows: int) -> Neighbors:
    """The k nearest other points of each point, as the user says, in units of the points.

    Parameters
    ----------
    given : (indices, distances), a sparse matrix of distances, or an object with `kneighbors`
    points : Points
    k : int
    n_rows : int
        Of X; rows without any observed value are no points.
    """
    if n_rows > points.n:
        raise ValueError(
            "neighbors= were given, and X has rows without any observed value, which are left out: "
            "the numbers would be those of another table. Leave such rows out of both."
        )
    if hasattr(given, "kneighbors"):
        found = _of_arrays(*_asked(given, k), points.n, k)
    elif sp.issparse(given):
        found = _of_graph(given, points.n, k)
    elif isinstance(given, tuple | list) and len(given) >= 2:
        found = _of_arrays(given[0], given[1], points.n, k)
    else:
        raise ValueError(
            f"neighbors={given!r} must be the name of a method, (indices, distances), a sparse "
            "matrix of distances, or an object with kneighbors."
        )
    return Neighbors(found.indices, found.distances / points.unit)


def _asked(finder: Any, k: int) -> tuple[Any, Any]:
    """What a finder says of the rows that it was fitted to."""
    distances, indices = finder.kneighbors(n_neighbors=k)
    return indices, distances


def _of_graph(graph: Any, n: int, k: int) -> Neighbors:
    graph = sp.csr_array(checked_sparse(graph, "neighbors"))
    if graph.shape != (n, n):
        raise ValueError(_other_table(f"a graph of shape {graph.shape}", n))
    check_distances_of(graph.data)
    return smallest_of_graph(graph, k, own=True, name="neighbors")


def _of_arrays(indices: Any, distances: Any, n: int, k: int) -> Neighbors:
    index = numeric_array(indices, "neighbors[0]", "a map")
    found = numeric_array(distances, "neighbors[1]", "a map")
    if index.ndim != 2 or index.shape != found.shape:
        raise ValueError(
            f"neighbors=(indices, distances) have shapes {index.shape} and {found.shape}; both "
            "must be (number of rows, number of neighbours)."
        )
    if len(index) != n:
        raise ValueError(_other_table(f"those of {len(index)} rows", n))
    if index.dtype.kind not in "iu" and not (np.floor(index) == index).all():
        raise ValueError("neighbors=(indices, distances): indices must be whole numbers.")
    if index.size and not (index.max() < n and index.min() >= -1):
        bad = int(index.max()) if index.max() >= n else int(index.min())
        raise ValueError(_other_table(f"row {bad}", n))
    index, found = index.astype(np.int64), found.astype(np.float64)
    there = (index >= 0) & (index != np.arange(n)[:, None])  # some give the row itself
    check_distances_of(found[there])
    index, found = ranked(np.where(there, index, -1), found, k)
    short = (index < 0).any(axis=1)
    if index.shape[1] < k or short.any():
        least = int((index >= 0).sum(axis=1).min(initial=k))
        raise ValueError(
            f"neighbors=(indices, distances) have {least} neighbours of row "
            f"{int(np.argmin((index >= 0).sum(axis=1)))} beside itself, and {k} are needed; give "
            "more, or lower perplexity or n_neighbors."
        )
    return Neighbors(index.astype(np.int32), found)


def check_distances_of(values: np.ndarray) -> None:
    """Raise if what should be distances is negative or no number."""
    if not np.isfinite(values).all() or (values < 0).any():
        bad = values[~np.isfinite(values) | (values < 0)][0]
        raise ValueError(f"neighbors= have the distance {bad:g}; distances are positive or 0.")


def _other_table(found: str, n: int) -> str:
    return (
        f"neighbors= are neighbours of another table: they have {found}, and X has {n} rows. Find "
        "them anew, for example with lowdim.neighbors(X, n_neighbors)."
    )
