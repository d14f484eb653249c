"""It is said what became of each column, in a line for each kind of treatment."""

import numpy as np
import pytest

import lowdim
from lowdim.cli.found import notes_of

N = 60
X = [i * 37 % 101 / 10 for i in range(N)]


def notes(table, **wishes):
    return notes_of(lowdim.TableEncoder(**wishes).fit(table))


def test_numbers_alone_need_no_word():
    assert notes({"x": X, "y": X[::-1]}) == []
    assert notes(np.array([X, X[::-1]]).T) == []


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["a", "b", "c"] * 20, "one-hot: t (a, b, c)"),
        (list("abcdef") * 10, "one-hot: t (a, b, c, d and 2 more)"),
        ([True, False] * 30, "as 1/0: t (true/false)"),
        (["Y", "N"] * 30, "as 1/0: t (Y/N)"),
        ([f"2024-{i % 12 + 1:02d}-05" for i in range(N)], "dates: t (days)"),
        ([f"${1000 + 7 * i:,}" for i in range(N)], "read as numbers: t ('$1,413')"),
        ([float(2 ** (i % 17)) for i in range(N)],
         "logarithm: t (heavy tails; {log} none takes the numbers as they are)"),
        ([np.inf, *X[1:-1], -np.inf], "read as missing: t (2 infinite values)"),
        ([5.0] * N, "ignored: t (always 5)"),
        ([None] * N, "ignored: t (no values)"),
        (X, "ignored: t (repeats 'x')"),
        ([f"row {i}" for i in range(N)], "row names: t (another text in each row)"),
        ([f"This is sentence number {i}; it goes on for quite some time." for i in range(N)],
         "ignored: t (sentences); free text: turn it into numbers of your own, or into topics"),
        ([i % 4 for i in range(N)],
         "hint: t: 4 different whole numbers; if they stand for categories: {categorical}"),
    ],
)  # fmt: skip
def test_each_treatment_has_its_line(column, said):
    assert notes({"x": X, "t": column}) == [said]


def test_columns_of_one_treatment_share_a_line():
    table = {f"t{f}": ["yes", "no", "no"] * 20 for f in range(1)}
    table |= {f"u{f}": (["yes"] * (f + 2) + ["no"] * 30)[:30] * 2 for f in range(9)}
    assert notes(table) == ["as 1/0: t0, u0, u1, u2, u3, u4 and 4 more (yes/no)"]


def test_where_a_column_does_not_apply_is_said():
    status = ["storm", "hurricane", "calm"] * 20
    table = {
        "x": X,
        "status": status,
        "category": [i % 7 if i % 3 == 1 else None for i in range(N)],
    }
    assert "not applicable: category (missing where 'status' is not 'hurricane')" in notes(table)


def test_what_the_user_said_needs_no_word():
    table = {"key": [f"k{i}" for i in range(N)], "x": X, "y": X[::-1], "text": ["a", "b"] * 30}
    assert notes(table, id="key", ignore=["text"]) == []
    assert notes(table, id="key", ordered={"text": ["b", "a"]}) == ["ordered: text (b < a)"]
    assert notes(table, id="key", ignore=["text"], log=["x"]) == ["logarithm: x (as asked)"]
