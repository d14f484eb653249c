"""Clusters of the rows in the data, to colour maps by: no map has a say in them.

A Gaussian mixture of the first principal components, as many clusters as BIC says; learned from a
sample, all rows are then assigned.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.opening import as_blocks
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.report.explore.clusters import chosen_mixture
from lowdim.selection.auto import rank_rows, sample_rows
from lowdim.selection.rank import choose_rank

FIT_ROWS = 10_000
MOST_COMPONENTS = 10


class Groups(NamedTuple):
    """Clusters of the rows.

    Attributes
    ----------
    labels : ndarray of int (n,)
        -1 for rows without values.
    n_clusters : int
    n_components : int
        Principal components in which they were found.
    """

    labels: np.ndarray
    n_clusters: int
    n_components: int


def find_groups(X: Any, usable: np.ndarray, seed: int) -> Groups:
    """Clusters of the usable rows."""
    rows = usable[sample_rows(len(usable), FIT_ROWS, seed)]
    some = X[rows]
    k = _n_components(some, seed)
    factors = ProbabilisticPCA(n_components=k, random_state=seed).fit(some)
    codes = factors.transform(some)
    with warnings.catch_warnings():  # of numbers that are tried and not chosen
        warnings.simplefilter("ignore", CollapsedComponentWarning)
        mixture, _ = chosen_mixture(codes, seed)
        mixture.fit(codes)
    labels = np.full(X.shape[0], -1)
    labels[usable] = mixture.predict(factors.transform(as_blocks(X[usable])))
    return Groups(labels, int(mixture.n_components), k)


def _n_components(X: Any, seed: int) -> int:
    """Components that beat chance, two at least where the columns allow it."""
    d = X.shape[1]
    some = X[sample_rows(X.shape[0], rank_rows(d), seed)]
    dense = np.asarray(some.toarray() if hasattr(some, "toarray") else some, dtype=np.float64)
    known = (~np.isnan(dense)).sum(axis=0) > 1
    if known.sum() < 2:
        return 1
    choice = choose_rank(dense[:, known], "parallel", random_state=seed).choice
    return max(min(max(choice, 2), MOST_COMPONENTS, d - 1, X.shape[0] - 1), 1)
