"""What a column is, from its values: the cases that people have, each with what overrules it."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lowdim import TableEncoder
from tests.tables.kinds.columns import OTHER, N, described, repeated, spread

CASES = {
    "number": (spread(-5, 5), "number"),
    "whole numbers": (list(range(100, 100 + N)), "whole number"),
    "positive": (spread(3, 9), "positive"),
    "share": (spread(0.1, 0.9, 4), "share"),
    "money": ([f"${1000 + 37 * i:,}" for i in range(N)], "whole number"),
    "money with cents": ([f"${1000 + 37.25 * i:,.2f}" for i in range(N)], "positive"),
    "percent": ([f"{i % 40 + 20.5} %" for i in range(N)], "share"),
    "decimal comma": ([f"{1 + i}.234,5" for i in range(N)], "positive"),
    "yes and no": (repeated("yes", "no", "no"), "flag"),
    "Y and N": (repeated("Y", "N", "N"), "flag"),
    "T and F": (repeated("T", "F"), "flag"),
    "ja and nein": (repeated("ja", "nein"), "flag"),
    "0 and 1": (repeated(0, 1, 1), "flag"),
    "0 and 1 as text": (repeated("0", "1"), "flag"),
    "booleans": (repeated(True, False), "flag"),
    "words": (repeated("red", "green", "blue"), "category"),
    "American dates": ([f"10/{i % 28 + 1:02}/17" for i in range(N)], "date"),
    "German dates": ([f"{i % 28 + 1}.10.2017" for i in range(N)], "date"),
    "moments with a zone": ([f"2024-03-{i % 28 + 1:02}T10:00+01:00" for i in range(N)], "date"),
    "dates": ([datetime.date(2020, 1, 1 + i % 28) for i in range(N)], "date"),
    "leading zeros": ([f"{i % 6:05}" for i in range(N)], "category"),
    "many identifiers with leading zeros": ([f"{i:05}" for i in range(N)], "id"),
    "names": ([f"name {i}" for i in range(N)], "id"),
    "sentences": ([f"This is remark number {i}, and it goes on and on." for i in range(N)], "text"),
    "constant": ([7] * N, "constant"),
    "constant text": (["same"] * N, "constant"),
    "nothing": ([None] * N, "constant"),
    "Decimal": ([Decimal(i) / 4 for i in range(N)], "positive"),
    "durations": ([datetime.timedelta(hours=i * i) for i in range(1, N + 1)], "whole number"),
    "lists": ([[i] for i in range(N)], "text"),
}


@pytest.mark.parametrize("case", CASES)
def test_kind_follows_from_the_values(case):
    values, kind = CASES[case]
    table = pd.DataFrame({"other": OTHER, "x": pd.Series(values, dtype=_dtype(values))})
    assert TableEncoder().fit(table).columns_["x"].kind == kind


def _dtype(values):
    plain = {type(value) for value in values} <= {int, float, bool}
    return None if plain else object


MARKS = ["?", "NA", "N/A", "-", ".", "", "   "]


@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_missing_values_leave_a_column_what_it_is(mark):
    numbers = [str(i % 50) for i in range(7043)]
    numbers[11] = mark
    column = TableEncoder().fit({"x": numbers, "y": np.arange(7043.0) ** 2}).columns_["x"]
    assert (column.kind, column.n_missing) == ("whole number", 1)
    words = repeated("red", "green", mark)
    column = described(words)
    assert (column.kind, column.n_missing, column.codec.levels) == (
        "category",
        words.count(mark),
        ("green", "red"),
    )


def test_marks_of_the_users_own_are_missing():
    column = described(repeated("a", "b", "none of these"), missing_marks=["none of these"])
    assert column.codec.levels == ("a", "b")


def test_columns_that_repeat_another_one_are_left_out():
    table = {"x": OTHER, "again": OTHER, "word": repeated("a", "b"), "word 2": repeated("a", "b")}
    columns = TableEncoder().fit(table).columns_
    assert [column.copy_of for column in columns] == [None, "x", None, "word"]
    back = TableEncoder().fit(table)
    decoded = back.inverse_transform(back.transform(table))
    np.testing.assert_allclose(decoded["again"].astype(float), OTHER, atol=1e-12)


def test_copies_are_found_among_many_columns_with_missing_values():
    random = np.random.default_rng(0)
    X = random.normal(size=(61, 13))
    X[random.random(X.shape) < 0.1] = np.nan
    table = pd.DataFrame(X, columns=[f"x{f}" for f in range(13)])
    table["again"] = table["x4"]
    assert TableEncoder().fit(table).columns_["again"].copy_of == "x4"


def test_a_copy_of_a_column_that_is_ignored_is_used():
    table = {"x": OTHER, "again": OTHER, "once more": OTHER}
    columns = TableEncoder(ignore=["x"]).fit(table).columns_
    assert [column.kind for column in columns] == ["ignored", "number", "copy"]
    assert columns["once more"].copy_of == "again"


def test_columns_that_differ_in_one_cell_are_no_copies():
    other = list(OTHER)
    other[-1] = 5.0
    assert TableEncoder().fit({"x": OTHER, "y": other}).columns_["y"].used
