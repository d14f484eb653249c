"""Numbers, dates and text as cells: each reads back as what it was."""

import csv
import datetime as dt
import io
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.readings import DateText, FlagText
from lowdim.tables.writing.cells import (
    as_arrow,
    cells,
    csv_quoted,
    fineness_of,
    in_decimals,
    json_quoted,
    lines,
    spelled,
)


def written(values, kind=None, **options):
    """The cells of one column."""
    column = pa.array(values, kind)
    if pa.types.is_timestamp(column.type) or pa.types.is_time(column.type):
        options["fineness"] = fineness_of(column)
    return cells("a", column, **options).to_pylist()


def quoted(*texts, separator=","):
    return csv_quoted(pa.array(texts, pa.large_string()), separator).to_pylist()


def kinds(frame):
    """The type of each column of a data frame."""
    table = as_arrow(frame)
    return dict(zip(table.column_names, map(str, table.schema.types), strict=True))


# ---- numbers -------------------------------------------------------------------------------------


def test_numbers_have_the_fewest_digits_that_say_the_same():
    assert written([0.1 + 0.2, 18.7, 3.0, 1e-7, 1e22, None, float("inf"), -float("inf")]) == (
        ["0.30000000000000004", "18.7", "3", "1e-7", "1e+22", None, "inf", "-inf"]
    )
    assert written([18.7, 0.1], pa.float32()) == ["18.7", "0.1"]
    assert written([-3, 2**63 - 1, None], pa.int64()) == ["-3", "9223372036854775807", None]
    assert written([2**64 - 1], pa.uint64()) == ["18446744073709551615"]


@pytest.mark.parametrize(
    ("digits", "values", "expected"),
    [
        (0, [3750.0, -0.0, -12.0, None, 1e15], ["3750", "0", "-12", None, "1000000000000000"]),
        (0, [2.5, 3.0], ["2.5", "3"]),
        (1, [18.7, 19.0, -0.5, 0.0, None], ["18.7", "19.0", "-0.5", "0.0", None]),
        (2, [18.7, -0.05, 1234567.0], ["18.70", "-0.05", "1234567.00"]),
        (2, [18.705, 18.7, 1 / 3], ["18.705", "18.70", "0.3333333333333333"]),
        (2, [1e300, 9e15, float("inf")], ["1e+300", "9e+15", "inf"]),
        (1, [0.1 + 0.2], ["0.30000000000000004"]),
        (40, [0.5], ["0.500000000000000"]),
        (3, [], []),
        (3, [None], [None]),
    ],
)
def test_columns_with_digits_have_as_many_decimals_and_lose_none(digits, values, expected):
    assert written(values, pa.float64(), digits=digits) == expected


def test_whole_numbers_in_a_column_with_digits_have_them_too():
    assert written([3, None, -12], pa.int64(), digits=1) == ["3.0", None, "-12.0"]
    assert written([3, None, -12], pa.int64(), digits=0) == ["3", None, "-12"]
    assert written([Decimal("18.70")], digits=1) == ["18.70"]  # has digits of its own


def test_digits_of_float32_are_those_of_float32():
    assert written([18.7, 0.1, 1 / 3], pa.float32(), digits=2) == ["18.70", "0.10", "0.33333334"]


@given(
    st.lists(st.floats(allow_nan=False) | st.decimals(-(10**6), 10**6, places=3).map(float)),
    st.none() | st.integers(0, 20),
    st.sampled_from([np.float64, np.float32]),
)
def test_every_number_reads_back_as_itself(values, digits, dtype):
    with np.errstate(over="ignore"):
        values = np.array(values, dtype)
    texts = written(values, digits=digits)
    np.testing.assert_array_equal(np.array(list(map(float, texts)), dtype), values)


@given(st.decimals(-(10**9), 10**9, places=2), st.integers(0, 6))
def test_numbers_with_few_decimals_have_exactly_the_digits_asked_for(value, digits):
    [text] = written([float(value)], digits=digits)
    if digits >= 2:
        assert text.lstrip("-") == f"{abs(value):.{digits}f}"
    else:
        assert Decimal(text) == value


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_in_decimals_finds_every_number_that_has_so_many(whole, digits):
    value = np.array([whole / 10**digits])
    scaled, exact = in_decimals(value, digits)
    assert scaled[0] == whole and exact[0]


