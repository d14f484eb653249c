"""A column that went through Values is the column that it was: value, type and missing values."""

import datetime as dt
import functools
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, settings

from lowdim.core.persistence import read_state, write_state
from lowdim.tables.frames import dtypes
from lowdim.tables.frames.dtype_names import Dtype
from lowdim.tables.frames.dtypes import (
    build_frame,
    default_backend,
    dtype_of,
    dtypes_of,
    joined_frames,
    restored,
    with_columns,
)
from lowdim.tables.frames.objects import words_as
from lowdim.tables.frames.opening import open_frame
from lowdim.tables.frames.series import columns_of, values_of
from tests.tables.frames.columns import numbers, same_values, words

# What can be in a column: exact in float64, or whole microseconds

WHOLE = {
    bits: st.integers(-min(2 ** (bits - 1), 2**53), min(2 ** (bits - 1) - 1, 2**53))
    for bits in (8, 16, 32, 64)
}
NATURAL = {bits: st.integers(0, min(2**bits - 1, 2**53)) for bits in (8, 16, 32, 64)}
FLOAT = {bits: st.floats(width=bits, allow_nan=False) for bits in (16, 32, 64)}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
MONEY = st.integers(-99_999, 99_999).map(lambda cents: Decimal(cents).scaleb(-2))
DATES = st.dates(dt.date(1700, 1, 1), dt.date(2250, 1, 1))
MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1))
SECONDS = MOMENTS.map(lambda moment: moment.replace(microsecond=0))
DAYTIMES = st.times()
SPANS = st.timedeltas(dt.timedelta(days=-20_000), dt.timedelta(days=20_000))
LONG_SPANS = SPANS.map(lambda span: dt.timedelta(seconds=span.days))
FLAGS = st.booleans()
NOTHING = st.none()


def zoned(zone):
    return MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC).astimezone(zone))


def pandas_column(dtype):
    return lambda values: pd.Series(values, dtype=dtype)


def arrow_backed(kind):
    return lambda values: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values, kind)))


def categories(known, ordered=False):
    def column(values):
        kind = pd.CategoricalDtype(known, ordered)
        return pd.Series(pd.Categorical(values, dtype=kind))

    return column


