"""Real and fake rows as numbers in the same columns and units, drawn if there are many.

Matrices are taken as they are; a table with text or dates is encoded as its real rows say. Rows
come in random order, so that the first of them are a sample of all.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from lowdim.core.blocks import Blocks
from lowdim.core.validation import open_rows_for
from lowdim.selection.compare.input import holds_only_numbers
from lowdim.selection.splits import Cells, columns_of
from lowdim.tables.codecs import CategoryCodec
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.errors import TableWarning, listed, quoted
from lowdim.tables.frames.dtypes import stacked_chunks
from lowdim.tables.opening import open_columns
from lowdim.tables.table import Table

LEAST_ROWS = 10


class Category(NamedTuple):
    """A category as numbers: one for each level."""

    center: np.ndarray  # (m,)
    scale: np.ndarray  # (m,)

    def shares_in(self, Z: np.ndarray) -> np.ndarray:
        """1 where a row has the level, else 0; all are 0 where its level is not known."""
        return np.rint(Z * self.scale + self.center)


class Sides(NamedTuple):
    """Real and fake rows, and what their columns are."""

    real: np.ndarray  # (n, d)
    fake: np.ndarray  # (m, d)
    training: np.ndarray  # real rows to be held against those held out, as many if there are
    held_out: np.ndarray | None
    cells: Cells  # which columns of numbers are one of the table
    names: list[str]  # of the table's columns
    categories: list[Category | None]  # of the table's columns; None: numbers

    def span(self, c: int) -> slice:
        """The columns of numbers of a column of the table."""
        first = int(self.cells.first[c])
        return slice(first, first + int(self.cells.width[c]))


class _Reading(NamedTuple):
    """How sides become numbers."""

    encoder: TableEncoder | None  # None: they are numbers
    cells: Cells
    names: list[str]
    categories: list[Category | None]


def open_sides(
    real: Any,
    fake: Any,
    held_out: Any,
    standardize: bool,
    max_rows: int,
    random: np.random.Generator,
) -> Sides:
    """Both sides, at most `max_rows` rows of each; of those held out all, and as many real ones."""
    reading, rows = _read_real(real, standardize)
    unseen = None if held_out is None else _rows(reading, held_out, "held_out")
    count = min(rows.shape[0], max(max_rows, 0 if unseen is None else unseen.shape[0]))
    training = _drawn(rows, count, random, "real")
    drawn = _fakes(fake, min(rows.shape[0], max_rows), random)
    others = _rows(reading, drawn, "fake")
    made = _drawn(others, min(others.shape[0], max_rows), random, "fake")
    away = None if unseen is None else _drawn(unseen, unseen.shape[0], random, "held_out")
    if standardize and reading.encoder is None:
        center, spread = _units(training[:max_rows], made)
        training, made = (training - center) / spread, (made - center) / spread
        away = None if away is None else (away - center) / spread
    return Sides(training[:max_rows], made, training, away, *reading[1:])


def _read_real(real: Any, standardize: bool) -> tuple[_Reading, Blocks]:
    table = None if isinstance(real, Blocks) else open_columns(real)
    if table is None or holds_only_numbers(table):
        rows = _number_rows(real, table, "real")
        d = rows.n_columns
        names = [str(f) for f in range(d)] if table is None else list(table.names)
        return _Reading(None, Cells(np.arange(d)), names, [None] * d), rows
    encoder = TableEncoder(scale=bool(standardize)).fit(table)
    used = encoder.encoding_.used
    codecs = [column.codec for column in used]
    categories = [
        Category(codec.center, codec.scale) if isinstance(codec, CategoryCodec) else None
        for codec in codecs
    ]
    cells = Cells(np.repeat(np.arange(len(used)), [codec.width for codec in codecs]))
    reading = _Reading(encoder, cells, [column.name for column in used], categories)
    return reading, encoder.rows(table)


def _rows(reading: _Reading, X: Any, name: str) -> Blocks:
    """Further rows, in the columns of the real ones."""
    table = None if isinstance(X, Blocks) else open_columns(X)
    if table is not None:
        lacking = [column for column in reading.names if column not in table.names]
        if lacking and table.named:
            raise ValueError(
                f"{name} lacks the column {listed([quoted(column) for column in lacking], 4)} of "
                "real; both need the same columns."
            )
    if reading.encoder is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)  # new levels are counted
            rows = reading.encoder.rows(X if table is None else table)
            return rows
    rows = _number_rows(X, table, name, reading.names)
    if rows.n_columns != len(reading.names):
        raise ValueError(
            f"{name} has {rows.n_columns} columns and real {len(reading.names)}; both need the "
            "same columns."
        )
    return rows


def _number_rows(
    X: Any, table: Table | None, name: str, columns: list[str] | None = None
) -> Blocks:
    if table is not None:
        native = nw.from_native(X, pass_through=True)
        if isinstance(native, nw.DataFrame):
            X = (native if columns is None else native.select(columns)).to_native()
        else:
            X = stacked_chunks(list(table.chunks(table.names if columns is None else columns)))
    return open_rows_for("sample_quality", X, nan=True, check_finite=False)


def _fakes(fake: Any, count: int, random: np.random.Generator) -> Any:
    """The rows themselves, or as many drawn from a model."""
    if not isinstance(fake, BaseEstimator):
        return fake
    if not hasattr(fake, "sample"):
        raise TypeError(
            f"fake is a {type(fake).__name__}, which cannot draw rows; give rows, or a fitted "
            "model with `sample`."
        )
    drawn = fake.sample(count, random_state=int(random.integers(2**31)))
    return drawn[0] if isinstance(drawn, tuple) else drawn  # mixtures also give the component


def _drawn(rows: Blocks, count: int, random: np.random.Generator, name: str) -> np.ndarray:
    if rows.shape[0] < LEAST_ROWS:
        raise ValueError(
            f"{name} has {rows.shape[0]} rows; {LEAST_ROWS} or more are needed to say how alike "
            "samples are."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        X = rows.sample(count, random)
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    if not np.isfinite(X).all():
        kind = "NaN" if np.isnan(X).any() else "infinity"
        raise ValueError(
            f"{name} has {kind} in {int((~np.isfinite(X)).sum())} of {X.size} entries; rows are "
            "compared whole. Fill both sides by one model first: its `impute` does, such as "
            "TableModel(ProbabilisticPCA(2)).fit(real).impute(...)."
        )
    return X


def _units(real: np.ndarray, fake: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations of real columns; where these are constant, of fake ones."""
    center, spread = columns_of(real)
    constant = real.min(axis=0) == real.max(axis=0)
    return center, np.where(constant, columns_of(fake).spread, spread)
