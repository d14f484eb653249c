"""Which rows a step looks at, where its cost grows faster than their number."""

from __future__ import annotations

import numpy as np

RANK_ROWS, RANK_VALUES = 2_000, 100_000  # for the rank: so many rows, fewer of wide tables
LEAST_RANK_ROWS = 300
FIT_ROWS = 50_000  # for a factor model of a table with missing values, and for clusters
FILL_ROWS = 10_000  # for the model that fills missing values
STABILITY_ROWS = 2_000  # of each resample


def sample_rows(n: int, size: int, seed: int) -> np.ndarray:
    """`size` distinct rows of n in their order, or all if there are no more."""
    if n <= size:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def rank_rows(n_columns: int) -> int:
    """How many rows the rank is chosen on."""
    return max(LEAST_RANK_ROWS, min(RANK_ROWS, RANK_VALUES // n_columns))
