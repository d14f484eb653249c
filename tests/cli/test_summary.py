"""What verbs say about a fit, line by line."""

from types import SimpleNamespace

import numpy as np
import pytest

from lowdim import TableEncoder
from lowdim.cli.summary import counts_line, line, method_lines, table_lines, written_lines
from lowdim.tables.opening import open_table

X = np.linspace(-1, 1, 12) ** 3


def model(n, share=None):
    """A model with this many components, and its shares of the variance if it has any."""
    names = [f"pca{j}" for j in range(n)]
    shares = {} if share is None else {"explained_variance_ratio_": np.asarray(share)}
    return SimpleNamespace(get_feature_names_out=lambda: names, **shares)


def test_texts_begin_below_each_other():
    assert line("table", "x") == "table    x"
    assert line("written", "x").index("x") == 9


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": X}, "12 rows, 1 column, none missing"),
        ({"a": [None, *X[1:]], "b": X**2}, "12 rows, 2 columns, 1 cell missing (4.2%)"),
        ({"a": [None, None, *X[2:]]}, "12 rows, 1 column, 2 cells missing (16.7%)"),
        (
            {"a": X, "k": ["u", "v", "w"] * 4},
            "12 rows, 2 columns as 4 numbers, none missing",
        ),
    ],
)
def test_the_table_is_counted(columns, said):
    table = open_table(columns)
    assert table_lines(table, TableEncoder().fit(table))[0] == f"table    The table: {said}"


def test_the_scale_says_in_which_units_columns_count():
    table = open_table({"a": X, "b": X**2})
    assert (
        "standard: every column counts the same" in table_lines(table, TableEncoder().fit(table))[1]
    )
    assert table_lines(table, TableEncoder(scale=False).fit(table))[1] == (
        "scale    none: columns count by their variance"
    )


def test_components_have_their_share_of_the_variance_and_the_sum():
    assert method_lines(model(2, [0.5, 0.25])) == [
        "method   SimpleNamespace, 2 components",
        "               variance  together",
        "         pca0     50.0%     50.0%",
        "         pca1     25.0%     75.0%",
    ]
    assert method_lines(model(1)) == ["method   SimpleNamespace, 1 component"]


def test_many_components_are_cut_short():
    lines = method_lines(model(12, np.full(12, 1 / 12)))
    assert len(lines) == 2 + 10 + 1
    assert lines[-1] == "         and 2 more, all together 100.0%"


def test_what_was_written_is_said_or_how_to_have_it_written():
    assert written_lines({"codes": "-", "model": None}) == ["codes    standard output"]
    assert written_lines({"codes": "c\x1b.csv", "model": "m"}) == [
        "codes    c\N{REPLACEMENT CHARACTER}.csv",
        "model    m",
    ]
    assert written_lines({"codes": None, "model": None}) == [
        "written  nothing; -o FILE writes the codes, --model FILE the model"
    ]


def test_counts_are_listed_by_column():
    counts = {"a": 2, "b": 0, "c": 1}
    assert counts_line("filled", counts) == ["filled   a 2, c 1"]
    assert counts_line("empty", counts, why="they do not apply") == [
        "empty    a 2, c 1 (they do not apply)"
    ]
    assert counts_line("filled", {"b": 0}) == []
    assert counts_line("filled", {}, otherwise="nothing") == ["filled   nothing"]
