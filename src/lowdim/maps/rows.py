"""Rows in memory, whatever held them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.blocks import Blocks, is_dask


def in_memory(rows: Blocks) -> Any:
    """The rows as one array or csr_array, of their dtype."""
    X = rows.in_memory
    if X is None:
        X = rows.map(_as_they_are)
        X = X.compute() if is_dask(X) else X
    return X


def _as_they_are(X: Any) -> Any:
    return X if not isinstance(X, np.ndarray) else np.ascontiguousarray(X)
