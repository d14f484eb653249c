"""`lowdim.neighbors`: the user's door."""

from __future__ import annotations

from typing import Any

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice, observed, open_rows_for
from lowdim.maps.distance_matrix import check_distances
from lowdim.maps.neighbors.found import Neighbors
from lowdim.maps.neighbors.search import METHODS, check_enough, near
from lowdim.maps.points import in_units_of_x, metric_of
from lowdim.maps.reading import completed, learned_reading
from lowdim.maps.rows import in_memory

MISSING = ("expected", "pairwise")


@single_threaded_blas()
def neighbors(
    X: Any,
    n_neighbors: int = 15,
    *,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    method: str = "auto",
    missing: str = "expected",
    random_state: Any = None,
) -> Neighbors:
    """The nearest rows of each row, without the row itself.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        The rows; with metric="precomputed" the distances (n, n), or a sparse graph of them.
    n_neighbors : int, default=15
        How many, less than the number of rows.
    metric : str or callable, default="euclidean"
        "euclidean", "cosine", "correlation" and "hellinger" are quick, dense and sparse; any other
        metric of scikit-learn or umap-learn, or a function of two rows, takes longer.
        "precomputed": X are distances.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    method : {"auto", "exact", "approximate", "pynndescent"}, default="auto"
        "exact" finds the nearest rows; "approximate" looks at a part of all pairs and finds nearly
        all of them (for the quick metrics); "auto" is exact up to
        n^2 d = 2e12. "pynndescent" needs the package of that name, for other metrics and many rows.
    missing : {"expected", "pairwise"}, default="expected"
        What NaN mean for Euclidean distances. "expected": the expectation of the squared distance
        under probabilistic PCA. "pairwise": over the columns that both rows observe, times the
        share of these (scikit-learn's nan_euclidean).
    random_state : int, Generator, RandomState or None, default=None
        For approximate methods.

    Returns
    -------
    Neighbors
        `indices` (n, k) of int32 and `distances` (n, k), sorted by distance and then by number.

    Notes
    -----
    Candidates are found by products in float32 (among many rows of at most six columns by SciPy's
    k-d tree: from 300 rows of one column, 2,000 of two, 4,100 of three, 6,000 of four, 12,000 of
    five, 50,000 of six; for at most 200 neighbours), and then every distance is summed up by itself
    in float64: what is called exact is exact for float32 and float64 rows, near or far from 0. Rows
    that are equal are looked for once. Results do not depend on the number of threads.

    Memory beside X: the rows once more in their type and once in float32, 12 or 16 bytes for each
    neighbour, and some megabytes for each thread.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 4.0]])
    >>> found = lowdim.neighbors(X, n_neighbors=2)
    >>> found.indices
    array([[1, 2],
           [0, 2],
           [0, 1],
           [2, 1]], dtype=int32)
    >>> found.distances[3]
    array([4.        , 4.24264069])
    """
    k = check_at_least("n_neighbors", n_neighbors, 1)
    check_choice("method", method, METHODS)
    check_choice("missing", missing, MISSING)
    random = random_generator(random_state)  # raises, whether it will be needed or not
    if isinstance(metric, str) and metric == "nan_euclidean":
        missing = "pairwise"
    known = metric_of(metric, metric_params)
    rows = in_memory(open_rows_for("neighbors", X, nan=True, min_rows=2))
    check_enough(k, rows.shape[0])
    if known.is_precomputed:
        check_distances(rows)
    seen = observed(rows)
    if seen is not None:
        raise ValueError(
            f"Row {int(seen.argmin())} of X has no observed value, so nothing is near to it; leave "
            "such rows out."
        )
    known = completed(known, rows)
    points, _ = learned_reading(rows, known, missing)
    found = near(points, k, metric=known, method=method, random_state=random)
    return Neighbors(found.indices, in_units_of_x(found.distances, points, known))
