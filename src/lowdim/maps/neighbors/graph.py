"""Neighbours from a sparse graph of distances, such as scikit-learn's `kneighbors_graph` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.maps.neighbors.found import Neighbors


def smallest_of_graph(graph: Any, k: int, *, own: bool, name: str = "X") -> Neighbors:
    """The k smallest stored entries of each row of a csr_array; with `own`, not the diagonal."""
    n = graph.shape[0]
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    keep = graph.indices != row if own else np.ones(len(row), bool)
    row, column, value = row[keep], graph.indices[keep], graph.data[keep]
    order = np.lexsort((column, value, row))
    starts = np.searchsorted(row[order], np.arange(n))
    place = np.arange(len(row)) - starts[row[order]]
    kept, place = order[place < k], place[place < k]
    index, found = np.full((n, k), -1, np.int64), np.full((n, k), np.inf)
    index[row[kept], place] = column[kept]
    found[row[kept], place] = value[kept]
    return complete(index, found, k, graph.dtype, name)


def complete(
    index: np.ndarray, found: np.ndarray, k: int, dtype: Any, name: str = "X"
) -> Neighbors:
    """Neighbors, if every row has k of them."""
    short = (index < 0).any(axis=1)
    if short.any():
        i = int(np.argmax(short))
        n_found = int(np.count_nonzero(index[i] >= 0))
        raise ValueError(
            f"Row {i} of {name} has distances to {n_found} other rows, and {k} neighbours are "
            f"needed; choose at most {n_found} neighbours, or give more distances. (With the row "
            f"itself {k + 1} neighbors per samples are required, but some samples have only "
            f"{n_found + 1}.)"
        )
    return Neighbors(index.astype(np.int32), found.astype(dtype))
