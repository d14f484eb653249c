"""The observed entries of a block of rows as a sparse matrix.

an array with NaN    what is not NaN is observed
a sparse matrix      what is stored is observed, explicit zeros included
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def observed(block: Any) -> Any:
    """The observed entries of a block as a csr_array: sorted columns, no entry twice."""
    if sp.issparse(block):
        X = block if isinstance(block, sp.csr_array) else sp.csr_array(block)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return with_short_indices(X)
    known = ~np.isnan(block)
    counts = np.count_nonzero(known, axis=1)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(index_type(counts.sum()))
    columns = np.broadcast_to(np.arange(block.shape[1], dtype=indptr.dtype), block.shape)
    X = sp.csr_array((block[known], columns[known], indptr), shape=block.shape)
    X.has_canonical_format = True
    return X


def positive_entries(X: Any) -> Any:
    """The entries above 0, in float64, with short indices."""
    X = sp.csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return with_short_indices(X)


def with_short_indices(X: Any) -> Any:
    """X with int32 indices wherever they suffice: kernels are compiled for these first."""
    if X.indptr.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    short = sp.csr_array(parts, shape=X.shape, copy=False)
    short.has_canonical_format = True
    return short


def index_type(n_entries: int) -> Any:
    """The type of indices of so many entries."""
    return np.int32 if n_entries < 2**31 else np.int64