BERLIN = "Europe/Berlin"
LEVELS = st.sampled_from(["low", "mid", "high"])
PANDAS = {
    **{f"int{b}": (pandas_column(f"int{b}"), WHOLE[b], False) for b in WHOLE},
    **{f"uint{b}": (pandas_column(f"uint{b}"), NATURAL[b], False) for b in NATURAL},
    **{f"float{b}": (pandas_column(f"float{b}"), FLOAT[b], True) for b in FLOAT},
    **{f"Int{b}": (pandas_column(f"Int{b}"), WHOLE[b], True) for b in WHOLE},
    **{f"UInt{b}": (pandas_column(f"UInt{b}"), NATURAL[b], True) for b in NATURAL},
    "Float32": (pandas_column("Float32"), FLOAT[32], True),
    "Float64": (pandas_column("Float64"), FLOAT[64], True),
    "bool": (pandas_column("bool"), FLAGS, False),
    "boolean": (pandas_column("boolean"), FLAGS, True),
    "str": (pandas_column("str"), TEXT, True),
    "string python": (pandas_column("string[python]"), TEXT, True),
    "string pyarrow": (pandas_column("string[pyarrow]"), TEXT, True),
    "datetime ns": (pandas_column("datetime64[ns]"), MOMENTS, True),
    "datetime us": (pandas_column("datetime64[us]"), MOMENTS, True),
    "datetime s": (pandas_column("datetime64[s]"), SECONDS, True),
    "datetime ns zone": (pandas_column(f"datetime64[ns, {BERLIN}]"), zoned(dt.UTC), True),
    "datetime us zone": (pandas_column("datetime64[us, UTC]"), zoned(dt.UTC), True),
    "datetime offset": (pandas_column("datetime64[us, UTC+05:30]"), zoned(dt.UTC), True),
    "timedelta ns": (pandas_column("timedelta64[ns]"), SPANS, True),
    "timedelta us": (pandas_column("timedelta64[us]"), SPANS, True),
    "timedelta s": (pandas_column("timedelta64[s]"), LONG_SPANS, True),
    **{
        f"period {f}": (
            lambda values, f=f: pd.Series(pd.PeriodIndex(values, freq=f)),
            MOMENTS,
            True,
        )
        for f in ("Y", "Q", "M", "W", "D", "h", "s")
    },
    "interval": (
        lambda values: pd.Series(
            pd.arrays.IntervalArray.from_tuples(values, dtype="interval[int64]")
        ),
        WHOLE[32].map(lambda i: (i, i + 1)),
        False,
    ),
    "sparse": (pandas_column("Sparse[float64]"), FLOAT[64], True),
    "category": (categories(["low", "mid", "high", "never"]), LEVELS, True),
    "category ordered": (categories(["low", "mid", "high"], True), LEVELS, True),
    "category int": (categories([30, 1, 2]), st.sampled_from([1, 2, 30]), True),
    "category large": (categories([2**62 + 1, 7]), st.sampled_from([2**62 + 1, 7]), True),
    "category float": (categories([0.1, 3.0, -1.5]), st.sampled_from([0.1, 3.0]), True),
    "category bool": (categories([True, False]), FLAGS, True),
    "category date": (
        categories(pd.to_datetime(["2020-03-01", "2019-01-01"])),
        st.sampled_from(pd.to_datetime(["2020-03-01", "2019-01-01"]).tolist()),
        True,
    ),
    "category zone": (
        categories(pd.DatetimeIndex(["2020-03-01", "2019-01-01"], tz=BERLIN)),
        st.sampled_from(pd.DatetimeIndex(["2020-03-01", "2019-01-01"], tz=BERLIN).tolist()),
        True,
    ),
    "category objects": (
        categories(pd.Index(["low", "mid", "high"], dtype=object)),
        LEVELS,
        True,
    ),
    "category interval": (
        categories(pd.interval_range(0, 3)),
        st.sampled_from(pd.interval_range(0, 3).tolist()),
        True,
    ),
    "category period": (
        categories(pd.period_range("2020-01", periods=3, freq="M")),
        st.sampled_from(pd.period_range("2020-01", periods=3, freq="M").tolist()),
        True,
    ),
    "object str": (pandas_column(object), TEXT, True),
    "object bool": (pandas_column(object), FLAGS, True),
    "object int": (pandas_column(object), WHOLE[64], True),
    "object float": (pandas_column(object), FLOAT[64], True),
    "object Decimal": (pandas_column(object), MONEY, True),
    "object Fraction": (pandas_column(object), st.fractions(-9, 9, max_denominator=99), True),
    "object date": (pandas_column(object), DATES, True),
    "object datetime": (pandas_column(object), MOMENTS, True),
    "object zoned": (pandas_column(object), zoned(dt.timezone(dt.timedelta(hours=5))), True),
    "object Timestamp": (pandas_column(object), MOMENTS.map(pd.Timestamp), True),
    "object timedelta": (pandas_column(object), SPANS, True),
    "object time": (pandas_column(object), DAYTIMES, True),
    "object nothing": (pandas_column(object), NOTHING, True),
    "int64[pyarrow]": (arrow_backed(pa.int64()), WHOLE[64], True),
    "double[pyarrow]": (arrow_backed(pa.float64()), FLOAT[64], True),
    "bool[pyarrow]": (arrow_backed(pa.bool_()), FLAGS, True),
    "string[pyarrow]": (arrow_backed(pa.string()), TEXT, True),
    "large_string[pyarrow]": (arrow_backed(pa.large_string()), TEXT, True),
    "timestamp[pyarrow]": (arrow_backed(pa.timestamp("us", BERLIN)), zoned(dt.UTC), True),
    "timestamp[ns][pyarrow]": (arrow_backed(pa.timestamp("ns")), MOMENTS, True),
    "decimal[pyarrow]": (arrow_backed(pa.decimal128(9, 2)), MONEY, True),
    "date32[pyarrow]": (arrow_backed(pa.date32()), DATES, True),
    "duration[pyarrow]": (arrow_backed(pa.duration("us")), SPANS, True),
    "dictionary[pyarrow]": (arrow_backed(pa.dictionary(pa.int32(), pa.string())), LEVELS, True),
}


