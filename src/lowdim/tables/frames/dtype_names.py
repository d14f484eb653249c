"""The types of columns by name: what a name says, and the nearest type of another library.

'Int64' of pandas -> int64         -> 'Int64' of polars, 'int64' of pyarrow
'timestamp[us, tz=UTC]' -> datetime, us, UTC -> 'datetime64[us, UTC]' of pandas
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

ARROW_NUMBERS = {"float16": "halffloat", "float32": "float", "float64": "double"}
ZONE = re.compile(r"tz=([^\]]+)|time_zone='([^']+)'|datetime64\[\w+, ([^\]]+)\]")
DIGITS = re.compile(r"(\d+), (?:scale=)?(-?\d+)\)")


class Dtype(NamedTuple):
    """What a column was in its library."""

    form: str  # of its Values
    native: str  # the library's own name: 'Int64', 'category', 'timestamp[us, tz=UTC]', 'object'
    backend: str  # 'pandas', 'polars', 'pyarrow', 'dict', 'array'; '' for a name as in NumPy
    # of categories and intervals: their values in their order, an array of numbers, dates or text;
    # of intervals (m, 2), their ends
    categories: Any = None
    ordered: bool = False
    # what else is needed: of objects see `objects.detail_of`; of categories the form, name and
    # detail of what they hold, between ';'; 'nan' where floats that are missing are NaN, not null
    detail: str = ""


class Plain(NamedTuple):
    """What a type is in any library."""

    # 'int8' to 'uint64', 'float16' to 'float64', 'decimal', 'nothing'; 'bool'; 'text', 'category';
    # 'date', 'datetime'; 'duration', 'time'
    kind: str
    unit: str = "us"  # of times
    zone: str = ""
    digits: int = 0  # of decimals, after the point


def plain_type(dtype: Dtype) -> Plain:
    """What a Dtype is, in words that all libraries share."""
    is_object = dtype.native == "object" and dtype.detail
    object_kind, about, _ = dtype.detail.split("|") if is_object else ("", "", "")
    name = dtype.native.removesuffix("[pyarrow]")
    if dtype.form == "number":
        return _number_type(name, object_kind, about)
    if dtype.form == "flag":
        return Plain("bool")
    if dtype.form == "words":
        is_category = name.startswith(("category", "Categorical", "Enum", "dictionary"))
        return Plain("category" if is_category else "text")
    if dtype.form == "moment":
        if object_kind == "date" or name in ("Date", "datetime64[D]", "date32[day]", "date64[ms]"):
            return Plain("date")
        return Plain("datetime", time_unit(name), about or time_zone(name))
    if dtype.form == "span":
        of_day = object_kind == "time" or name == "Time" or name.startswith(("time32", "time64"))
        return Plain("time" if of_day else "duration", time_unit(name))
    return Plain("nothing")


def _number_type(name: str, object_kind: str, about: str) -> Plain:
    if name == "object":
        kind = {"int": "int64", "Decimal": "decimal", "": "nothing"}.get(object_kind, "float64")
        return Plain(kind, digits=int(about or 0))
    if name.startswith(("<", ">")):
        name = np.dtype(name).name
    name = name.lower()
    if name.startswith("decimal"):
        return Plain("decimal", digits=decimal_digits(name)[1])
    if name == "null":
        return Plain("nothing")
    found = re.search(r"(u?int|float)(\d+)", name)
    if found:
        sign, bits = found.groups()
        return Plain(f"{sign}{min(int(bits), 64)}")
    return Plain({"halffloat": "float16", "float": "float32"}.get(name, "float64"))


def time_unit(name: str) -> str:
    """The unit in the name of a type: 'ns', 'us', 'ms' or 's'."""
    found = re.search(r"\b(ns|us|ms|s)\b", name)
    return found[1] if found else "us"


def time_zone(name: str) -> str:
    """The time zone in the name of a type, '' if there is none."""
    found = ZONE.search(name)
    return next(filter(None, found.groups())) if found else ""


def decimal_digits(name: str) -> tuple[int, int]:
    """The digits of a type of decimals: all, and those after the point."""
    found = DIGITS.search(name)
    return (int(found[1]), int(found[2])) if found else (38, 0)


# ---- categories ----------------------------------------------------------------------------------


def held(dtype: Dtype) -> Dtype:
    """The type of what the categories of a Dtype are."""
    form, native, detail = dtype.detail.split(";", 2) if ";" in dtype.detail else ("words", "", "")
    return dtype._replace(form=form, native=native, categories=None, ordered=False, detail=detail)


def holding(inner: Dtype) -> str:
    """The detail of a Dtype whose categories are of this type."""
    return f"{inner.form};{inner.native};{inner.detail}"


# ---- names in other libraries --------------------------------------------------------------------


def translated(dtype: Dtype, library: str) -> Dtype:
    """The nearest type of 'pandas', 'polars', 'pyarrow' or 'numpy'."""
    plain = plain_type(dtype)
    native, detail = _NAMES[library](plain)
    backend = "dict" if library == "numpy" else library
    new = dtype._replace(native=native, backend=backend, detail=detail)
    if plain.kind != "category":
        return new._replace(categories=None, ordered=False)
    if dtype.categories is not None and dtype.categories.ndim > 1:
        new = new._replace(categories=None)  # only pandas has intervals
    inner = translated(held(dtype), library)
    if library == "pyarrow":
        order = int(dtype.ordered)
        native = f"dictionary<values={inner.native}, indices=int32, ordered={order}>"
    elif library == "polars" and dtype.ordered and new.categories is not None:
        native = "Enum"
    return new._replace(native=native, detail=holding(inner) if library != "numpy" else "")


def _pandas_name(plain: Plain) -> tuple[str, str]:
    unit = plain.unit
    zone = f", {plain.zone}" if plain.zone else ""
    return {
        "decimal": ("object", f"Decimal|{plain.digits}|None"),
        "nothing": ("object", "||None"),
        "text": ("", ""),
        "category": ("category", ""),
        "date": ("datetime64[us]", ""),
        "datetime": (f"datetime64[{unit}{zone}]", ""),
        "duration": (f"timedelta64[{unit}]", ""),
        "time": ("object", "time||None"),
    }.get(plain.kind, (plain.kind, ""))


def _numpy_name(plain: Plain) -> tuple[str, str]:
    if plain.kind == "date":
        return "datetime64[D]", ""
    if plain.kind == "datetime":
        plain = plain._replace(zone="")
    native, detail = _pandas_name(plain)
    return ("object", "str||None") if plain.kind in ("text", "category") else (native, detail)


def _polars_name(plain: Plain) -> tuple[str, str]:
    unit = "ms" if plain.unit == "s" else plain.unit
    offset = plain.zone.startswith(("+", "-", "UTC+", "UTC-"))  # which polars does not know
    zone = "UTC" if offset else plain.zone
    native = {
        "bool": "Boolean",
        "decimal": f"Decimal(precision=38, scale={plain.digits})",
        "nothing": "Null",
        "text": "String",
        "category": "Categorical",
        "date": "Date",
        "datetime": f"Datetime(time_unit='{unit}', time_zone={zone!r})",
        "duration": f"Duration(time_unit='{unit}')",
        "time": "Time",
        "float16": "Float32",
    }.get(plain.kind, plain.kind.replace("u", "U").replace("int", "Int").replace("f", "F"))
    return native, ""


def _arrow_name(plain: Plain) -> tuple[str, str]:
    zone = f", tz={plain.zone.removeprefix('UTC') or 'UTC'}" if plain.zone else ""
    native = {
        "decimal": f"decimal128(38, {plain.digits})",
        "nothing": "null",
        "text": "string",
        "date": "date32[day]",
        "datetime": f"timestamp[{plain.unit}{zone}]",
        "duration": f"duration[{plain.unit}]",
        "time": "time64[us]",
        **ARROW_NUMBERS,
    }.get(plain.kind, plain.kind)
    return native, ""


_NAMES: dict[str, Any] = {
    "pandas": _pandas_name,
    "numpy": _numpy_name,
    "polars": _polars_name,
    "pyarrow": _arrow_name,
}
