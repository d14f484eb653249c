"""The door of `linalg`: matrices, operators and numbers as its functions need them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.blocks import as_floats
from lowdim.core.sparse import checked_sparse


def as_matrix(name: str, A: Any) -> Any:
    """A as a finite float matrix: a 2-D ndarray, or a csr/csc array if it is sparse."""
    A = _as_sparse(checked_sparse(A, name)) if sp.issparse(A) else np.asarray(A)
    if A.ndim != 2:
        raise ValueError(
            f"{name} has {A.ndim} dimensions, a matrix with 2 is needed; "
            f"for a single row give {name}[None, :]."
        )
    return _finite_floats(name, A)


def as_operand(name: str, A: Any) -> Any:
    """A as `as_matrix` gives it, or a real LinearOperator as it is."""
    if not isinstance(A, LinearOperator):
        return as_matrix(name, A)
    if A.dtype is not None and np.issubdtype(A.dtype, np.complexfloating):
        raise ValueError(f"{name} is a complex operator; a real one is needed.")
    _check_not_empty(name, A.shape)
    return A


def as_dense(name: str, A: Any) -> np.ndarray:
    """A as a finite 2-D float array; sparse matrices and operators are refused."""
    if sp.issparse(A) or isinstance(A, LinearOperator):
        kind = "sparse" if sp.issparse(A) else "a LinearOperator"
        raise TypeError(
            f"{name} is {kind}; all of its singular values need a dense array. "
            f"Ask for the largest k with svd({name}, k), or pass a dense copy if it fits in memory."
        )
    return as_matrix(name, A)


def as_vector(name: str, x: Any, size: int | None = None) -> np.ndarray:
    """x as a finite 1-D float array, of the given size."""
    x = np.asarray(x)
    if x.ndim != 1 or (size is not None and len(x) != size):
        wanted = "one dimension" if size is None else f"shape ({size},)"
        raise ValueError(f"{name} has shape {x.shape}; {wanted} is needed.")
    return _finite_floats(name, x)


def as_square(name: str, A: Any, size: int | None = None) -> np.ndarray:
    """A as a finite square float array, of the given size."""
    A = as_matrix(name, A)
    size = A.shape[0] if size is None else size
    if A.shape != (size, size):
        raise ValueError(f"{name} has shape {A.shape}; ({size}, {size}) is needed.")
    return A


def as_covariance(name: str, A: Any, size: int | None = None) -> np.ndarray:
    """A as a finite symmetric float array, of the given size."""
    A = as_square(name, A, size)
    if not np.allclose(A, A.T, rtol=1e-6, atol=1e-6 * np.abs(A).max(initial=0.0)):
        raise ValueError(
            f"{name} is not symmetric, as a covariance is; pass ({name} + its .T) / 2."
        )
    return A


def power_of_two(largest: float) -> float:
    """The power of two just below `largest`: dividing by it changes no digit. 1 for zero."""
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _as_sparse(A: Any) -> Any:
    """A as csr or csc array: the formats that multiply a block of vectors fast."""
    return sp.csc_array(A) if A.format == "csc" else sp.csr_array(A)


def _finite_floats(name: str, A: Any) -> Any:
    if A.dtype.kind not in "biufO" or (A.dtype.kind == "f" and A.dtype.itemsize > 8):
        raise ValueError(f"{name} holds values of dtype {A.dtype}; real numbers are needed.")
    try:
        A = as_floats(A)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds objects that are not numbers ({error}).") from error
    _check_not_empty(name, A.shape)
    values = A.data if sp.issparse(A) else A
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()  # finite unless a value is not, or the sum overflows: then look closer
    if not np.isfinite(total) and not np.isfinite(values).all():
        kind = "NaN" if np.isnan(values).any() else "infinity"
        raise ValueError(f"{name} holds {kind}; finite values are needed. Fill or remove them.")
    return A


def _check_not_empty(name: str, shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise ValueError(f"{name} is empty (shape {shape}); at least one entry is needed.")
