"""Every missing value of a table, filled by a model, with its uncertainty.

The model is the one that predicts hidden values of this table best, among those that can say how
sure they are. It sees the matrix in which models were compared: without the largest level of each
category, whose share is what the others leave. Filled values are those of `TableModel.impute`:
what their columns can hold, within what was seen. Cells that do not apply stay empty.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.mixture.gaussian.estimator import GaussianMixture
from lowdim.report.explore.preparing import Encoded
from lowdim.report.explore.view import Column
from lowdim.selection.compare.models import ColumnMeans, takes_only_positive
from lowdim.selection.compare.table import Comparison
from lowdim.tables.codecs import DAY, CategoryCodec, FlagCodec, NumberCodec
from lowdim.tables.decoding import WIDTH
from lowdim.tables.filling import FilledCells, filled_chunks
from lowdim.tables.model import TableModel


class Filler(NamedTuple):
    """The model that fills missing values."""

    name: str
    model: Any  # an estimator, of numbers
    why: str  # a sentence


class FilledColumn(NamedTuple):
    """The filled values of one column.

    Attributes
    ----------
    column : Column
    rows : ndarray of int (m,)
        The rows that had no value.
    value : ndarray (m,)
        What is expected: a number, days since 1970, or the place of the likeliest level.
    low, high : ndarray (m,)
        The ends of the 95% range; of categories and flags `low` is the probability.
    known : float
        How much of the column's variance the other columns explain, on average over the missing
        values: 0 is no better than the mean, 1 is certain.
    """

    column: Column
    rows: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    known: float


# ---- the model -----------------------------------------------------------------------------------


def choose_filler(found: Comparison | None, rank: int, seed: int) -> Filler:
    """The best model that can say how sure it is, not fitted yet."""
    if found is None:
        model = ProbabilisticPCA(n_components=rank, random_state=seed)
        why = "The table is too small to compare methods on it."
        return Filler("probabilistic PCA", model, why)
    name = next(name for name in found.names if _can_fill(found.estimators[name]))
    model = clone(found.estimators[name])
    if isinstance(model, ColumnMeans):  # the same as a model that can be saved: one Gaussian
        model = GaussianMixture(1, covariance_type="diag", tol=1e-10, max_iter=1000)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return Filler(name, model, _why(found, name))


def _can_fill(model: Any) -> bool:
    """Whether it says how sure it is, and takes the columns of the page, which are centred."""
    return _says_how_sure(model) and not takes_only_positive(model)


def _says_how_sure(model: Any) -> bool:
    impute = getattr(model, "impute", None)
    return impute is not None and "return_std" in signature(impute).parameters


def _why(found: Comparison, name: str) -> str:
    error = f"{found['error'][found.names.index(name)]:.2f}"
    if name == found.winner == "column means":
        return "No method predicts hidden values of this table better."
    if name == found.winner:
        return f"It predicts hidden values of this table best (error {error}; column means have 1)."
    but = "gives no range"
    if takes_only_positive(found.estimators[found.winner]):
        but = "is for columns that are not centred"
    return (
        f"Of the methods that say how sure they are it predicts hidden values of this table best "
        f"(error {error}); {found.winner} has {found['error'][0]:.2f}, but {but}."
    )


# ---- the values ----------------------------------------------------------------------------------


def fill(encoded: Encoded, model: TableModel) -> list[FilledColumn]:
    """The missing values of each used column that has any.

    Parameters
    ----------
    encoded : Encoded
    model : TableModel
        Fitted with the unit encoder; its estimator has `impute(X, return_std=True)`.
    """
    parts: dict[str, list[FilledCells]] = {}
    start = 0
    for chunk in filled_chunks(model.filler(with_std=True), encoded.table):
        for name, cells in chunk.cells.items():
            parts.setdefault(name, []).append(cells._replace(rows=cells.rows + start))
        start += int(chunk.table.shape[0])
    spans = dict(
        zip((column.name for column in encoded.used), model.encoder_.encoding_.spans, strict=True)
    )
    variance = np.nanvar(encoded.U, axis=0)
    codecs = {info.name: info.codec for info in model.encoder_.encoding_.used}
    return [
        _filled(
            column,
            codecs[column.name],
            FilledCells(*map(np.concatenate, zip(*parts[column.name], strict=True))),
            variance[spans[column.name]],
        )
        for column in encoded.used
        if column.name in parts
    ]


def _filled(column: Column, codec: Any, cells: FilledCells, variance: np.ndarray) -> FilledColumn:
    """From the numbers of the model to values of the table."""
    rows, Z, S = cells
    value = column.read(codec.decode(Z, "observed"))
    counted = slice(None) if isinstance(codec, CategoryCodec) else slice(1)
    known = float(np.clip(1 - np.mean(S[:, counted] ** 2 / variance[counted]), 0, 1))
    if isinstance(codec, CategoryCodec | FlagCodec):
        share = codec.probabilities(Z).max(axis=1)
        return FilledColumn(column, rows, value, share, np.zeros(len(rows)), known)
    low, high = _range(column, codec, Z, S)
    # a value is within what was seen, a range within what is possible
    return FilledColumn(column, rows, value, np.minimum(low, value), np.maximum(high, value), known)


def _range(
    column: Column, codec: Any, Z: np.ndarray, S: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    low, high = codec.ranges(Z, S[:, 0], WIDTH)
    if isinstance(codec, NumberCodec):
        unit = DAY if column.info.form == "span" else 1.0
        return low / unit, high / unit
    return column.read(low), column.read(high)
