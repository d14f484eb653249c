"""Numbers in whatever people keep them, as an array; and what is said where they are none.

Lists, tuples, tensors and other things that give an array become one, without a copy where that is
possible. What cannot be numbers is named with its row and column, and with what to do about it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

TABLES = (
    "Encode a table with text, dates or categories with lowdim.TableEncoder, or give it to "
    "lowdim.TableModel."
)


def numeric_array(given: Any, name: str, who: str) -> np.ndarray:
    """What was given as an array of real numbers, or of objects that are some, of any shape."""
    refuse_no_array(given, name, who)
    array = as_array(given, name, who)
    kind = array.dtype.kind
    if array.dtype.names:
        fields = ", ".join(array.dtype.names[:5])
        raise ValueError(
            f"{name} is a structured array with the fields {fields}, which are not numbers of one "
            f"dtype; {who} needs a matrix. pandas.DataFrame({name}) makes a table of it."
        )
    refuse_complex(array.dtype, name, who)
    if kind in "mM":
        raise ValueError(
            f"{name} holds values of dtype {array.dtype}, which are not numbers but times; {who} "
            f"needs numbers. {TABLES}"
        )
    if kind not in "biufO":
        raise ValueError(
            f"{name} holds values of dtype {array.dtype}, which are not numbers; {who} "
            f"needs numbers. Convert them with {name}.astype(float) if that is what they are."
        )
    return _floats_of_objects(array, name, who) if kind == "O" else array


def refuse_complex(dtype: Any, name: str, who: str = "lowdim") -> None:
    """Raise for complex numbers, and say what to give."""
    if np.dtype(dtype).kind == "c":
        raise ValueError(
            f"Complex data not supported: {name} has dtype {dtype}; {who} needs real numbers, for "
            "example the real and the imaginary parts as columns of their own, or absolute values."
        )


def refuse_no_array(given: Any, name: str, who: str) -> None:
    """Raise for what people give instead of an array, and say what to give."""
    if given is None:
        raise TypeError(f"{name} is None; {who} needs an array of numbers or a data frame.")
    if isinstance(given, bytes | bytearray):
        raise TypeError(f"{name} is {type(given).__name__}, not numbers; {who} needs an array.")
    if isinstance(given, str | os.PathLike):
        raise TypeError(
            f"{name} is a text ({str(given)!r}), not numbers: could not convert string "
            f"to float. {who} needs an array of numbers."
        )
    if isinstance(given, Mapping | Set):
        raise TypeError(
            f"{name} is a {type(given).__name__}; {who} needs rows and columns: an array or a data "
            f"frame. Of a dict of columns, pandas.DataFrame({name}) makes one."
        )
    if isinstance(given, Iterator):
        raise TypeError(
            f"{name} is a {type(given).__name__}, which gives its values only once; {who} needs an "
            f"array, such as np.array(list({name}))."
        )


def as_array(given: Any, name: str, who: str) -> np.ndarray:
    """What was given as an array of any dtype and shape, without a copy where that is possible."""
    if isinstance(given, np.ma.MaskedArray):
        return _unmasked(given)
    if getattr(given, "requires_grad", False) and hasattr(given, "detach"):
        given = given.detach()  # a tensor of torch: the same numbers, without their history
    try:
        if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
            return np.from_dlpack(given)
        array = np.asarray(given)
    except ValueError as error:
        _refuse_ragged(given, name)
        raise ValueError(f"{name} cannot be made an array ({error}).") from error
    except (TypeError, RuntimeError, BufferError, OverflowError) as error:
        raise TypeError(
            f"{name} is a {type(given).__name__} that cannot be made an array ({error}); {who} "
            "needs an array of NumPy, or dense float32 or float64 values in the memory of this "
            "machine that NumPy can read."
        ) from error
    if array.dtype.kind in "US" and isinstance(given, Sequence):  # numbers and text became text
        array = np.array(given, dtype=object)
    if array.dtype == object and array.ndim == 0:
        raise TypeError(
            f"{name} is a {type(given).__name__}, not an array: float() argument must be a string "
            f"or a real number. {who} needs an array of numbers or a data frame."
        )
    return array


def _unmasked(given: np.ma.MaskedArray) -> np.ndarray:
    """The values, NaN where they are masked."""
    if given.dtype.kind not in "biuf" or given.mask is np.ma.nomask:
        return np.ma.getdata(given)
    floats: Any = given if given.dtype.kind == "f" else given.astype(np.float64)
    return floats.filled(np.nan)


def _refuse_ragged(given: Any, name: str) -> None:
    """Raise an error that says which row of a list is not like the first, if one is not."""
    if not isinstance(given, Sequence):
        return
    shapes = [_shape_of_row(row) for row in given]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"The rows of {name} differ in length: row {i} has {_values(shape)}, and row 0 has "
                f"{_values(shapes[0])} (inhomogeneous shape). Give every row a value for every "
                "column, NaN where it is missing."
            )
    for i, row in enumerate(given):
        for f, value in enumerate(row if isinstance(row, Sequence | np.ndarray) else ()):
            if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
                raise ValueError(
                    f"{name} has a {type(value).__name__} in row {i}, column {f} (inhomogeneous "
                    "shape); one number is needed."
                )


def _shape_of_row(row: Any) -> int | None:
    return len(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else None


def _values(length: int | None) -> str:
    return "one value that is no row" if length is None else f"{length} values"


def _floats_of_objects(array: np.ndarray, name: str, who: str) -> np.ndarray:
    """Objects as float64; an error says which of them is no number."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        refuse_object(array, name, who, error)
        raise


