"""Sheets hold what Excel can hold, and text for what it cannot."""

import datetime as dt
import os
import zipfile
from decimal import Decimal

import fastexcel
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowdim.tables.errors import TableError
from lowdim.tables.writing import open_writer, sheets, write_table


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def again(frame, **options):
    """What polars reads from the sheet of a table, by column."""
    write_table(frame, "t.xlsx", **options)
    return pl.read_excel("t.xlsx", infer_schema_length=None).to_dict(as_series=False)


def xml(name="xl/worksheets/sheet1.xml"):
    with zipfile.ZipFile("t.xlsx") as archive:
        return archive.read(name).decode()


def test_numbers_flags_and_text_read_back():
    frame = {
        "text": ["x", None, "é\n\u2028", "=1+1", "_x0041_"],
        "like": ["007", "NA", "http://a.b", "true", "@SUM(1)"],
        "number": [0.1 + 0.2, 1e-300, None, -2.5, 3.0],
        "whole": [1, None, -(2**53), 0, 5],
        "flag": [True, False, None, True, True],
    }
    assert again(pa.table(frame)) == frame
    assert "<f>" not in xml() and "hyperlink" not in xml()  # no formulas, no links


@settings(max_examples=30)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_every_number_reads_back_as_itself(values):
    write_table(np.array([values]).T, "t.xlsx", names=["a"])
    sheet = fastexcel.read_excel("t.xlsx").load_sheet(0, dtypes={"a": "float"})
    assert sheet.to_polars()["a"].to_list() == values


@settings(max_examples=30)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_text_is_never_a_formula_and_keeps_every_printable_character(texts):
    write_table(pd.DataFrame({"a": texts}), "t.xlsx")
    sheet = fastexcel.read_excel("t.xlsx").load_sheet(0, dtypes={"a": "string"})
    read = sheet.to_polars()["a"].to_list()
    for text, cell in zip(texts, read, strict=True):
        if text.isprintable():
            assert cell == text
    assert "<f>" not in xml()


def test_dates_are_dates_of_excel_to_the_millisecond():
    moment = dt.datetime(2024, 3, 1, 10, 30, 15, 125_000)
    frame = {
        "day": [dt.date(2024, 3, 1), None, dt.date(1900, 3, 1)],
        "midnight": [dt.datetime(2024, 3, 1), None, dt.datetime(2024, 3, 2)],
        "moment": [moment, moment.replace(microsecond=0), None],
        "span": [dt.timedelta(hours=36), dt.timedelta(0), None],
    }
    read = again(pa.table(frame))
    assert read["day"] == [dt.date(2024, 3, 1), None, dt.date(1900, 3, 1)]
    assert read["midnight"] == [dt.date(2024, 3, 1), None, dt.date(2024, 3, 2)]
    assert read["moment"] == frame["moment"]
    assert read["span"] == frame["span"]


def test_what_excel_does_not_have_is_text():
    zoned = dt.datetime(2024, 3, 1, 10, tzinfo=dt.UTC)
    frame = {
        "early": [dt.date(1899, 12, 31), None],
        "fine": [dt.datetime(2024, 3, 1, 10, 0, 0, 1), None],
        "zoned": pa.array([zoned, None], pa.timestamp("us", "Europe/Berlin")),
        "large": [2**53 + 1, None],
        "price": [Decimal("12345678901234567.89"), None],
        "time": [dt.time(10, 30), None],
        "last": [0, 1],
    }
    assert again(pa.table(frame)) == {
        "early": ["1899-12-31", None],
        "fine": ["2024-03-01T10:00:00.000001", None],
        "zoned": ["2024-03-01T11:00:00+01:00", None],
        "large": ["9007199254740993", None],
        "price": ["12345678901234567.89", None],
        "time": ["10:30:00", None],
        "last": [0, 1],
    }
    mixed = again(pa.table({"a": [2**60 + 1, 7], "b": [Decimal("0.10"), Decimal("2.50")]}))
    assert mixed == {"a": ["1152921504606846977", "7"], "b": [0.1, 2.5]}


def test_numbers_are_shown_with_the_digits_asked_for_and_lose_none():
    frame = pd.DataFrame({"mass": [3750.0, 3800.5], "bill": [18.7, 18.25], "n": [1, 2]})
    read = again(frame, digits={"mass": 0, "bill": 1, "n": 2})
    assert read == frame.to_dict("list")
    shown = xml("xl/styles.xml")
    assert 'formatCode="0.0"' in shown
    assert xml().count(' s="') == 4  # 3800.5 and 18.25 have more digits, and are shown with all


def test_a_sheet_that_is_too_large_is_refused_before_its_rows_are_written(monkeypatch):
    with pytest.raises(
        TableError, match=r"17,000 columns; a sheet has at most 1,048,576 and 16,38"
    ):
        write_table(np.zeros((1, 17_000)), "t.xlsx")
    table = pa.table({"a": pa.nulls(1_048_576)})
    with pytest.raises(TableError, match=r"would have 1,048,577 rows"):
        write_table(table, "t.xlsx")
    monkeypatch.setattr(sheets, "MOST_ROWS", 5)
    with open_writer("t.xlsx") as writer:
        writer.write(np.zeros((2, 1)))
        with pytest.raises(TableError, match=r"would have 6 rows"):
            writer.write(np.zeros((3, 1)))
        writer.write(np.zeros((2, 1)))
    assert pl.read_excel("t.xlsx").shape == (4, 1)


def test_a_text_that_is_too_long_is_refused_by_the_name_of_its_column(tmp_path):
    assert again(pd.DataFrame({"a": ["x" * 32_767]})) == {"a": ["x" * 32_767]}
    os.remove("t.xlsx")
    with pytest.raises(TableError, match="column 'b' has a text of more than 32,767 characters"):
        write_table(pd.DataFrame({"a": [1], "b": ["x" * 32_768]}), "t.xlsx")
    assert os.listdir(tmp_path) == []


def test_large_chunks_are_written_in_parts(monkeypatch):
    monkeypatch.setattr(sheets, "PART", 4)
    frame = {"a": list(range(9)), "b": list("abcdefghi")}
    assert again(pd.DataFrame(frame)) == frame
