"""The plane in which clusters are drawn: the two columns of the rows, or their principal axes.

points       (x - origin) . axes           of every row
covariance   axes' C axes                  of a cluster with covariance C
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.random import random_generator
from lowdim.core.validation import check_at_least
from lowdim.linalg.svd import centered, svd


class Plane(NamedTuple):
    """Where a row is in a picture."""

    origin: np.ndarray  # (d,)
    axes: np.ndarray  # (d, 2)
    names: tuple[str, str]  # of the directions to the right and upwards

    def points(self, X: Any) -> np.ndarray:
        """Rows (n, d) as points (n, 2)."""
        if sp.issparse(X):
            return X @ self.axes - self.origin @ self.axes
        return (X - self.origin) @ self.axes


class ClusterPlot(ABC):
    """`plot` of an estimator with clusters; stands to the left of `Estimator`.

    A class gives `_draw_clusters(ax, rows, sample)`: the picture of some of the rows.
    """

    def plot(self, X, *, ax=None, sample_size=2_000, random_state=0):
        """Rows of X in a plane, coloured by their cluster.

        Two columns are drawn as they are, more by the two principal axes of the rows (for a mixture
        in which columns have variances of their own: in units of their standard deviations).
        k-means shows the region in which each center is the nearest, if there are two columns; else
        clusters are ellipses at one and two standard deviations, of the component of a mixture or
        of the rows. A missing value is drawn where the model expects it: at the center, or where
        `impute` puts it.

        Parameters
        ----------
        X : array, data frame, Dask collection or stream of shape (n, d)
            At least two columns.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a new figure.
        sample_size : int, default=2000
            Rows drawn at the most, chosen at random.
        random_state : int, Generator, RandomState or None, default=0
            For this choice.

        Returns
        -------
        matplotlib Axes
        """
        rows, sample = rows_to_draw(self, X, sample_size, random_state)
        return self._draw_clusters(ax, rows, sample)

    @abstractmethod
    def _draw_clusters(self, ax: Any, rows: Blocks, sample: Any) -> Any:
        """The Axes with the sample of rows in it."""


def rows_to_draw(estimator: Any, X: Any, sample_size: int, random_state: Any) -> tuple[Blocks, Any]:
    """X as rows, and some of them in memory: all, or `sample_size` at random in their order."""
    sample_size = check_at_least("sample_size", sample_size, 2)
    rows = estimator.open_rows(X, reset=False, min_rows=2)
    if rows.n_columns < 2:
        raise ValueError(
            "X has 1 column; a map of clusters needs at least 2. Draw a histogram of it instead."
        )
    n = rows.shape[0]
    index = np.arange(n)
    if n > sample_size:
        index = np.sort(random_generator(random_state).choice(n, size=sample_size, replace=False))
    return rows, rows.take(index)


def plane_of(X: Any, names: Any = None, *, by_deviation: bool = False) -> Plane:
    """The plane of some complete rows.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    names : sequence of str or None
        Of the columns.
    by_deviation : bool, default=False
        Whether more than two columns count by their standard deviation, whatever their units.
    """
    n, d = X.shape
    if d == 2:
        labels = ("column 0", "column 1") if names is None else (str(names[0]), str(names[1]))
        return Plane(np.zeros(2), np.eye(2), labels)
    X = X.astype(np.float64)
    mean = np.asarray(X.mean(axis=0)).ravel()
    if sp.issparse(X):
        squares = np.asarray(X.power(2).sum(axis=0)).ravel() - n * np.square(mean)
    else:
        X = X - mean
        squares = np.square(X).sum(axis=0)
    unit = np.ones(d)
    if by_deviation:
        std = np.sqrt(np.maximum(squares, 0.0) / n)
        unit = np.where(std > 0, std, 1.0)
    if sp.issparse(X):
        found = svd(centered(X @ sp.diags_array(1.0 / unit), mean / unit), 2, random=0)
    else:
        found = svd(X / unit, 2, random=0)
    total = (squares / np.square(unit)).sum()
    shares = np.square(found.s) / total if total > 0 else np.zeros(2)
    first, second = (f"principal axis {j + 1} ({share:.0%})" for j, share in enumerate(shares))
    return Plane(mean, found.Vt.T / unit[:, None], (first, second))


def named(ax: Any, plane: Plane) -> Any:
    """The picture with the names of the plane's directions."""
    for axis, name in zip((ax.xaxis, ax.yaxis), plane.names, strict=True):
        axis.label.set_text(name)
    return ax
