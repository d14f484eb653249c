"""The parts of a table: columns of one family, and what that family sees of them.

    real numbers    (x - origin) / unit, about 1 in size
    categories      the number of the category, from 0 up; NaN where it is missing or unknown
    counts, yes/no  as they are

Parameters that a family learns of what it sees go back into the units of the table at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.shapes import Anything, Either, Maybe, Text
from lowdim.linalg.observed import column_sizes, observed_columns
from lowdim.mixture.families import Categorical, Family, Gaussian, Params, observed_entries
from lowdim.tables.codecs import sorted_places

MOST_CATEGORIES = 10_000  # of one column; a column with more is a name, not a category


class Part(NamedTuple):
    """Columns of one family, and how they are looked at."""

    family: Family
    columns: np.ndarray | None = None  # their numbers; None: all
    origin: np.ndarray | None = None  # (d,)  families of reals see (x - origin) / unit
    unit: np.ndarray | None = None  # (d,)
    categories: tuple[np.ndarray, ...] | None = None  # values of each column, whose numbers it sees

    @property
    def place(self) -> Any:
        return slice(None) if self.columns is None else self.columns


def encoded(X: Any, part: Part) -> Any:
    """A block's columns of a part, as its family sees them."""
    V = X if part.columns is None else X[:, part.columns]
    if part.unit is not None:
        if sp.issparse(V):
            return V.astype(np.float64) @ sp.diags_array(1.0 / part.unit)
        return (V - part.origin) / part.unit
    if part.categories is not None:
        return _category_numbers(V, part.categories)
    return V.astype(np.float64, copy=False)


def decoded(V: np.ndarray, part: Part) -> np.ndarray:
    """Values that a family gives, in the units and categories of the table."""
    if part.unit is not None:
        return part.origin + V * part.unit
    if part.categories is not None:
        numbers = V.astype(np.int64)
        return np.column_stack([known[numbers[:, f]] for f, known in enumerate(part.categories)])
    return V


def _category_numbers(V: np.ndarray, categories: Sequence[np.ndarray]) -> np.ndarray:
    """Which category each entry is; NaN for one that is missing or unknown."""
    numbers = np.empty(V.shape)
    for f, known in enumerate(categories):
        place, is_known = sorted_places(V[:, f], known)
        numbers[:, f] = np.where(is_known, place, np.nan)
    return numbers


def check_values(X: Any, parts: tuple[Part, ...]) -> None:
    if sp.issparse(X) and np.isnan(X.data).any():
        raise ValueError("X is sparse and has NaN; give it as an array to treat them as missing.")
    for part in parts:
        V = X if part.columns is None else X[:, part.columns]
        if not part.family.accepts_nan and observed_entries(V) is not None:
            raise ValueError(
                f"X has NaN in a column of {type(part.family).__name__} components, which need "
                "complete rows. Drop these rows, or fill them first."
            )
        part.family.check(V)


def measured(part: Part, rows: Blocks, weight: np.ndarray | None) -> Part:
    """The part with the units or the categories that its columns have."""
    if part.family.real:
        mean, std = _mean_and_std(rows, weight)
        unit = column_sizes(std)
        return part._replace(origin=mean[part.place], unit=unit[part.place])
    if isinstance(part.family, Categorical):
        return as_fitted(part.family, part.columns, _seen_categories(rows, part.place, weight))
    return part


def as_fitted(family: Family, columns: Any, categories: Sequence[np.ndarray] | None) -> Part:
    """A part with known categories, if it has any."""
    if categories is None:
        return Part(family, columns)
    sizes = [len(known) for known in categories]
    return Part(Categorical(sizes), columns, categories=tuple(categories))


def published_shapes(
    family: Family, d: str | int, categories: Sequence[np.ndarray] | None
) -> dict[str, Any]:
    """What is declared for the published parameters of a family and d of its columns."""
    if isinstance(family, Categorical):
        return {"probabilities": [("k", f"categories {f}") for f in range(len(categories or ()))]}
    return {
        name: tuple(d if letter == "d" else letter for letter in shape)
        for name, shape in family.shapes.items()
    }


def seen_shapes(family: Family, d: str | int) -> Maybe:
    """What is declared for `as_seen` of a family and d of its columns."""
    params = [("k", d), ("k", d)] if isinstance(family, Gaussian) else Anything()
    return Maybe({"origin": (d,), "unit": (d,), "params": params})


def category_shapes(have_labels: Sequence[bool]) -> list[Any]:
    """What is declared for the categories of each column: numbers, or flags or text as labels."""
    shapes = [(f"categories {f}",) for f in range(len(have_labels))]
    return [
        Either((shape, Text(shape))) if labels else shape
        for shape, labels in zip(shapes, have_labels, strict=True)
    ]


def _mean_and_std(rows: Blocks, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Of each column; sparse rows are measured from 0, where most of their entries are."""
    columns = observed_columns(rows, weight)
    return np.zeros(rows.n_columns) if rows.is_sparse else columns.mean, columns.std


def _seen_categories(rows: Blocks, place: Any, weight: np.ndarray | None) -> list[np.ndarray]:
    """The different values of each column, sorted; a pass over the rows."""
    seen: list[np.ndarray] = []
    for X, w in rows.batches(2**16, along=(weight,)):
        V = (X if w is None else X[w > 0])[:, place].astype(np.float64)
        new = [np.unique(column[~np.isnan(column)]) for column in V.T]
        seen = [np.union1d(*both) for both in zip(seen, new, strict=True)] if seen else new
        for f, known in enumerate(seen):
            if len(known) > MOST_CATEGORIES:
                column = f if isinstance(place, slice) else place[f]
                raise ValueError(
                    f"Column {column} of X has more than {MOST_CATEGORIES} categories; it looks "
                    "like a name or a number. Drop it, or let another family describe it."
                )
    return seen


def in_units_of(part: Part, params: Params, weights: np.ndarray, sparse: bool) -> Part:
    """The part in the units of the whole mixture, measured from 0 for sparse rows."""
    if not part.family.real:
        return part
    mean, variance = part.family.mean(params), part.family.variance(params)
    origin = np.zeros(mean.shape[1]) if sparse else weights @ mean
    unit = np.sqrt(weights @ (variance + np.square(mean - origin)))
    return part._replace(origin=origin, unit=unit)


def moved(part: Part, params: Params) -> Params:
    """The parameters of what the family sees."""
    if part.unit is None or part.origin is None:
        return params
    return part.family.moved(params, part.origin, part.unit)


def moved_back(part: Part, params: Params) -> Params:
    """The parameters of the columns as they are; squares of 1e200 are no numbers there."""
    if part.unit is None or part.origin is None:
        return params
    with np.errstate(over="ignore", under="ignore"):
        return part.family.moved(params, -part.origin / part.unit, 1.0 / part.unit)


def as_seen(part: Part, params: Params) -> dict[str, Any] | None:
    """Origin, unit and parameters of what a family sees, where the columns have none; else None."""
    if part.unit is None:
        return None
    variance = part.family.variance(moved_back(part, params))
    if ((variance > 0) & np.isfinite(variance)).all():
        return None
    return {"origin": part.origin, "unit": part.unit, "params": params}


def seen_from(part: Part, seen: dict[str, Any], sparse: bool) -> tuple[Part, Params]:
    """The part and its parameters in these units, measured from 0 for sparse rows."""
    origin, unit, params = seen["origin"], seen["unit"], seen["params"]
    if sparse:
        params = part.family.moved(params, -origin / unit, np.ones_like(unit))
        origin = np.zeros_like(origin)
    return part._replace(origin=origin, unit=unit), params
