"""All figures of a map at once, from a sample of its rows.

Sampled rows are compared with all rows: what comes out is an estimate of the figure for the whole
table, whatever the size of the sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from lowdim.core.random import random_generator
from lowdim.core.result_table import PrintedTable, ResultTable
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least
from lowdim.maps.quality.coranks import area, kept_curve
from lowdim.maps.quality.kept import (
    Spaces,
    check_half,
    excess,
    mean_kept,
    open_both,
    row_kept,
    shared,
)
from lowdim.maps.quality.shepard import drawn_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANKED = 100_000_000  # distances that are sorted for the curve: beyond, fewer rows are looked at
LEAST_ROWS = 100  # of the curve
PAIRS = 200_000  # whose distances are compared

SAYS = {
    "trustworthiness": "neighbours in the map are neighbours in the data",
    "continuity": "neighbours in the data are neighbours in the map",
    "recall": "share of the nearest {k} that are kept",
    "distance_correlation": "rank correlation of the distances of pairs",
    "auc": "neighbours kept beyond chance, over all sizes of neighbourhoods",
}


class MapQuality(PrintedTable):
    """What a map keeps; prints itself as a table.

    Attributes
    ----------
    trustworthiness : float
        Neighbours in the map are neighbours in the data: 1 if all are.
    continuity : float
        Neighbours in the data are neighbours in the map: 1 if all are.
    recall : float
        The share of the nearest rows in the data that are among the nearest in the map.
    distance_correlation : float
        Spearman's rank correlation of distances in the data and in the map, over pairs of sampled
        rows; NaN if all distances of one side are equal.
    auc : float
        The mean of `curve` with weights 1 / k: 1 if every neighbourhood is kept, 0 by chance.
    curve : ndarray of shape (n - 2,)
        R_NX(k) for neighbourhoods of k = 1, 2, ... rows: how many neighbours are kept; 0 is as many
        as by chance, 1 is all.
    rows : ResultTable
        Columns row (its number), trustworthiness, continuity and recall, for each sampled row.
    n_neighbors : int
    n_samples : int
        How many rows the map has.
    """

    def __init__(
        self,
        rows: ResultTable,
        figures: dict[str, float],
        curve: np.ndarray,
        n_neighbors: int,
        n_samples: int,
    ):
        self.rows, self.curve = rows, curve
        self.n_neighbors, self.n_samples = n_neighbors, n_samples
        self.trustworthiness = figures["trustworthiness"]
        self.continuity = figures["continuity"]
        self.recall = figures["recall"]
        self.distance_correlation = figures["distance_correlation"]
        self.auc = figures["auc"]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The curve of kept neighbours over sizes of neighbourhoods."""
        from lowdim.plots import kept_neighbors

        return kept_neighbors(self.curve, n_neighbors=self.n_neighbors, ax=ax)

    def _values(self) -> dict[str, list[Any]]:
        return {
            "figure": list(SAYS),
            "value": [getattr(self, name) for name in SAYS],
            "says": [text.format(k=self.n_neighbors) for text in SAYS.values()],
        }

    def _cells(self, most: int) -> list[list[str]]:
        lines = zip(*self._values().values(), strict=True)
        return [[name, f"{value:.3f}", text] for name, value, text in lines][:most]

    def _rest(self) -> list[str]:
        some = f"{len(self.rows):,} of {self.n_samples:,}"
        which = "all rows" if len(self.rows) == self.n_samples else f"{some} rows, drawn at random"
        return [f"{self.n_neighbors} neighbours; {which}"]


@single_threaded_blas()
def map_quality(
    X: Any,
    Y: Any,
    *,
    n_neighbors: int = 10,
    sample: int | None = 2000,
    random_state: Any = None,
    metric: Any = "euclidean",
    metric_params: dict | None = None,
    missing: str = "expected",
) -> MapQuality:
    """What a map keeps of neighbours and distances, as a whole and row by row.

    Cost: O(sample n d) time, memory for a few blocks. The curve looks at fewer rows of the sample
    where n is above 50,000: 100 million distances are sorted, of at least 100 rows.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        The data; or with `metric='precomputed'` their distances (n, n).
    Y : array-like of shape (n, k)
        The map: the place of each row.
    n_neighbors : int, default=10
        How many neighbours; fewer than n / 2.
    sample : int or None, default=2000
        So many rows, at least 2, are looked at, each against all others; None means all.
    random_state : int, Generator, RandomState or None, default=None
        For the sample.
    metric : str or callable, default='euclidean'
        Of distances in the data. In the map they are Euclidean.
    metric_params : dict or None, default=None
        Further arguments of the metric.
    missing : {'expected', 'pairwise'}, default='expected'
        What NaN in X mean for distances, as in `lowdim.neighbors`.

    Returns
    -------
    MapQuality
        Prints as a table; `plot` draws the curve, `rows` has the figures of each row.

    References
    ----------
    Venna and Kaski (2001), Neighborhood preservation in nonlinear projection methods, ICANN.
    Lee, Peluffo-Ordonez and Verleysen (2015), Multi-scale similarities in stochastic neighbour
    embedding, Neurocomputing 169.
    Kobak and Berens (2019), The art of using t-SNE for single-cell transcriptomics, Nature
    Communications 10 (recall and the correlation of distances).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> X = np.random.default_rng(0).normal(size=(300, 3)) * [9, 3, 1]
    >>> lowdim.map_quality(X, X[:, :2])
    figure                value  says
    trustworthiness       0.995  neighbours in the map are neighbours in the data
    continuity            0.998  neighbours in the data are neighbours in the map
    recall                0.816  share of the nearest 10 that are kept
    distance_correlation  0.999  rank correlation of the distances of pairs
    auc                   0.795  neighbours kept beyond chance, over all sizes of neighbourhoods
    10 neighbours; all rows
    """
    spaces = open_both(X, Y, metric, metric_params, missing, "map_quality", "Y")
    n = spaces.data.n
    k = check_half(n_neighbors, n)
    random = random_generator(random_state)
    of = None
    if sample is not None and check_at_least("sample", sample, 2) < n:
        of = np.sort(random.choice(n, size=sample, replace=False))
    near, near_in_map = spaces.data.near(k, of), spaces.places.near(k, of)
    strange = excess(spaces.data.ranks(near_in_map, of), k)
    torn = excess(spaces.places.ranks(near, of), k)
    recall = shared(near, near_in_map) / k
    rows = np.arange(n) if of is None else of
    few = min(len(rows), max(LEAST_ROWS, RANKED // n))
    ranked = rows if few == len(rows) else np.sort(random.choice(rows, size=few, replace=False))
    curve = kept_curve(*spaces, ranked)
    figures = {
        "trustworthiness": mean_kept(strange, k, n),
        "continuity": mean_kept(torn, k, n),
        "recall": float(recall.mean()),
        "distance_correlation": _distance_correlation(spaces, rows, random),
        "auc": area(curve),
    }
    table = {
        "row": rows,
        "trustworthiness": row_kept(strange, k, n),
        "continuity": row_kept(torn, k, n),
        "recall": recall,
    }
    return MapQuality(ResultTable(table), figures, curve, k, n)


def _distance_correlation(spaces: Spaces, rows: np.ndarray, random: np.random.Generator) -> float:
    """Spearman's correlation of the distances of pairs of rows."""
    i, j = drawn_pairs(len(rows), PAIRS, random)
    data, places = (rankdata(side.apart(rows[i], rows[j])) for side in spaces)
    data -= data.mean()
    places -= places.mean()
    scale = np.sqrt((data @ data) * (places @ places))
    return float(data @ places / scale) if scale > 0 else float("nan")
