"""Every missing value of a table, filled by a model, with its uncertainty.

The model is the one that tells hidden values of this table best, among those that can say how sure
they are. It sees the matrix in which models were compared: without the largest category of each
column, whose share is what the others leave, and in units of standard deviations.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.report.compare_table import Comparison
from lowdim.report.explore.columns import Column, Encoded

BLOCK = 20_000
SURE = 1.96  # standard deviations to either side: 95% of a normal distribution


class Filler(NamedTuple):
    """The model that fills the holes; fitted to rows of `unit_matrix`."""

    name: str
    model: Any
    why: str  # a sentence


class FilledColumn(NamedTuple):
    """The holes of one column.

    Attributes
    ----------
    column : Column
    rows : ndarray of int (m,)
        The rows that had no value.
    value : ndarray (m,)
        Of numbers: what is expected. Of categories: the number of the likeliest one.
    low, high : ndarray (m,)
        Of numbers: the ends of the 95% range. Of categories: `low` is the probability.
    known : float
        How much of the column's variance the other columns tell, on average over the holes:
        0 is no better than the mean, 1 is certain.
    """

    column: Column
    rows: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    known: float


# ---- the model -----------------------------------------------------------------------------------


def unit_matrix(encoded: Encoded) -> np.ndarray:
    """The matrix that fills holes: columns that follow from no others, with variance 1."""
    return np.ascontiguousarray(encoded.X[:, encoded.free] / _units(encoded))


def _units(encoded: Encoded) -> np.ndarray:
    return np.nanstd(encoded.X[:, encoded.free], axis=0)


def choose_filler(found: Comparison | None, rank: int, seed: int) -> Filler:
    """The best model that can say how sure it is, not fitted yet."""
    if found is None:
        model = ProbabilisticPCA(n_components=rank, random_state=seed)
        why = "The table is too small to compare methods on it."
        return Filler("probabilistic PCA", model, why)
    name = next(name for name in found.names if _says_how_sure(found.estimators[name]))
    model = clone(found.estimators[name])
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return Filler(name, model, _why(found, name))


def _says_how_sure(model: Any) -> bool:
    impute = getattr(model, "impute", None)
    return impute is not None and "return_std" in signature(impute).parameters


def _why(found: Comparison, name: str) -> str:
    error = f"{found['error'][found.names.index(name)]:.2f}"
    if name == found.winner == "column means":
        return "No method tells hidden values of this table better."
    if name == found.winner:
        return f"It told hidden values of this table best (error {error}; column means have 1)."
    return (
        f"Of the methods that say how sure they are it told hidden values of this table best "
        f"(error {error}); {found.winner} has {found['error'][0]:.2f}, but gives no range."
    )


# ---- the values ----------------------------------------------------------------------------------


def fill(encoded: Encoded, model: Any) -> list[FilledColumn]:
    """The missing values of each used column that has any.

    Parameters
    ----------
    encoded : Encoded
    model : estimator with `impute(X, return_std=True)`
        Fitted to `unit_matrix(encoded)`, or to some of its rows.
    """
    free, units = encoded.free, _units(encoded)
    holes = [np.flatnonzero(column.raw.missing) for column in encoded.used]
    ends = [int(free[: span.stop].sum()) for span in encoded.spans]
    spans = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]  # in the unit matrix
    expected = [np.empty((len(h), s.stop - s.start)) for h, s in zip(holes, spans, strict=True)]
    spread = [np.empty_like(part) for part in expected]
    some = np.flatnonzero(np.isnan(encoded.X).any(axis=1))
    for start in range(0, len(some), BLOCK):
        rows = some[start : start + BLOCK]
        filled, std = model.impute(encoded.X[rows][:, free] / units, return_std=True)
        for j, span in enumerate(spans):
            first, last = np.searchsorted(holes[j], [rows[0], rows[-1] + 1])
            place = np.searchsorted(rows, holes[j][first:last])
            expected[j][first:last] = filled[place, span]
            spread[j][first:last] = std[place, span]
    return [
        _filled(column, rows, expected[j], spread[j], units[spans[j]], free[encoded.spans[j]])
        for j, (column, rows) in enumerate(zip(encoded.used, holes, strict=True))
        if len(rows)
    ]


def _filled(
    column: Column,
    rows: np.ndarray,
    expected: np.ndarray,
    spread: np.ndarray,
    unit: np.ndarray,
    free: np.ndarray,
) -> FilledColumn:
    """From units of the model to values of the table; `free` are the categories it has seen."""
    known = float(np.clip(1 - np.mean(spread**2), 0, 1))
    y, s = expected * unit, spread * unit
    if column.kind == "categorical":
        share = column.probabilities(_with_the_largest(column, y, free))
        return FilledColumn(
            column, rows, share.argmax(axis=1), share.max(axis=1), np.zeros(len(rows)), known
        )
    low, high = column.decode(y - SURE * s)[:, 0], column.decode(y + SURE * s)[:, 0]
    assert column.raw.numbers is not None
    if column.raw.form == "number" and np.nanmin(column.raw.numbers) >= 0:
        low = np.maximum(low, 0.0)  # what is never negative is not negative here
    return FilledColumn(column, rows, column.decode(y)[:, 0], low, high, known)


def _with_the_largest(column: Column, y: np.ndarray, free: np.ndarray) -> np.ndarray:
    """All columns of a category: the share of the one left out is what the others leave."""
    block = np.empty((len(y), len(free)))
    block[:, free] = y
    p, root = column.shares, np.sqrt(column.shares)
    left = 1 - (y * root[free] + p[free]).sum(axis=1, keepdims=True)
    block[:, ~free] = (left - p[~free]) / root[~free]
    return block


def filled_words(part: FilledColumn) -> list[str]:
    """The values as text, as they would stand in the table."""
    if part.column.kind == "categorical":
        return [part.column.raw.values[int(code)] for code in part.value]
    if part.column.raw.form == "date":
        return [part.column.show_number(float(x)) for x in part.value]
    return [f"{x:.6g}" for x in part.value]
