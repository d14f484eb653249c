"""From a table to the matrices that the models of the page see.

X    as the encoder makes it, all levels of a category: factors, clusters, odd rows
U    without the largest level of each category, which follows from the others, and with
     variance 1: where entries are hidden or filled
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from lowdim.core.blocks import Blocks
from lowdim.report.explore.sampling import FILL_ROWS
from lowdim.report.explore.view import Column, column_of, values_in
from lowdim.report.page.parts import counted
from lowdim.tables.applicable import does_not_apply
from lowdim.tables.codecs import CategoryCodec, NumberCodec
from lowdim.tables.encoder import TableEncoder, surveyed
from lowdim.tables.encoding import without_marks
from lowdim.tables.errors import TableError, listed, no_such_column, quoted
from lowdim.tables.formats.base import fold_chunks
from lowdim.tables.frames.opening import DaskTable
from lowdim.tables.frames.values import Values
from lowdim.tables.info import ColumnTable
from lowdim.tables.kinds import ColumnInfo, decide
from lowdim.tables.table import Table
from lowdim.tables.taking import take_rows
from lowdim.tables.wishes import ignoring, wish_of

MOST_FEATURES = 300  # columns of the matrix; beyond, the columns with most missing values go
MOST_CELLS = 2**28  # a sparse matrix is shown as a table only below this
LEAST_ROWS = 5
LEAST_VALUES = 20  # of a column, in the rows to which the model that fills is fitted


@dataclass(frozen=True)
class Encoded:
    """A table, what its columns are, and its matrices.

    Attributes
    ----------
    table : Table
        In memory.
    encoder, unit_encoder : TableEncoder
        Fitted; the latter leaves out the largest level of each category.
    rows, unit_rows : Blocks
        The table by the one and by the other.
    columns : ColumnTable
        All columns of the table, and what was decided about each.
    used : list of Column
        Those that the matrices are made of.
    target : Column or None
        The column to colour by, which no model sees.
    names : Column or None
        What the rows are called; None: by their numbers.
    numbers : ndarray (n,) or None
        Of rows that were drawn from a larger table: their numbers there.
    notes : list of str
        What was done to the table as a whole.
    """

    table: Table
    encoder: TableEncoder
    unit_encoder: TableEncoder
    rows: Blocks
    unit_rows: Blocks
    columns: ColumnTable
    used: list[Column]
    target: Column | None
    names: Column | None
    numbers: np.ndarray | None
    notes: list[str]

    @cached_property
    def X(self) -> np.ndarray:
        """The matrix of the encoder, NaN where a value is missing, (n, d)."""
        return _dense(self.rows)

    @cached_property
    def U(self) -> np.ndarray:
        """The matrix of the unit encoder."""
        return _dense(self.unit_rows)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of X."""
        return self.encoder.encoding_.feature_names()

    @property
    def spans(self) -> list[slice]:
        """Where each used column is in X."""
        return self.encoder.encoding_.spans

    @property
    def free(self) -> np.ndarray:
        """Columns of X that the unit encoder has, too: those that follow from no others, (d,)."""
        units = [column.codec for column in self.unit_encoder.encoding_.used]
        kept = [
            np.arange(column.codec.width) != unit.left_out
            if isinstance(unit, CategoryCodec) and unit.width < column.codec.width
            else np.ones(column.codec.width, dtype=bool)
            for column, unit in zip(self.used, units, strict=True)
        ]
        return np.concatenate(kept)

    def label(self, row: int) -> str:
        """What to call a row: its name, else its number from 0."""
        name = "" if self.names is None else self.names.show(row)
        return name or str(row if self.numbers is None else int(self.numbers[row]))


def _dense(rows: Blocks) -> np.ndarray:
    matrix: Any = rows.in_memory
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def n_rows(table: Table) -> int:
    """How many rows a table has, if need be by a look at one column."""
    if table.n_rows is not None:
        return table.n_rows

    def step(count: int, chunk: Any) -> int:
        return count + int(chunk.shape[0])

    return fold_chunks(table, int, step, table.names[:1])


def in_memory(table: Table) -> Table:
    """The table with all rows in memory."""
    n, d = table.n_rows, len(table.names)
    if table.is_sparse and n is not None and n * d > MOST_CELLS:
        raise TableError(
            f"{table.where} is a sparse matrix of {n} x {d}, too large to show as a table.",
            "Explore some of its columns, or use lowdim.PCA on it.",
        )
    held = not table.streamed and not isinstance(table, DaskTable)
    return table if held and n is not None else take_rows(table)


