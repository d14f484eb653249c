"""Where values are missing, and whether that follows a pattern.

That a column's value is missing is an indicator m of 0 and 1. If its correlation with what is known
of another column f, or with the indicator of another column, is larger than chance allows (a t
test, its level divided by the number of tests), values are not missing at random. Cells that do not
apply are not missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from lowdim.report.explore.preparing import Encoded

BANDS = 80  # of rows in the map
MOST_COLUMNS = 60  # in the map, those with most missing values
LEVEL = 0.01  # chance of a false pattern in the whole table
LEAST_CORRELATION = 0.1  # a weaker one is not worth a word, however sure
LEAST_MISSING = 5
MOST_PATTERNS = 6
BLOCK = 8192


class Pattern(NamedTuple):
    """The missing values of a column go with something."""

    column: str
    other: str  # a column, or a category of one: 'sex=male'
    together: bool  # with the missing values of the other, else with its values
    correlation: float


class Missingness(NamedTuple):
    """Missing values of the used columns.

    Attributes
    ----------
    share : ndarray (c,)
        Share of missing values of each used column.
    n_missing, n_cells : int
    n_complete_rows : int
    columns : list of int
        The columns in the map (places among the used ones), in order of the table.
    bands : ndarray (bands, columns)
        Share of missing values by band of consecutive rows.
    edges : ndarray (bands + 1,)
        Rows at which bands begin and end.
    patterns : list of Pattern
        What missing values go with, strongest first.
    """

    share: np.ndarray
    n_missing: int
    n_cells: int
    n_complete_rows: int
    columns: list[int]
    bands: np.ndarray
    edges: np.ndarray
    patterns: list[Pattern]


def missingness(encoded: Encoded) -> Missingness:
    """What is missing in a table, and whether that has a pattern."""
    M = np.column_stack([column.missing for column in encoded.used])  # (n, c) bool
    n, c = M.shape
    share = M.mean(axis=0)
    most = np.argsort(-share, kind="stable")[:MOST_COLUMNS]
    shown = sorted(int(j) for j in most if share[j] > 0)
    edges = np.linspace(0, n, min(BANDS, n) + 1).round().astype(int)
    bands = np.add.reduceat(M[:, shown], edges[:-1], axis=0) / np.diff(edges)[:, None]
    return Missingness(
        share=share,
        n_missing=int(M.sum()),
        n_cells=n * c,
        n_complete_rows=int(n - M.any(axis=1).sum()),
        columns=shown,
        bands=bands,
        edges=edges,
        patterns=_patterns(encoded, M),
    )


def _patterns(encoded: Encoded, M: np.ndarray) -> list[Pattern]:
    n = len(M)
    counts = M.sum(axis=0)
    some = np.flatnonzero((counts >= LEAST_MISSING) & (counts <= n - LEAST_MISSING))
    if len(some) == 0:
        return []
    H = M[:, some].astype(np.float64)
    owner = np.repeat(np.arange(M.shape[1]), [column.codec.width for column in encoded.used])
    with_values, p_values = observed_correlations(H, encoded.X)
    with_missing, p_missing = observed_correlations(H, H)
    limit = LEVEL / max(p_values.size + p_missing.size, 1)
    found = []
    for j, f in np.argwhere((p_values < limit) & (owner[None, :] != some[:, None])):
        names = encoded.used[some[j]].name, encoded.feature_names[f]
        found.append(Pattern(*names, False, float(with_values[j, f])))
    for j, i in np.argwhere(np.triu(p_missing < limit, 1)):
        names = encoded.used[some[j]].name, encoded.used[some[i]].name
        found.append(Pattern(*names, True, float(with_missing[j, i])))
    found = [pattern for pattern in found if abs(pattern.correlation) >= LEAST_CORRELATION]
    return sorted(found, key=lambda pattern: -abs(pattern.correlation))[:MOST_PATTERNS]


def observed_correlations(H: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Correlations (m, d) of indicators H (n, m) with X (n, d) where X is observed; p values."""
    n, sum_x, sum_xx, sum_h, sum_hx = _sums_where_observed(H, X)
    below = (n * sum_h - sum_h**2) * (n * sum_xx - sum_x**2)  # h^2 = h
    r = np.zeros_like(sum_h)
    np.divide(n * sum_hx - sum_h * sum_x, np.sqrt(np.maximum(below, 0)), out=r, where=below > 0)
    r = np.clip(r, -1.0, 1.0)
    freedom = np.maximum(n - 2, 1)
    with np.errstate(divide="ignore"):
        statistic = np.abs(r) * np.sqrt(freedom / (1 - r**2))
    return r, np.where(r == 0, 1.0, 2 * student.sf(statistic, freedom))


def _sums_where_observed(H: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, ...]:
    """n, sum x, sum x^2 (d,) and sum h, sum h x (m, d) over the rows where x is observed."""
    d = X.shape[1]
    sums, products = np.zeros((3, d)), np.zeros((H.shape[1], 2 * d))
    for start in range(0, len(X), BLOCK):  # of all rows at once the product is ten times slower
        block = X[start : start + BLOCK]
        observed = ~np.isnan(block)
        known = np.where(observed, block, 0.0)
        sums += observed.sum(axis=0), known.sum(axis=0), (known * known).sum(axis=0)
        products += H[start : start + BLOCK].T @ np.hstack([observed, known])
    return *sums, products[:, :d], products[:, d:]
