"""Printed tables: text, HTML and data frames of whatever has columns."""

from typing import NamedTuple

import numpy as np
import pytest

from lowdim.core.result_table import (
    LONGEST_CELL,
    PrintedTable,
    ResultTable,
    cell_text,
    column_widths,
    html_table,
    text_table,
)

# ---- golden values -------------------------------------------------------------------------------


def test_columns_are_aligned_and_two_spaces_apart():
    lines = [["item", "price"], ["tea", "4.25"], ["umbrella", "30"]]
    assert text_table(lines) == "item      price\ntea       4.25\numbrella  30"
    right = text_table(lines, right={1})
    assert right == "item      price\ntea        4.25\numbrella     30"


def test_tables_can_share_their_widths():
    first, second = [["a", "1"]], [["long name", "200"], ["b"]]
    widths = column_widths([*first, *second])
    assert widths == [9, 3]
    assert text_table(first, right={1}, widths=widths) == "a            1"
    assert text_table(second, right={1}, widths=widths) == "long name  200\nb"


def test_no_line_ends_with_spaces():
    assert text_table([["a", "b"], ["long", ""]]) == "a     b\nlong"


def test_html_escapes_heads_and_cells():
    expected = (
        "<thead><tr><th>&lt;b&gt;</th></tr></thead><tbody><tr><td>a &amp; b</td></tr></tbody>"
    )
    assert html_table(["<b>"], [["a & b"]]) == f"<table>{expected}</table>"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.23456, "1.235"), (np.float32(2), "2"), (3, "3"), (None, "None"), ("é", "é")],
)
def test_numbers_have_four_digits(value, text):
    assert cell_text(value) == text


def test_a_long_text_is_cut():
    assert cell_text("x" * 100) == "x" * (LONGEST_CELL - 1) + "…"


# ---- tables --------------------------------------------------------------------------------------


def test_a_table_has_columns_lines_and_a_length():
    table = ResultTable({"item": ["tea", ("a", 1)], "score": np.array([4.25, 3.0])})
    assert table.columns == ["item", "score"]
    assert len(table) == 2
    assert list(table) == [{"item": "tea", "score": 4.25}, {"item": ("a", 1), "score": 3.0}]
    assert table["score"].tolist() == [4.25, 3.0]


def test_a_long_table_says_how_much_is_not_shown():
    table = ResultTable({"n": np.arange(1, 1026)})
    shown = repr(table).splitlines()
    assert shown[:2] == ["n", "1"]
    assert shown[-2:] == ["20", "and 1,005 more lines"]
    assert table._repr_html_().count("<tr>") == 21
    assert table._repr_html_().endswith("<p>and 1,005 more lines</p>")
    assert len(table.to_text().splitlines()) == 1026
    assert "more" not in repr(ResultTable({"n": np.arange(20)}))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_table_becomes_a_data_frame(backend):
    pytest.importorskip(backend)
    for table in (ResultTable({"n": [1, 2]}, backend), ResultTable({"n": [1, 2]})):
        frame = table.to_frame(backend)
        assert type(frame).__module__.split(".")[0] == backend
        assert list(frame["n"]) == [1, 2] or frame["n"].to_pylist() == [1, 2]


class Line(NamedTuple):
    name: str
    good: bool


class Lines(PrintedTable, tuple[Line, ...]):
    """A tuple that prints itself, as the table of methods."""

    def _values(self):
        return {name: [getattr(line, name) for line in self] for name in Line._fields}

    def __len__(self):
        return tuple.__len__(self)


def test_a_tuple_of_lines_can_be_a_printed_table():
    table = Lines([Line("a<b", True), Line("c", False)])
    assert repr(table) == "name  good\na<b   True\nc     False"
    assert "a&lt;b" in table._repr_html_()
    assert table[0].name == "a<b"
    assert table.to_frame("pandas")["good"].tolist() == [True, False]
