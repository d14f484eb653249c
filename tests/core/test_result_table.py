"""A table of results prints itself, is read by column and line, and becomes a data frame."""

import numpy as np
import pytest

from lowdim.core.result_table import LONGEST_CELL, MOST_LINES, ResultTable

COLUMNS = {"item": ["tea", "ink"], "score": [4.25, 3.0], "n": np.array([7, 10])}


def test_cells_stand_below_the_names_of_their_columns():
    assert repr(ResultTable(COLUMNS)) == "item  score  n\ntea   4.25   7\nink   3      10"


def test_numbers_have_four_digits_and_long_texts_an_end():
    table = ResultTable({"x": [np.float32(1 / 3), 123456.0], "y": ["a" * 60, None]})
    _, first, second = table.to_text().splitlines()
    assert first.split() == ["0.3333", "a" * (LONGEST_CELL - 1) + "…"]
    assert second.split() == ["1.235e+05", "None"]


def test_columns_and_lines_are_read():
    table = ResultTable(COLUMNS)
    assert table.columns == ["item", "score", "n"] and len(table) == 2
    assert table["n"].tolist() == [7, 10]
    assert list(table) == [
        {"item": "tea", "score": 4.25, "n": 7},
        {"item": "ink", "score": 3.0, "n": 10},
    ]
    with pytest.raises(KeyError):
        table["price"]


def test_tuples_stay_whole():
    table = ResultTable({"pair": [(1, 2), (3, 4)]})
    assert table["pair"].shape == (2,) and table["pair"][1] == (3, 4)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_any_library_has_the_same_columns(backend):
    for frame in (
        ResultTable(COLUMNS).to_frame(backend),
        ResultTable(COLUMNS, backend).to_frame(),
    ):
        assert type(frame).__module__.partition(".")[0] == backend
        names = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert names == ["item", "score", "n"]
        assert [float(x) for x in np.asarray(frame["score"])] == [4.25, 3.0]


def test_long_tables_end_with_a_count_and_to_text_has_all():
    table = ResultTable({"i": list(range(MOST_LINES + 5))})
    lines = repr(table).splitlines()
    assert len(lines) == 1 + MOST_LINES + 1
    assert lines[-1] == f"... {MOST_LINES + 5} lines"
    assert len(table.to_text().splitlines()) == 1 + MOST_LINES + 5


def test_html_escapes_names_and_cells():
    html = ResultTable({"<b>": ["<script>"]})._repr_html_()
    assert "<th>&lt;b&gt;</th>" in html and "<td>&lt;script&gt;</td>" in html
    assert "<script>" not in html
