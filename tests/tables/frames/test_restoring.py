"""Columns are made in the type that they had, or in the nearest one that holds the values."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lowdim.tables.frames.dtypes import Dtype, dtype_of, restored
from lowdim.tables.frames.series import values_of
from lowdim.tables.frames.values import Values
from tests.tables.frames.columns import numbers, same_values, words


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "dict"])
@pytest.mark.parametrize("name", ["read_csv", "decimalfoo(1, 2)", "x" * 99, "System()", ""])
def test_a_name_that_no_type_has_gives_a_plain_column(backend, name):
    for values in (numbers(1.5), words([0], ["a"])):
        found = values_of(restored(values, Dtype(values.form, name, backend), backend))
        assert same_values(found, values)


@pytest.mark.parametrize(
    ("values", "column", "native", "cells"),
    [
        (numbers(1, np.nan), pd.Series([1]), "Int64", [1, None]),
        (numbers(1, 1.5), pd.Series([1]), "float64", [1.0, 1.5]),
        (numbers(np.nan, 1.5), pd.Series([1]), "float64", [None, 1.5]),
        (numbers(1, 300), pd.Series([1], dtype="int8"), "int64", [1, 300]),
        (numbers(1, np.inf), pd.Series([1]), "float64", [1.0, np.inf]),
        (numbers(1, 1.5), pd.Series([1], dtype="Int64"), "Float64", [1.0, 1.5]),
        (numbers(1, np.nan), pd.Series([True]), "boolean", [True, None]),
        (numbers(1, 2), pd.Series([True]), "float64", [1.0, 2.0]),
        (numbers(1, np.nan), pl.Series([1], dtype=pl.Int8), "Int8", [1, None]),
        (numbers(1, 300), pl.Series([1], dtype=pl.Int8), "Int64", [1, 300]),
        (numbers(1, 1.5), pl.Series([1]), "Float64", [1.0, 1.5]),
        (numbers(1, np.nan), pl.Series([True]), "Boolean", [True, None]),
        (numbers(1, np.nan), pa.array([1], pa.int8()), "int8", [1, None]),
        (numbers(1, 1.5), pa.array([1]), "double", [1.0, 1.5]),
        (numbers(0, 2), pa.array([True]), "double", [0.0, 2.0]),
        (numbers(1.25, 0.333), pa.array([Decimal("1.25")]), "double", [1.25, 0.333]),
        (
            numbers(123456.5, np.nan),
            pa.array([Decimal("1.25")]),
            "decimal128(38, 2)",
            [Decimal("123456.50"), None],
        ),
        (numbers(1e90), pa.array([Decimal("1.25")]), "double", [1e90]),
        (numbers(1e90), pl.Series([Decimal("1.25")]), "Float64", [1e90]),
        (numbers(1, np.nan), np.array([1]), "float64", [1.0, None]),
        (numbers(1, np.nan), np.array([True]), "object", [True, None]),
        (numbers(1.5), pd.Series([1], dtype=object), "object", [1.5]),
        (numbers(1), pa.nulls(1), "double", [1.0]),
        (numbers(1), pl.Series([None]), "Float64", [1.0]),
        (words([0, -1], "a"), np.array(["abc"]), "object", ["a", None]),
        (words([0], ["abcde"]), np.array(["abc"]), "<U5", ["abcde"]),
        (words([0, 1], ["3", "5"]), pd.Series([1]), "int64", [3, 5]),
        (words([0, 1], ["3", "x"]), pd.Series([1]), "str", ["3", "x"]),
        (words([0], [str(2**62 + 1)]), pd.Series([1]), "str", [str(2**62 + 1)]),
        (words([1, 0], ["False", "True"]), pd.Series([True]), "bool", [True, False]),
        (words([0, 1], "az"), pl.Series(["a"], dtype=pl.Enum(["a"])), "Categorical", ["a", "z"]),
        (words([0, 1], "az"), pd.Series(pd.interval_range(0, 2)), "str", ["a", "z"]),
        (numbers(1), pd.Series(["a"]), "float64", [1.0]),
        (
            Values("moment", np.array([1.5e6, np.nan])),
            pd.Series(np.array([0], "M8[s]")),
            "datetime64[us]",
            [dt.datetime(1970, 1, 1, 0, 0, 1, 500_000), None],
        ),
        (
            Values("moment", np.array([60e6])),
            pa.array([dt.date(2020, 1, 1)]),
            "timestamp[us]",
            [dt.datetime(1970, 1, 1, 0, 1)],
        ),
        (
            Values(
                "moment", np.array([-62135596800e6])
            ),  # the year 1, which nanoseconds cannot say
            pl.Series([0]).cast(pl.Datetime("ns")),
            "Datetime(time_unit='us', time_zone=None)",
            [dt.datetime(1, 1, 1)],
        ),
        (
            Values("span", np.array([90_000e6])),
            pa.array([dt.time(1)]),
            "duration[us]",
            [dt.timedelta(hours=25)],
        ),
        (
            Values("moment", np.array([60e6])),
            pd.Series([dt.date(2020, 1, 1)], dtype=object),
            "object",
            [dt.datetime(1970, 1, 1, 0, 1)],
        ),
    ],
)
def test_what_does_not_fit_gets_the_nearest_type_that_holds_it(values, column, native, cells):
    dtype = dtype_of(column)
    found = restored(values, dtype, dtype.backend)
    assert dtype_of(found).native == native
    listed = found.tolist() if hasattr(found, "tolist") else found.to_list()
    assert [None if pd.isna(cell) else cell for cell in listed] == cells


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", "b"], dtype=pd.CategoricalDtype(["b", "a"], ordered=True)),
        pd.Series([1, 2], dtype="category"),
        pd.Series(pd.Categorical(pd.interval_range(0, 2))),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([1, 2]).dictionary_encode(),
    ],
)
def test_a_new_level_becomes_a_category_without_order(column):
    dtype = dtype_of(column)
    found = restored(words([0, 1, -1], ["new", "newer"]), dtype, dtype.backend)
    listed = found.tolist()
    assert listed[:2] == ["new", "newer"] and pd.isna(listed[2])
    again = dtype_of(found)
    assert len(again.categories) == len(dtype.categories) + 2
    assert not again.ordered


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(np.array([0], "M8[ns]")),
        pd.Series([dt.date(2020, 1, 1)], dtype=object),
        pd.Series([dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-9)))]).astype(
            object
        ),
        pl.Series([dt.date(2020, 1, 1)]),
        pa.array([dt.date(2020, 1, 1)]),
    ],
)
def test_times_out_of_this_world_are_put_at_its_edge(column):
    dtype = dtype_of(column)
    far = Values("moment", np.array([1e300, -1e300, np.nan]))
    found = values_of(restored(far, dtype, dtype.backend))
    assert found.form == "moment" and found.missing.tolist() == [False, False, True]
    assert found.numbers[0] > 2e17 and found.numbers[1] < -6e16


def test_floats_know_whether_missing_is_nan_or_null():
    for column in (pl.Series([1.0, np.nan]), pa.array([1.0, np.nan])):
        found = restored(values_of(column), dtype_of(column), dtype_of(column).backend)
        assert np.isnan(found.to_numpy()[1]) and _nulls(found) == 0
    for column in (pl.Series([1.0, None]), pa.array([1.0, None])):
        assert _nulls(restored(values_of(column), dtype_of(column), dtype_of(column).backend)) == 1


def _nulls(column):
    return column.null_count if isinstance(column, pa.Array) else column.null_count()


def test_lists_cannot_be_made_again_and_are_missing():
    for column in (pd.Series([[1]]), pl.Series([[1]]), pa.array([[1]])):
        dtype = dtype_of(column)
        assert dtype.form == "other"
        assert values_of(restored(values_of(column), dtype, dtype.backend)).missing.all()