# ---- dates, durations, flags ---------------------------------------------------------------------


def test_dates_are_iso_and_without_a_time_where_all_are_at_midnight():
    day, moment = dt.datetime(2024, 3, 1), dt.datetime(2024, 3, 1, 10, 30)
    assert written([dt.date(2024, 3, 1), None]) == ["2024-03-01", None]
    assert written([day, None], pa.timestamp("ns")) == ["2024-03-01", None]
    assert written([day, moment], pa.timestamp("ns")) == (
        ["2024-03-01T00:00:00", "2024-03-01T10:30:00"]
    )
    fractions = [moment.replace(microsecond=5000), moment]
    assert written(fractions) == ["2024-03-01T10:30:00.005", "2024-03-01T10:30:00.000"]
    assert written([moment.replace(microsecond=5)]) == ["2024-03-01T10:30:00.000005"]
    assert written([1_001], pa.timestamp("ns")) == ["1970-01-01T00:00:00.000001001"]
    assert written([1_000], pa.timestamp("ns")) == ["1970-01-01T00:00:00.000001"]
    assert written([1], pa.timestamp("ns")) == ["1970-01-01T00:00:00.000000001"]
    assert written([dt.datetime(1600, 1, 1), dt.datetime(9999, 12, 31)]) == (
        ["1600-01-01", "9999-12-31"]
    )
    assert written([None], pa.timestamp("us")) == [None]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", ["2024-03-01T11:00:00+01:00", "2024-07-01T12:00:00+02:00"]),
        ("America/St_Johns", ["2024-03-01T06:30:00-03:30", "2024-07-01T07:30:00-02:30"]),
        ("+05:30", ["2024-03-01T15:30:00+05:30", "2024-07-01T15:30:00+05:30"]),
        ("UTC", ["2024-03-01T10:00:00+00:00", "2024-07-01T10:00:00+00:00"]),
    ],
)
def test_time_zones_are_kept_as_offsets(zone, expected):
    moments = [dt.datetime(2024, month, 1, 10, tzinfo=dt.UTC) for month in (3, 7)]
    assert written(moments, pa.timestamp("us", zone)) == expected
    assert [dt.datetime.fromisoformat(text) for text in expected] == moments


def test_midnight_in_a_time_zone_keeps_its_offset():
    assert written([dt.datetime(2024, 3, 1)], pa.timestamp("s", "UTC")) == (
        ["2024-03-01T00:00:00+00:00"]
    )


@given(
    st.lists(
        st.datetimes(dt.datetime(1678, 1, 1), dt.datetime(2261, 1, 1)) | st.none(), min_size=1
    ),
    st.sampled_from(["us", "ns"]),
)
def test_every_date_reads_back_as_itself(moments, unit):
    texts = written(moments, pa.timestamp(unit))
    again = [None if text is None else dt.datetime.fromisoformat(text) for text in texts]
    assert again == moments


def test_times_durations_flags_and_decimals_are_plain():
    assert written([dt.time(1, 2, 3), None]) == ["01:02:03", None]
    assert written([dt.time(1, 2, 3, 4000)]) == ["01:02:03.004"]
    assert written([dt.timedelta(hours=36), dt.timedelta(0), None]) == ["1.5", "0", None]
    assert written([dt.timedelta(days=1, microseconds=1)]) == [repr(1 + 1e-6 / 86_400)]
    assert written([True, False, None]) == ["true", "false", None]
    assert written([Decimal("18.70"), None, Decimal("-1.25")]) == ["18.70", None, "-1.25"]
    assert written([None, None]) == [None, None]


@pytest.mark.parametrize("values", [[[1, 2]], [{"a": 1}]])
def test_lists_are_refused_by_the_name_of_their_column(values):
    with pytest.raises(TableError, match=r"Column 'a' holds values of type .*\.parquet"):
        written(values)


# ---- text ----------------------------------------------------------------------------------------