def polars_column(dtype):
    return lambda values: pl.Series(values, dtype=dtype, strict=False)


POLARS = {
    **{f"Int{b}": (polars_column(getattr(pl, f"Int{b}")), WHOLE[b], True) for b in WHOLE},
    "Int128": (polars_column(pl.Int128), WHOLE[64], True),
    **{f"UInt{b}": (polars_column(getattr(pl, f"UInt{b}")), NATURAL[b], True) for b in NATURAL},
    "Float32": (polars_column(pl.Float32), FLOAT[32], True),
    "Float64": (polars_column(pl.Float64), FLOAT[64], True),
    "Decimal": (polars_column(pl.Decimal(9, 2)), MONEY, True),
    "Boolean": (polars_column(pl.Boolean), FLAGS, True),
    "String": (polars_column(pl.String), TEXT, True),
    "Categorical": (polars_column(pl.Categorical), TEXT, True),
    "Categorical named": (polars_column(pl.Categorical(pl.Categories("test"))), LEVELS, True),
    "Enum": (polars_column(pl.Enum(["high", "mid", "low", "never"])), LEVELS, True),
    "Date": (polars_column(pl.Date), DATES, True),
    "Datetime ms": (polars_column(pl.Datetime("ms")), SECONDS, True),
    "Datetime us": (polars_column(pl.Datetime("us")), MOMENTS, True),
    "Datetime ns": (polars_column(pl.Datetime("ns")), MOMENTS, True),
    "Datetime zone": (polars_column(pl.Datetime("us", BERLIN)), zoned(dt.UTC), True),
    "Duration ms": (polars_column(pl.Duration("ms")), LONG_SPANS, True),
    "Duration us": (polars_column(pl.Duration("us")), SPANS, True),
    "Duration ns": (polars_column(pl.Duration("ns")), SPANS, True),
    "Time": (polars_column(pl.Time), DAYTIMES, True),
    "Null": (polars_column(pl.Null), NOTHING, True),
}


def arrow_column(kind):
    return lambda values: pa.array(values, kind)


def arrow_dictionary(index, value):
    """As pyarrow encodes it: the dictionary in the order in which values come."""

    def column(values):
        encoded = pa.array(values, value).dictionary_encode()
        return pa.DictionaryArray.from_arrays(encoded.indices.cast(index), encoded.dictionary)

    return column


