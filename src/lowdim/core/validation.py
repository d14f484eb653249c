"""The one door for input: what is accepted, what it becomes, and what is said when it is not.

Arrays, data frames (pandas, polars, pyarrow), sparse matrices, Dask collections and streams become
`Blocks` of float32 or float64 rows. Errors name the argument, what was found, what is accepted and
what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from lowdim.core.blocks import ArrayBlocks, Blocks, is_dask
from lowdim.core.byte_blocks import BYTES, ByteBlocks
from lowdim.core.numeric import (
    TABLES,
    frame_of,
    numeric_array,
    refuse_complex,
    refuse_object,
    refuse_pictures,
    shown,
)
from lowdim.core.opening import as_blocks
from lowdim.core.session import belongs_to_fit
from lowdim.core.sparse import MANY, check_declared, checked_sparse


def open_rows(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    allow_nan: bool = False,
    allow_sparse: bool = False,
    min_rows: int = 1,
    check_finite: bool = True,
    only_observed: bool | None = None,
    keep_bytes: bool = False,
) -> Blocks:
    """X as Blocks, validated; sets or checks `n_features_in_` and `feature_names_in_`.

    The estimator may be the name of a function, which has no columns to remember. With keep_bytes,
    arrays of bytes and flags stay as they are, and become float32 block by block.

    Rows without any observed value say nothing: with only_observed they are left out, and are in
    `all_rows` of what is returned; None means where a model learns (reset). If no row has one, all
    stay.

    Streams and Dask are looked at block by block in the passes that use them: a NaN in the last
    file is found when it is read, and `map` stays lazy. With check_finite=False, looking for NaN
    and infinity is left to the method, which sees them in its sums for free and then calls
    `observed_rows`.
    """
    _refuse_no_rows(estimator, X)
    if isinstance(X, Blocks) or is_dask(X):
        rows = _open_blocks(estimator, X, allow_sparse)
        if not isinstance(estimator, str):
            _check_columns(estimator, rows, reset)
    else:
        matrix = _as_matrix(estimator, X, reset, allow_sparse, keep_bytes)
        rows = ByteBlocks(matrix) if matrix.dtype in BYTES else ArrayBlocks(matrix)
        if isinstance(estimator, str):  # an estimator keeps them itself
            rows.feature_names = _frame_columns(X)
    if rows.is_sparse and (reset or isinstance(estimator, str)):
        _check_declared_columns(rows)
    if rows.known_rows is not None:
        _check_min_rows(estimator, rows.known_rows, min_rows)
    leave_out = allow_nan and (reset if only_observed is None else only_observed)
    if check_finite and rows.in_memory is not None:
        found = check_finite_rows(estimator, rows, allow_nan=allow_nan)
        rows = _without_empty_rows(estimator, rows, found, min_rows) if leave_out else rows
    elif check_finite:
        see = (_name(estimator), _column_names(estimator, rows))
        rows = (
            rows.where(_observed_and_finite, *see)
            if leave_out
            else rows.checked(refuse_nonfinite, allow_nan, *see, _fills(estimator))
        )
    if reset:
        belongs_to_fit(rows)
    return rows


def open_rows_for(
    function: str,
    X: Any,
    *,
    nan: bool = False,
    sparse: bool = True,
    min_rows: int = 1,
    check_finite: bool = True,
    only_observed: bool = False,
) -> Blocks:
    """X as Blocks, validated, for a function that is no estimator; messages call it by its name."""
    return open_rows(
        function,
        X,
        reset=False,
        allow_nan=nan,
        allow_sparse=sparse,
        min_rows=min_rows,
        check_finite=check_finite,
        only_observed=only_observed,
    )


def check_weights(sample_weight: Any, rows: Blocks) -> np.ndarray | None:
    """Sample weights as a float64 array with one entry per row; None stays None.

    They are given for all rows of X; those of rows that were left out are left out.
    """
    if sample_weight is None:
        return None
    if is_dask(sample_weight):
        sample_weight = sample_weight.compute()
    n = rows.all_rows.shape[0]
    if isinstance(sample_weight, Real) or getattr(sample_weight, "shape", None) == ():
        sample_weight = np.full(n, sample_weight)
    given = numeric_array(sample_weight, "sample_weight", "a fit with weights")
    weight = given.astype(np.float64, copy=False)
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n,)}: one weight for each row of X."
        )
    if not np.isfinite(weight).all():
        row = int(np.argmax(~np.isfinite(weight)))
        kind = "NaN" if np.isnan(weight[row]) else "infinity"
        raise ValueError(
            f"sample_weight contains {kind} (for row {row}); weights count how often a row occurs "
            "and must be finite. Give rows that are not to count the weight 0."
        )
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(
            f"sample_weight has a negative value ({weight[row]:g} for row {row}); weights count "
            "how often a row occurs and must be 0 or more."
        )
    weight = np.asarray(rows.part_of(weight))
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if weight.max() > np.finfo(np.float64).max / n:
        raise ValueError(
            f"sample_weight has values as large as {weight.max():g}, whose sum is no number; "
            "divide all weights by their largest."
        )
    belongs_to_fit(ArrayBlocks(weight[:, None]), "sample_weight")
    return weight


def check_codes(estimator: Any, Z: Any, k: int) -> Any:
    """Codes for `inverse_transform`, k numbers for each row: a float matrix or a Dask array."""
    if not is_dask(Z):
        Z = check_array(
            numbers_of(Z, "Z", _name(estimator)),
            dtype=[np.float64, np.float32],
            input_name="Z",
            estimator=estimator,
            ensure_min_features=min(k, 1),
        )
    if Z.shape[1] != k:
        raise ValueError(
            f"Z has {Z.shape[1]} columns; {type(estimator).__name__} has {k} components, one "
            "column for each is needed."
        )
    return Z


def check_at_most(name: str, value: Any, limit: int, what: str) -> int:
    """An int argument between 1 and `limit`, the number of `what`."""
    value = check_at_least(name, value, 1)
    if value > limit:
        raise ValueError(f"{name}={value} is more than the {limit} {what}; choose at most {limit}.")
    return value


def check_at_least(name: str, value: Any, limit: int) -> int:
    """An int argument of at least `limit`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name}={shown(value)} must be an int, at least {limit}.")
    if value < limit:
        raise ValueError(f"{name}={value} is too small; choose at least {limit}.")
    return int(value)


