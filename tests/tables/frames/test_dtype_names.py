"""The types of columns by name, and the nearest type of another library."""

import numpy as np
import pytest

from lowdim.tables.frames.dtype_names import (
    Plain,
    decimal_digits,
    held,
    holding,
    plain_type,
    time_unit,
    time_zone,
    translated,
)
from lowdim.tables.frames.dtypes import Dtype, dtype_of, restored
from lowdim.tables.frames.values import Values


@pytest.mark.parametrize(
    ("form", "native", "expected"),
    [
        ("number", "int64", {"pandas": "int64", "polars": "Int64", "pyarrow": "int64"}),
        ("number", "float32", {"pandas": "float32", "polars": "Float32", "pyarrow": "float"}),
        ("flag", "bool", {"pandas": "bool", "polars": "Boolean", "pyarrow": "bool"}),
        ("words", "str", {"pandas": "str", "polars": "String", "pyarrow": "string"}),
        (
            "moment",
            "datetime64[us]",
            {
                "pandas": "datetime64[us]",
                "polars": "Datetime(time_unit='us', time_zone=None)",
                "pyarrow": "timestamp[us]",
            },
        ),
    ],
)
def test_names_as_in_numpy_are_understood_by_every_library(form, native, expected):
    values = Values(form, np.array([0.0, 1.0]))
    if form == "words":
        values = Values(form, places=np.array([0, 0], dtype=np.int32), levels=("a",))
    for backend, name in expected.items():
        column = restored(values, Dtype(form, native, ""), backend)
        assert dtype_of(column).native == name


@pytest.mark.parametrize(
    ("form", "native", "detail", "plain"),
    [
        ("number", "Int8", "", Plain("int8")),
        ("number", "uint16[pyarrow]", "", Plain("uint16")),
        ("number", ">f4", "", Plain("float32")),
        ("number", "double", "", Plain("float64")),
        ("number", "halffloat", "", Plain("float16")),
        ("number", "decimal128(10, 2)", "", Plain("decimal", digits=2)),
        ("number", "object", "Decimal|3|None", Plain("decimal", digits=3)),
        ("number", "null", "", Plain("nothing")),
        ("flag", "boolean", "", Plain("bool")),
        ("words", "Enum", "", Plain("category")),
        ("words", "string", "", Plain("text")),
        ("moment", "date32[day]", "", Plain("date")),
        ("moment", "object", "date||None", Plain("date")),
        ("moment", "datetime64[ns, Europe/Berlin]", "", Plain("datetime", "ns", "Europe/Berlin")),
        ("moment", "timestamp[ms, tz=UTC]", "", Plain("datetime", "ms", "UTC")),
        ("span", "time64[us]", "", Plain("time", "us")),
        ("span", "Duration(time_unit='ms')", "", Plain("duration", "ms")),
        ("other", "list<item: int64>", "", Plain("nothing")),
    ],
)
def test_a_type_is_said_in_words_that_all_libraries_share(form, native, detail, plain):
    assert plain_type(Dtype(form, native, "", detail=detail)) == plain


@pytest.mark.parametrize(
    ("library", "native"),
    [
        ("pandas", "datetime64[s, +05:30]"),
        ("polars", "Datetime(time_unit='ms', time_zone='UTC')"),  # it knows no s and no offsets
        ("pyarrow", "timestamp[s, tz=+05:30]"),
        ("numpy", "datetime64[s]"),
    ],
)
def test_a_time_gets_what_the_other_library_has(library, native):
    dtype = Dtype("moment", "timestamp[s, tz=+05:30]", "pyarrow")
    assert translated(dtype, library).native == native


@pytest.mark.parametrize(("library", "native"), [("polars", "Enum"), ("pandas", "category")])
def test_categories_keep_their_order(library, native):
    known = np.array(["low", "high"], dtype=object)
    dtype = Dtype("words", "category", "pandas", known, True, holding(Dtype("words", "str", "")))
    found = translated(dtype, library)
    assert (found.native, found.ordered, found.categories.tolist()) == (
        native,
        True,
        ["low", "high"],
    )
    assert held(found).form == "words"
    arrow = translated(dtype, "pyarrow").native
    assert arrow == "dictionary<values=string, indices=int32, ordered=1>"


def test_units_zones_and_digits_are_read_from_names():
    assert time_unit("duration[ns]") == "ns" and time_unit("Date") == "us"
    assert time_zone("Datetime(time_unit='us', time_zone='Asia/Tokyo')") == "Asia/Tokyo"
    assert time_zone("timestamp[us]") == ""
    assert decimal_digits("Decimal(precision=20, scale=4)") == (20, 4)
    assert decimal_digits("Decimal") == (38, 0)
