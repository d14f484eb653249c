"""The page of `explore`, as text and in a browser."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.report.page.figures import plain
from tests.report.samples import HOSTILE, MATH, Elements, planted_table

pytestmark = pytest.mark.usefixtures("few_models")


def test_names_and_values_of_the_table_cannot_become_markup(report):
    page = Elements(report.html)
    assert page.handlers == []
    assert "img" not in page.tags and "b" in page.tags
    assert HOSTILE not in report.html
    outside = re.sub(r"<script.*?</script>", "", report.html, flags=re.S)
    assert "&lt;/script&gt;" in outside and "onerror=&#34;" in outside
    assert report.html.count("</script>") == page.tags.count("script")


def test_names_are_no_formulas_for_bokeh(report):
    figures = re.search('id="figures">(.*?)</script>', report.html)[1]
    assert "$$" not in figures and plain(MATH).encode("unicode_escape").decode() in figures


def test_the_page_loads_nothing_and_forbids_it(report):
    page = Elements(report.html)
    assert all(link.startswith("#") for link in page.links)
    assert all(link[1:] in page.ids for link in page.links)
    assert "default-src &#39;none&#39;" in report.html
    assert len(page.ids) == len(set(page.ids))


def test_the_page_has_every_section_once(report):
    found = re.findall(r'<section id="(\w+)"', report.html)
    assert found == [
        "table",
        "dimensions",
        "contest",
        "factors",
        "map",
        "clusters",
        "filled",
        "odd",
        "done",
        "script",
    ]


def test_the_top_of_the_page_counts_what_was_found(report):
    tiles = re.findall(r'<li><a href="#(\w+)"><b[^>]*>([^<]*)</b> ([^<]*)</a>', report.html)
    assert tiles[0] == ("dimensions", "2", "of 6 dimensions")
    assert [place for place, _, _ in tiles] == [
        "dimensions",
        "contest",
        "clusters",
        "filled",
        "odd",
    ]


def test_every_control_has_a_label_and_everything_that_scrolls_can_be_reached_by_keyboard(report):
    controls = re.findall(r"<(?:select|input)\b", report.html)
    assert len(re.findall(r"<label>[^<]*<(?:select|input)\b", report.html)) == len(controls) == 7
    boxes = re.findall(r'<div class="scroll[^"]*"[^>]*>', report.html)
    assert boxes and all('tabindex="0"' in box and "aria-label" in box for box in boxes)


def test_a_page_of_ten_thousand_rows_and_fifty_columns_is_below_five_megabytes():
    random = np.random.default_rng(0)
    X = random.normal(size=(10_000, 2)) @ random.normal(size=(2, 50)) + random.normal(
        size=(10_000, 50)
    )
    X[random.random(X.shape) < 0.1] = np.nan
    report = lowdim.explore(X)
    assert len(report.html.encode()) < 5e6
    assert "rows drawn at random" in report.html


@pytest.mark.parametrize("shape", [(5, 2), (12, 3), (6, 9)])
def test_small_tables_have_a_page(shape):
    X = np.random.default_rng(1).normal(size=shape)
    assert "too few different rows" in lowdim.explore(X).html


def test_repeated_rows_have_a_page():
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 4)), 20, axis=0)
    assert "too few different rows" in lowdim.explore(X).html


def test_rows_and_columns_with_next_to_no_values_have_a_page():
    X = np.random.default_rng(0).normal(size=(60, 5))
    X[:5] = np.nan
    X[8:, 4] = np.nan
    assert "<h2" in lowdim.explore(X).html


def test_words_alone_have_a_page():
    random = np.random.default_rng(0)
    table = pd.DataFrame({name: random.choice(list("xyz"), 80) for name in "abc"})
    assert "<h2" in lowdim.explore(table).html


# ---- in a browser --------------------------------------------------------------------------------

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


def test_the_page_loads_without_errors_and_no_name_runs_as_script(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    drawn = tab.value("[...document.querySelectorAll('.drawing')].map((e) => e.children.length)")
    assert len(drawn) >= 10 and set(drawn) == {1}


def test_the_planes_of_tsne_and_umap_are_in_the_map(tab, report):
    seen, labels, back = tab.run(
        TOOLS
        + """const plot = Bokeh.documents[0].get_model_by_name("map-plot");
        const first = plot.below[0].axis_label;
        const choices = [...get("map-plane").options];
        change("map-plane", choices.find((e) => e.textContent === "UMAP").value);
        const seen = [[...source.data.x], [...source.data.y]];
        const labels = [plot.below[0].axis_label, plot.left[0].axis_label];
        change("map-plane", "0");
        return [seen, labels, plot.below[0].axis_label === first];"""
    )
    np.testing.assert_allclose(np.transpose(seen), report.findings.maps["UMAP"], rtol=1e-6)
    assert labels == ["UMAP 1", "UMAP 2"] and back


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
