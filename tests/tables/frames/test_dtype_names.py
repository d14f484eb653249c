"""The types of columns by name, and the nearest type of another library."""

import numpy as np
import pytest

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
        values = Values(form, codes=np.array([0, 0], dtype=np.int32), levels=("a",))
    for backend, name in expected.items():
        column = restored(values, Dtype(form, native, ""), backend)
        assert dtype_of(column).native == name
