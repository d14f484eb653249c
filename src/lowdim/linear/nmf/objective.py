"""What NMF minimises, and the unit in which X is measured meanwhile.

    J = D(X | W V') + l1_W |W|_1 + l1_H |V|_1 + 1/2 l2_W |W|^2 + 1/2 l2_H |V|^2

    l1_W = alpha_W d l1_ratio     l2_W = alpha_W d (1 - l1_ratio)      H likewise, with n for d

n is the sum of the weights: a row of weight 2, with its code, counts as two rows do. In a unit u,
X = u X', W = sqrt(u) W' and V = sqrt(u) V' have J = u^beta J' with penalties
l1' = u^(1/2 - beta) l1 and l2' = u^(1 - beta) l2. The unit is 1 unless squares would overflow or
vanish, and always a power of four, so that nothing is rounded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.linalg.entries import observed
from lowdim.linalg.moments import unit_for
from lowdim.linalg.sparse import row_numbers

BETA = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
ENTRIES_AT_A_TIME = 2**16  # of a sparse matrix in memory, where arrays (b, k) are made of blocks


class Penalty(NamedTuple):
    """Of the entries of one factor."""

    l1: float = 0.0
    l2: float = 0.0

    def of(self, Z: np.ndarray, weight: np.ndarray | None = None) -> float:
        """l1 |Z|_1 + 1/2 l2 |Z|^2, rows weighted."""
        if self.l1 == self.l2 == 0.0:
            return 0.0
        by_row = self.l1 * Z.sum(axis=1, dtype=np.float64)
        by_row += 0.5 * self.l2 * np.einsum("ir,ir->i", Z, Z, dtype=np.float64)
        return float(by_row.sum() if weight is None else weight @ by_row)

    def on(self, G: np.ndarray) -> np.ndarray:
        """G with what the squares add to it."""
        return G + self.l2 * np.eye(len(G)) if self.l2 else G


class Penalties(NamedTuple):
    W: Penalty
    H: Penalty


class Measured(NamedTuple):
    """What one pass finds out about X."""

    weight: float  # sum of the weights: how many rows
    observed: float  # how many entries, rows weighted
    sum_x: float
    nonzero: float  # how many entries are not 0
    missing: int  # entries


class Units(NamedTuple):
    """X in its unit."""

    unit: float
    beta: float
    weight: float  # how many rows
    mean: float  # of the entries, in the unit
    density: float  # part of the entries that are not 0
    missing: bool = False  # whether there are missing values

    @property
    def root(self) -> float:
        """The unit of the factors."""
        return float(np.sqrt(self.unit))


def units_of(
    rows: Blocks, weight: np.ndarray | None, beta: float, who: str, only_stored: bool = False
) -> Units:
    """The unit, the mean and the density of X; refuses what is negative.

    only_stored : whether entries that are not stored are missing, and not 0.
    """
    found = in_pieces(rows).fold(measure, beta, who, only_stored, along=(weight,))
    if not found.observed > 0:
        raise ValueError(
            f"X has no observed entries: all are missing; {who} needs at least 1 observed value."
        )
    mean = found.sum_x / found.observed
    unit = unit_for(mean, rows.dtype)
    unit *= 2.0 if np.log2(unit) % 2 else 1.0
    density = found.nonzero / found.observed
    return Units(unit, beta, found.weight, mean / unit, density, bool(found.missing))


def measure(
    X: Any, beta: float, who: str, only_stored: bool, weight: np.ndarray | None
) -> Measured:
    """What one block adds up."""
    refuse_negative(X, who)
    n, values = X.shape[0], X.data if sp.issparse(X) else X
    if beta <= 0:
        refuse_zeros(values if only_stored else X)
    missing = np.isnan(values) if has_missing(X) else None
    if missing is not None and not sp.issparse(X):
        X = np.where(missing, 0.0, X)
    elif missing is not None:  # said later, where it is known what to do
        return Measured(float(n), 1.0, 1.0, 1.0, int(missing.sum()))
    w: Any = np.ones(n) if weight is None else weight
    count = np.diff(X.indptr) if only_stored else np.full(n, float(X.shape[1]))
    count = count if missing is None else count - missing.sum(axis=1)
    if sp.issparse(X):
        nonzero = np.diff(X.indptr)
        if not X.data.all():
            nonzero = np.bincount(row_numbers(X)[X.data != 0], minlength=n)
    else:
        nonzero = np.count_nonzero(X, axis=1)
    by_row = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    total = 0 if missing is None else int(missing.sum())
    return Measured(float(w.sum()), w @ count, w @ by_row, w @ nonzero, total)


def has_missing(X: Any) -> bool:
    """Whether a block without negative values has NaN."""
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore"):
        return bool(np.isnan(values.sum()))


def refuse_negative(X: Any, who: str, name: str = "X") -> None:
    """Raise if a block has a negative value."""
    values = X.data if sp.issparse(X) else X
    least = np.fmin.reduce(values, axis=None, initial=0.0)
    if least < 0:
        raise ValueError(
            f"Negative values in data passed to {who} (input {name}): the least is {least:g}. "
            "Parts can only add up to values of 0 or more; lowdim.PCA takes any."
        )


def refuse_zeros(X: Any) -> None:
    """Raise if a block has a zero, which beta_loss <= 0 cannot explain."""
    zero = X.nnz < np.prod(X.shape) if sp.issparse(X) else False
    values = X.data if sp.issparse(X) else X
    if zero or not values.all():
        raise ValueError(
            "When beta_loss <= 0 and X contains zeros, the solver may diverge. Add a small value "
            "to X, or choose a positive beta_loss."
        )


def penalties(estimator: Any, units: Units, d: int) -> Penalties:
    """The penalties in the unit of X."""
    alpha_H = estimator.alpha_W if estimator.alpha_H == "same" else estimator.alpha_H
    l1, l2 = estimator.l1_ratio, 1.0 - estimator.l1_ratio
    by_1, by_2 = units.unit ** (0.5 - units.beta), units.unit ** (1.0 - units.beta)
    W, H = estimator.alpha_W * d, alpha_H * units.weight
    return Penalties(Penalty(W * l1 * by_1, W * l2 * by_2), Penalty(H * l1 * by_1, H * l2 * by_2))


def in_pieces(rows: Blocks) -> Blocks:
    """The same rows; a sparse matrix in memory in blocks of which codes, too, fit the cache."""
    X = rows.in_memory
    if not rows.is_sparse or X is None or not X.shape[0]:
        return rows
    n, pieces = X.shape[0], max(1, X.nnz // ENTRIES_AT_A_TIME)
    return ArrayBlocks(X, block_rows=-(-n // pieces))


def in_unit(X: Any, unit: float) -> Any:
    """A block in the unit; itself if that is 1."""
    return X if unit == 1.0 else X * X.dtype.type(1.0 / unit)


def sorted_csr(X: Any) -> Any:
    """X with sorted columns, no entry twice and short indices; a copy only if it had others."""
    return observed(X)


def beta_of(beta_loss: str | float) -> float:
    """The beta of a divergence."""
    return BETA[beta_loss] if isinstance(beta_loss, str) else float(beta_loss)
