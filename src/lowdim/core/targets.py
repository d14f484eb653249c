"""What is to be predicted: y, with a number or several for each row of X."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.numeric import numeric_array


def check_targets(estimator: Any, y: Any, rows: Blocks) -> np.ndarray:
    """y as a float64 array of shape (n,) or (n, q), one entry or row for each row of X.

    A Dask array is brought into memory: it has few columns.
    """
    name = type(estimator).__name__
    if y is None:
        raise ValueError(
            f"{name} requires y to be passed, but the target y is None. Give an array with a "
            "number for each row of X."
        )
    if sp.issparse(y):
        raise TypeError(
            f"y is a sparse matrix of shape {y.shape}; {name} needs a dense one: y.toarray()."
        )
    targets = numeric_array(y.compute() if is_dask(y) else y, "y", name)
    targets = targets.astype(np.float64, copy=False)
    n = rows.all_rows.shape[0]
    if targets.ndim not in (1, 2) or targets.shape[1:] == (0,):
        raise ValueError(
            f"y has shape {targets.shape}; {name} needs ({n},), or ({n}, q) for q outputs."
        )
    if len(targets) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n} rows, y has "
            f"{len(targets)}. Give {name} a y for each row."
        )
    _refuse_nonfinite(targets, name)
    return np.ascontiguousarray(targets)


def _refuse_nonfinite(y: np.ndarray, name: str) -> None:
    bad = ~np.isfinite(y).reshape(len(y), -1).all(axis=1)
    if bad.any():
        kind = "NaN" if np.isnan(y[bad]).any() else "infinity"
        raise ValueError(
            f"y contains {kind} in {np.count_nonzero(bad)} of {len(y)} rows (first: row "
            f"{int(np.argmax(bad))}); {name} needs a number for each. Leave these rows out: "
            "keep = numpy.isfinite(y); fit(X[keep], y[keep])."
        )
