"""The observed entries of a matrix, whatever they come in.

Inside the family there is one form: a `csr_array` whose stored entries are the observed ones,
explicit zeros included, with sorted columns and no entry twice. It is made from

    an array with NaN        what is not NaN is observed
    a SciPy sparse matrix    what is stored is observed; SciPy adds duplicates up
    a table of triplets      row id, column id, value (and weight): ids are any hashable values

`Entries` holds such a matrix with optional weights by entry and the ids of its rows and columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.numeric import numeric_array
from lowdim.core.session import belongs_to_fit
from lowdim.core.sparse import checked_sparse
from lowdim.core.validation import check_choice, open_rows_for
from lowdim.linalg.entries import index_type, observed
from lowdim.linalg.sparse import row_numbers

DUPLICATES = ("error", "mean", "sum", "last")

LARGEST_WEIGHT = 1e150  # of an entry


class Entries:
    """Observed entries of an (n, d) matrix; every completion method takes it as X.

    Parameters
    ----------
    X : array with NaN, or SciPy sparse matrix, of shape (n, d)
        The observed entries: what is not NaN, or what is stored.
    weight : array or sparse matrix like X, or array of shape (number of entries,), default=None
        How much each entry counts, 0 or more; the last form is in the order of the rows of X, and
        within a row by column.
    row_ids, column_ids : sequences of hashable values, default=None
        What rows and columns are called; None means by number.

    Attributes
    ----------
    X : csr_array of shape (n, d)
    weight : ndarray of shape (number of entries,) or None
    row_ids, column_ids : list or None

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import Entries
    >>> ratings = Entries(np.array([[5.0, np.nan], [0.0, 3.0]]))
    >>> ratings.X.nnz, ratings.shape
    (3, (2, 2))
    """

    def __init__(self, X: Any, weight: Any = None, row_ids: Any = None, column_ids: Any = None):
        self.X = observed(_matrix(X))
        _check_finite(self.X.data, "X")
        self.weight = None if weight is None else entry_weights(weight, self.X)
        self.row_ids = _checked_ids(row_ids, self.X.shape[0], "row_ids")
        self.column_ids = _checked_ids(column_ids, self.X.shape[1], "column_ids")

    @classmethod
    def from_triplets(
        cls,
        table: Any,
        row: str,
        column: str,
        value: str | None = None,
        *,
        weight: str | None = None,
        duplicates: str = "error",
    ) -> Entries:
        """Entries from a data frame with one line per observed entry.

        Parameters
        ----------
        table : data frame (pandas, polars, pyarrow, ...)
        row, column : str
            The columns of ids, of any hashable type. Rows and columns of the matrix are numbered
            in the order in which the ids first occur.
        value : str, default=None
            The column of values; None means 1 for each (what was seen, not how it was liked).
        weight : str, default=None
            The column of weights; None means none.
        duplicates : {"error", "mean", "sum", "last"}, default="error"
            What to do with a pair of ids that occurs more than once. "mean" is weighted, and the
            weights add up; "sum" adds values up and, like "last", keeps the last weight.
        """
        check_choice("duplicates", duplicates, DUPLICATES)
        frame = _frame(table, [name for name in (row, column, value, weight) if name is not None])
        rows, columns = numbered(frame[row], row), numbered(frame[column], column)
        values = np.ones(len(frame)) if value is None else _numbers(frame[value], value)
        weights = None if weight is None else _numbers(frame[weight], weight)
        X, kept = matrix_of(rows, columns, values, weights, duplicates, (row, column))
        return cls(X, kept, rows.ids, columns.ids)

    @property
    def shape(self) -> tuple[int, int]:
        return self.X.shape

    def rows_of(self, ids: Iterable[Hashable]) -> np.ndarray:
        """The numbers of the rows with these ids."""
        return _numbers_of(self._row_number, ids, "row")

    def columns_of(self, ids: Iterable[Hashable]) -> np.ndarray:
        """The numbers of the columns with these ids."""
        return _numbers_of(self._column_number, ids, "column")

    @cached_property
    def _row_number(self) -> dict:
        ids = range(self.shape[0]) if self.row_ids is None else self.row_ids
        return {name: i for i, name in enumerate(ids)}

    @cached_property
    def _column_number(self) -> dict:
        ids = range(self.shape[1]) if self.column_ids is None else self.column_ids
        return {name: j for j, name in enumerate(ids)}


# ---- one form for all ----------------------------------------------------------------------------


def entry_weights(weight: Any, X: Any) -> np.ndarray:
    """Weights of the stored entries of X, as float64 in their order."""
    if not sp.issparse(weight):
        weight = numeric_array(weight, "The weight of entries", "a fit with weights")
    if weight.ndim == 2:
        weight = _weights_where(weight, X)
    weight = weight.astype(np.float64, copy=False)
    if weight.shape != (X.nnz,):
        raise ValueError(
            f"The weights have shape {weight.shape}; there are {X.nnz} observed entries, one "
            f"weight for each is needed, or a matrix of shape {X.shape}."
        )
    _check_finite(weight, "The weight of entries")
    if (weight < 0).any():
        raise ValueError(
            f"An entry has the negative weight {weight.min():g}; weights say how much an entry "
            "counts and must be 0 or more."
        )
    if weight.max(initial=0.0) > LARGEST_WEIGHT:
        raise ValueError(
            f"An entry has the weight {weight.max():g}, with which sums of squares are no numbers; "
            "divide all weights by their largest."
        )
    belongs_to_fit(ArrayBlocks(weight[:, None]), "entry_weight")
    return weight


def check_some_observed(n_observed: float, name: str) -> None:
    """A matrix without any observed entry has nothing to learn from."""
    if not n_observed > 0:
        raise ValueError(
            f"X has no observed entries: all are missing; {name} needs at least 1 observed value."
        )


def open_entries_for(function: str, X: Any) -> Blocks:
    """What completers accept as X, as Blocks, for a function that is no completer."""
    rows = open_rows_for(function, X.X if isinstance(X, Entries) else X, nan=True)
    return without_stored_nan(rows, function)


def without_stored_nan(rows: Blocks, name: str) -> Blocks:
    """The rows, of which sparse ones store no NaN: what is missing is not stored."""
    if rows.in_memory is None:
        return rows.checked(refuse_stored_nan, name)
    refuse_stored_nan(rows.in_memory, name)
    return rows


def refuse_stored_nan(X: Any, name: str) -> None:
    """In a sparse matrix what is stored is observed: a stored NaN says both yes and no."""
    if sp.issparse(X) and np.isnan(X.data).any():
        raise ValueError(
            f"X is sparse and {np.isnan(X.data).sum()} of its {X.nnz} stored entries are NaN; for "
            f"{name} the stored entries of a sparse matrix are the observed ones. Remove the NaN "
            "entries from it."
        )


def _weights_where(weight: Any, X: Any) -> np.ndarray:
    if weight.shape != X.shape:
        raise ValueError(f"The weights have shape {weight.shape} and X has {X.shape}.")
    if not sp.issparse(weight):
        return weight[row_numbers(X), X.indices]
    W = observed(checked_sparse(weight, "weight"))
    if not (np.array_equal(W.indptr, X.indptr) and np.array_equal(W.indices, X.indices)):
        raise ValueError(
            "The weights are a sparse matrix with other stored entries than X has; store one "
            "weight for each entry of X."
        )
    return W.data


def _matrix(X: Any) -> Any:
    if sp.issparse(X):
        return sp.csr_array(checked_sparse(X))
    X = numeric_array(X, "X", "Entries")
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions; the entries of a matrix have 2.")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _check_finite(values: np.ndarray, what: str) -> None:
    bad = np.count_nonzero(~np.isfinite(values))
    if bad:
        raise ValueError(
            f"{what} has {bad} observed values that are NaN or infinite; leave them out."
        )


# ---- triplets ------------------------------------------------------------------------------------


class Numbered(NamedTuple):
    """Ids as numbers, in the order in which they first occur."""

    number: np.ndarray  # (entries,)
    ids: list  # number -> id


def numbered(ids: Any, name: str = "ids") -> Numbered:
    """Number the ids of a column (or any sequence) in the order in which they first occur."""
    values = ids.to_numpy() if hasattr(ids, "to_numpy") else np.asarray(ids)
    if values.dtype.kind in "iu":  # sorted by NumPy: ten times faster than a dict
        unique, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return Numbered(place[inverse], unique[order].tolist())
    known: dict[Hashable, int] = {}
    number = np.empty(len(values), dtype=np.intp)
    for e, value in enumerate(ids.to_list() if hasattr(ids, "to_list") else ids):
        if value is None or value != value:
            raise ValueError(f"Column {name!r} has no id in line {e}; every entry needs one.")
        try:
            number[e] = known.setdefault(value, len(known))
        except TypeError as error:
            raise TypeError(
                f"Column {name!r} has an id of type {type(value).__name__} in line {e}, which "
                "cannot be hashed; use numbers, strings or tuples."
            ) from error
    return Numbered(number, list(known))


def _frame(table: Any, names: list[str]) -> Any:
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"Triplets come in a data frame (pandas, polars, pyarrow), not {type(table).__name__}."
        )
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise ValueError(
            f"The table has no column {absent[0]!r}; its columns are {', '.join(frame.columns)}."
        )
    if not len(frame):
        raise ValueError("The table has no lines; at least 1 observed entry is needed.")
    return frame


def _numbers(series: Any, name: str) -> np.ndarray:
    if not (series.dtype.is_numeric() or series.dtype in (nw.Boolean, nw.Object)):
        raise ValueError(f"Column {name!r} holds {series.dtype}; values must be numbers.")
    single = series.dtype == nw.Float32
    values = series.to_numpy().astype(np.float32 if single else np.float64)
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"Column {name!r} has {bad.sum()} values that are NaN, null or infinite (first: line "
            f"{np.argmax(bad)}); leave these lines out."
        )
    return values


def matrix_of(
    rows: Numbered,
    columns: Numbered,
    values: np.ndarray,
    weights: np.ndarray | None,
    duplicates: str,
    names: tuple[str, str],
) -> tuple[Any, np.ndarray | None]:
    """The matrix of the triplets and its weights, duplicates dealt with."""
    n, d = len(rows.ids), len(columns.ids)
    place = rows.number.astype(np.int64) * d + columns.number
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    if len(starts) < len(order):
        if duplicates == "error":
            twice = order[np.flatnonzero(np.diff(place[order]) == 0)[0]]
            raise ValueError(
                f"{len(order) - len(starts)} entries occur more than once (first: {names[0]}="
                f"{rows.ids[rows.number[twice]]!r}, {names[1]}="
                f"{columns.ids[columns.number[twice]]!r}); leave one of each, or choose "
                "duplicates='mean', 'sum' or 'last'."
            )
        values, weights = _aggregated(values[order], weights, order, starts, duplicates)
    else:
        values, weights = values[order], None if weights is None else weights[order]
    kept = order[starts]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows.number[kept], minlength=n))])
    kind = index_type(len(kept))
    parts = (values, columns.number[kept].astype(kind), indptr.astype(kind))
    return sp.csr_array(parts, shape=(n, d)), weights


def _aggregated(
    values: np.ndarray,
    weights: np.ndarray | None,
    order: np.ndarray,
    starts: np.ndarray,
    duplicates: str,
) -> tuple[np.ndarray, np.ndarray | None]:
    last = np.append(starts[1:], len(order)) - 1
    if weights is not None:
        weights = weights[order]
    if duplicates == "mean":
        w = np.ones(len(order)) if weights is None else weights
        total = np.add.reduceat(w, starts)
        weighted = np.add.reduceat(w * values, starts)
        # where nothing counts, any mean will do
        plain = np.add.reduceat(values, starts) / np.diff(np.append(starts, len(order)))
        mean = np.divide(weighted, total, out=plain.astype(np.float64), where=total > 0)
        return mean.astype(values.dtype), None if weights is None else total
    kept_weights = None if weights is None else weights[last]
    summed = np.add.reduceat(values, starts) if duplicates == "sum" else values[last]
    return summed, kept_weights


def _checked_ids(ids: Any, size: int, name: str) -> list | None:
    if ids is None:
        return None
    ids = list(ids)
    if len(ids) != size or len(set(ids)) != size:
        raise ValueError(
            f"{name} has {len(ids)} ids, {len(set(ids))} of them different; {size} different ones "
            "are needed."
        )
    return ids


def _numbers_of(number: dict, ids: Iterable[Hashable], what: str) -> np.ndarray:
    ids = list(ids)
    unknown = [name for name in ids if name not in number]
    if unknown:
        raise ValueError(
            f"{len(unknown)} of {len(ids)} {what} ids are not known (first: {unknown[0]!r})."
        )
    return np.array([number[name] for name in ids], dtype=np.intp)
