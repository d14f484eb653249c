"""What columns may hold, for models of rows: measurements, shares, counts or categories.

gaussian      N(x; m, s^2)          a mean; the noise is learned beside
bernoulli     p^x (1-p)^(1-x)       log-odds; x may lie between 0 and 1
poisson       r^x e^-r / x!         a log rate
categorical   p_x                   a number for each level 0, 1, ...
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import scipy.stats

from lowdim.core.blocks import Blocks
from lowdim.core.validation import check_choice

KINDS = ("gaussian", "bernoulli", "poisson", "categorical")
MOST_LEVELS = 10_000


class Layout(NamedTuple):
    """Where a decoder's numbers for each column are.

    First one for each column that is not categorical, in their order; then, level by level, one for
    each categorical column.
    """

    kinds: tuple[str, ...]  # of the columns
    levels: tuple[int, ...]  # of each column; 0 if it is not categorical

    def of(self, kind: str) -> np.ndarray:
        """The columns of a kind."""
        return np.flatnonzero(np.array(self.kinds) == kind)

    @property
    def plain(self) -> np.ndarray:
        """The columns with one number each."""
        return np.flatnonzero(np.array(self.kinds) != "categorical")

    def among_plain(self, kind: str) -> np.ndarray:
        """Places of the columns of a kind among those with one number."""
        return np.flatnonzero(np.array(self.kinds)[self.plain] == kind)

    @property
    def n_levels(self) -> int:
        return max(self.levels, default=0)

    @property
    def n_out(self) -> int:
        """Numbers of a decoder for a row."""
        return len(self.plain) + self.n_levels * len(self.of("categorical"))


def kinds_of(likelihood: Any, d: int, names: Any) -> tuple[str, ...]:
    """The kind of each column: one for all, one for each, or by name or number of the column."""
    if isinstance(likelihood, str):
        return (check_choice("likelihood", likelihood, KINDS),) * d
    if isinstance(likelihood, Mapping):
        kinds = ["gaussian"] * d
        for column, kind in likelihood.items():
            kinds[_place(column, d, names)] = check_choice("likelihood", kind, KINDS)
        return tuple(kinds)
    kinds = list(likelihood)
    if len(kinds) != d:
        raise ValueError(
            f"likelihood has {len(kinds)} entries, X has {d} columns; give one for each column, or "
            "a dict with those that are not 'gaussian'."
        )
    return tuple(check_choice("likelihood", kind, KINDS) for kind in kinds)


def _place(column: Any, d: int, names: Any) -> int:
    if names is not None and column in list(names):
        return list(names).index(column)
    if isinstance(column, int | np.integer) and 0 <= column < d:
        return int(column)
    raise ValueError(
        f"likelihood has the column {column!r}, which X has not; use its "
        f"{'name, or its ' if names is not None else ''}number from 0 to {d - 1}."
    )


def levels_of(rows: Blocks, kinds: tuple[str, ...]) -> tuple[int, ...]:
    """How many levels each categorical column has, one more than its largest number; else 0."""
    if "categorical" not in kinds:
        return (0,) * len(kinds)
    categorical = np.flatnonzero(np.array(kinds) == "categorical")
    levels = np.zeros(len(kinds), dtype=int)
    for column, times in zip(categorical, rows.fold(_times_seen, categorical), strict=True):
        levels[column] = 1 + np.flatnonzero(times).max(initial=-1)
    return tuple(map(int, levels))


def _times_seen(X: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """How often each level is in these columns of a block, (columns, MOST_LEVELS)."""
    observed = (X[~np.isnan(X[:, f]), f].astype(int) for f in columns)
    return np.array([np.bincount(x, minlength=MOST_LEVELS) for x in observed], dtype=float)


def check_values(X: np.ndarray, kinds: tuple[str, ...], levels: tuple[int, ...] | None) -> None:
    """Raise if a column holds what its kind does not allow; levels None: any number of them."""
    kind = np.array(kinds)
    if (kind == "gaussian").all():
        return
    if (
        (kind == "bernoulli").all()
        and np.fmin.reduce(X, None) >= 0
        and np.fmax.reduce(X, None) <= 1
    ):
        return
    known = ~np.isnan(X)
    whole = known & ((X < 0) | (X != np.floor(X)))
    _refuse(X, known & (kind == "bernoulli") & ((X < 0) | (X > 1)), "bernoulli", "from 0 to 1")
    _refuse(X, (kind == "poisson") & whole, "poisson", "that are counts: whole numbers from 0 up")
    categorical = kind == "categorical"
    most = np.full(len(kinds), MOST_LEVELS) if levels is None else np.array(levels)
    _refuse(X, categorical & whole, "categorical", "that are levels: whole numbers from 0 up")
    top = int(most[categorical].min()) if levels is not None and categorical.any() else MOST_LEVELS
    beyond = categorical & known & (X >= most)
    _refuse(X, beyond, "categorical", f"that are levels seen in fit (fewer than {top} in a column)")


def _refuse(X: np.ndarray, bad: np.ndarray, kind: str, accepted: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"likelihood='{kind}' is for values {accepted}; X has {X[row, column]:g} in column "
            f"{column}. Choose another likelihood for it, or change its values."
        )


# ---- values from parameters ----------------------------------------------------------------------


class Parameters(NamedTuple):
    """What a decoder says of rows."""

    mean: np.ndarray  # (n, plain)  in the units of the network
    variance: np.ndarray  # (n, plain)
    probability: np.ndarray  # (n, levels, categorical)


def expected(layout: Layout, given: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of each column; of a categorical one the likeliest level."""
    n = len(given.mean)
    mean = np.empty((n, len(layout.kinds)), given.mean.dtype)
    variance = np.empty_like(mean)
    mean[:, layout.plain], variance[:, layout.plain] = given.mean, given.variance
    columns = layout.of("categorical")
    if len(columns):
        mean[:, columns] = given.probability.argmax(axis=1)
        likeliest = given.probability.max(axis=1)
        variance[:, columns] = np.maximum(likeliest * (1.0 - likeliest), 1e-12)
    return mean, variance


def drawn(layout: Layout, given: Parameters, uniform: np.ndarray) -> np.ndarray:
    """Values of all columns, each from a uniform number."""
    X = np.empty(uniform.shape)
    places = {kind: layout.among_plain(kind) for kind in KINDS[:3]}
    u, std = uniform[:, layout.plain], np.sqrt(given.variance)
    plain = np.empty(u.shape)
    at = places["gaussian"]
    plain[:, at] = given.mean[:, at] + std[:, at] * scipy.special.ndtri(u[:, at])
    at = places["bernoulli"]
    plain[:, at] = u[:, at] < given.mean[:, at]
    at = places["poisson"]
    plain[:, at] = scipy.stats.poisson.ppf(u[:, at], given.mean[:, at])
    X[:, layout.plain] = plain
    columns = layout.of("categorical")
    if len(columns):
        below = np.cumsum(given.probability, axis=1)
        below /= below[:, -1:]
        X[:, columns] = (uniform[:, None, columns] >= below).sum(axis=1)
    return X
