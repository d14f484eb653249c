"""The page of `explore` in a real browser."""

import csv
import io

import pytest

from tests.report.samples import HOSTILE, planted_table

TOOLS = """
const get = (id) => document.getElementById(id);
const source = Bokeh.documents[0].get_model_by_name("map-points");
const change = (id, value) => {
  get(id).value = value;
  get(id).dispatchEvent(new Event("change"));
};
"""


@pytest.fixture(scope="module")
def path(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("explore") / "page.html"
    report.save(path)
    return path


@pytest.fixture(scope="module")
def tab(browser, path):
    opened = browser.open(path)
    yield opened
    opened.close()


def test_the_page_loads_without_errors_and_no_name_runs_as_script(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    drawn = tab.value("[...document.querySelectorAll('.drawing')].map((e) => e.children.length)")
    assert len(drawn) >= 10 and set(drawn) == {1}


def test_the_map_at_the_top_is_that_of_the_map_below(tab):
    first, second = tab.run(
        TOOLS
        + """const before = [get("map-legend").textContent, source.data.color.join()];
        change("map-color", "2");
        const after = [get("map-legend").textContent, source.data.color.join()];
        const said = document.querySelector("header figcaption b").textContent;
        change("map-color", "1");
        return [before, [...after, said]];"""
    )
    assert HOSTILE in first[0] and first[1] != second[1]
    assert "lowest" in second[0] and second[2] == "a"


def test_a_cluster_can_be_selected_and_is_compared_with_the_other_rows(tab):
    found = tab.run(
        TOOLS
        + """change("map-pick", "0:0");
        return [source.selected.indices.length, get("map-difference-values").children.length,
                get("map-difference-values").textContent, get("map-row-values").children.length];"""
    )
    assert found[0] > 10 and found[1] >= 5 and HOSTILE in found[2] and found[3] >= 6
    assert "cluster" not in found[2]  # which is not part of the table


def test_a_row_is_found_by_its_name(tab):
    found = tab.run(
        TOOLS
        + """get("map-row").value = "row <b>5</b>";
        get("map-find").requestSubmit();
        return get("map-row-name").textContent;"""
    )
    assert found == "Row row <b>5</b>"


def test_the_download_has_every_filled_value(tab):
    text = tab.run(
        TOOLS
        + """let blob; const made = URL.createObjectURL;
        URL.createObjectURL = (b) => { blob = b; return "#"; };
        get("filled-download").click();
        URL.createObjectURL = made;
        return await blob.text();"""
    )
    heads, *lines = csv.reader(io.StringIO(text))
    assert heads == ["row", "column", "value", "low", "high", "probability"]
    table = planted_table().drop(columns=["word", "name"])
    assert len(lines) == int(table.isna().sum().sum())
    assert all(float(low) <= float(value) <= float(high) for _, _, value, low, high, _ in lines)


def test_filled_values_come_some_at_a_time(tab):
    found = tab.run(
        TOOLS
        + """const lines = get("filled-values").children.length;
        get("filled-after").click();
        return [lines, get("filled-place").textContent];"""
    )
    assert found[0] == 15 and found[1].startswith("16 to 30 of ")


def test_a_phone_needs_no_sideways_scrolling(browser, path):
    phone = browser.open(path, size=(390, 800))
    root = "document.documentElement"
    assert phone.value(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    phone.close()


def test_all_figures_are_repainted_for_dark_pages(tab, browser, path):
    dark = browser.open(path, prefers_color_scheme="dark")
    ink = """[...Bokeh.documents[0]._all_models.values()]
      .filter((m) => String(m.type).endsWith("Axis")).map((m) => m.major_label_text_color)"""
    assert len(set(tab.value(ink))) == len(set(dark.value(ink))) == 1
    assert set(tab.value(ink)) != set(dark.value(ink))
    dark.close()