SECOND_TIMES = DAYTIMES.map(lambda time: time.replace(microsecond=0))
ARROW = {
    **{f"int{b}": (arrow_column(getattr(pa, f"int{b}")()), WHOLE[b], True) for b in WHOLE},
    **{f"uint{b}": (arrow_column(getattr(pa, f"uint{b}")()), NATURAL[b], True) for b in NATURAL},
    **{f"float{b}": (arrow_column(getattr(pa, f"float{b}")()), FLOAT[b], True) for b in FLOAT},
    "decimal128": (arrow_column(pa.decimal128(9, 2)), MONEY, True),
    "decimal256": (arrow_column(pa.decimal256(50, 2)), MONEY, True),
    "bool": (arrow_column(pa.bool_()), FLAGS, True),
    "string": (arrow_column(pa.string()), TEXT, True),
    "large_string": (arrow_column(pa.large_string()), TEXT, True),
    "string_view": (arrow_column(pa.string_view()), TEXT, True),
    "dictionary": (arrow_dictionary(pa.int32(), pa.string()), TEXT, True),
    "dictionary small": (arrow_dictionary(pa.int8(), pa.large_string()), LEVELS, True),
    "dictionary unsigned": (arrow_dictionary(pa.uint8(), pa.string()), LEVELS, True),
    "dictionary int": (arrow_dictionary(pa.int32(), pa.int64()), WHOLE[64], True),
    "dictionary date": (arrow_dictionary(pa.int32(), pa.date32()), DATES, True),
    "date32": (arrow_column(pa.date32()), DATES, True),
    "date64": (arrow_column(pa.date64()), DATES, True),
    "timestamp s": (arrow_column(pa.timestamp("s")), SECONDS, True),
    "timestamp ms": (arrow_column(pa.timestamp("ms")), SECONDS, True),
    "timestamp us": (arrow_column(pa.timestamp("us")), MOMENTS, True),
    "timestamp ns": (arrow_column(pa.timestamp("ns")), MOMENTS, True),
    "timestamp zone": (arrow_column(pa.timestamp("us", BERLIN)), zoned(dt.UTC), True),
    "timestamp offset": (arrow_column(pa.timestamp("s", "+05:30")), SECONDS, True),
    "time32": (arrow_column(pa.time32("s")), SECOND_TIMES, True),
    "time64 us": (arrow_column(pa.time64("us")), DAYTIMES, True),
    "time64 ns": (arrow_column(pa.time64("ns")), DAYTIMES, True),
    "duration s": (arrow_column(pa.duration("s")), LONG_SPANS, True),
    "duration us": (arrow_column(pa.duration("us")), SPANS, True),
    "null": (arrow_column(pa.null()), NOTHING, True),
}


def array_column(dtype):
    return lambda values: np.array(values, dtype=dtype)


ARRAYS = {
    "int16": (array_column(np.int16), WHOLE[16], False),
    "uint64": (array_column(np.uint64), NATURAL[64], False),
    "float32": (array_column(np.float32), FLOAT[32], False),
    "big-endian": (array_column(">f8"), FLOAT[64], False),
    "bool": (array_column(bool), FLAGS, False),
    "text": (array_column("U4"), TEXT, False),
    "days": (array_column("datetime64[D]"), DATES, True),
    "microseconds": (array_column("datetime64[us]"), MOMENTS, True),
    "spans": (array_column("timedelta64[us]"), SPANS, True),
    "object str": (array_column(object), TEXT, True),
    "object Decimal": (array_column(object), MONEY, True),
}
CASES = [
    (backend, name, *case)
    for backend, cases in (
        ("pandas", PANDAS),
        ("polars", POLARS),
        ("pyarrow", ARROW),
        ("dict", ARRAYS),
    )
    for name, case in cases.items()
]
IDS = [f"{backend} {name}" for backend, name, *_ in CASES]


def assert_same(found, column):
    """The same values, type and missing values, in the library's own sense."""
    if isinstance(column, pd.Series):
        pd.testing.assert_series_equal(found, column)
        if column.dtype == object:
            assert [type(v) for v in found] == [type(v) for v in column]
    elif isinstance(column, pl.Series):
        assert found.dtype == column.dtype
        assert found.to_list() == column.to_list()
    elif isinstance(column, pa.Array):
        assert found.type == column.type
        assert found.equals(column)
    else:
        assert found.dtype == column.dtype
        np.testing.assert_array_equal(found, column)


@pytest.mark.parametrize(("backend", "name", "make", "cells", "nullable"), CASES, ids=IDS)
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_column_comes_back_as_it_was(backend, name, make, cells, nullable, data):
    cells = cells | NOTHING if nullable else cells
    column = make(data.draw(st.lists(cells, min_size=1, max_size=8)))
    assert_same(restored(values_of(column), dtype_of(column), backend), column)


@pytest.mark.parametrize(
    ("backend", "name", "make", "cells", "nullable"),
    [case for case in CASES if case[-1]],
    ids=[i for i, case in zip(IDS, CASES, strict=True) if case[-1]],
)
def test_a_column_without_values_comes_back_as_it_was(backend, name, make, cells, nullable):
    for n in (0, 1, 3):
        column = make([None] * n)
        values = values_of(column)
        assert len(values) == n and values.missing.all() and values.levels == ()
        assert_same(restored(values, dtype_of(column), backend), column)