def check_number(
    name: str, value: Any, low: float = -np.inf, high: float = np.inf, *, open_low: bool = False
) -> float:
    """A real argument within [low, high], or (low, high] where open_low."""
    bounds = [f"{'more than' if open_low else 'at least'} {low:g}"] if low > -np.inf else []
    bounds += [f"at most {high:g}"] if high < np.inf else []
    accepted = " and ".join(bounds) or "finite"
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)):
        raise ValueError(f"{name}={shown(value)} must be a number, {accepted}.")
    number = float(value)
    if number < low or number > high or (open_low and number == low):
        raise ValueError(f"{name}={value} must be {accepted}.")
    return number


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """An argument that is one of `choices`."""
    choices = list(choices)
    if not any(value is choice or value == choice for choice in choices if _comparable(value)):
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={shown(value)} is not known; choose one of {listed}.")
    return value


def _comparable(value: Any) -> bool:
    return value is None or isinstance(value, str | Real)


# ---- finite or not -------------------------------------------------------------------------------


NOT_FINITE = (np.isnan, np.isinf)


class NonFinite(NamedTuple):
    nan: np.ndarray  # (d,)  how many NaN each column has
    inf: np.ndarray  # (d,)  how many infinities
    empty: int  #       how many rows have nothing but NaN


def check_finite_rows(estimator: Any, rows: Blocks, *, allow_nan: bool) -> NonFinite:
    """Count NaN and infinities by column in one pass; raise where they are not accepted."""
    whole = rows.in_memory if rows.is_sparse else None  # its blocks would be copies
    found = rows.fold(count_nonfinite) if whole is None else count_nonfinite(whole)
    names = _column_names(estimator, rows)
    _refuse(found, rows.dtype, allow_nan, _name(estimator), names, _fills(estimator))
    return found


