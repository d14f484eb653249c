"""The page of `map`, as text and in a browser."""

import re

import numpy as np
import pytest

import lowdim
from lowdim.report.maps import findings as found_module
from tests.report.maps.planted import MAPS
from tests.report.samples import (
    HOSTILE,
    assert_can_be_written,
    assert_labelled,
    assert_loads_nothing,
    assert_nothing_becomes_markup,
)

SECTIONS = "maps reading shepard changes done script".split()


@pytest.fixture(scope="session")
def text(map_report):
    return map_report.html


def test_names_and_values_cannot_become_markup(text):
    assert_nothing_becomes_markup(text)


def test_the_page_can_be_written(text):
    assert_can_be_written(text)


def test_the_page_loads_nothing_and_forbids_it(text):
    assert_loads_nothing(text)


def test_the_page_has_every_section_once(text):
    assert re.findall(r'<section id="(\w+)"', text) == SECTIONS


def test_every_control_has_a_label_and_everything_that_scrolls_can_be_reached_by_keyboard(text):
    assert assert_labelled(text) == 4


def test_the_top_of_the_page_counts_what_was_found(text):
    tiles = re.findall(r'<li><a href="#(\w+)"><b[^>]*>([^<]*)</b> ([^<]*)</a>', text)
    assert tiles[0] == ("maps", "160", "rows in 5 maps")
    assert [place for place, _, _ in tiles] == ["maps", "reading", "changes"]


# ---- in a browser --------------------------------------------------------------------------------

TOOLS = """
const get = (id) => document.getElementById(id);
const painted = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
const change = (id, value) => {
  get(id).value = value;
  get(id).dispatchEvent(new Event("change"));
};
const pixels = (id) => {
  const canvas = get(id);
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
};
/* how many pixels of a map have a strong colour */
const strong = (id) => {
  const data = pixels(id);
  let count = 0;
  for (let p = 0; p < data.length; p += 4) {
    const most = Math.max(data[p], data[p + 1], data[p + 2]);
    count += most - Math.min(data[p], data[p + 1], data[p + 2]) > 90;
  }
  return count;
};
"""


@pytest.fixture(scope="module")
def path(map_report, tmp_path_factory):
    path = tmp_path_factory.mktemp("maps") / "page.html"
    map_report.save(path)
    return path


@pytest.fixture
def run(tab):
    """Run a script in the page, with the tools; afterwards nothing is selected."""
    yield lambda script: tab.run(TOOLS + script)
    tab.run(
        TOOLS
        + """change("maps-tool", "lasso"); change("maps-color", "1");
        get("maps-clear").click(); get("maps-whole").click(); await painted();"""
    )


def drag(tab, places, **settings):
    """Move the pointer along places of the window with its button held."""
    (x, y), *others = places
    mouse = {"button": "left", "clickCount": 1, **settings}
    tab.ask("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
    for x, y in others:
        tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, buttons=1, **mouse)
    tab.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **mouse)


def places(tab, j):
    """Where the rows are drawn in a map, in pixels of the window, the map in sight."""
    script = f"""get("maps-over-{j}").scrollIntoView({{behavior: "instant", block: "center"}});
    await painted();
    return Array.from({{length: 160}}, (_, i) => page.linked.place({j}, i));"""
    return np.array(tab.run(TOOLS + script))


