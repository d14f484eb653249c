"""Column by column: how far apart two samples are, what is new, and how correlations changed.

    wasserstein    mean distance that values must be moved; of categories, the share of rows whose
                   level must change
    new_levels     share of fake values that no real row has, of columns with few different values
    correlation    largest change of a correlation with another column

A category has a number for each level; its correlations are those of the levels.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import wasserstein_distance

from lowdim.core.result_table import ResultTable
from lowdim.selection.samples.input import Sides
from lowdim.selection.splits import Cells

FEW = 20  # different values of a column of levels
EACH = 5  # times that each of them occurs on average


def column_table(sides: Sides) -> ResultTable:
    """A line for each column of the table."""
    cells = sides.cells
    change, other = correlation_changes(sides.real, sides.fake, cells)
    return ResultTable(
        {
            "column": np.array(sides.names, dtype=object),
            "wasserstein": np.array([moved(sides, c) for c in range(len(sides.names))]),
            "new_levels": np.array([new_levels(sides, c) for c in range(len(sides.names))]),
            "correlation": change,
            "with": np.array([sides.names[c] if c >= 0 else "" for c in other], dtype=object),
        }
    )


def moved(sides: Sides, c: int) -> float:
    """How far values must be moved, in the units in which rows are compared."""
    span, codec = sides.span(c), sides.categories[c]
    if codec is None:
        return float(wasserstein_distance(sides.real[:, span.start], sides.fake[:, span.start]))
    shares = [codec.shares_in(side[:, span]).mean(axis=0) for side in (sides.real, sides.fake)]
    known = np.abs(shares[0] - shares[1]).sum()
    new = abs(shares[0].sum() - shares[1].sum())  # rows of levels that are not known
    return float((known + new) / 2)


def new_levels(sides: Sides, c: int) -> float:
    """The share of fake values that are new; NaN for a column of many different values."""
    span, codec = sides.span(c), sides.categories[c]
    if codec is not None:
        return float((codec.shares_in(sides.fake[:, span]).sum(axis=1) < 0.5).mean())
    levels = np.unique(sides.real[:, span.start])
    if len(levels) > FEW or len(sides.real) < EACH * len(levels):
        return float("nan")
    return float((~np.isin(sides.fake[:, span.start], levels)).mean())


def correlation_changes(
    real: np.ndarray, fake: np.ndarray, cells: Cells
) -> tuple[np.ndarray, np.ndarray]:
    """For each column of the table the largest change, and with which other one (-1: none)."""
    change = np.abs(_correlations(real) - _correlations(fake))
    change = np.maximum.reduceat(change, cells.first, axis=0)
    change = np.maximum.reduceat(change, cells.first, axis=1)  # (c, c)
    if len(change) == 1:
        return np.zeros(1), np.array([-1])
    np.fill_diagonal(change, -1.0)
    other = change.argmax(axis=1)
    return change[np.arange(len(change)), other], other


def _correlations(X: np.ndarray) -> np.ndarray:
    """0 where a column is constant."""
    D = X - X.mean(axis=0)
    length = np.linalg.norm(D, axis=0)
    varies = length > 1e-12 * np.sqrt(len(X)) * np.abs(X).max(axis=0)
    D = np.divide(D, length, out=np.zeros_like(D), where=varies)
    return D.T @ D
