"""Kinds of values: sparse matrices.

SciPy's compiled functions follow indices without looking: a wrong one reads or writes foreign
memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.persistence.archive import check_shape, require
from lowdim.core.persistence.plain import native
from lowdim.core.persistence.values import NOT_PLAIN, UPGRADE, kind

COMPRESSED = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix]
COORDINATE = [sp.coo_array, sp.coo_matrix]


def _compressed_arrays(matrix: Any) -> dict[str, Any]:
    n = int(matrix.indptr[-1])  # its arrays may be longer than what they hold
    index = np.result_type(matrix.indices, matrix.indptr)  # and of two dtypes
    return {
        **_class_and_shape(matrix),
        "data": matrix.data[:n],
        "indices": matrix.indices[:n].astype(index, copy=False),
        "indptr": matrix.indptr.astype(index, copy=False),
    }


@kind("compressed", *COMPRESSED, pack=_compressed_arrays)
def _compressed(
    name: str, shape: list, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> Any:
    cls = _sparse_class(name, shape, COMPRESSED)
    data, indices, indptr = map(native, (data, indices, indptr))
    rows, columns = shape if name.startswith("csr") else reversed(shape)
    _check_indices(indices, columns, data, shape)
    require(
        indptr.shape == (rows + 1,)
        and indptr.dtype == indices.dtype
        and indptr[0] == 0
        and indptr[-1] == len(data)
        and np.all(indptr[1:] >= indptr[:-1]),
        f"its indptr does not rise from 0 to {len(data)} in {rows} steps",
    )
    matrix = cls((data, indices, indptr), shape=shape)
    matrix.indices, matrix.indptr = indices, indptr  # the constructor may change their dtype
    return matrix


@kind(
    "coordinate",
    *COORDINATE,
    pack=lambda coo: {**_class_and_shape(coo), "data": coo.data, "row": coo.row, "col": coo.col},
)
def _coordinate(name: str, shape: list, data: np.ndarray, row: np.ndarray, col: np.ndarray) -> Any:
    cls = _sparse_class(name, shape, COORDINATE)
    data, row, col = map(native, (data, row, col))
    _check_indices(row, shape[0], data, shape)
    _check_indices(col, shape[1], data, shape)
    matrix = cls((data, (row, col)), shape=shape)
    matrix.coords = row, col  # the constructor may change their dtype
    return matrix


def _class_and_shape(matrix: Any) -> dict[str, Any]:
    require(matrix.ndim == 2, f"it has {matrix.ndim} dimensions, not 2", NOT_PLAIN)
    return {"name": type(matrix).__name__, "shape": list(map(int, matrix.shape))}


def _sparse_class(name: str, shape: list, classes: list) -> Any:
    found = [cls for cls in classes if cls.__name__ == name]
    require(found, "unknown class of sparse matrices", UPGRADE)
    check_shape(shape, itemsize=0)
    require(len(shape) == 2, f"it has {len(shape)} dimensions, not 2")
    return found[0]


def _check_indices(indices: np.ndarray, limit: int, data: np.ndarray, shape: list) -> None:
    require(data.ndim == 1 and data.dtype.kind in "biufc", "its data are not a list of numbers")
    require(indices.shape == data.shape, "it does not have one index for each number")
    require(
        indices.dtype in (np.int32, np.int64)
        and max(len(data), *shape) <= np.iinfo(indices.dtype).max,
        f"its indices are {indices.dtype}, which does not fit",
    )
    inside = len(indices) == 0 or (indices.min() >= 0 and indices.max() < limit)
    require(inside, "an index is outside its shape")