class Observed(NamedTuple):
    rows: Blocks  # those with some observed value
    weight: np.ndarray | None
    n_observed: np.ndarray  # (d,)  how many rows observe each column
    is_complete: bool  #       whether all NaN were in the rows that were left out


def observed_rows(estimator: Any, rows: Blocks, weight: np.ndarray | None) -> Observed:
    """The rows with some observed value and their weights, for a fit that has met NaN.

    One pass looks for infinities and for rows without a value; where there are none, rows and
    weights are returned as they are.
    """
    found = check_finite_rows(estimator, rows, allow_nan=True)
    kept = _without_empty_rows(estimator, rows, found, estimator.min_rows)
    weight = weight if kept is rows else kept.part_of(weight)
    n_observed = rows.shape[0] - found.nan
    is_complete = kept is not rows and bool((found.nan == found.empty).all())
    return Observed(kept, weight, n_observed, is_complete)


def _without_empty_rows(estimator: Any, rows: Blocks, found: NonFinite, min_rows: int) -> Blocks:
    if found.empty in (0, rows.shape[0]):  # of rows that are all empty, each method says it itself
        return rows
    _check_min_rows(estimator, rows.shape[0] - found.empty, min_rows, found.empty)
    return rows.where(observed)


def observed(X: Any) -> np.ndarray | None:
    """Which rows of a block have an observed value; None if all have. Zeros that are not stored
    are values.
    """
    if sp.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        found = np.bincount(row[np.isnan(X.data)], minlength=X.shape[0]) < X.shape[1]
    else:
        found = ~(np.isnan(X[:, 0]) & np.isnan(X[:, -1]))
        maybe = np.flatnonzero(~found)  # few: only of these all entries are looked at
        found[maybe] = ~np.isnan(X[maybe]).all(axis=1)
    return None if found.all() else found


def _observed_and_finite(X: Any, name: str, names: Any) -> np.ndarray | None:
    """Which rows of a block have an observed value; raises if it has infinities."""
    found = count_nonfinite(X)
    _refuse(found, X.dtype, True, name, names)
    return observed(X) if found.empty else None


def refuse_nonfinite(X: Any, allow_nan: bool, name: str, names: Any, fills: str = "PCA") -> None:
    """Raise if a block has infinities, or NaN where they are not accepted.

    `fills` is the class that the message recommends for filling them.
    """
    _refuse(count_nonfinite(X), X.dtype, allow_nan, name, names, fills)


def _fills(estimator: Any) -> str:
    return getattr(estimator, "filled_by", "PCA")


def _refuse(
    found: NonFinite,
    dtype: np.dtype,
    allow_nan: bool,
    name: str,
    names: Any,
    fills: str = "PCA",
) -> None:
    if found.inf.any():
        raise ValueError(
            f"X has infinity or values too large for {dtype} in {_columns_with(found.inf, names)}; "
            f"{name} needs finite values. Remove these rows"
            + (", or set the values to NaN to treat them as missing." if allow_nan else ".")
        )
    if found.nan.any() and not allow_nan:
        raise ValueError(
            f"X has NaN in {_columns_with(found.nan, names)}; {name} needs complete rows. Fill "
            f"them first, for example with lowdim.{fills}(...).fit(X).impute(X)."
        )


def count_nonfinite(X: Any) -> NonFinite:
    """How many NaN and infinities each column of a block has."""
    d = X.shape[1]
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if np.isfinite(total):  # the common case: one fast pass
        return NonFinite(np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64), 0)
    if sp.issparse(X):
        nan, inf = (np.bincount(X.indices[bad(X.data)], minlength=d) for bad in NOT_FINITE)
    else:
        nan, inf = (bad(X).sum(axis=0) for bad in NOT_FINITE)
    keep = observed(X) if nan.all() else None  # an empty row has a NaN in every column
    return NonFinite(nan, inf, 0 if keep is None else int(np.count_nonzero(~keep)))


def _columns_with(count: np.ndarray, names: Any) -> str:
    first = int(np.argmax(count > 0))
    label = repr(str(names[first])) if names is not None else first
    return f"{np.count_nonzero(count)} of {len(count)} columns (first: {label})"


