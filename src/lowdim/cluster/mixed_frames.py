"""Data frames with text and numbers: numbers for labels, and labels for numbers.

A column of text, booleans or categories becomes the numbers of its labels, which are sorted; which
family describes which column follows from its type, or from what the user says.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from lowdim.cluster.families import FAMILIES
from lowdim.core.validation import check_at_least


def as_frame(X: Any) -> Any:
    """X as a narwhals data frame in memory, or None if it is none."""
    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def families_of(
    columns: dict | None, d: int, names: Any, labels: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """By family the numbers of its columns: as `columns` says, the others by their type."""
    family_of = ["categorical" if str(f) in labels else "gaussian" for f in range(d)]
    told: dict[int, str] = {}
    for family, listed in (columns or {}).items():
        if family not in FAMILIES:
            raise ValueError(
                f"columns has the family {family!r}; choose from {', '.join(map(repr, FAMILIES))}."
            )
        for column in [listed] if isinstance(listed, str | int) else listed:
            f = _column_number(column, d, names)
            if f in told:
                raise ValueError(
                    f"columns has column {column!r} twice, as {told[f]!r} and as {family!r}."
                )
            if str(f) in labels and family != "categorical":
                raise ValueError(
                    f"columns says that column {column!r} is {family!r}, but it holds text or "
                    "booleans. Convert it to numbers first, or let it be 'categorical'."
                )
            told[f] = family_of[f] = family
    return {
        name: np.flatnonzero([of == name for of in family_of])
        for name in FAMILIES
        if name in family_of
    }


def _column_number(column: Any, d: int, names: Any) -> int:
    if isinstance(column, str):
        known = [] if names is None else list(names)
        if column not in known:
            listed = ", ".join(known[:5]) if known else "X has no names; give numbers"
            raise ValueError(f"columns has {column!r}, which is no column of X ({listed}).")
        return known.index(column)
    f = check_at_least("a number in columns", column, 0)
    if f >= d:
        raise ValueError(f"columns has the number {f}, but X has {d} columns, from 0 to {d - 1}.")
    return f


def labels_of(frame: Any) -> dict[str, np.ndarray]:
    """The categories of each column that does not hold numbers, by the column's number."""
    return {
        str(f): _labels_of(column)
        for f, column in enumerate(frame.iter_columns())
        if _is_category(column)
    }


def _is_category(column: Any) -> bool:
    """Text, categories that are not numbers, booleans."""
    if column.dtype in (nw.String, nw.Boolean):
        return True
    if column.dtype in (nw.Categorical, nw.Enum, nw.Object):
        return not all(
            isinstance(value, int | float | np.number) and not isinstance(value, bool)
            for value in set(_known_values(column))
        )
    return False


def _known_values(column: Any) -> list:
    return column.drop_nulls().to_list()


def _labels_of(column: Any) -> np.ndarray:
    """The different values, sorted: booleans as such, all else as text."""
    values = set(_known_values(column))
    if values and all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(sorted(values), dtype=bool)
    return np.array(sorted(map(str, values)), dtype=object)


def encoded_frame(frame: Any, labels: dict[str, np.ndarray]) -> Any:
    """The frame with numbers for labels: NaN for a null or an unknown one."""
    new = []
    for f, column in enumerate(frame.iter_columns()):
        if str(f) in labels:
            known = labels[str(f)]
            numbers = {str(label): float(number) for number, label in enumerate(known)}
            values = [numbers.get(str(value), np.nan) for value in column.to_list()]
            nulls = column.is_null().to_numpy()
            new.append((column.name, np.where(nulls, np.nan, values)))
        elif column.dtype in (nw.Categorical, nw.Enum) and not _is_category(column):
            new.append((column.name, np.array(column.to_list(), dtype=np.float64)))
    return _with_columns(frame, new)


def check_labelled(frame: Any, labels: dict[str, np.ndarray]) -> None:
    """Raise if a column that held text or booleans in `fit` holds numbers now."""
    for f, column in enumerate(frame.iter_columns()):
        if str(f) in labels and column.dtype.is_numeric():
            raise ValueError(
                f"Column {column.name!r} holds numbers, but in fit it held text or booleans (such "
                f"as {labels[str(f)][0]!r}). Give it as it was in fit."
            )


def filled_frame(frame: Any, filled: np.ndarray, labels: dict[str, np.ndarray]) -> Any:
    """The frame with the filled values in columns that had holes."""
    numbers = encoded_frame(frame, labels)
    new = []
    for f, column in enumerate(numbers.iter_columns()):
        if column.is_null().any() or column.is_nan().any():
            known = labels.get(str(f))
            values = filled[:, f] if known is None else known[filled[:, f].astype(np.int64)]
            new.append((column.name, values))
    whole = _with_columns(frame, new)
    for name, dtype in frame.schema.items():
        if dtype in (nw.Categorical, nw.Enum) and whole[name].dtype != dtype:
            whole = whole.with_columns(whole[name].cast(dtype))
    return whole.to_native()


def _with_columns(frame: Any, columns: list[tuple[str, np.ndarray]]) -> Any:
    return frame.with_columns(
        nw.new_series(name, values.tolist(), backend=frame.implementation)
        for name, values in columns
    )
