"""Columns of numbers as levels, and the density of a number from the probabilities of levels.

    whole numbers with few values      each value is a level
    other numbers                      bins at quantiles:  uniform inside, exponential tails outside

        p(x) = P(level of x) * 1 / width                       inside
             = P(level of x) * exp(-|x - edge| / s) / s        beyond the first or the last edge

which adds up to 1 over all numbers and is nowhere 0. A missing value is a level of its own, after
all others, which a network sees but never says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks

SAMPLE = 2**16  # rows from which quantiles are taken
WIDEST = 1024  # whole numbers further apart than this are put into bins
SMALLEST_TAIL = 1e-3  # scale of a tail, of the distance of the outer edges
ROWS_PER_BIN = 4  # at least, on average


class Levels(NamedTuple):
    """The levels of d columns; L is the largest number of levels of a column."""

    n_levels: np.ndarray  # (d,)
    whole: np.ndarray  # (d,)  whether levels are values, not bins
    values: np.ndarray  # (d, L)  values, or means of bins; 0 beyond a column's levels
    edges: np.ndarray  # (d, L - 1)  between levels; 0 beyond
    tails: np.ndarray  # (d, 2)  scales of both tails; 0 where levels are values

    @property
    def missing(self) -> int:
        """The number of the level that stands for a missing value."""
        return self.values.shape[1]


def learned_levels(
    rows: Blocks, most: int, seed: int, *, most_whole: int, shared: bool = False
) -> Levels:
    """Levels of the columns of rows, at most `most` bins or `most_whole` values each.

    `shared`: if all columns are whole numbers with few values together, they have the same levels,
    the values of all.
    """
    n = rows.shape[0]
    sample = np.asarray(rows.sample(min(n, SAMPLE), np.random.default_rng([seed, n])), dtype=float)
    seen = whole_values(rows, sample, shared)
    if shared and seen and all(len(values) for values in seen):
        together = np.unique(np.concatenate(seen))
        fits = len(together) <= most_whole
        seen = [together] * len(seen) if fits else whole_values(rows, sample)
    columns = [
        _values(values) if 0 < len(values) <= most_whole else _bins(x[~np.isnan(x)], most)
        for values, x in zip(seen, sample.T, strict=True)
    ]
    L = max(len(column.values) for column in columns)
    return Levels(
        np.array([len(column.values) for column in columns]),
        np.array([column.tails is None for column in columns]),
        np.array([_padded(column.values, L) for column in columns]),
        np.array([_padded(column.edges, L - 1) for column in columns]),
        np.array([column.tails or (0.0, 0.0) for column in columns]),
    )


class _Column(NamedTuple):
    values: np.ndarray
    edges: np.ndarray
    tails: tuple[float, float] | None


def _values(values: np.ndarray) -> _Column:
    return _Column(values, (values[1:] + values[:-1]) / 2, None)


def _bins(x: np.ndarray, most: int) -> _Column:
    """Bins of as many values each, as far as ties allow it.

    Edges lie midway between neighbouring values: a number that many rows have, or a whole one, is
    within its bin, not at the end of it.
    """
    count = min(most, max(2, len(x) // ROWS_PER_BIN))
    known = np.unique(x)
    if len(known) == 1:
        return _values(known)
    places = np.searchsorted(known, np.quantile(x, np.arange(1, count) / count))
    edges = np.unique((known[:-1] / 2 + known[1:] / 2)[np.maximum(places, 1) - 1])
    low, high = edges[0] - x[x < edges[0]], x[x > edges[-1]] - edges[-1]
    span = edges[-1] - edges[0] if len(edges) > 1 else x.max() - x.min()
    tails = tuple(
        max(float(t.mean()) if len(t) else 0.0, SMALLEST_TAIL * span) for t in (low, high)
    )
    inside = edges[:-1] + np.diff(edges) / 2
    means = np.concatenate([[edges[0] - tails[0]], inside, [edges[-1] + tails[1]]])
    return _Column(means, edges, (tails[0], tails[1]))


def _padded(x: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([x, np.zeros(size - len(x))])


# ---- which whole numbers a column holds ----------------------------------------------------------


def whole_values(rows: Blocks, sample: np.ndarray, shared: bool = False) -> list[np.ndarray]:
    """All values of each column, rising, if they are whole numbers near each other; else none."""
    d = rows.n_columns
    observed = ~np.isnan(sample)
    least = np.where(observed, sample, np.inf).min(axis=0)
    largest = np.where(observed, sample, -np.inf).max(axis=0)
    near = (largest - least < WIDEST) & np.isfinite(least) & (np.abs(least) < 2**52)
    near &= (~observed | (np.floor(sample) == sample)).all(axis=0)
    if not near.any():
        return [np.empty(0)] * d
    shared = shared and bool(near.all())
    first = np.floor(np.where(near, least, 0.0)) - WIDEST  # a sample may miss the least one
    if shared:
        first = np.full(d, first.min())
    columns = np.flatnonzero(near)
    counts, others = rows.fold(_count_whole, columns, first[columns], shared)
    found = [np.empty(0)] * d
    for i, column in enumerate(columns):
        if others[i] == 0:
            places = np.flatnonzero(counts[0 if shared else i])
            found[column] = first[column] + places
    spans = [values[-1] - values[0] < WIDEST if len(values) else True for values in found]
    return [values if fits else np.empty(0) for values, fits in zip(found, spans, strict=True)]


def _count_whole(
    X: np.ndarray, columns: np.ndarray, first: np.ndarray, shared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """How often each whole number from `first` on is there; how often others are, by column."""
    X = np.asarray(X[:, columns], dtype=float) - first
    known = ~np.isnan(X)
    fits = known & (X >= 0) & (X < 3 * WIDEST) & (np.floor(X) == X)
    place = np.where(fits, X, 0).astype(np.int64)
    if shared:
        counts = np.bincount(place[fits], minlength=3 * WIDEST)[None, :]
    else:
        place += np.arange(len(columns)) * (3 * WIDEST)
        counts = np.bincount(place[fits], minlength=3 * WIDEST * len(columns))
        counts = counts.reshape(len(columns), 3 * WIDEST)
    return counts.astype(float), (known & ~fits).sum(axis=0).astype(float)


# ---- numbers to levels, and back -----------------------------------------------------------------


def codes_of(X: np.ndarray, levels: Levels) -> np.ndarray:
    """The level of each number of a block of rows, (n, d) int64; of NaN the missing level."""
    X = np.asarray(X)
    same = (levels.n_levels == levels.n_levels[0]).all() and (levels.edges == levels.edges[0]).all()
    if same:
        codes = np.searchsorted(levels.edges[0], X.ravel(), side="right").reshape(X.shape)
    else:
        codes = np.empty(X.shape, dtype=np.int64)
        for f, edges in enumerate(levels.edges):
            codes[:, f] = np.searchsorted(edges[: levels.n_levels[f] - 1], X[:, f], side="right")
    if X.dtype.kind == "f":
        codes[np.isnan(X)] = levels.missing
    return codes


def check_known(X: np.ndarray, levels: Levels) -> None:
    """Raise if a column whose levels are values holds another one."""
    if not levels.whole.any():
        return
    X = np.asarray(X)
    codes = np.minimum(codes_of(X, levels), levels.missing - 1)
    means = np.take_along_axis(levels.values[None], codes[:, :, None], axis=2)[:, :, 0]
    other = levels.whole & (means != X) & (X == X)
    if other.any():
        row, column = np.argwhere(other)[0]
        known = levels.values[column, : levels.n_levels[column]]
        few = ", ".join(f"{value:g}" for value in known[:6]) + (", ..." if len(known) > 6 else "")
        raise ValueError(
            f"Column {column} holds {X[row, column]:g}, which is none of the {len(known)} values "
            f"it had when the model was fitted ({few}). Fit with rows that hold it too."
        )


def log_widths(X: np.ndarray, codes: np.ndarray, levels: Levels) -> np.ndarray:
    """log of the density of a number within its level, (n, d); 0 where levels are values."""
    density = np.zeros(X.shape)
    for f in np.flatnonzero(~levels.whole):
        edges = levels.edges[f, : levels.n_levels[f] - 1]
        x, code = np.asarray(X[:, f], dtype=float), codes[:, f]
        inside = (code > 0) & (code < len(edges))
        width = (
            np.diff(edges)[np.clip(code - 1, 0, max(len(edges) - 2, 0))] if len(edges) > 1 else 1.0
        )
        low, high = levels.tails[f]
        below = -(edges[0] - x) / low - np.log(low)
        above = -(x - edges[-1]) / high - np.log(high)
        density[:, f] = np.where(inside, -np.log(width), np.where(code == 0, below, above))
    density[codes == levels.missing] = 0.0
    return density


def drawn_values(codes: np.ndarray, levels: Levels, uniform: np.ndarray) -> np.ndarray:
    """Numbers of given levels, by uniform numbers in [0, 1): (..., d)."""
    found = np.empty(codes.shape)
    for f in range(codes.shape[-1]):
        code, u = codes[..., f], uniform[..., f]
        if levels.whole[f]:
            found[..., f] = levels.values[f, code]
            continue
        edges, (low, high) = levels.edges[f, : levels.n_levels[f] - 1], levels.tails[f]
        left = edges[np.clip(code - 1, 0, len(edges) - 1)]
        right = edges[np.clip(code, 0, len(edges) - 1)]
        inside = left + u * (right - left)
        below, above = edges[0] + low * np.log1p(-u), edges[-1] - high * np.log1p(-u)
        found[..., f] = np.where(code == 0, below, np.where(code == len(edges), above, inside))
    return found


def level_stds(levels: Levels) -> np.ndarray:
    """Standard deviation of a number within each level, (d, L)."""
    found = np.zeros(levels.values.shape)
    for f in np.flatnonzero(~levels.whole):
        k = levels.n_levels[f]
        widths = np.diff(levels.edges[f, : k - 1]) / np.sqrt(12.0)
        found[f, :k] = np.concatenate([levels.tails[f, :1], widths, levels.tails[f, 1:]])
    return found


def forbidden(levels: Levels) -> np.ndarray:
    """What is added to scores of levels, (d, L): 0, or for levels that a column lacks, -1e9."""
    beyond: Any = np.arange(levels.missing) >= levels.n_levels[:, None]
    return np.where(beyond, -1e9, 0.0)