def _name(estimator: Any) -> str:
    return estimator if isinstance(estimator, str) else type(estimator).__name__


def _column_names(estimator: Any, rows: Blocks) -> Any:
    """Names for messages: those that the estimator knows, or those that came with the rows."""
    return getattr(estimator, "feature_names_in_", rows.feature_names)


# ---- kinds of input ------------------------------------------------------------------------------


def _refuse_no_rows(estimator: Any, X: Any) -> None:
    """Raise for what people give instead of rows, and say what to give."""
    name = _name(estimator)
    if isinstance(X, str | os.PathLike):
        model = f", or fit lowdim.TableModel({name}(...)) to the table in it"
        raise TypeError(
            f"X is a text ({str(X)!r}), not rows. If it names a file, give {name} "
            f"lowdim.stream({str(X)!r}){'' if isinstance(estimator, str) else model}."
        )
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}, which gives its rows only once; {name} needs an array, or "
            "lowdim.stream(function), where function() returns a fresh iterator of blocks."
        )


def _open_blocks(estimator: Any, X: Any, allow_sparse: bool) -> Blocks:
    """A stream or a Dask collection as Blocks, if the method takes it."""
    name, kind = _name(estimator), "dask" if is_dask(X) else "stream"
    whole = isinstance(X, Blocks) and X.in_memory is not None  # rows of a table, say: no stream
    if not whole and not getattr(estimator, f"accepts_{kind}", True):
        raise TypeError(
            f"X is a {type(X).__name__}; {name} needs all rows in memory. Give it an array, for "
            "example a random part of the rows."
        )
    if hasattr(X, "to_dask_array"):
        _check_numeric_columns(nw.from_native(X).collect_schema(), "X")
    rows = as_blocks(X).as_given()
    if rows.is_sparse and not allow_sparse:
        raise TypeError(f"X comes in sparse blocks; {name} needs dense ones.")
    return rows


def _as_matrix(
    estimator: Any, X: Any, reset: bool, allow_sparse: bool, keep_bytes: bool = False
) -> Any:
    """X as a float array or csr matrix in memory."""
    kept = BYTES if keep_bytes and isinstance(X, np.ndarray) else ()
    check: dict[str, Any] = {
        "accept_sparse": "csr" if allow_sparse else False,
        "dtype": [np.float64, np.float32, *kept],
        "ensure_all_finite": False,
    }
    frame = frame_of(X, "X")
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"X is a lazy frame ({type(X).__name__}); {_name(estimator)} needs the values: "
            "call .collect() first, or read the files with lowdim.stream(...)."
        )
    if isinstance(frame, nw.DataFrame):
        if not isinstance(estimator, str):  # names, number of columns
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        values = _numbers_of_frame(frame, "X", _name(estimator))
        return check_array(values, estimator=estimator, input_name="X", **check)
    X = numbers_of(X, "X", _name(estimator))
    refuse_pictures(X, _name(estimator), hasattr(estimator, "image_shape"))
    if isinstance(estimator, str):
        return check_array(X, estimator=estimator, input_name="X", **check)
    return validate_data(estimator, X, reset=reset, **check)


def numbers_of(X: Any, name: str, who: str) -> Any:
    """What check_array can take: an array of numbers, a frame of them, a sparse matrix that is one.

    What scikit-learn has a word to say about is left to it.
    """
    if sp.issparse(X):
        return checked_sparse(X, name)
    frame = frame_of(X, name)
    if isinstance(frame, nw.DataFrame):
        return _numbers_of_frame(frame, name, who)
    return X if isinstance(X, np.matrix) or _is_series(X) else numeric_array(X, name, who)


