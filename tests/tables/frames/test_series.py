"""Columns of any library are read as what they hold."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lowdim.tables.frames.series import columns_of, values_of
from lowdim.tables.frames.values import Values

DAY = 86_400e6
NAN = np.nan
TIME = dt.datetime(1970, 1, 2, 0, 0, 0, 7)
EAST = dt.timezone(dt.timedelta(hours=2))


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def spelled(values):
    """Words of each row, None where missing."""
    return [None if code < 0 else values.levels[code] for code in values.places]


NUMBERS = {
    "int": (pd.Series([1, 2]), "number", [1, 2]),
    "Int8": (pd.Series([1, None], dtype="Int8"), "number", [1, NAN]),
    "infinite": (pd.Series([np.inf, -np.inf, NAN]), "number", [np.inf, -np.inf, NAN]),
    "large": (pd.Series([2**62 + 1]), "number", [2.0**62]),
    "bool": (pd.Series([True, False]), "flag", [1, 0]),
    "boolean": (pd.Series([True, None], dtype="boolean"), "flag", [1, NAN]),
    "sparse": (pd.Series([0.0, 1.0], dtype=pd.SparseDtype(float, 0.0)), "number", [0, 1]),
    "datetime": (pd.Series([TIME, None], dtype="datetime64[ns]"), "moment", [DAY + 7, NAN]),
    "zone": (
        pd.Series(pd.to_datetime(["1970-01-02T02:00+02:00"]).tz_convert("Asia/Tokyo")),
        "moment",
        [DAY],
    ),
    "nanoseconds": (pd.Series([1500], dtype="timedelta64[ns]"), "span", [1.5]),
    "period": (pd.Series(pd.PeriodIndex(["1970-02", None], freq="M")), "moment", [31 * DAY, NAN]),
    "period ns": (
        pd.Series(pd.PeriodIndex(["1970-01-01 00:00:00.000001500"], freq="ns")),
        "moment",
        [1.5],
    ),
    "int[pyarrow]": (pd.Series([1, None], dtype="int64[pyarrow]"), "number", [1, NAN]),
    "polars int": (pl.Series([1, None]), "number", [1, NAN]),
    "polars bool": (pl.Series([True, None]), "flag", [1, NAN]),
    "polars decimal": (pl.Series([Decimal("0.1"), None]), "number", [0.1, NAN]),
    "polars date": (pl.Series([dt.date(1970, 1, 2), None]), "moment", [DAY, NAN]),
    "polars time": (pl.Series([dt.time(0, 0, 1), None]), "span", [1e6, NAN]),
    "polars duration": (pl.Series([dt.timedelta(days=1), None]), "span", [DAY, NAN]),
    "polars null": (pl.Series([None, None]), "number", [NAN, NAN]),
    "arrow int": (pa.chunked_array([[1], [None, 2**62 + 1]]), "number", [1, NAN, 2.0**62]),
    "arrow decimal": (pa.array([Decimal("4503599627370.49401")]), "number", [4503599627370.49401]),
    "arrow bool": (pa.array([True, None]), "flag", [1, NAN]),
    "arrow date64": (pa.array([dt.date(1970, 1, 2), None], pa.date64()), "moment", [DAY, NAN]),
    "arrow zone": (pa.array([TIME], pa.timestamp("us", "Asia/Tokyo")), "moment", [DAY + 7]),
    "arrow time32": (pa.array([dt.time(0, 0, 1), None], pa.time32("s")), "span", [1e6, NAN]),
    "arrow runs": (pa.RunEndEncodedArray.from_arrays([2, 3], [7, 8]), "number", [7, 7, 8]),
    "arrow null": (pa.nulls(1), "number", [NAN]),
    "array": (np.array([1, 2], dtype=">i2"), "number", [1, 2]),
    "array bool": (np.array([True]), "flag", [1]),
    "array of days": (np.array(["1970-01-02", "NaT"], "M8[D]"), "moment", [DAY, NAN]),
    "array of months": (np.array(["1970-02"], "M8[M]"), "moment", [31 * DAY]),
    "array of spans": (np.array([5], "m8[10ms]"), "span", [50_000]),
    "objects bool": (objects(True, None, np.False_), "flag", [1, NAN, 0]),
    "objects number": (
        objects(1, 2.5, Decimal("0.1"), Fraction(1, 4), np.int8(3), None, NAN, pd.NA, 10**400),
        "number",
        [1, 2.5, 0.1, 0.25, 3, NAN, NAN, NAN, np.inf],
    ),
    "objects Decimal NaN": (objects(Decimal("NaN"), Decimal(1)), "number", [NAN, 1]),
    "objects date": (objects(dt.date(1970, 1, 2), pd.NaT), "moment", [DAY, NAN]),
    "objects datetime": (
        objects(TIME, TIME.replace(tzinfo=EAST), pd.Timestamp(TIME), np.datetime64("NaT")),
        "moment",
        [DAY + 7, DAY + 7 - 7200e6, DAY + 7, NAN],
    ),
    "objects span": (objects(dt.timedelta(days=1), np.timedelta64(1, "s")), "span", [DAY, 1e6]),
    "objects time": (objects(dt.time(1, 1, 1, 1), None), "span", [3_661_000_001, NAN]),
    "objects nothing": (objects(None, NAN), "number", [NAN, NAN]),
    "polars objects": (pl.Series([Fraction(1, 2), None], dtype=pl.Object), "number", [0.5, NAN]),
}


@pytest.mark.parametrize(("column", "form", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_flags_and_times_are_numbers(column, form, expected):
    values = values_of(column)
    assert values.form == form and values.places is None
    assert values.numbers.dtype == np.float64
    np.testing.assert_array_equal(values.numbers, expected)
    np.testing.assert_array_equal(values.missing, np.isnan(np.array(expected, dtype=float)))
    assert len(values) == len(expected)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.1, NAN], dtype="float32"),
        pd.Series([0.1, None], dtype="Float32"),
        pd.Series([0.1, None], dtype="float[pyarrow]"),
        pl.Series([0.1, None], dtype=pl.Float32),
        pa.array([0.1, None], pa.float32()),
        np.array([0.1, NAN], np.float32),
    ],
)
def test_float32_stays_float32(column):
    numbers = values_of(column).numbers
    assert numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers, np.array([0.1, NAN], np.float32))


@pytest.mark.parametrize(
    "column", [pd.Series([0.5], dtype="float16"), pa.array([0.5]).cast(pa.float16())]
)
def test_float16_is_float32(column):
    assert values_of(column).numbers.dtype == np.float32


TEXTS = ["b", None, "a", "é", "", "b", "Z", "\U0001f600", "\uffff"]
WORDS = {
    "object": pd.Series(TEXTS, dtype=object),
    "str": pd.Series(TEXTS, dtype="str"),
    "string": pd.Series(TEXTS, dtype="string[python]"),
    "string[pyarrow]": pd.Series(TEXTS, dtype="string[pyarrow]"),
    "arrow string": pd.Series(pd.arrays.ArrowExtensionArray(pa.array(TEXTS))),
    "category": pd.Series(TEXTS, dtype="category").cat.add_categories("unused"),
    "String": pl.Series(TEXTS),
    "Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "Categorical named": pl.Series(TEXTS, dtype=pl.Categorical(pl.Categories("own"))),
    "Enum": pl.Series(TEXTS, dtype=pl.Enum(["unused", *dict.fromkeys(filter(None, TEXTS)), ""])),
    "Object": pl.Series(TEXTS, dtype=pl.Object),
    "string view": pa.array(TEXTS, pa.string_view()),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "chunks": pa.chunked_array([TEXTS[:3], TEXTS[3:]]),
    "dictionaries": pa.chunked_array(
        [pa.array(TEXTS[:3]).dictionary_encode(), pa.array(TEXTS[3:]).dictionary_encode()]
    ),
    "dictionary with a null": pa.DictionaryArray.from_arrays(
        pa.array(range(len(TEXTS)), pa.uint8()), pa.array(TEXTS)
    ),
}


@pytest.mark.parametrize("column", WORDS.values(), ids=WORDS)
def test_words_are_places_among_the_sorted_words_that_occur(column):
    values = values_of(column)
    assert values.form == "words" and values.numbers is None
    assert values.places.dtype == np.int32
    assert values.levels == ("", "Z", "a", "b", "é", "\uffff", "\U0001f600")
    assert spelled(values) == TEXTS
    assert values.missing.tolist() == [text is None for text in TEXTS]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.Series(pd.Categorical([3, None, 1], [3, 1])), ["3", None, "1"]),
        (pd.Series([True, False], dtype="category"), ["True", "False"]),
        (
            pd.Series(pd.Categorical(pd.to_datetime(["2020-01-01", None]))),
            ["2020-01-01 00:00:00", None],
        ),
        (pd.Series(pd.interval_range(0, 2)), ["(0, 1]", "(1, 2]"]),
        (pa.array([3, None, 1]).dictionary_encode(), ["3", None, "1"]),
        (objects(1, "a", None, NAN), ["1", "a", None, None]),
        (np.array(["x", "y"]), ["x", "y"]),
        (np.array(["x", "y"], dtype=np.dtypes.StringDType()), ["x", "y"]),
    ],
)
def test_categories_and_mixed_objects_are_words(column, expected):
    values = values_of(column)
    assert values.form == "words"
    assert spelled(values) == expected
    assert list(values.levels) == sorted(filter(None, set(expected)))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([[1], None, [2]]),
        pd.Series([{"a": 1}, None, "x"]),
        pd.Series([b"a", None, b"b"]),
        pd.Series([1j, None, "x"], dtype=object),
        pl.Series([[1], None, [2]]),
        pl.Series([b"a", None, b"b"]),
        pl.Series([{"a": 1}, None, {"a": 2}]),
        pa.array([[1], None, [2]]),
        pa.array([b"a", None, b"b"]),
    ],
)
def test_what_is_neither_says_only_what_is_missing(column):
    values = values_of(column)
    assert values.form == "other"
    assert values.missing.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("column", "form"),
    [
        (pd.Series([], dtype=object), "number"),
        (pd.Series([], dtype="str"), "words"),
        (pl.Series([], dtype=pl.String), "words"),
        (pl.Series([], dtype=pl.Date), "moment"),
        (pa.chunked_array([], pa.string()), "words"),
        (pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())), "words"),
        (np.array([], dtype="U1"), "words"),
    ],
)
def test_a_column_without_rows_has_the_form_of_its_type(column, form):
    values = values_of(column)
    assert values.form == form and len(values) == 0 and values.levels == ()


def test_a_series_of_narwhals_is_read():
    assert values_of(nw.from_native(pl.Series([1]), series_only=True)).numbers.tolist() == [1.0]


def test_an_index_of_pandas_is_read():
    assert spelled(values_of(pd.Index(["a", "b"]))) == ["a", "b"]
    assert values_of(pd.DatetimeIndex(["1970-01-02"])).numbers.tolist() == [DAY]


def test_numbers_are_not_copied():
    x = np.arange(3.0)
    for column in (x, pd.Series(x), pa.array(x), pl.Series(x)):
        source = column.to_numpy() if hasattr(column, "to_numpy") else column
        assert np.shares_memory(values_of(column).numbers, source)


def test_what_is_no_column_is_refused():
    with pytest.raises(TypeError, match="from list; give a series of pandas"):
        values_of([1, 2])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_all_columns_of_a_chunk_are_read(make):
    chunk = make({"x": np.array([1.0, 2.0]), "w": np.array(["a", "b"], dtype=object)})
    x, w = columns_of(chunk)
    assert x.numbers.tolist() == [1.0, 2.0] and spelled(w) == ["a", "b"]


def test_values_count_their_rows_and_can_be_replaced():
    values = Values("number", np.zeros(5))
    assert replace(values, form="flag").form == "flag"
    assert len(values) == 5
