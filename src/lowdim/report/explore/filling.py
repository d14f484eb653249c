"""Every missing value of a table, filled by a model, with its uncertainty."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.report.explore.columns import Column, Encoded

BLOCK = 20_000
SURE = 1.96  # standard deviations to either side: 95% of a normal distribution


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


def fill(encoded: Encoded, model: Any) -> list[FilledColumn]:
    """The missing values of each used column that has any."""
    holes = [np.flatnonzero(column.raw.missing) for column in encoded.used]
    spans = encoded.spans
    expected = [
        np.empty((len(rows), span.stop - span.start))
        for rows, span in zip(holes, spans, strict=True)
    ]
    spread = [np.empty_like(part) for part in expected]
    some = np.flatnonzero(np.isnan(encoded.X).any(axis=1))
    for start in range(0, len(some), BLOCK):
        rows = some[start : start + BLOCK]
        X, std = model.impute(encoded.X[rows], return_std=True)
        for j, span in enumerate(spans):
            first, last = np.searchsorted(holes[j], [rows[0], rows[-1] + 1])
            place = np.searchsorted(rows, holes[j][first:last])
            expected[j][first:last] = X[place, span]
            spread[j][first:last] = std[place, span]
    return [
        _filled(column, rows, *parts)
        for column, rows, *parts in zip(encoded.used, holes, expected, spread, strict=True)
        if len(rows)
    ]


def _filled(
    column: Column, rows: np.ndarray, expected: np.ndarray, spread: np.ndarray
) -> FilledColumn:
    variance = 1.0 if column.kind != "categorical" else np.maximum(1 - column.shares, 1e-12)
    known = float(np.clip(1 - (spread**2 / variance).mean(), 0, 1))
    if column.kind == "categorical":
        share = column.probabilities(expected)
        return FilledColumn(
            column, rows, share.argmax(axis=1), share.max(axis=1), np.zeros(len(rows)), known
        )
    y, s = expected[:, 0], spread[:, 0]
    ends = column.decode(y - SURE * s), column.decode(y + SURE * s)
    return FilledColumn(column, rows, column.decode(y), *ends, known)


def filled_words(part: FilledColumn) -> list[str]:
    """The values as text, as they would stand in the table."""
    if part.column.kind == "categorical":
        return [part.column.raw.values[int(code)] for code in part.value]
    if part.column.raw.form == "date":
        return [part.column.show_number(float(x)) for x in part.value]
    return [f"{x:.6g}" for x in part.value]
