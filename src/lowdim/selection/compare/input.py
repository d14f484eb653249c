"""What is compared: a matrix as it is, or a table as numbers, of which some can be held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.validation import check_at_least, check_columns_observed
from lowdim.selection.compare.models import ColumnMeans
from lowdim.selection.splits import Cells, each_alone, varies
from lowdim.tables.encoder import TableEncoder
from lowdim.tables.frames.dtypes import stacked_chunks
from lowdim.tables.frames.series import values_of
from lowdim.tables.opening import open_columns, open_table
from lowdim.tables.table import Table


class Compared(NamedTuple):
    """Numbers, and which of them are one cell of the table."""

    values: np.ndarray  # (n, d)  float64, NaN where a value is missing
    cells: Cells
    encoder: TableEncoder | None = None  # fitted; None: the numbers are X itself


def open_compared(X: Any, encoder: TableEncoder | None, criterion: str) -> Compared:
    """X as numbers: by an encoder, if one is given or a column does not hold numbers."""
    _check_encoder(encoder)
    if isinstance(X, Blocks) or is_dask(X) or sp.issparse(X):
        compared = _numbers(X)  # which says that they are not taken
    else:
        table = open_columns(X) if encoder is None else open_table(X)
        if table is None:
            compared = _numbers(X)
        elif table.is_sparse or (encoder is None and holds_only_numbers(table)):
            native = isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)
            compared = _numbers(X if native else stacked_chunks(list(table.chunks())))
        else:
            compared = _encoded(
                table, TableEncoder(drop_level=True) if encoder is None else encoder
            )
    _check_something_to_predict(compared, criterion)
    return compared


def sample_rows(compared: Compared, max_rows: int, random: np.random.Generator) -> np.ndarray:
    """So many rows at random, if there are more; a column that has nothing in them is an error."""
    X, max_rows = compared.values, check_at_least("max_rows", max_rows, 2)
    if len(X) <= max_rows:
        return X
    sample = X[np.sort(random.choice(len(X), size=max_rows, replace=False))]
    empty = np.isnan(sample).all(axis=0)
    if empty.any():
        raise ValueError(
            f"max_rows={max_rows} leaves no observed entry in column "
            f"{compared.cells.name(int(np.argmax(empty)))} of X; raise it, or drop the column."
        )
    return sample


def holds_only_numbers(table: Table) -> bool:
    """Whether all columns are numbers or true/false by their type."""
    for chunk in table.chunks():
        if isinstance(chunk, np.ndarray):
            return True
        for column in nw.from_native(chunk, eager_only=True).iter_columns():
            if column.dtype.is_numeric() or column.dtype == nw.Boolean:
                continue
            is_category = column.dtype in (nw.Categorical, nw.Enum)
            if is_category or values_of(column).form not in ("number", "flag"):
                return False
    return True


def _numbers(X: Any) -> Compared:
    door = ColumnMeans()
    values = np.asarray(door.open_rows(X, min_rows=2).in_memory, dtype=np.float64)
    names = getattr(door, "feature_names_in_", None)
    check_columns_observed((~np.isnan(values)).sum(axis=0), names)
    return Compared(values, each_alone(values.shape[1]))


def _encoded(table: Table, encoder: TableEncoder) -> Compared:
    fitted = clone(encoder).fit(table)
    values = np.asarray(fitted.transform(table), dtype=np.float64)
    if len(values) < 2:
        raise ValueError(
            f"{table.where} has n_samples={len(values)}; compare needs 2 or more rows."
        )
    used = fitted.encoding_.used
    widths = [column.codec.width for column in used]
    cells = Cells(np.repeat(np.arange(len(used)), widths), [column.name for column in used])
    return Compared(values, cells, fitted)


def _check_encoder(encoder: Any) -> None:
    if encoder is None:
        return
    if not isinstance(encoder, TableEncoder):
        raise TypeError(f"encoder={encoder!r} is no TableEncoder; give one such as TableEncoder().")
    if encoder.missing == "mean":
        raise ValueError(
            "encoder has missing='mean', which makes entries that nobody knows look known; choose "
            "missing='nan'."
        )


def _check_something_to_predict(compared: Compared, criterion: str) -> None:
    if criterion == "error" and len(compared.cells.first) < 2:
        raise ValueError(
            "X has 1 column; held-out entries are predicted from the others of their row. Give 2 "
            "or more, or choose criterion='likelihood' with hold_out='rows'."
        )
    if not varies(compared.values).any():
        raise ValueError("X has only constant columns: there is nothing to predict.")
