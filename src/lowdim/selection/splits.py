"""What is held out: drawn before any model is seen, and the same for all of them.

    entries   a share of the observed entries; all rows are learned from, with these entries missing
    folds     all observed entries in turn, dealt into folds; for matrices that are mostly missing
    rows      a share of the rows; of each, some entries are hidden and predicted from the others

Whatever is hidden, every row and every column keeps something to learn from.

Of a table, entries are its cells: the columns of numbers that stand for a category, one for each of
its levels, are hidden together, since each of them would give the others away.

Center and spread of the columns come from the entries that may be learned from, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.linalg.sparse import row_numbers

HELD_OUT_SHARE = 0.1  # of the entries, where nobody says how many
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
    held[observed] &= others_left(held[observed], observed.nonzero()[0], len(X))
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


# ---- entries of a matrix -------------------------------------------------------------------------


def others_left(hidden: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """For each entry, whether its row, or column, keeps an entry that is not hidden.

    hidden (m,) says which entries are, group (m,) in which of `count` rows or columns each is.
    """
    return np.bincount(group[~hidden], minlength=count)[group] > 0


def spare_last(
    hidden: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Which entries stay hidden if every row, and then every column, is to keep one."""
    hidden = hidden & others_left(hidden, row, shape[0])
    return hidden & others_left(hidden, column, shape[1])


class HiddenEntries(NamedTuple):
    """Entries of a matrix that a model does not see, and is asked for."""

    kept: np.ndarray  # (n, d)  X with NaN in their place
    row: np.ndarray  # (m,)
    column: np.ndarray  # (m,)
    truth: np.ndarray  # (m,)
    by_means: float  # squared error of the column means of what is kept

    def error_of(self, guess: np.ndarray) -> float:
        """Squared error of guesses (m,), relative to that of column means."""
        return float(np.square(guess - self.truth).sum() / (self.by_means or 1.0))


def hide_entries(X: np.ndarray, share: float, random: np.random.Generator) -> HiddenEntries:
    """A share of the observed entries of X, drawn at random, hidden."""
    i, j = (~np.isnan(X)).nonzero()
    hidden = spare_last(random.random(len(i)) < share, i, j, X.shape)
    row, column = i[hidden], j[hidden]
    kept, truth = X.copy(), X[row, column]
    kept[row, column] = np.nan
    by_means = np.square(np.nanmean(kept, axis=0)[column] - truth).sum()
    return HiddenEntries(kept, row, column, truth, float(by_means))


def entry_folds(X: Any, n_folds: int, random: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """(train, test) with the entries of a csr_array dealt into folds.

    An entry that is the last of its row or column in training stays there.
    """
    if X.nnz < n_folds:
        raise ValueError(f"cv={n_folds} folds need as many observed entries; X has {X.nnz}.")
    i, j = row_numbers(X), X.indices
    fold = random.permutation(np.arange(X.nnz) % n_folds)
    for f in range(n_folds):
        hidden = spare_last(fold == f, i, j, X.shape)
        if not hidden.any():
            raise ValueError(
                "No entry can be held out: each is the only one of its row or column. More "
                "observed entries are needed."
            )
        yield _those(X, i, ~hidden), _those(X, i, hidden)


def _those(X: Any, row: np.ndarray, chosen: np.ndarray) -> Any:
    """Some of the entries of X."""
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[chosen], minlength=X.shape[0]))])
    parts = (X.data[chosen], X.indices[chosen], indptr.astype(X.indptr.dtype))
    return sp.csr_array(parts, shape=X.shape)


# ---- center and spread ---------------------------------------------------------------------------


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