# ---- files of models -----------------------------------------------------------------------------


@pytest.mark.parametrize(("backend", "name", "make", "cells", "nullable"), CASES, ids=IDS)
def test_a_dtype_survives_a_model_file(tmp_path, backend, name, make, cells, nullable):
    column = make(_examples(cells))
    dtype = dtype_of(column)
    write_state(tmp_path / "state", {}, {"dtype": dtype})
    again = read_state(tmp_path / "state")[1]["dtype"]
    assert isinstance(again, Dtype) and again._replace(categories=None) == dtype._replace(
        categories=None
    )
    assert_same(restored(values_of(column), again, backend), column)


@functools.cache
def _examples(cells):
    """Two cells, the same in each run."""
    found = []

    @settings(max_examples=2, database=None, derandomize=True, phases=[Phase.generate])
    @given(cells)
    def collect(cell):
        found.append(cell)

    collect()
    return found


# ---- other libraries -----------------------------------------------------------------------------


@pytest.mark.parametrize(("backend", "name", "make", "cells", "nullable"), CASES, ids=IDS)
def test_every_type_has_a_nearest_one_in_every_library(backend, name, make, cells, nullable):
    column = make([*_examples(cells), *([None] if nullable else [])])
    values = values_of(column)
    for target in ("pandas", "polars", "pyarrow", "dict"):
        found = values_of(restored(values, dtype_of(column), target))
        expected = values
        if values.form == "words" != found.form:  # categories that are not text
            expected = words_as(values, found.form)
        assert found.form == expected.form or {found.form, expected.form} == {"number", "flag"}
        assert same_values(found, expected)


# ---- tables --------------------------------------------------------------------------------------

FRAMES = ["pandas", "polars", "pyarrow"]


def small_frame(backend):
    columns = {"n": [1, 2, 3], "w": ["a", None, "b"], "x": [0.5, None, 2.0]}
    if backend == "pandas":
        return pd.DataFrame(columns)
    return pl.DataFrame(columns) if backend == "polars" else pa.table(columns)


@pytest.mark.parametrize("backend", FRAMES)
def test_a_frame_is_built_of_its_own_columns(backend):
    frame = small_frame(backend)
    (chunk,) = open_frame(frame).chunks()
    pairs = zip(["n", "w", "x"], dtypes_of(chunk), columns_of(chunk), strict=True)
    columns = {name: restored(values, dtype, backend) for name, dtype, values in pairs}
    built = build_frame(backend, columns)
    assert built.equals(frame)


def test_a_matrix_has_one_dtype_per_column():
    assert dtypes_of(np.zeros((2, 3), np.float32)) == [Dtype("number", "float32", "array")] * 3


def test_frames_are_built_of_arrays_too():
    columns = {"x": np.array([1.0, np.nan]), "w": np.array(["a", None], dtype=object)}
    assert build_frame("pandas", columns)["w"].isna().tolist() == [False, True]
    assert build_frame("polars", columns)["w"].to_list() == ["a", None]
    assert build_frame("pyarrow", columns)["w"].to_pylist() == ["a", None]
    assert build_frame("dict", columns)["w"].tolist() == ["a", None]
    matrix = build_frame("array", columns)
    assert matrix.dtype == object and matrix.shape == (2, 2)
    small = np.ones(2, np.float32)
    assert build_frame("array", {0: small, 1: small}).dtype == np.float32
    assert build_frame("array", {0: small, 1: np.arange(2)}).dtype == np.float64


def test_row_names_are_the_index_or_the_first_column():
    columns, index = {"index": np.arange(2)}, (None, np.array(["a", "b"], dtype=object))
    frame = build_frame("pandas", columns, ("who", index[1]))
    assert frame.index.name == "who" and frame.loc["b", "index"] == 1
    assert build_frame("polars", columns, index).columns == ["index_2", "index"]
    assert build_frame("pyarrow", columns, index).column_names == ["index_2", "index"]
    assert list(build_frame("dict", columns, ("who", index[1]))) == ["who", "index"]
    several = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["p", "q"])
    assert build_frame("pandas", columns, (None, several)).index.equals(several)
    joined = build_frame("polars", columns, ("p / q", several))
    assert joined["p / q"].to_list() == ["a / 1", "b / 2"]
    assert build_frame("array", columns, index).shape == (2, 1)