def test_quotes_are_only_where_they_are_needed():
    plain = ["word", "two words", "it's", "é", "=1+1", "a#b", "2024-03-01", "12 kg", "true", "a;b"]
    assert quoted(*plain, None) == [*plain, None]
    needed = ["a,b", "a\nb", "a\rb", " a", "a ", "\ta", "\u00a0a", "", "#a", "\ufeffa"]
    assert quoted(*needed) == [f'"{text}"' for text in needed]
    assert quoted('say "yes"') == ['"say ""yes"""']
    assert quoted("a\tb", "a,b", separator="\t") == ['"a\tb"', "a,b"]


def test_text_that_would_change_as_a_number_or_a_mark_is_quoted():
    changed = ["007", "1e5", "+3", "-0", ".5", "5.", "1.50", "1234567890123456", "NaN", "-inf"]
    changed += ["NA", "nan", "null", "N/A", "?", "-"]
    assert quoted(*changed) == [f'"{text}"' for text in changed]
    same = ["0", "7", "-12", "0.5", "-12.25", "123456789012345", "1234.5"]
    assert quoted(*same) == same
    names = pa.array(["0", "007", "NA", "a,b"], pa.large_string())
    assert csv_quoted(names, ",", is_names=True).to_pylist() == ["0", "007", "NA", '"a,b"']


@given(st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,12})?", fullmatch=True))
def test_numbers_without_quotes_are_written_again_as_they_were(text):
    [cell] = quoted(text)
    if not cell.startswith('"'):
        number = float(text) if "." in text else int(text)
        assert written([number]) == [text]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_quoted_text_reads_back_as_itself(texts):
    column = pa.array(texts, pa.large_string())
    content = bytes(lines([csv_quoted(column, ",")], ",")).decode()
    assert [row[0] for row in csv.reader(io.StringIO(content, newline=""))] == texts
    assert list(map(json.loads, json_quoted(column).to_pylist())) == texts


def test_lines_are_cells_with_what_goes_between():
    a, b = (pa.array(texts, pa.large_string()) for texts in (["1", "2", "3"], ["x", "", "é"]))
    assert bytes(lines([a, b], ",")).decode() == "1,x\n2,\n3,é\n"
    assert bytes(lines([a], ",", before="<", after=">")).decode() == "<1><2><3>"
    assert bytes(lines([a.slice(1), b.slice(1)], ",")).decode() == "2,\n3,é\n"
    assert bytes(lines([a.slice(3)], ",")) == b""


# ---- data frames ---------------------------------------------------------------------------------


def test_pandas_columns_of_all_kinds_become_plain_ones():
    frame = pd.DataFrame(
        {
            "text": ["x", None],
            "object": pd.Series(["x", np.nan], dtype=object),
            "nothing": pd.Series([None, None], dtype=object),
            "category": pd.Series(["u", None], dtype="category"),
            "numbered": pd.Series([1, 2], dtype="category"),
            "whole": pd.Series([1, None], dtype="Int64"),
            "flag": pd.Series([True, None], dtype="boolean"),
            "float": [1.5, np.nan],
            "sparse": pd.arrays.SparseArray([0.0, 1.0]),
            "month": pd.PeriodIndex(["2024-01", None], freq="M"),
            "interval": pd.arrays.IntervalArray.from_tuples([(0, 1), None]),
            "arrow": pd.Series(["x", None], dtype=pd.ArrowDtype(pa.string())),
            3: [1, 2],
        }
    )
    frame.index = pd.Index(["r1", "r2"], name="row")  # not written
    text, table = "large_string", as_arrow(frame)
    assert kinds(frame) == {
        **{"text": text, "object": text, "nothing": "null", "category": text, "numbered": "int64"},
        **{"whole": "int64", "flag": "bool", "float": "double", "sparse": "double"},
        **{"month": text, "interval": text, "arrow": text, "3": "int64"},
    }
    assert table["month"].to_pylist() == ["2024-01", None]
    assert table["float"].to_pylist() == [1.5, None]


