"""A map fitted to some rows of a table, and the places of all of them.

The cost of fitting a map grows faster than the rows, that of placing further rows does not: a map
of a large table is fitted to a sample, and the other rows are placed among it by `transform`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.opening import as_blocks
from lowdim.core.progress import watch
from lowdim.selection.auto import sample_rows

ROWS_AT_A_TIME = 20_000


def rows_with_values(X: Any) -> np.ndarray:
    """The rows that have at least one value; others have no place in a map."""
    if sp.issparse(X):
        return np.arange(X.shape[0])
    return np.flatnonzero(~np.isnan(X).all(axis=1))


def fit_and_place(
    fit: Any, X: Any, most: int | None, seed: int, names: Sequence[str] | None = None
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Fit a map to at most so many rows, and place all.

    Parameters
    ----------
    fit : callable
        Fits a map to a matrix, and gives it.
    X : matrix (n, d)
        NaN where a value is missing; rows without any value get no place.
    most : int or None
        Rows that it is fitted to, drawn at random; None: all.
    seed : int
    names : sequence of str or None
        Of the columns, where the model knows them by names.

    Returns
    -------
    model, Y, fitted
        The fitted map; (n, 2) places, NaN for rows without a place; the rows that it was fitted to.
    """
    usable = rows_with_values(X)
    fitted = usable if most is None else usable[sample_rows(len(usable), most, seed)]
    model = fit(X[fitted])
    own = getattr(model, "embedding_", None)
    Y = np.full((X.shape[0], 2), np.nan, dtype=(X if own is None else own).dtype)
    if own is not None:
        Y[fitted] = own
    rest = usable if own is None else np.setdiff1d(usable, fitted, assume_unique=True)
    with watch("placing rows", total=len(rest)) as bar:
        for start in range(0, len(rest), ROWS_AT_A_TIME):
            part = rest[start : start + ROWS_AT_A_TIME]
            rows = as_blocks(X[part])
            rows.feature_names = None if names is None else list(names)
            Y[part] = model.transform(rows)
            bar.update(start + len(part))
    return model, Y, fitted
