"""Do neighbours stay neighbours? Trustworthiness, continuity and recall of a map.

With U(i) the k nearest rows of row i in the map, V(i) those in the data, and ranks r of all rows by
their distance from i:

    trustworthiness    1 - c sum_i sum_{j in U(i)} max(0, r_data(i, j) - k)    strangers in the map
    continuity         1 - c sum_i sum_{j in V(i)} max(0, r_map(i, j) - k)     neighbours torn apart
    recall             mean_i |U(i) and V(i)| / k

c = 2 / (n k (2n - 3k - 1)) makes the worst map 0 and the best one 1. Ranks are counted in blocks
(`ranks.py`): no matrix of all pairs is ever there.

References
----------
Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods, ICANN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most
from lowdim.maps.quality.ranks import Ranks
from lowdim.maps.quality.space import Space, map_space, open_space


@single_threaded_blas()
def trustworthiness(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    missing: str = "expected",
) -> float:
    """Whether rows that are neighbours in a map are neighbours in the data: 1 if all are.

    1 - 2 / (n k (2n - 3k - 1)) sum_i sum_j max(0, r(i, j) - k), over the k nearest rows j of each
    row i in the map, where r(i, j) is the rank of j among the neighbours of i in the data.

    Of rows at the same distance none is the nearer one: the figure is the mean over all orders of
    them, so that it does not depend on the order of the rows. It is scikit-learn's figure where no
    distances are equal. Where some are, scikit-learn takes the order that its sort leaves, which
    changes with the processor and the order of the rows, and scatters about this mean: on tables
    of whole numbers such as digits by less than 1e-5, of a few flags by 1e-3.

    Cost: one product of all rows with all rows, in blocks; memory for a few blocks.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        The data; or with `metric='precomputed'` their distances (n, n), squared or not.
    X_embedded : array-like of shape (n, k)
        The map: the place of each row.
    n_neighbors : int, default=5
        How many neighbours; fewer than n / 2.
    metric : str or callable, default='euclidean'
        Of distances in the data. In the map they are Euclidean.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    missing : {'expected', 'pairwise'}, default='expected'
        What NaN in X mean for distances, as in `lowdim.neighbors`.

    Returns
    -------
    float

    See Also
    --------
    continuity : The other direction: are neighbours in the data neighbours in the map?
    map_quality : All figures at once, from a sample of the rows.

    References
    ----------
    Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods, ICANN.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.random.default_rng(0).normal(size=(100, 3)) * [9, 3, 1]
    >>> [round(lowdim.trustworthiness(X, Y), 3) for Y in (X[:, :2], X[:, 2:])]
    [0.995, 0.498]
    """
    spaces = open_both(X, X_embedded, metric, metric_params, missing, "trustworthiness")
    k = check_half(n_neighbors, spaces.data.n)
    strange = excess(spaces.data.ranks(spaces.places.near(k)), k)
    return mean_kept(strange, k, spaces.data.n)


@single_threaded_blas()
def continuity(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    missing: str = "expected",
) -> float:
    """Whether rows that are neighbours in the data are neighbours in a map: 1 if all are.

    1 - 2 / (n k (2n - 3k - 1)) sum_i sum_j max(0, r(i, j) - k), over the k nearest rows j of each
    row i in the data, where r(i, j) is the rank of j among the neighbours of i in the map.

    Cost: the neighbours of all rows (`lowdim.neighbors`), and all distances in the map, in blocks.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        The data; or with `metric='precomputed'` their distances (n, n), squared or not.
    X_embedded : array-like of shape (n, k)
        The map: the place of each row.
    n_neighbors : int, default=5
        How many neighbours; fewer than n / 2.
    metric : str or callable, default='euclidean'
        Of distances in the data. In the map they are Euclidean.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    missing : {'expected', 'pairwise'}, default='expected'
        What NaN in X mean for distances, as in `lowdim.neighbors`.

    Returns
    -------
    float

    See Also
    --------
    trustworthiness : The other direction: are neighbours in the map neighbours in the data?

    References
    ----------
    Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods, ICANN.

    Examples
    --------
    A circle that is cut open and laid out as a line tears neighbours apart, at the cut only:

    >>> import numpy as np, lowdim
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> line = angle[:, None]
    >>> round(lowdim.continuity(circle, line), 2), round(lowdim.trustworthiness(circle, line), 2)
    (0.99, 1.0)
    """
    spaces = open_both(X, X_embedded, metric, metric_params, missing, "continuity")
    k = check_half(n_neighbors, spaces.data.n)
    torn = excess(spaces.places.ranks(spaces.data.near(k)), k)
    return mean_kept(torn, k, spaces.data.n)


@single_threaded_blas()
def neighborhood_recall(
    X: Any,
    X_embedded: Any,
    *,
    n_neighbors: int = 5,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    missing: str = "expected",
) -> float:
    """The share of the nearest rows in the data that are among the nearest rows in a map.

    Cost: the neighbours of all rows (`lowdim.neighbors`).

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        The data; or with `metric='precomputed'` their distances (n, n), squared or not.
    X_embedded : array-like of shape (n, k)
        The map: the place of each row.
    n_neighbors : int, default=5
        How many neighbours; fewer than n.
    metric : str or callable, default='euclidean'
        Of distances in the data. In the map they are Euclidean.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    missing : {'expected', 'pairwise'}, default='expected'
        What NaN in X mean for distances, as in `lowdim.neighbors`.

    Returns
    -------
    float
        From 0 to 1. By chance it is n_neighbors / (n - 1).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.random.default_rng(0).normal(size=(100, 3)) * [9, 3, 1]
    >>> round(lowdim.neighborhood_recall(X, X[:, :2]), 2)
    0.86
    """
    spaces = open_both(X, X_embedded, metric, metric_params, missing, "neighborhood_recall")
    k = check_at_most("n_neighbors", n_neighbors, spaces.data.n - 1, "other rows")
    return float(shared(spaces.data.near(k), spaces.places.near(k)).mean() / k)


class Spaces(NamedTuple):
    """The two sides of a map."""

    data: Space
    places: Space


def open_both(
    X: Any,
    Y: Any,
    metric: Any,
    metric_params: dict | None,
    missing: str,
    who: str,
    map_name: str = "X_embedded",
) -> Spaces:
    """The data and the map, checked; messages call them X and `map_name`."""
    data = open_space(X, metric, metric_params, missing, who)
    return Spaces(data, map_space(Y, data.n, map_name))


def check_half(n_neighbors: Any, n: int) -> int:
    """As many neighbours as there may be for ranks up to n to be far."""
    n_neighbors = check_at_least("n_neighbors", n_neighbors, 1)
    if n_neighbors >= n / 2:
        raise ValueError(
            f"n_neighbors ({n_neighbors}) should be less than n_samples / 2 ({n / 2}): choose at "
            f"most {max((n - 1) // 2, 0)}, or give more rows."
        )
    return n_neighbors


# ---- row by row ----------------------------------------------------------------------------------


def excess(rank: Ranks, k: int) -> np.ndarray:
    """sum_j max(0, r(i, j) - k) of each row, in the mean over all orders of equal distances.

    Then j has each of the ranks from its first to its last one equally often.
    """
    beyond, before = np.maximum(rank.last - k, 0), np.maximum(rank.first - 1 - k, 0)
    sums = (beyond * (beyond + 1) - before * (before + 1)) // 2
    return (sums / (rank.last - rank.first + 1)).sum(axis=1)


def row_kept(excess: np.ndarray, k: int, n: int) -> np.ndarray:
    """From 0 to 1 for each row; their mean is `mean_kept`."""
    return 1.0 - excess * (2.0 / (k * (2.0 * n - 3.0 * k - 1.0)))


def mean_kept(excess: np.ndarray, k: int, n: int) -> float:
    """1 - 2 / (m k (2n - 3k - 1)) sum_i excess_i, over m rows."""
    return float(1.0 - excess.sum() * (2.0 / (len(excess) * k * (2.0 * n - 3.0 * k - 1.0))))


def shared(near: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How many numbers each row of one list shares with the same row of the other."""
    both = np.sort(np.concatenate([near, other], axis=1), axis=1)
    return (both[:, 1:] == both[:, :-1]).sum(axis=1)