def refuse_object(array: np.ndarray, name: str, who: str, error: Exception) -> None:
    """Raise an error that says which value of an array of objects is no number, and where."""
    for place in np.ndindex(array.shape):
        value = array[place]
        try:
            float(value)
        except (TypeError, ValueError, OverflowError) as reason:
            where = ", ".join(
                f"{axis} {number}" for axis, number in zip(("row", "column"), place, strict=False)
            )
            text = isinstance(value, str | bytes)
            kind = "text" if text else f"value of type {type(value).__name__!r}"
            shown = f" {value!r:.60}" if text else ""
            # in the words of scikit-learn, where it has some
            said = (
                f"{reason}"
                if not isinstance(reason, TypeError)
                else "argument must be a string or a real number"
            )
            problem = (
                f"{name} has the {kind}{shown} in {where}; {who} needs numbers: {said:.150}. "
                f"{TABLES}"
            )
            raise (TypeError if isinstance(reason, TypeError) else ValueError)(problem) from error


def refuse_pictures(X: Any, who: str, takes_pictures: bool) -> None:
    """Raise if X is an array of pictures, say, and not one of rows."""
    shape = np.shape(X) if isinstance(X, np.ndarray) else ()
    if len(shape) > 2:
        said = f", and image_shape={shape[1:]}" if takes_pictures and len(shape) <= 4 else ""
        raise ValueError(
            f"Found array with dim {len(shape)}, {who} expected <= 2: one row for each sample. "
            f"Give X.reshape(len(X), -1){said}."
        )


def frame_of(X: Any, name: str) -> Any:
    """X as a data frame of narwhals, if it is one, with names that are all different."""
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return X  # narwhals would ask a dozen libraries whether it is theirs
    try:
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            frame.schema  # noqa: B018  (which looks at the names)
    except nw.exceptions.DuplicateError:
        names = [str(column) for column in X.columns]
        twice = next(column for column in names if names.count(column) > 1)
        raise ValueError(
            f"{name} has {names.count(twice)} columns with the name {twice!r}; rename or drop all "
            "but one of them."
        ) from None
    return frame


def shown(value: Any) -> str:
    """A value in a message: as it is written if that is one short line, else what it is."""
    if getattr(value, "shape", ()) != ():
        return f"<{type(value).__name__} of shape {tuple(value.shape)}>"
    written = repr(value)
    return written if len(written) <= 100 and "\n" not in written else f"<{type(value).__name__}>"
