"""Figures in the style of pages, and how they get into one."""

import json

import numpy as np
import pytest
from bokeh.models import ColumnDataSource

from lowdim.report.page.figures import (
    LONGEST_NAME,
    TONED,
    blank,
    bokeh_script,
    drawing_data,
    figure_id,
    heat_map,
    hover,
    place_legend,
    plain,
)
from tests.report.samples import HOSTILE, MATH


def sources(figure):
    return list(figure.select({"type": ColumnDataSource}))


def test_a_name_in_a_figure_is_short_and_on_one_line():
    assert plain("a\n b\t c") == "a b c"
    assert plain("x" * 99) == "x" * (LONGEST_NAME - 1) + "…"


@pytest.mark.parametrize("text", [MATH, "\\(x\\)", "\\[x\\]"])
def test_a_name_is_no_formula_for_bokeh(text):
    shown = plain(text)
    assert not any(mark in shown for mark in ("$$", "\\(", "\\["))
    assert shown.replace("\u200b", "") == text


def test_cells_have_two_colours_and_are_opaque_at_the_largest():
    figure = heat_map(np.array([[1.0, -2.0], [np.nan, 4.0]]), ["r", "s"], ["c", "d"], "l", "w", 2.0)
    (source,) = sources(figure)
    assert source.data["alpha"].tolist() == [0.5, 1.0, 0.0, 1.0]
    colors = source.data["color"]
    assert colors[0] == colors[2] == colors[3] != colors[1]
    assert source.data["row"] == ["r", "r", "s", "s"]
    assert source.data["column"] == ["c", "d", "c", "d"]
    assert source.tags == [TONED]


def test_a_figure_leaves_dragging_and_scrolling_to_the_page():
    toolbar = blank(100, "f").toolbar
    assert toolbar.active_drag is None and toolbar.active_scroll is None and toolbar.logo is None


def test_what_hovering_shows_and_the_legend_are_those_of_the_figure():
    p = blank(100, "f")
    dots = p.scatter([1, 2], [3, 4], legend_label="dots")
    hover(p, dots, ("x", "@x"), mode="vline")
    place_legend(p)
    (tool,) = [tool for tool in p.tools if type(tool).__name__ == "HoverTool"]
    assert tool.tooltips == [("x", "@x")] and tool.renderers == [dots] and tool.mode == "vline"
    assert p.legend[0].border_line_color is None


def test_figures_are_one_document_and_each_has_its_place():
    source = ColumnDataSource({"x": [1.0, float("nan")], "y": [2.0, 3.0]})
    pair = {}
    for name in ("one", "two"):
        pair[name] = blank(100, name)
        pair[name].scatter("x", "y", source=source)
    data = drawing_data(pair)
    text = json.dumps(data, allow_nan=False)
    assert text.count('"name": "ColumnDataSource"') == 1  # both draw the same
    assert data["places"] == {pair[name].id: figure_id(name) for name in pair}
    assert len(data["document"]["roots"]) == 2
    assert drawing_data(pair)["places"] == data["places"]  # another page can have them, too


def test_bokeh_is_in_the_page_without_what_compiles_text():
    script = bokeh_script()
    assert "BEGIN bokeh.min.js" in script and "BEGIN bokeh-gl" not in script


def test_hostile_names_are_text_in_a_figure(tab):
    labels = tab.run(
        """const plot = Bokeh.documents[0].get_model_by_name("heat");
        return [...plot.left[0].major_label_overrides.values()].map(String);"""
    )
    assert labels == [plain(HOSTILE), plain(MATH), "x"]
    # bokeh's own elements: no formula was set, no markup was made
    kinds = tab.run(
        """const within = (root) => [...root.querySelectorAll("*")].flatMap(
          (e) => e.shadowRoot ? [e, ...within(e.shadowRoot)] : [e]);
        return [...new Set(within(document.getElementById("drawn")).map((e) => e.tagName))];"""
    )
    assert "CANVAS" in kinds and not {"IMG", "SCRIPT", "MJX-CONTAINER"} & set(kinds)
