"""Arguments of figures, checked before a figure is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.plots.style import shortened


def check_vector(name: str, values: Any, length: int | None = None) -> Any:
    """A float vector; None, where a length is asked for, stays None."""
    if values is None and length is not None:
        return None
    vector = _floats(name, values)
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(f"{name} has shape {vector.shape}; give a list of numbers.")
    if length is not None and len(vector) != length:
        raise ValueError(f"{name} has {len(vector)} entries where {length} are needed.")
    return vector


def _floats(name: str, values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} does not hold numbers ({error}).") from error


def check_matrix(name: str, values: Any) -> np.ndarray:
    matrix = _floats(name, values)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{name} has shape {matrix.shape}; give a matrix.")
    if not np.isfinite(matrix).all():
        row = int(np.argmin(np.isfinite(matrix).all(axis=1)))
        raise ValueError(f"{name} has NaN or infinity (first in row {row}), which has no place.")
    return matrix


def check_points(name: str, values: Any, axes: tuple[int, int]) -> np.ndarray:
    """Two columns of a matrix, (n, 2)."""
    matrix = check_matrix(name, values)
    k = matrix.shape[1]
    if not all(0 <= j < k for j in axes):
        raise ValueError(f"axes={axes} must be two of the {k} columns of {name}, 0 to {k - 1}.")
    return matrix[:, list(axes)]


def check_arrows(
    name: str, values: Any, names: Sequence[Any] | None, axes: tuple[int, int]
) -> tuple[np.ndarray, list[str]]:
    tips = check_points(name, values, axes)
    return tips, check_names("names", names, len(tips), "x{}")


def check_names(
    name: str, names: Sequence[Any] | None, count: int, default: str, first: int = 0
) -> list[str]:
    if names is None:
        return [default.format(i + first) for i in range(count)]
    if len(names) != count:
        raise ValueError(f"{name} has {len(names)} entries where {count} are needed.")
    return [shortened(str(n)) for n in names]


class Groups(NamedTuple):
    names: list[str]
    member: np.ndarray  # (n,)  number of the group of each row


def check_groups(labels: Any, n: int) -> Groups | None:
    """Groups in sorted order; None stays None."""
    if labels is None:
        return None
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(f"labels has shape {labels.shape}; Z has {n} rows.")
    if labels.dtype == object:  # None or mixed types, which have no order
        labels = labels.astype(str)
    names, member = np.unique(labels, return_inverse=True)
    return Groups([str(name) for name in names], member)