def prepare(
    table: Table,
    encoder: TableEncoder,
    target: str | None = None,
    numbers: np.ndarray | None = None,
    most_features: int = MOST_FEATURES,
) -> Encoded:
    """Fit the encoders, and read what the page shows.

    Parameters
    ----------
    table : Table
        In memory.
    encoder : TableEncoder
        With the user's wishes; it is not changed.
    target : str or None
        The column to colour by.
    numbers : ndarray or None
        The rows' numbers in the table that they were drawn from.
    most_features : int
        Columns of the matrix; beyond, the columns with most missing values are left out.
    """
    assert table.n_rows is not None
    if table.n_rows < LEAST_ROWS:
        raise TableError(
            f"{table.where} has {counted(table.n_rows, 'row')}; at least {LEAST_ROWS} are needed "
            "to look for structure."
        )
    if target is not None and target not in table.names:
        raise no_such_column(table.where, target, table.names, "target")
    own = ignoring(encoder, [] if target is None else [target]).fit(table)
    left = _left_out(own, most_features)
    if left:
        own = ignoring(own, list(left)).fit(table)
    _check_wide_enough(own, table)
    unit = _without_levels(own, table)
    shown = None if target is None else _target(encoder, own, table, target)
    rows = own.rows(table)
    return Encoded(
        table,
        own,
        unit,
        rows,
        rows if unit is own else unit.rows(table),
        _columns(own, shown, left),
        _used(own, table),
        shown,
        _row_names(own, table),
        numbers,
        [*table.notes, *_notes(own, left, most_features)],
    )


def _left_out(encoder: TableEncoder, most: int) -> dict[str, str]:
    """Columns that the page has no room for, those with most missing values first, and why.

    Of a large table also those of which a sample of its rows would hold next to no values.
    """
    n, total, left = encoder.n_rows_seen_, 0, {}
    least = LEAST_VALUES * n / FILL_ROWS if n > FILL_ROWS else 0
    used = encoder.encoding_.used
    for column in sorted(
        used, key=lambda column: column.n_missing or 0
    ):  # sorted keeps ties in order
        assert column.codec is not None
        if n - (column.n_missing or 0) < least:
            left[column.name] = "left out: next to no values"
        elif total + column.codec.width > most:
            left[column.name] = f"left out: more than {most} columns of numbers"
        else:
            total += column.codec.width
    return left


def _check_wide_enough(encoder: TableEncoder, table: Table) -> None:
    if encoder.encoding_.width > 1:
        return
    (used,) = encoder.encoding_.used
    left = [f"{quoted(c.name)} ({c.kind})" for c in encoder.columns_ if not c.used]
    rest = f" Left out: {listed(left)}." if left else ""
    raise TableError(
        f"{table.where} has one column of numbers only, {quoted(used.name)}, to look for structure "
        f"in; two columns of numbers, dates or categories are needed.{rest}",
        "Say what a column is: {categorical}, {numeric}, or {max_levels}.",
    )


def _without_levels(encoder: TableEncoder, table: Table) -> TableEncoder:
    """The encoder that leaves out the largest level of each category, if two columns stay."""
    encoding = encoder.encoding_
    spare = sum(isinstance(c.codec, CategoryCodec) and c.codec.left_out < 0 for c in encoding.used)
    if spare == 0 or encoding.width - spare < 2:
        return encoder
    return clone(encoder).set_params(drop_level=True).fit(table)


def _columns(encoder: TableEncoder, target: Column | None, left: Mapping[str, str]) -> ColumnTable:
    """What was decided, in the words of the page."""

    def said(info: ColumnInfo) -> ColumnInfo:
        if target is not None and info.name == target.name:
            done = "shown in the pictures; no model has seen it"
            return target.info._replace(kind="target", done=done, hint="", codec=None)
        return info._replace(done=left.get(info.name, info.done))

    return ColumnTable(map(said, encoder.columns_))


# ---- what is shown -------------------------------------------------------------------------------


def _used(encoder: TableEncoder, table: Table) -> list[Column]:
    infos = encoder.encoding_.used
    guides = [info.not_applicable.guide for info in infos if info.not_applicable is not None]
    found = _values(encoder, table, [*(info.name for info in infos), *guides])
    columns = []
    for info in infos:
        column, rule = column_of(info, found[info.name]), info.not_applicable
        if rule is not None and not encoder.fill_not_applicable:
            apart = does_not_apply(rule, found[rule.guide]) & column.empty
            column = column_of(info, found[info.name], apart)
        columns.append(column)
    return columns


def _values(encoder: TableEncoder, table: Table, names: Sequence[str]) -> dict[str, Values]:
    marks = tuple(encoder.missing_marks)
    return {name: without_marks(v, marks) for name, v in values_in(table, names).items()}


def _target(wished: TableEncoder, fitted: TableEncoder, table: Table, name: str) -> Column:
    """The column to colour by, as what it would be if models saw it."""
    wish = wish_of(wished, table)
    (info,) = decide(surveyed(table, wish, [name]), wish)
    return column_of(info, _values(fitted, table, [name])[name])


def _row_names(encoder: TableEncoder, table: Table) -> Column | None:
    name = encoder.id_
    if name is None:
        return None
    values = values_in(table, [name])[name]
    return column_of(ColumnInfo(name, "id", 0, None, "names the rows", form=values.form), values)


def _notes(encoder: TableEncoder, left: Mapping[str, str], most: int) -> list[str]:
    notes = []
    used = encoder.encoding_.used
    logs = [
        info.name
        for info in used
        if isinstance(info.codec, NumberCodec) and info.codec.zero is not None
    ]
    if logs:
        notes.append(
            f"Logarithms stand for {listed(logs)}: the page shows the values themselves. To "
            "have none, say log=False in Python or --log none; or name the columns that get one."
        )
    if left:
        notes.append(
            f"Of {len(used) + len(left):,} usable columns the {len(used):,} with the fewest "
            f"missing values are used: the page is made for at most {most} columns of "
            "numbers. Choose others by leaving some out."
        )
    return notes