def test_polars_and_arrow_columns_of_all_kinds_become_plain_ones():
    frame = pl.DataFrame(
        {
            "text": ["x", None],
            "category": pl.Series(["u", None], dtype=pl.Categorical),
            "enum": pl.Series(["u", None], dtype=pl.Enum(["u", "v"])),
            "bytes": [b"x", None],
            "float": [1.5, float("nan")],
            "nothing": [None, None],
        }
    )
    text = "large_string"
    expected = {"text": text, "category": text, "enum": text, "bytes": text}
    expected |= {"float": "double", "nothing": "null"}
    assert kinds(frame) == expected == kinds(frame.to_arrow())
    assert as_arrow(frame)["float"].to_pylist() == [1.5, None]
    views = pa.table({"a": pa.array(["x"], pa.string_view()), "h": pa.array([0.5], pa.float16())})
    assert kinds(views) == {"a": text, "h": "float"}
    runs = pa.table({"a": pa.array(["x", "x"]).dictionary_encode()})
    assert kinds(runs) == {"a": text}


def test_matrices_have_the_names_given_or_numbers():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    assert as_arrow(X).to_pydict() == {"0": [1, 2], "1": [None, 3]}
    assert as_arrow(X.T[::-1], ["a", "b"]).to_pydict() == {"a": [None, 1], "b": [3, 2]}
    with pytest.raises(ValueError, match="1 names are given for 2 columns"):
        as_arrow(X, ["a"])
    with pytest.raises(ValueError, match=r"rows of shape \(2,\) cannot be written"):
        as_arrow(X[0])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "2 columns are named 'a'"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "2 columns are named '1'"),
        (pa.table([[1], [2]], names=["a", "a"]), "2 columns are named 'a'"),
        (pd.DataFrame({"m": ["x", 1]}, dtype=object), "Column 'm' cannot be written: .* one kind"),
        (pd.DataFrame({"m": ["\ud800"]}, dtype=object), "Column 'm' cannot be written: .*surrog"),
        (pd.DataFrame({"m": [2**70]}, dtype=object), "Column 'm' cannot be written"),
        (pl.DataFrame({"m": [1]}, schema={"m": pl.Int128}), "Column 'm' cannot be written"),
        (pa.table({"b": [b"\xff"]}), "Column 'b' holds bytes that are not UTF-8"),
        (np.array([[1j]]), "Column '0' cannot be written"),
    ],
)
def test_what_has_no_place_in_a_table_is_refused_by_the_name_of_its_column(frame, message):
    with pytest.raises(TableError, match=message):
        as_arrow(frame)


def test_what_is_no_data_frame_is_refused():
    with pytest.raises(TypeError, match="dict"):
        as_arrow({"a": [1]})


# ---- as in the table they come from --------------------------------------------------------------


def spelled_as(values, reading, kind=None):
    column = pa.array(values, kind)
    is_date = pa.types.is_timestamp(column.type)
    found = spelled(column, reading, fineness_of(column) if is_date else 0)
    return None if found is None else found.to_pylist()


def test_flags_are_written_in_the_words_of_their_table():
    assert spelled_as([True, None, False], FlagText("False", "True")) == ["True", None, "False"]
    assert spelled_as([1.0], FlagText("False", "True")) is None


@pytest.mark.parametrize(
    ("reading", "text"),
    [
        (DateText(time="hh:mm:ss"), "2024-03-01 00:00:00"),
        (DateText(time="hh:mm"), "2024-03-01 00:00"),
        (DateText(time="hh:mm", joint="T"), "2024-03-01T00:00"),
        (DateText(time="hh:mm:ss", joint="T", zone="Z"), "2024-03-01T00:00:00Z"),
        (DateText(time="hh:mm", zone="+01:30"), "2024-03-01 01:30+01:30"),
    ],
)
def test_dates_are_written_as_in_their_table(reading, text):
    day = [dt.datetime(2024, 3, 1), None]
    assert spelled_as(day, reading) == [text, None]
    if reading.zone:
        assert spelled_as(day, reading, pa.timestamp("ns", "UTC")) == [text, None]


def test_no_date_loses_what_its_table_does_not_show():
    some = [dt.datetime(2024, 3, 1, 10, 0, 5), dt.datetime(2024, 3, 1, 10)]
    found = spelled_as(some, DateText(time="hh:mm"))
    assert found == ["2024-03-01 10:00:05", "2024-03-01 10:00:00"]
    assert spelled_as(some, DateText()) is None  # of a table of days
    assert spelled_as(some, None) is None
