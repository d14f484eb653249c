"""Columns of pandas, polars, pyarrow and NumPy made from `Values`, in the type that a Dtype names.

Where values do not fit that type, the nearest one that holds them: of whole numbers or flags with
missing values one that knows these, of fractions float64, of times a finer unit, of words that are
no category one more category.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lowdim.tables.frames.dtype_names import Dtype, decimal_digits, held, time_unit, time_zone
from lowdim.tables.frames.objects import decimal_texts, objects_from
from lowdim.tables.frames.series import arrow_texts, is_arrow_text, values_of
from lowdim.tables.frames.values import DAY, TICKS, Values, ticks, whole_numbers, words

OBJECT = np.dtype(object)


# ---- NumPy ---------------------------------------------------------------------------------------


def numpy_column(values: Values, dtype: Dtype) -> np.ndarray:
    """An array (n,); of objects where there is no other way to say that a value is missing."""
    kind = _numpy_dtype(dtype.native)
    if values.places is not None and kind.kind == "U" and not values.missing.any():
        texts = np.array(values.levels, dtype=np.str_)
        return texts[values.places].astype(max(kind, texts.dtype))
    if values.places is not None or kind == OBJECT or values.form == "other":
        return objects_from(values, dtype.detail if kind == OBJECT else "")
    assert values.numbers is not None
    if values.form in ("moment", "span"):
        return _times(values, time_unit_of(kind))
    for candidate in (kind, np.dtype(np.int64)) if kind.kind in "iu" else (kind,):
        fitting = _numbers(values.numbers, candidate)
        if fitting is not None:
            return fitting
    return objects_from(values, "bool||None") if _is_flags(values, kind) else values.numbers


def _numpy_dtype(name: str) -> np.dtype:
    """The dtype of this name; of objects if there is none."""
    try:
        return np.dtype(name) if name else OBJECT
    except (TypeError, ValueError):
        return OBJECT


def _numbers(numbers: np.ndarray, kind: np.dtype) -> np.ndarray | None:
    """Numbers in a dtype of NumPy, None if one is missing or does not fit."""
    if kind.kind == "f":
        return numbers.astype(kind, copy=False)
    if np.isnan(numbers).any():
        return None
    if kind.kind == "b":
        return numbers.astype(bool) if np.isin(numbers, (0, 1)).all() else None
    return whole_numbers(numbers, kind) if kind.kind in "iu" else None


def _is_flags(values: Values, kind: np.dtype) -> bool:
    assert values.numbers is not None
    known = values.numbers[~values.missing]
    return kind.kind == "b" and bool(np.isin(known, (0, 1)).all())


def time_unit_of(kind: Any) -> str:
    """The unit of a NumPy dtype; of dtypes that are not times, microseconds."""
    is_time = isinstance(kind, np.dtype) and kind.kind in "mM"
    unit = np.datetime_data(kind)[0] if is_time else "us"
    return unit if unit in (*TICKS, "ns") else "us"


def _times(values: Values, unit: str) -> np.ndarray:
    """Times in a unit, or in a finer one if they need it, as datetime64 or timedelta64."""
    assert values.numbers is not None
    whole = ticks(values.numbers, unit)
    if whole is None:
        unit, whole = "us", ticks(values.numbers, "us")
    assert whole is not None
    found = whole.view(f"{'M' if values.form == 'moment' else 'm'}8[{unit}]")
    found[~np.isfinite(values.numbers)] = "NaT"
    return found


# ---- pandas --------------------------------------------------------------------------------------


def pandas_column(values: Values, dtype: Dtype) -> Any:
    """A Series of pandas."""
    import pandas as pd

    if dtype.native == "category":
        return pd.Series(_pandas_categories(values, dtype))
    if dtype.native.endswith("[pyarrow]"):
        arrow = arrow_column(values, dtype._replace(native=dtype.native.removesuffix("[pyarrow]")))
        return pd.Series(pd.arrays.ArrowExtensionArray(arrow))
    kind = _pandas_dtype(dtype)
    if kind == OBJECT or values.form == "other":
        detail = dtype.detail if dtype.native == "object" else ""
        return pd.Series(objects_from(values, detail), dtype=object)
    if values.places is not None:
        return pd.Series(_pandas_words(values, kind, dtype))
    if values.form in ("moment", "span"):
        return pd.Series(_pandas_times(values, kind))
    return pd.Series(_pandas_numbers(values, kind))


def _pandas_dtype(dtype: Dtype) -> Any:
    """The dtype of this name; for words without one, what pandas makes of text."""
    import pandas as pd

    if dtype.native in ("str", "string") and dtype.detail:
        missing = {"na_value": np.nan} if dtype.native == "str" else {}
        return pd.StringDtype(dtype.detail, **missing)
    plain = pd.Series(["text"]).dtype if dtype.form == "words" else np.dtype(np.float64)
    if dtype.native in ("", "str"):
        return plain
    try:
        return pd.api.types.pandas_dtype(dtype.native)
    except (TypeError, ValueError):  # of a package that is not installed here
        return plain


def _pandas_words(values: Values, kind: Any, dtype: Dtype) -> Any:
    import pandas as pd

    if isinstance(kind, pd.IntervalDtype):
        known = _intervals(dtype)
        place = {str(interval): i for i, interval in enumerate(known)}
        if set(values.levels) <= set(place):
            places = np.array([*(place[level] for level in values.levels), -1])[values.places]
            return known.take(places, allow_fill=True, fill_value=np.nan).astype(kind)
    if not isinstance(kind, pd.StringDtype):
        kind = pd.Series(["text"]).dtype
    if kind == OBJECT:
        return objects_from(values, "")
    return pd.array(list(values.levels), dtype=kind).take(values.places, allow_fill=True)


def _intervals(dtype: Dtype) -> Any:
    import pandas as pd

    kind = pd.api.types.pandas_dtype(dtype.native)
    ends = dtype._replace(native=str(kind.subtype), categories=None, detail="")
    left, right = (
        pd.Index(pandas_column(_exact_values(dtype.categories[:, side]), ends)) for side in (0, 1)
    )
    return pd.IntervalIndex.from_arrays(left, right, closed=kind.closed)


def _pandas_numbers(values: Values, kind: Any) -> Any:
    import pandas as pd

    numbers, missing = values.numbers, values.missing
    assert numbers is not None
    if isinstance(kind, pd.SparseDtype):
        fitting = _numbers(numbers, np.dtype(kind.subtype))
        return numbers if fitting is None else pd.arrays.SparseArray(fitting, dtype=kind)
    nullable = not isinstance(kind, np.dtype)
    plain = np.dtype(kind.numpy_dtype if nullable else kind)
    fitting = None if nullable else _numbers(numbers, plain)
    if fitting is not None:
        return fitting
    filled = np.where(missing, 0, numbers)
    if plain.kind == "b" and np.isin(filled, (0, 1)).all():
        return pd.arrays.BooleanArray(filled.astype(bool), missing)
    if plain.kind in "iu":
        for dtype in (plain, np.dtype(np.int64)):
            whole = whole_numbers(filled, dtype)
            if whole is not None:
                masked = nullable or missing.any()
                return pd.arrays.IntegerArray(whole, missing) if masked else whole
    if not nullable:
        return numbers.astype(np.float64)
    floats = plain if plain.kind == "f" else np.dtype(np.float64)
    return pd.arrays.FloatingArray(filled.astype(floats), missing)


def _pandas_times(values: Values, kind: Any) -> Any:
    import pandas as pd

    if isinstance(kind, pd.PeriodDtype):
        fine = "ns" if str(kind).endswith("ns]") else "us"
        starts = _times(values, fine).view(np.int64)  # NaT is the same number in a period
        return pd.PeriodIndex.from_ordinals(starts, freq=fine).asfreq(kind.freq)
    if isinstance(kind, pd.DatetimeTZDtype):
        found = pd.DatetimeIndex(_times(values, kind.unit))
        return found.tz_localize("UTC").tz_convert(kind.tz)
    return _times(values, time_unit_of(kind))


def _pandas_categories(values: Values, dtype: Dtype) -> Any:
    """A Categorical; words that are no category are appended, and then there is no order."""
    import pandas as pd

    if dtype.categories is None:
        return pd.Categorical.from_codes(values.places, list(values.levels))
    inner = held(dtype)
    if dtype.categories.ndim == 2:
        known = _intervals(dtype._replace(native=inner.native))
    else:
        known = pd.Index(pandas_column(_exact_values(dtype.categories), inner))
    places, new = _places(values, list(map(str, known.tolist())))
    if new:
        if inner.form != "words" or dtype.categories.ndim == 2:
            known = known.map(str)
        known = known.append(pd.Index(new, dtype=known.dtype))
    return pd.Categorical.from_codes(places, known, ordered=dtype.ordered and not new)


def _places(values: Values, texts: list[Any]) -> tuple[np.ndarray, list[str]]:
    """Where the words are among texts, and those that are not there, whose places come after."""
    place = {text: i for i, text in reversed(list(enumerate(texts)))}
    new = [level for level in values.levels if level not in place]
    place |= {level: len(texts) + i for i, level in enumerate(new)}
    own = np.array([*(place[level] for level in values.levels), -1], dtype=np.int64)
    return own[values.places], new


def _exact_values(categories: np.ndarray) -> Values:
    """The values of categories; whole numbers as they are, however large."""
    if categories.dtype == OBJECT:
        return words(np.arange(len(categories)), categories.tolist())
    return Values("number", categories) if categories.dtype.kind in "iu" else values_of(categories)


# ---- polars --------------------------------------------------------------------------------------


def polars_column(values: Values, dtype: Dtype) -> Any:
    """A Series of polars."""
    import polars as pl

    kind = _polars_dtype(dtype)
    if kind == pl.Object:
        return pl.Series(objects_from(values, dtype.detail).tolist(), dtype=pl.Object)
    if values.form == "other" or (kind == pl.Null and values.missing.all()):
        return pl.Series([None] * len(values), dtype=kind)
    if values.places is not None:
        texts = pl.Series([*values.levels, None], dtype=pl.String)
        column = texts.gather(np.where(values.places < 0, len(values.levels), values.places))
        if isinstance(kind, pl.Enum) and not set(values.levels) <= set(dtype.categories.tolist()):
            kind = pl.Categorical()
        return column.cast(kind) if isinstance(kind, pl.Enum | pl.Categorical) else column
    if values.form in ("moment", "span"):
        return _polars_times(values, kind)
    return _polars_numbers(values, kind, dtype.detail == "nan")


def _polars_dtype(dtype: Dtype) -> Any:
    import polars as pl

    name, unit = dtype.native.split("(")[0], time_unit(dtype.native)
    if name == "Datetime":
        return pl.Datetime(unit, time_zone(dtype.native) or None)
    if name == "Duration":
        return pl.Duration(unit)
    if name == "Decimal":
        return pl.Decimal(*decimal_digits(dtype.native))
    if name == "Enum":
        return pl.Enum(dtype.categories.tolist())
    if name == "Categorical" and "|" in dtype.detail:
        own, space, physical = dtype.detail.split("|")
        integers = {"UInt8": pl.UInt8, "UInt16": pl.UInt16}.get(physical, pl.UInt32)
        return pl.Categorical(pl.Categories(own, space, integers))
    simple = getattr(pl, name, None) if dtype.form != "other" or name == "Object" else pl.Null
    # a name from a model file may be anything
    return simple() if isinstance(simple, type) and issubclass(simple, pl.DataType) else pl.Null()


def _polars_numbers(values: Values, kind: Any, keep_nan: bool) -> Any:
    import polars as pl

    numbers, missing = values.numbers, values.missing
    assert numbers is not None
    if kind.is_decimal():
        texts = _decimals(numbers, kind.scale)
        own = _wide_enough(numbers, (kind, pl.Decimal(38, kind.scale)))
        if texts is not None and own is not None:
            return pl.Series(texts, dtype=pl.String).cast(own)
    if kind.is_integer() or kind == pl.Boolean:
        plain = np.dtype(bool) if kind == pl.Boolean else _polars_integers(kind)
        whole = _masked_whole(numbers, missing, plain)
        if whole is not None:
            found = _polars_with_nulls(whole, missing)
            return found.cast(kind) if whole.dtype == plain else found
    found = pl.Series(numbers) if keep_nan else _polars_with_nulls(numbers, missing)
    return found.cast(kind) if kind.is_float() else found


def _polars_integers(kind: Any) -> np.dtype:
    name = str(kind).lower()
    return np.dtype(np.int64 if name.endswith("128") else name)


def _polars_times(values: Values, kind: Any) -> Any:
    import polars as pl

    numbers, unit = values.numbers, getattr(kind, "time_unit", None) or "us"
    assert numbers is not None
    missing = ~np.isfinite(numbers)
    if kind == pl.Date:
        days = ticks(numbers, "D")
        if days is not None:
            return _polars_with_nulls(days.astype(np.int32), missing).cast(pl.Date)
    known = numbers[~missing]
    if kind == pl.Time and ((known >= 0) & (known < DAY)).all():
        return _polars_with_nulls(ticks(numbers, "ns"), missing).cast(pl.Time)
    found = _times(values, unit)
    unit = np.datetime_data(found.dtype)[0]
    zone = getattr(kind, "time_zone", None)
    own = pl.Datetime(unit, zone) if values.form == "moment" else pl.Duration(unit)
    return _polars_with_nulls(found.view(np.int64), missing).cast(own)


def _polars_with_nulls(array: Any, missing: np.ndarray) -> Any:
    import polars as pl

    found = pl.Series(np.where(missing, array.dtype.type(0), array))
    return found.set(pl.Series(missing), None) if missing.any() else found


def _decimals(numbers: np.ndarray, digits: int) -> list[str | None] | None:
    """Numbers as text with so many digits after the point, None where missing."""
    missing = np.isnan(numbers)
    texts = decimal_texts(numbers[~missing], digits) if not np.isinf(numbers).any() else None
    if texts is None:
        return None
    found = np.full(len(numbers), None, dtype=object)
    found[~missing] = texts
    return found.tolist()


def _wide_enough(numbers: np.ndarray, kinds: tuple) -> Any:
    """The first of some types of decimals that has digits enough before the point."""
    largest = np.nanmax(np.abs(numbers), initial=0.0)
    return next((k for k in kinds if largest < 10.0 ** (k.precision - k.scale)), None)


def _masked_whole(numbers: np.ndarray, missing: np.ndarray, kind: np.dtype) -> np.ndarray | None:
    """Whole numbers or flags in a dtype, or in int64, 0 where missing; None if they do not fit."""
    filled = np.where(missing, 0, numbers)
    if kind.kind == "b":
        return filled.astype(bool) if np.isin(filled, (0, 1)).all() else None
    found = whole_numbers(filled, kind)
    return whole_numbers(filled, np.dtype(np.int64)) if found is None else found


# ---- pyarrow -------------------------------------------------------------------------------------


def arrow_column(values: Values, dtype: Dtype) -> Any:
    """An Array of pyarrow."""
    import pyarrow as pa

    kind = arrow_type(dtype.native)
    if values.form == "other" or (pa.types.is_null(kind) and values.missing.all()):
        return pa.nulls(len(values), kind)
    if values.places is not None:
        if pa.types.is_dictionary(kind):
            return _arrow_categories(values, kind, dtype)
        places = pa.array(values.places, mask=values.places < 0)
        column = pa.array(list(values.levels), pa.string()).take(places)
        return column.cast(kind) if is_arrow_text(kind) else column
    if values.form in ("moment", "span"):
        return _arrow_times(values, kind)
    return _arrow_numbers(values, kind, dtype.detail == "nan")


def arrow_type(name: str) -> Any:
    """The Arrow type of this name; null if there is none."""
    import pyarrow as pa

    dictionary = re.fullmatch(r"dictionary<values=(.+), indices=(\w+), ordered=([01])>", name)
    if dictionary:
        inner, indices, ordered = dictionary.groups()
        return pa.dictionary(pa.type_for_alias(indices), arrow_type(inner), ordered == "1")
    if re.match(r"decimal(32|64|128|256)\(", name):
        return getattr(pa, name.split("(")[0])(*decimal_digits(name))
    if name.startswith("timestamp"):
        return pa.timestamp(time_unit(name), time_zone(name) or None)
    try:
        return pa.type_for_alias(name)
    except ValueError:  # lists and the like
        return pa.null()


def _arrow_numbers(values: Values, kind: Any, keep_nan: bool) -> Any:
    import pyarrow as pa

    numbers, missing = values.numbers, values.missing
    assert numbers is not None
    if pa.types.is_decimal(kind):
        texts = _decimals(numbers, kind.scale)
        wider = pa.decimal128(38, kind.scale), pa.decimal256(76, kind.scale)
        own = _wide_enough(numbers, (kind, *wider))
        if texts is not None and own is not None:
            return pa.array(texts, pa.string()).cast(own)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        plain = np.dtype(kind.to_pandas_dtype())
        whole = _masked_whole(numbers, missing, plain)
        if whole is not None:
            return pa.array(whole, mask=missing)
    found = pa.array(numbers, mask=None if keep_nan else missing)
    return found.cast(kind) if pa.types.is_floating(kind) else found


def _arrow_times(values: Values, kind: Any) -> Any:
    import pyarrow as pa

    numbers = values.numbers
    assert numbers is not None
    missing = ~np.isfinite(numbers)
    known = numbers[~missing]
    if pa.types.is_date(kind):
        days = ticks(numbers, "D")
        if days is not None:
            return pa.array(days.astype(np.int32), mask=missing).cast(pa.date32()).cast(kind)
    if pa.types.is_time(kind) and ((known >= 0) & (known < DAY)).all():
        whole = ticks(numbers, kind.unit)
        own, unit = (kind, kind.unit) if whole is not None else (pa.time64("us"), "us")
        integers = np.int32 if own.bit_width == 32 else np.int64
        return pa.array(ticks(numbers, unit).astype(integers), mask=missing).cast(own)  # type: ignore[union-attr]
    unit = kind.unit if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) else "us"
    found = _times(values, unit)
    unit = np.datetime_data(found.dtype)[0]
    zone = kind.tz if pa.types.is_timestamp(kind) else None
    own = pa.timestamp(unit, zone) if values.form == "moment" else pa.duration(unit)
    return pa.array(found.view(np.int64), mask=missing).cast(own)


def _arrow_categories(values: Values, kind: Any, dtype: Dtype) -> Any:
    """A dictionary; words that it does not have are appended."""
    import pyarrow as pa

    inner = held(dtype)._replace(native=str(kind.value_type))
    own = np.array(values.levels, dtype=object) if dtype.categories is None else dtype.categories
    known = arrow_column(_exact_values(own), inner)
    places, new = _places(values, arrow_texts(known))
    if new:
        texts = [*arrow_texts(known), *new]
        known = pa.array(texts, known.type if is_arrow_text(known.type) else pa.string())
    indices = pa.array(places, mask=places < 0)
    if len(known) <= np.iinfo(kind.index_type.to_pandas_dtype()).max:
        indices = indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, known, ordered=kind.ordered and not new)


COLUMN = {
    "numpy": numpy_column,
    "pandas": pandas_column,
    "polars": polars_column,
    "pyarrow": arrow_column,
}
