"""What a column is, from its values: the cases that people have, each with what overrules it."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lowdim import TableEncoder
from lowdim.tables.errors import TableError
from lowdim.tables.kinds.numbers import is_code_name

N = 60
OTHER = list(np.linspace(-1, 1, N) ** 3)  # a second column, so that something is always left


def repeated(*values):
    """These values again and again, N of them."""
    return [values[i % len(values)] for i in range(N)]


def spread(low, high, digits=2):
    """N different numbers between two."""
    return np.round(np.linspace(low, high, N) + 1e-3 * np.sin(np.arange(N)), digits).tolist()


def described(values, name="x", **arguments):
    """What the encoder says of a column."""
    table = {"other": OTHER, name: values}
    return TableEncoder(**arguments).fit(table).columns_[name]


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
    "many codes with leading zeros": ([f"{i:05}" for i in range(N)], "id"),
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


def test_a_few_odd_words_among_numbers_are_missing_and_said():
    values = [f"{i}.5" for i in range(N)]
    values[3] = "heavy"
    column = described(values)
    assert (column.kind, column.n_missing) == ("positive", 1)
    assert "'heavy' read as missing" in column.done


def test_marks_of_the_users_own_are_missing():
    column = described(repeated("a", "b", "none of these"), missing_marks=["none of these"])
    assert column.codec.levels == ("a", "b")


@pytest.mark.parametrize(
    "name", ["id", "customer_id", "customerID", "PassengerId", "zip", "zip_code", "fips", "PLZ"]
)
def test_names_of_codes_are_known(name):
    assert is_code_name(name)
    assert described([10_000 + 17 * i for i in range(N)], name).kind == "id"
    assert described(repeated(11, 12, 13), name).kind == "category"
    assert described([10_000 + 17 * i for i in range(N)], name, numeric=[name]).kind in (
        "whole number",
    )


@pytest.mark.parametrize("name", ["grid", "paid", "humid", "no", "width", "Madrid", "zipf"])
def test_names_that_only_end_alike_are_no_codes(name):
    assert not is_code_name(name)


def test_running_numbers_in_the_first_column_name_the_rows():
    table = {"row": list(range(1, N + 1)), "x": OTHER}
    encoder = TableEncoder().fit(table)
    assert encoder.columns_["row"].kind == "id"
    assert encoder.id_ == "row"
    shuffled = {"row": [*range(1, N), 200], "x": OTHER}
    assert TableEncoder().fit(shuffled).columns_["row"].kind == "whole number"


def test_whole_numbers_with_few_values_are_numbers_with_a_hint():
    column = described(repeated(1, 2, 3, 4))
    assert column.kind == "whole number"
    assert "4 different whole numbers; if they are codes: {categorical}" in column.hint
    assert described(repeated(1, 2, 3, 4), categorical=["x"]).codec.width == 4


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


def test_order_is_the_users():
    column = described(repeated("low", "high", "middle"), ordered={"x": ["low", "middle", "high"]})
    assert (column.kind, column.codec.levels) == ("ordered", ("low", "middle", "high"))
    with pytest.raises(TableError, match=r"'x' has 'middle', which its order \(low, high\)"):
        described(repeated("low", "high", "middle"), ordered={"x": ["low", "high"]})
    numbers = described(repeated(3, 1, 2), ordered={"x": [1, 2, 3]})
    assert numbers.codec.numbers.tolist() == [1.0, 2.0, 3.0]


def test_heavy_positive_tails_get_logarithms():
    heavy = (10.0 ** np.linspace(0, 6, N)).tolist()
    assert described(heavy).codec.zero == 0.5
    assert "logarithm" in described(heavy).done
    assert described(heavy, log=False).codec.zero is None
    assert described(heavy, scale=False).codec.zero is None
    assert described(spread(3, 9), log=["x"]).codec.zero is not None
    assert described([*heavy[:-5], 0.0, 0.0, 0.0, 0.0, 0.0]).codec.zero == 0.5
    with pytest.raises(TableError, match=r"logarithm is wanted for 'x', whose least value is -5"):
        described(spread(-5, 5), log=["x"])
    with pytest.raises(TableError, match=r"logarithm is wanted for 'x', which is category"):
        described(repeated("a", "b"), log=["x"])


def test_season_and_hour_are_there_where_they_vary():
    start = np.datetime64("2019-01-01T00:00")
    days = start + np.arange(N) * np.timedelta64(29, "D")
    hours = start + np.arange(N) * np.timedelta64(7, "h")
    assert described(days).codec.feature_names("x") == ["x", "x season sin", "x season cos"]
    assert described(hours).codec.feature_names("x") == ["x", "x hour sin", "x hour cos"]
    assert described(days, dates="days").codec.width == 1
    assert described(days, dates=False).codec is None


def test_more_levels_than_allowed_are_left_out_with_a_hint():
    words = [f"word {i % 25}" for i in range(N)]
    assert described(words).kind == "category"
    column = described(words, max_levels=24)
    assert (column.kind, column.codec) == ("text", None)
    assert "{max_levels}" in column.hint
    with pytest.raises(TableError, match="'x' has 25 different values; a category has at most 24"):
        described(words, max_levels=24, categorical=["x"])


def test_what_cannot_be_numbers_is_refused():
    with pytest.raises(TableError, match="'x' cannot be read as numbers; it holds text such as"):
        described(repeated("a", "b"), numeric=["x"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"categorical": ["y"]}, r"has no column 'y'; it has other, x. Name .* categorical=..."),
        ({"ignore": ["othr"]}, r"has no column 'othr'; did you mean 'other'\?"),
        ({"id": "row"}, "has no column 'row'"),
        ({"categorical": ["x"], "numeric": ["x"]}, "'x' is named as categorical and as numeric"),
        ({"ordered": {"x": "low"}}, "The order of 'x' is 'low'"),
        ({"ignore": ["*"]}, "has no column to work on"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(arguments, message):
    with pytest.raises(TableError, match=message):
        described(repeated("a", "b"), **arguments)


def test_names_may_be_patterns():
    table = {"gene1": OTHER, "gene2": spread(0, 1), "age": spread(20, 60)}
    columns = TableEncoder(ignore="gene*").fit(table).columns_
    assert [column.used for column in columns] == [False, False, True]
    columns = TableEncoder(columns=["gene*"]).fit(table).columns_
    assert [column.used for column in columns] == [True, True, False]
