"""The map: its data, its controls, and what a reader does with it."""

import base64
import re

import numpy as np
import pytest

from lowdim.report.page.map import (
    MOST_AT_A_GLANCE,
    color_name,
    map_body,
    map_data,
    point_map,
    point_source,
    small_map,
)
from lowdim.report.page.payload import packed_numbers, packed_words
from tests.report.samples import HOSTILE


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_the_data_have_the_coordinates_and_the_numbers_of_the_rows(rng):
    x, y = rng.normal(size=(2, 9))
    data = map_data([x, y], [], rows=np.arange(9) * 5, first_compared=2)
    assert data["n"] == 9 and data["firstCompared"] == 2
    np.testing.assert_array_equal(unpacked(data["rows"], "<u4"), np.arange(9) * 5)
    for axis, truth in zip(data["coordinates"], (x, y), strict=True):
        np.testing.assert_array_equal(unpacked(axis, "<f4"), truth.astype("f4"))
    assert map_data([x, y], [])["rows"] is None


def test_words_can_be_picked_and_any_column_colours():
    rows = np.arange(4)
    words = packed_words("kind", rows % 2, ["a", "b"], rows)
    other = packed_words("other", rows % 2, ["c", "d"], rows)
    data = map_data([rows, rows], [words, packed_numbers("size", rows / 3, rows), other])
    text = map_body("m", data, ["one", "two"], colored_by=1)
    assert '<option value="1" selected>size</option>' in text
    picks = re.search('id="m-pick">(.*?)</select>', text)[1]
    assert re.findall('value="([^"]+)">([^<]*)', picks) == [
        ("0:0", "a"),
        ("0:1", "b"),
        ("2:0", "other = c"),
        ("2:1", "other = d"),
    ]


def test_two_maps_of_a_page_share_no_id():
    data = map_data([np.arange(3.0)] * 2, [])
    ids = [re.findall(' id="([^"]*)"', map_body(name, data, ["x", "y"])) for name in "ab"]
    assert len(ids[0]) == 14 and not set(ids[0]) & set(ids[1])


def test_a_small_map_draws_some_of_many_points():
    x = np.arange(3.0 * MOST_AT_A_GLANCE)
    (points,) = small_map(point_source("m", x, x)).renderers
    assert len(points.view.filter.indices) == MOST_AT_A_GLANCE
    assert points.view.filter.indices[-1] == len(x) - 1


def test_many_points_are_small_and_faint():
    few, many = (
        point_map("m", point_source("m", x, x), ["x", "y"]).renderers[0].glyph
        for x in (np.arange(20.0), np.arange(50_000.0))
    )
    assert many.size < few.size and many.fill_alpha < few.fill_alpha


def test_what_colours_the_points_is_escaped():
    assert color_name("m", "<i>") == '<b data-color-of="m">&lt;i&gt;</b>'


# ---- in a browser --------------------------------------------------------------------------------

TOOLS = """
const get = (name) => document.getElementById("map-" + name);
const source = Bokeh.documents[0].get_model_by_name("map-points");
const plot = Bokeh.documents[0].get_model_by_name("map-plot");
const change = (name, value) => {
  get(name).value = value;
  get(name).dispatchEvent(new Event("change"));
};
const texts = (name) => [...get(name).children].map((line) => line.textContent);
"""


@pytest.fixture
def use(tab):
    """A function that runs a script with the tools above; afterwards the map is as before."""
    yield lambda script: tab.run(TOOLS + script)
    tab.run(
        TOOLS + "change('color', '0'); change('x', '0'); change('y', '1'); get('clear').click()"
    )


def test_points_are_coloured_by_words_or_numbers_and_missing_ones_are_grey(use):
    by_word = use("return source.data.color")
    assert len(set(by_word)) == 3 and len({by_word[0], by_word[2], by_word[4]}) == 1
    assert by_word.count(by_word[3]) == 1  # the one without a word
    by_number = use("change('color', '1'); return source.data.color")
    assert len(set(by_number)) > 40 and by_number[3] == by_word[3]


