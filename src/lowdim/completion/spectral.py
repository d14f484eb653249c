"""What the spectral completers share: entries in, entries in one unit, and factors out.

They look at all observed entries at once, as one sparse matrix. So streams and Dask collections are
gathered first: what is observed must fit in memory (the matrix need not).

    y_ij = (x_ij - mean_ij) / (row_i column_j size)      size: the root mean square of all of these

where row_i and column_j are 1, or the standard deviations of rows or columns if a method is asked
to scale by them.

All arguments of a method (penalties, steps, tolerances) are in units of y: results do not depend
on the units of x.

Rows and columns without any entry say nothing, and methods do not see them: they count in no step,
start, rank or threshold, take no numbers from a random generator, and get factors of 0.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.completion.centering import Centering, in_units, learn_centering
from lowdim.completion.coding import with_zeros
from lowdim.completion.entries import Entries, check_some_observed
from lowdim.completion.model import Completer
from lowdim.completion.uncertainty import WeightedSample, evenly_spaced
from lowdim.core.blocks import Blocks
from lowdim.core.constraints import StrOptions
from lowdim.linalg.entries import observed
from lowdim.linalg.sparse import (
    SparseBothWays,
    both_ways,
    svd_of_product,
    truncated,
    with_values,
    zero_svd,
)
from lowdim.linalg.svd import SVD

CENTER = [StrOptions({"global", "rows", "columns", "both"}), None]
SCALE = [StrOptions({"rows", "columns"}), None]
ROWS_AT_A_TIME = 4096  # when the entries of a stream are gathered


class CenteredEntries(NamedTuple):
    """The entries that a method works on, and the way back."""

    entries: SparseBothWays  # y, of the rows and columns that have entries
    centering: Centering  # of all rows and columns
    scale: float
    rows: np.ndarray  # the numbers of the rows that have entries
    columns: np.ndarray
    sample: Any  # csr_array: some of these rows as they came, for the noise


class Factors(NamedTuple):
    """y = L R'."""

    L: np.ndarray  # (n, k)
    R: np.ndarray  # (d, k)


class SpectralCompleter(Completer):
    """Base of the completers that work on all observed entries as one sparse matrix.

    A method has the arguments `center` and, if it offers them, `scale`, and `warm_start` if a fit
    can begin where the last one ended.
    """

    scale: str | None = None

    def _open(self, X: Any) -> CenteredEntries:
        """The observed entries of X, centred, in units of their root mean square."""
        if isinstance(X, Entries) and X.weight is not None:
            raise ValueError(
                f"{type(self).__name__} counts every entry the same, and these Entries have "
                "weights; use ALS, or Entries without weights."
            )
        entries = gathered(self.open_entries(X))
        check_some_observed(entries.nnz, type(self).__name__)
        centering = learn_centering(entries, self.center, self.scale)
        Y = centering.apply(entries)
        y, unit = in_units(Y.data)
        size = float(np.sqrt(np.mean(y * y))) or 1.0
        Y = with_values(Y, (y / size).astype(entries.dtype))
        Y, used_rows, used_columns = without_empty(Y)
        sample = entries[evenly_spaced(used_rows)]
        used = used_rows, used_columns
        return CenteredEntries(both_ways(Y), centering, unit * size, *used, sample)

    def _start(self, centered: CenteredEntries) -> SVD:
        """Zero; with `warm_start`, what the last fit to a matrix of this shape ended with."""
        n, d = centered.entries.shape
        dtype = centered.entries.values.dtype
        last = self._last_factors(centered)
        if last is None:
            return zero_svd(n, d, dtype)
        found = svd_of_product(*last)
        return truncated(found, found.s > 0)

    def _last_factors(self, centered: CenteredEntries) -> tuple[np.ndarray, np.ndarray] | None:
        """With `warm_start`, the factors of y that the last fit to this shape ended with."""
        if not (self.warm_start and hasattr(self, "row_factors_")):
            return None
        Z, components = self.row_factors_, self.components_
        n, d = len(centered.centering.row), len(centered.centering.column)
        if (len(Z), components.shape[1]) != (n, d):
            raise ValueError(
                f"warm_start=True goes on from the last fit, to a matrix of {len(Z)} x "
                f"{components.shape[1]}; X is {n} x {d}. Set warm_start=False."
            )
        k = len(components) - centered.centering.has_rows  # the last code is a bias of rows
        centering = centered.centering
        L = Z[:, :k] / (centering.row_scale / centering.usual)[:, None]
        R = components[:k].T / (centering.usual * centering.column_scale[:, None] * centered.scale)
        dtype = centered.entries.values.dtype
        return L[centered.rows].astype(dtype), R[centered.columns].astype(dtype)

    @abstractmethod
    def _learn(self, opened: CenteredEntries) -> Factors:
        """Factors of y, and the learned attributes that only this method has."""

    def _publish(self, opened: CenteredEntries, learned: Factors) -> None:
        """Learned attributes that all methods have, from the factors of y."""
        dtype = opened.entries.values.dtype
        centering = opened.centering
        L = with_zeros(learned.L, opened.rows, len(centering.row))
        R = with_zeros(learned.R, opened.columns, len(centering.column))
        published = centering.published(L, R, opened.scale)
        self.row_factors_ = published.row_factors.astype(dtype)
        self.components_ = published.components.astype(dtype)
        self.mean_ = published.mean.astype(dtype)
        self.scale_ = opened.scale * centering.usual  # a new row counts as one of usual deviation
        if self.scale == "columns":
            self.scale_ = (opened.scale * centering.column_scale).astype(dtype)
        by_column = len(opened.entries.values) / len(opened.columns)
        self._learn_noise(WeightedSample(opened.sample), by_column)


def gathered(rows: Blocks) -> Any:
    """The observed entries of all rows as one csr_array."""
    if rows.in_memory is not None:
        return observed(rows.in_memory)
    parts = [observed(block) for (block,) in rows.batches(ROWS_AT_A_TIME)]
    X = sp.csr_array(sp.vstack(parts, format="csr"))
    X.has_canonical_format = True
    return X


def without_empty(Y: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """The rows and columns of a csr_array that have entries, and their numbers."""
    n, d = Y.shape
    rows = np.flatnonzero(np.diff(Y.indptr))
    seen = np.zeros(d, dtype=bool)
    seen[Y.indices] = True
    columns = np.flatnonzero(seen)
    if len(rows) == n and len(columns) == d:
        return Y, rows, columns
    indices = (np.cumsum(seen) - 1).astype(Y.indices.dtype)[Y.indices]
    indptr = np.append(Y.indptr[rows], Y.indptr[-1]).astype(Y.indptr.dtype)
    shape = (len(rows), len(columns))
    return sp.csr_array((Y.data, indices, indptr), shape=shape, copy=False), rows, columns


def root_mean_square(values: np.ndarray) -> float:
    """sqrt(mean of squares), summed in float64, whatever the values are."""
    return float(np.sqrt(dot(values, values) / len(values)))


def dot(a: np.ndarray, b: np.ndarray) -> float:
    """a'b, summed in float64, whatever the values are."""
    return float(np.einsum("e,e->", a, b, dtype=np.float64))