def _is_series(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return False
    return isinstance(nw.from_native(X, pass_through=True, allow_series=True), nw.Series)


def _frame_columns(X: Any) -> list[str] | None:
    frame = frame_of(X, "X")
    return [str(name) for name in frame.columns] if isinstance(frame, nw.DataFrame) else None


def _frame_values(frame: Any) -> Any:
    """What check_array can take: a matrix, or the pandas frame where that is good at it."""
    native, schema = frame.to_native(), frame.schema
    only_float32 = len(schema) > 0 and all(dtype == nw.Float32 for dtype in schema.values())
    if nw.dependencies.is_pandas_dataframe(native):
        nullable = not all(isinstance(dtype, np.dtype) for dtype in native.dtypes)
        return native.astype(np.float32) if only_float32 and nullable else native
    values = np.empty(frame.shape, dtype=np.float32 if only_float32 else np.float64)
    for f, column in enumerate(frame.iter_columns()):
        values[:, f] = column.cast(nw.Float32 if only_float32 else nw.Float64).to_numpy()
    return values


def _numbers_of_frame(frame: Any, name: str, who: str) -> Any:
    """What check_array can take of a data frame, all of whose columns hold numbers."""
    _check_numeric_columns(frame.schema, name)
    _check_object_columns(frame, name, who)
    return _frame_values(frame)


def _check_object_columns(frame: Any, name: str, who: str) -> None:
    """Raise if a column of Python objects holds something that is no number."""
    for column, dtype in frame.schema.items():
        if dtype in (nw.Object, nw.Unknown):
            found = frame[column].to_numpy()
            refuse_complex(found.dtype, f"Column {column!r} of {name}", who)
            values = np.asarray(found, dtype=object)
            values = np.where([value is None for value in values], np.nan, values)
            try:
                values.astype(np.float64)
            except (TypeError, ValueError, OverflowError) as error:
                refuse_object(values, f"Column {column!r} of {name}", who, error)
                raise


def _check_numeric_columns(schema: Any, name: str) -> None:
    def may_be_numbers(dtype: Any) -> bool:
        # an object column of pandas may hold numbers; a column of nulls has no type
        return dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown)

    if not schema:
        raise ValueError(f"{name} has no columns: 0 feature(s) while a minimum of 1 is required.")
    others = [column for column, dtype in schema.items() if not may_be_numbers(dtype)]
    if others:
        raise ValueError(
            f"{name} has columns that are not numbers ({len(others)} of {len(schema)}, first: "
            f"{others[0]!r}, {schema[others[0]]}): could not convert them to float. Drop or encode "
            f"them. {TABLES}"
        )


def _check_columns(estimator: Any, rows: Blocks, reset: bool) -> None:
    """What scikit-learn checks of an array's columns, for streams and Dask."""
    names = None if rows.feature_names is None else np.asarray(rows.feature_names, dtype=object)
    d = rows.n_columns
    if reset:
        estimator.n_features_in_ = d
        if names is not None:
            estimator.feature_names_in_ = names
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    fitted = getattr(estimator, "feature_names_in_", None)
    if names is not None and fitted is not None and list(names) != list(fitted):
        raise ValueError(
            f"The columns of X ({', '.join(map(str, names[:5]))}, ...) are not those that "
            f"{type(estimator).__name__} was fitted with ({', '.join(map(str, fitted[:5]))}, ...), "
            "in the same order. Select them with columns=[...]."
        )
    if d != estimator.n_features_in_:
        raise ValueError(
            f"X has {d} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def _check_declared_columns(rows: Blocks) -> None:
    """No more columns than the stored entries of sparse rows make likely."""
    if rows.n_columns > MANY:
        check_declared(rows.n_columns, int(rows.fold(_n_stored)), "columns")


def _n_stored(X: Any) -> int:
    return int(X.nnz)


def _check_min_rows(estimator: Any, n: int, min_rows: int, n_empty: int = 0) -> None:
    if n < min_rows:
        beside = f" beside {n_empty} rows without any observed value" if n_empty else ""
        raise ValueError(
            f"X has n_samples={n}{beside}; {_name(estimator)} needs at least {min_rows} rows."
        )


def check_columns_observed(count: np.ndarray, names: Any = None) -> None:
    """Raise if a column has no observed entry; `count` says how many each has."""
    empty = np.flatnonzero(np.asarray(count) == 0)
    if len(empty):
        shown = ", ".join(repr(str(names[f])) if names is not None else str(f) for f in empty[:5])
        raise ValueError(
            f"X has no observed value in {len(empty)} of {len(count)} columns ({shown}"
            f"{', ...' if len(empty) > 5 else ''}); nothing can be learned about them. Drop them."
        )
