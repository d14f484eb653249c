"""What is held out: drawn before any model is seen, and the same for all of them.

    entries   a share of the observed entries; all rows are learned from, with these entries missing
    rows      a share of the rows; of each, some entries are hidden and told from the others

Of a table, entries are its cells: the columns of numbers that stand for a category, one for each of
its levels, are hidden together, since each of them would tell the others.

Center and spread of the columns come from the entries that may be learned from, and no others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

HIDDEN_IN_ROWS = 0.25  # of the entries of a held-out row; the rest says which row it is


class Split(NamedTuple):
    """Which rows are learned from, which rows are asked about, and which of their entries."""

    fit_rows: Any  # index of rows
    ask_rows: Any  # index of rows
    held: np.ndarray  # (n, d) bool, only in rows that are asked about

    def training(self, X: np.ndarray) -> np.ndarray:
        """What a model may learn from."""
        return np.where(self.held, np.nan, X)[self.fit_rows]

    def question(self, X: np.ndarray) -> np.ndarray:
        """The rows whose held-out entries are to be filled in."""
        return np.where(self.held, np.nan, X)[self.ask_rows]

    def asked(self) -> np.ndarray:
        """Which entries of `question` are to be filled in."""
        return self.held[self.ask_rows]


class Columns(NamedTuple):
    """Center and spread of the columns, from training entries."""

    center: np.ndarray  # (d,)  means
    spread: np.ndarray  # (d,)  standard deviations; 1 for a constant column


class Cells(NamedTuple):
    """Which columns of numbers stand for one column of a table: they are hidden together."""

    column: np.ndarray  # (d,)  for each column of numbers that of the table, from 0 up in order
    names: list[str] | None = None  # of the table's columns

    @property
    def first(self) -> np.ndarray:
        """The first column of numbers of each column of the table, (c,)."""
        return np.unique(self.column, return_index=True)[1]

    @property
    def width(self) -> np.ndarray:
        """How many columns of numbers each column of the table is, (c,)."""
        return np.bincount(self.column)

    # where all columns are alone nothing is copied: results depend on the layout in memory, in the
    # last digit

    def of_table(self, X: np.ndarray) -> np.ndarray:
        """One column of numbers for each column of the table, (n, c)."""
        return X if (self.width == 1).all() else X[:, self.first]

    def of_numbers(self, cells: np.ndarray) -> np.ndarray:
        """What is true of cells for each of their columns of numbers, (n, d)."""
        return cells if (self.width == 1).all() else cells[:, self.column]

    def name(self, f: int) -> str:
        """What to call the table's column behind a column of numbers."""
        return str(f) if self.names is None else repr(self.names[self.column[f]])


def each_alone(d: int) -> Cells:
    """Of a matrix, whose entries are cells of their own."""
    return Cells(np.arange(d))


def draw_split(
    X: np.ndarray,
    hold_out: str,
    share: float,
    random: np.random.Generator,
    cells: Cells | None = None,
) -> Split:
    """One split of X, in which NaN are not observed; all columns of a cell are hidden together."""
    cells = each_alone(X.shape[1]) if cells is None else cells
    return (_held_entries if hold_out == "entries" else _held_rows)(X, share, random, cells)


def _held_entries(X: np.ndarray, share: float, random: np.random.Generator, cells: Cells) -> Split:
    observed = ~np.isnan(cells.of_table(X))
    held = observed & (random.random(observed.shape) < share)
    held[~(observed & ~held).any(axis=1)] = False  # no row loses all it has
    kept = np.where(cells.of_numbers(held), np.nan, X)
    held &= _learnable(X, kept, cells)  # nor a column all that could be learned
    return Split(slice(None), slice(None), cells.of_numbers(held))


def _held_rows(X: np.ndarray, share: float, random: np.random.Generator, cells: Cells) -> Split:
    n = len(X)
    order = random.permutation(n)
    count = min(max(round(share * n), 1), n - 1)
    ask, fit = np.sort(order[:count]), np.sort(order[count:])
    learned = X[fit]
    unseen = np.isnan(learned).all(axis=0)
    if unseen.any():
        raise ValueError(
            f"Column {cells.name(int(np.argmax(unseen)))} of X has too few observed entries to "
            "hold out rows: none is left to learn from. Drop the column, or choose "
            "hold_out='entries'."
        )
    held = np.zeros(X.shape, dtype=bool)
    observed, usable = ~np.isnan(cells.of_table(X[ask])), _learnable(X[ask], learned, cells)
    held[ask] = cells.of_numbers(_hidden(observed, usable, random))
    return Split(fit, ask, held)


def _learnable(X: np.ndarray, kept: np.ndarray, cells: Cells) -> np.ndarray:
    """Which cells of X hold something that can be learned from what is kept, (n, c).

    Not those of a column that no longer varies; of several columns for one cell, such as one for
    each level of a category, not those of a level that is left nowhere.
    """
    lost = ~varies(kept)
    if not lost.any():
        return np.ones((len(X), len(cells.first)), dtype=bool)
    left = np.where(np.isnan(kept), np.inf, kept).min(axis=0)
    wide = (cells.width > 1)[cells.column]
    strange = lost & (~wide | (X != left))
    return ~np.logical_or.reduceat(strange, cells.first, axis=1)


def _hidden(observed: np.ndarray, usable: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Usable cells to hide, in each row one or more, if the row keeps another one."""
    draw = np.where(observed & usable, random.random(observed.shape), np.inf)
    hidden = draw < HIDDEN_IN_ROWS
    hidden[~(observed & ~hidden).any(axis=1)] = False
    none = ~hidden.any(axis=1) & (observed.sum(axis=1) > 1)
    hidden[none] = (draw[none] == draw[none].min(axis=1, keepdims=True)) & np.isfinite(draw[none])
    return hidden


def columns_of(X: np.ndarray) -> Columns:
    """Means and standard deviations of the observed entries of each column."""
    # in units of the largest entry, so that neither huge nor tiny columns leave the range of floats
    unit = np.nanmax(np.abs(X), axis=0)
    unit[unit == 0] = 1.0
    Y = X / unit
    center, spread = np.nanmean(Y, axis=0), np.nanstd(Y, axis=0)
    spread[~varies(X)] = 1.0 / unit[~varies(X)]
    return Columns(center * unit, spread * unit)


def varies(X: np.ndarray) -> np.ndarray:
    """Which columns have at least two different observed entries."""
    observed = ~np.isnan(X)
    low = np.where(observed, X, np.inf).min(axis=0)
    return low < np.where(observed, X, -np.inf).max(axis=0)