def test_labels_that_are_not_text_are_kept_by_pandas():
    frame = build_frame("pandas", {0: np.arange(2), ("a", "b"): np.arange(2)})
    assert list(frame.columns) == [0, ("a", "b")]
    assert build_frame("polars", {0: np.arange(2)}).columns == ["0"]


@pytest.mark.parametrize("backend", FRAMES)
def test_columns_are_put_in_place_of_others(backend):
    chunks = list(open_frame(small_frame(backend)).chunks(size=2))
    new = restored(numbers(7.5), Dtype("number", "float64", ""), backend)
    changed = with_columns(chunks[1], {"n": new})
    assert values_of(changed["n"]).numbers.tolist() == [7.5]
    assert values_of(chunks[1]["n"]).numbers.tolist() == [3.0]


@pytest.mark.parametrize("target", [*FRAMES, "dict", "array"])
@pytest.mark.parametrize("backend", FRAMES)
def test_chunks_are_joined_in_any_library(backend, target):
    table = open_frame(small_frame(backend))
    whole = joined_frames(list(table.chunks(size=2)), table, target)
    if backend == target:
        assert whole.equals(small_frame(backend))
    if target == "array":
        assert whole.dtype == object and whole[:, 0].tolist() == [1, 2, 3]
    else:
        assert [values_of(whole[name]).missing.tolist() for name in "nwx"] == [
            [False] * 3,
            [False, True, False],
            [False, True, False],
        ]


def test_joined_chunks_have_the_labels_and_the_index_that_the_table_had():
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=[0, 1], index=pd.Index(["p", "q"], name="who"))
    table = open_frame(frame)
    pd.testing.assert_frame_equal(joined_frames(list(table.chunks(size=1)), table, "pandas"), frame)


def test_joined_chunks_may_differ_in_type():
    table = open_frame(pd.DataFrame({"c": pd.Categorical(["a", "b"]), "n": [1, 2]}))
    first, second = table.chunks(size=1)
    missing = restored(numbers(np.nan), Dtype("number", "int64", "pandas"), "pandas")
    new = restored(words([0], ["z"]), dtype_of(second["c"]), "pandas")
    whole = joined_frames([first, with_columns(second, {"c": new, "n": missing})], table, "pandas")
    assert whole["c"].tolist() == ["a", "z"] and whole["c"].dtype == "category"
    assert whole["n"].dtype == "Int64" and whole["n"].isna().tolist() == [False, True]


def test_large_numbers_and_whole_ones_stay_exact_in_another_library():
    table = open_frame(pa.table({"id": [2**62 + 1, None], "f": [True, None]}))
    whole = joined_frames(list(table.chunks()), table, "pandas")
    assert whole["id"].dtype == "Int64" and whole["id"][0] == 2**62 + 1
    assert whole["f"].dtype == "boolean"


def test_matrices_are_joined_as_matrices():
    table = open_frame(np.arange(6).reshape(3, 2))
    np.testing.assert_array_equal(
        joined_frames(list(table.chunks(size=2)), table, "array"), np.arange(6).reshape(3, 2)
    )
    table = open_frame(sp.csr_array(np.eye(3)))
    joined = joined_frames(list(table.chunks(size=2)), table, "array")
    np.testing.assert_array_equal(joined.toarray(), np.eye(3))


def test_the_default_library_is_the_first_that_is_installed(monkeypatch):
    assert default_backend() == "pandas"
    for absent, expected in ((["pandas"], "polars"), (["pandas", "polars"], "pyarrow")):
        monkeypatch.setattr(dtypes, "find_spec", lambda name, absent=absent: name not in absent)
        assert default_backend() == expected
    monkeypatch.setattr(dtypes, "find_spec", lambda name: None)
    assert default_backend() == "dict"