def test_the_legend_and_all_that_says_it_follow_the_colour(use):
    said = "document.querySelector('[data-color-of=map]').textContent"
    assert use(f"return [...texts('legend'), {said}]") == [HOSTILE, "right", "no value", HOSTILE]
    found = use(f"change('color', '1'); return [...texts('legend'), {said}]")
    assert found == ["lowest: 0", "highest: 59", "no value", "value"]


def test_axes_can_be_chosen_and_are_named(use):
    x, y = np.cos(np.arange(60)), use("return [...source.data.y]")
    np.testing.assert_allclose(use("return [...source.data.x]"), x, atol=1e-6)
    found = use("change('x', '1'); return [[...source.data.x], plot.below[0].axis_label]")
    np.testing.assert_array_equal(found[0], y)
    assert found[1] == HOSTILE[:59] + "…"


def test_picked_rows_are_compared_with_the_others(use):
    found = use("""change("pick", "0:1"); return {
      rows: [...source.selected.indices], said: get("said").textContent,
      shown: !get("difference").hidden, lines: texts("difference-values"),
      widths: [...get("difference-values").querySelectorAll(".bar")].map((e) => e.offsetWidth),
    }""")
    odd = [i for i in range(1, 60, 2) if i != 3]
    assert found["rows"] == odd and found["said"] == "29 of 60 rows are selected."
    # every word differs: 100 % against 0 %, over the root of p (1 - p)
    p = 29 / 59
    assert found["shown"] and found["lines"][0].startswith(f"{HOSTILE} = ")
    assert found["lines"][0].endswith(f"{1 / np.sqrt(p * (1 - p)):.2f}")
    value = np.delete(np.arange(60), 3)
    size = (np.mean(odd) - value[value % 2 == 0].mean()) / value.std()
    assert found["lines"][1].endswith(f"{size:+.2f}")
    assert found["widths"][0] == 60 and found["widths"][1] < 5


def test_a_row_is_found_by_its_name(use):
    find = "get('row').value = {!r}; get('find').requestSubmit();"
    assert use(find.format("row <i>5</i>") + "return get('row-name').textContent") == (
        "Row row <i>5</i>"
    )
    assert use("return texts('row-values')") == [f"{HOSTILE}right", "value5"]
    said = use(find.format("nobody") + "return get('said').textContent")
    assert said == "There is no row nobody in the map."


def test_nothing_is_selected_after_clearing(use):
    found = use("""change("pick", "0:0"); get("clear").click();
      return [source.selected.indices.length, get("said").textContent, get("difference").hidden]""")
    assert found == [0, "Nothing is selected.", True]


def test_a_pointer_over_a_point_shows_its_row_as_text(use, tab):
    x, y = use("""const view = [...Bokeh.index].find((v) => v.model === plot);
      get("color").scrollIntoView({behavior: "instant"});
      await new Promise((done) => setTimeout(done, 100));
      const area = view.canvas_view.el.getBoundingClientRect();
      return [area.left + view.frame.x_scale.compute(source.data.x[8]),
              area.top + view.frame.y_scale.compute(source.data.y[8])]""")
    tab.move_to(x, y)
    tab.wait_for("Bokeh.documents[0].get_model_by_name('map-points').inspected.indices.length > 0")
    seen = use("""await new Promise((done) => setTimeout(done, 100));
      const within = (root) => [...root.querySelectorAll("*")].flatMap(
        (e) => e.shadowRoot ? [e, ...within(e.shadowRoot)] : [e]);
      const tip = within(document).find((e) => e.classList.contains("bk-Tooltip"));
      return [[...source.inspected.indices], tip.shadowRoot.textContent,
              within(tip.shadowRoot).map((e) => e.tagName)]""")
    assert 8 in seen[0]
    assert "row <i>8</i>" in seen[1] and f"{HOSTILE}: {HOSTILE}" in seen[1]
    assert not {"IMG", "I", "SCRIPT"} & set(seen[2])
    tab.move_to(0, 0)