def test_the_page_loads_without_errors_and_nothing_in_it_runs(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    drawn = tab.value("[...document.querySelectorAll('.drawing')].map((e) => e.children.length)")
    assert drawn == [1] * len(MAPS)


def test_every_map_draws_its_points_where_they_are(tab, run, found):
    for j, one in enumerate(found.maps):
        seen = places(tab, j)
        assert run(f'return strong("maps-points-{j}");') > 300
        for axis, sign in ((0, 1), (1, -1)):  # up is less on a screen
            correlation = np.corrcoef(seen[:, axis], sign * one.Y[:, axis])[0, 1]
            assert correlation == pytest.approx(1.0, abs=1e-4)
        scale = np.ptp(seen, axis=0) / np.ptp(one.Y, axis=0)
        assert scale[0] == pytest.approx(scale[1], rel=1e-2)  # distances are those of the map


def test_a_lasso_in_one_map_selects_in_all(tab, run, found):
    seen = places(tab, 0)
    group = np.arange(160) % 2 == 0
    x, y = seen[group].T
    corners = [(x.min() - 6, y.min() - 6), (x.max() + 6, y.min() - 6),
               (x.max() + 6, y.max() + 6), (x.min() - 6, y.max() + 6)]  # fmt: skip
    expected = [i for i, (u, v) in enumerate(seen)
                if x.min() - 6 < u < x.max() + 6 and y.min() - 6 < v < y.max() + 6]  # fmt: skip
    before = [run(f'return strong("maps-points-{j}");') for j in range(len(MAPS))]
    small = run('return strong("changes-map-1-0");')
    drag(tab, corners)
    rows, said = run(
        'await painted(); return [page.linked.selected(), get("maps-said").textContent];'
    )
    assert rows == expected and 80 <= len(rows) < 160
    assert said == f"{len(rows)} of 160 rows are selected."
    after = [run(f'return strong("maps-points-{j}");') for j in range(len(MAPS))]
    for j in range(len(MAPS)):  # the others have gone pale, in each map
        assert 0.2 * before[j] < after[j] < 0.8 * before[j], MAPS[j]
    assert run('return strong("changes-map-1-0");') < 0.8 * small
    differs = run('return get("maps-difference-values").querySelectorAll("th")[0].textContent;')
    assert differs


def test_a_box_with_shift_adds_to_the_selection(tab, run):
    seen = places(tab, 3)
    run('change("maps-tool", "box"); page.linked.choose([0, 1]);')
    x, y = seen[5]
    drag(tab, [(x - 7, y - 7), (x, y), (x + 7, y + 7)], modifiers=8)
    rows = run("return page.linked.selected();")
    near = np.flatnonzero(np.abs(seen - seen[5]).max(axis=1) < 7)
    assert rows == sorted({0, 1, *near.tolist()})


def test_a_tapped_row_has_lines_to_its_true_neighbours(tab, run, found):
    seen = places(tab, 3)
    away = [np.sort(np.linalg.norm(seen - place, axis=1))[1] for place in seen]
    row = int(np.argmax(away))
    drag(tab, [seen[row]])
    rows, names, title, lines = run(
        """await painted();
        const names = [...get("maps-near").querySelectorAll("button")].map((e) => e.textContent);
        const over = [...Array(5).keys()].map((j) =>
          pixels("maps-over-" + j).reduce((sum, x) => sum + (x > 0), 0));
        return [page.linked.selected(), names, get("maps-row-name").textContent, over];"""
    )
    assert rows == [row] and title == f"Row row <b>{row}</b>"
    assert names == [f"row <b>{i}</b>" for i in found.truth.near[row]]
    assert all(count > 50 for count in lines)
    run('get("maps-clear").click(); await painted();')
    assert run('return pixels("maps-over-3").every((x) => x === 0);')


def test_a_tap_beside_all_points_clears(tab, run):
    seen = places(tab, 0)
    run("page.linked.choose([1, 2]);")
    corner = seen.min(axis=0) - 8
    drag(tab, [tuple(corner)])
    assert run("return page.linked.selected();") == []


def test_rows_are_found_by_their_names(run):
    script = """get("maps-row").value = "{}";
    get("maps-find").dispatchEvent(new Event("submit", {{cancelable: true}}));
    return [page.linked.selected(), get("maps-said").textContent];"""
    assert run(script.format("ROW <b>12</b>"))[0] == [12]
    assert run(script.format("15"))[0] == [15, 115, *range(150, 160)]
    said = run(script.format("nowhere"))[1]
    assert said == "There is no row nowhere in the maps."


def test_a_row_of_the_table_is_selected_in_the_maps(run):
    shown, rows, pressed = run(
        """get("maps-after").click();
        const buttons = () => [...get("maps-values").querySelectorAll("button")];
        const shown = buttons().map((e) => e.textContent);
        buttons()[3].click();
        return [shown, page.linked.selected(),
                buttons().map((e) => e.getAttribute("aria-pressed"))];"""
    )
    assert shown == [f"row <b>{i}</b>" for i in range(12, 24)] and rows == [15]
    assert pressed.count("true") == 1 and pressed[3] == "true"


def test_the_table_shows_what_is_selected(run):
    shown, place = run(
        """page.linked.choose([4, 8, 15]);
        return [[...get("maps-values").querySelectorAll("button")].map((e) => e.textContent),
                get("maps-place").textContent];"""
    )
    assert shown == ["row <b>4</b>", "row <b>8</b>", "row <b>15</b>"]
    assert place == "1 to 3 of 3 selected rows"


def test_all_of_a_word_are_selected(run, found):
    rows = run('change("maps-pick", "1:1"); return page.linked.selected();')
    assert rows == np.flatnonzero(found.encoded.target.amounts == 1).tolist()


def test_maps_are_coloured_by_how_well_neighbours_are_kept(run):
    legend, same = run(
        """change("maps-color", "2");
        await painted();
        const before = [...Array(5).keys()].map((j) => pixels("maps-points-" + j).join());
        change("maps-color", "kept");
        await painted();
        return [[...get("maps-legend").children].map((e) => e.textContent),
                before.map((was, j) => was === pixels("maps-points-" + j).join())];"""
    )
    assert legend == ["0 of 10 kept", "5 of 10 kept", "10 of 10 kept"]
    assert same == [False] * 5


def test_a_pointer_over_a_point_names_the_row_as_text(tab, run):
    seen = places(tab, 0)
    tab.move_to(*seen[2])
    tab.wait_for("!document.getElementById('maps-tip').hidden")
    tip, inside = run('return [get("maps-tip").textContent, get("maps-tip").children.length];')
    tab.move_to(0, 0)
    assert tip.startswith("row <b>") and "word: " in tip and inside == 0
    assert run("return window.hacked;") is None


def test_hostile_columns_are_shown_as_text(run, tab):
    heads, marks = run(
        """page.linked.choose([0]);
        return [[...get("maps-row-values").querySelectorAll("th")].map((e) => e.textContent),
                document.querySelectorAll("main img").length];"""
    )
    assert HOSTILE in heads and marks == 0 and tab.problems() == []


def test_the_keyboard_moves_zooms_and_clears(tab, run):
    seen = places(tab, 0)
    run('page.linked.choose([3]); get("maps-over-0").focus();')
    for key in ("+", "ArrowLeft"):
        tab.press(key)
    moved = np.array(run("return page.linked.place(0, 0);"))
    assert np.linalg.norm(moved - seen[0]) > 20
    for key in ("0", "Escape"):
        tab.press(key)
    np.testing.assert_allclose(run("return page.linked.place(0, 0);"), seen[0])
    assert run("return page.linked.selected();") == []


def test_dragging_moves_the_map_when_it_is_asked_to(tab, run):
    seen = places(tab, 1)
    run('change("maps-tool", "move");')
    x, y = seen.mean(axis=0)
    drag(tab, [(x, y), (x + 15, y), (x + 30, y + 12)])
    moved = np.array(run("return page.linked.place(1, 0);")) - seen[0]
    np.testing.assert_allclose(moved, [30, 12], atol=1e-6)
    assert run("return page.linked.selected();") == []


@pytest.mark.parametrize("size", [(1200, 900), (360, 740)], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(browser, path, size, scheme):
    tab = browser.open(path, size=size, prefers_color_scheme=scheme)
    try:
        tab.run(TOOLS + "page.linked.choose([3]); await painted();")
        assert tab.value("document.documentElement.scrollWidth") <= size[0]
        corner = tab.run(TOOLS + 'return [...pixels("maps-points-0").slice(0, 3)];')
        assert (max(corner) < 60) == (scheme == "dark")
        assert tab.problems() == []
    finally:
        tab.close()


def test_rows_beyond_those_that_are_drawn_are_a_shade(browser, tmp_path, monkeypatch, rng):
    monkeypatch.setattr(found_module, "DRAWN_ROWS", 400)
    report = lowdim.map_table(rng.normal(size=(500, 3)), maps=["pca"])
    report.save(tmp_path / "many.html")
    tab = browser.open(tmp_path / "many.html")
    try:
        said, shaded = tab.run(
            TOOLS
            + """page.linked.choose([...Array(400).keys()].filter((i) => i % 2)); await painted();
            return [get("maps-said").textContent, get("maps").textContent.includes("the shade")];"""
        )
        assert said == "200 of 400 rows are selected." and shaded and tab.problems() == []
    finally:
        tab.close()
