"""The page of `words`, as text and in a browser."""

import json
import re
from urllib.parse import urlencode

import numpy as np
import pytest

import lowdim
from lowdim.report.words.vocabulary import shown_name
from tests.report.samples import (
    HOSTILE,
    assert_can_be_written,
    assert_labelled,
    assert_loads_nothing,
    assert_nothing_becomes_markup,
)
from tests.report.words.planted import NASTY, SEA, planted_vectors, planted_words

SECTIONS = "map clusters analogies done script".split()


@pytest.fixture(scope="session")
def text(words_report):
    return words_report.html


def test_words_cannot_become_markup(text):
    assert_nothing_becomes_markup(text)


def test_the_page_can_be_written_whatever_words_hold(text):
    assert_can_be_written(text)


def test_the_page_loads_nothing_and_forbids_it(text):
    assert_loads_nothing(text)


def test_the_page_has_every_section_once(text):
    assert re.findall(r'<section id="(\w+)"', text) == SECTIONS


def test_the_top_of_the_page_counts_what_was_found(text):
    tiles = re.findall(r'<li><a href="#(\w+)"><b[^>]*>([^<]*)</b> ([^<]*)</a>', text)
    n = len(planted_words(nasty=True))
    assert tiles[0] == ("map", str(n), "words")
    assert [place for place, _, _ in tiles] == ["map", "clusters", "analogies"]


def test_every_control_has_a_label_and_everything_that_scrolls_can_be_reached_by_keyboard(text):
    n_controls = assert_labelled(text)
    assert n_controls == 3


def test_a_page_of_many_words_in_another_script_is_below_five_megabytes(rng):
    words = [chr(0x4E00 + i) * 20 for i in range(15_000)]
    vectors = lowdim.WordVectors(words, rng.normal(size=(15_000, 4)).astype(np.float32))
    report = lowdim.words(vectors)
    assert len(report.findings.side) == 5000
    assert len(report.findings.vocabularies[0].words) < 15_000  # no room for more names
    assert len(report.html.encode()) < 5e6


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_words_have_a_page(n, rng):
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i"][:n]
    report = lowdim.words(lowdim.WordVectors(words, rng.normal(size=(n, 3))))
    assert "<h2" in report.html and repr(report).startswith(f"WordsReport({n} words")


@pytest.mark.parametrize("d", [1, 2])
def test_few_dimensions_have_a_page(d, rng):
    words = [f"w{i}" for i in range(30)]
    assert "<h2" in lowdim.words(lowdim.WordVectors(words, rng.normal(size=(30, d)))).html


# ---- in a browser --------------------------------------------------------------------------------

TOOLS = """
const get = (id) => document.getElementById(id);
const drawn = Bokeh.documents[0];
const points = drawn.get_model_by_name("map-points");
const labels = drawn.get_model_by_name("map-labels");
const lit = drawn.get_model_by_name("map-lit");
const plot = drawn.get_model_by_name("map-plot");
const search = (text) => {
  get("map-search").value = text;
  get("map-search").dispatchEvent(new Event("input"));
};
const submit = () => get("map-form").dispatchEvent(new Event("submit", {cancelable: true}));
const near = () => [...get("map-near").querySelectorAll("th")].map((e) => e.textContent);
const painted = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
const change = (id, value) => {
  get(id).value = value;
  get(id).dispatchEvent(new Event("change"));
};
"""


@pytest.fixture(scope="module")
def path(words_report, tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "page.html"
    words_report.save(path)
    return path


@pytest.fixture
def run(tab):
    """Run a script in the page, with the tools; afterwards nothing is chosen."""
    yield lambda script: tab.run(TOOLS + script)
    tab.run(TOOLS + 'get("map-clear").click(); get("map-whole").click(); await painted();')


def test_the_page_loads_without_errors_and_nothing_in_it_runs(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    drawn = tab.value("[...document.querySelectorAll('.drawing')].map((e) => e.children.length)")
    assert len(drawn) == 3 and set(drawn) == {1}


def test_a_word_that_is_found_has_its_true_neighbours_listed_and_lit(run, found):
    listed, indices, ringed, title = run(
        """search("SHIP"); submit();
        return [near(), [...points.selected.indices], lit.data.x.length,
                get("map-word").textContent];"""
    )
    expected = [word for word, _ in planted_vectors(nasty=True).most_similar("ship", topn=10)]
    assert title == "ship" and listed == [shown_name(word) for word in expected]
    words = planted_words(nasty=True)
    assert {words[i] for i in indices} == {"ship", *expected} and ringed == 11


def test_a_tapped_point_is_chosen_and_a_neighbour_leads_on(run):
    first, second, focused = run(
        """points.selected.indices = [0];
        const first = get("map-word").textContent;
        const button = get("map-near").querySelector("button");
        const expected = button.textContent;
        button.focus(); button.click();
        return [first, get("map-word").textContent === expected,
                document.activeElement.id];"""
    )
    assert first == "man" and second is True
    assert focused == "map-word"  # the keyboard goes on from there


def test_counts_are_said_exactly(run):
    said = run('search("man"); submit(); return get("map-said").textContent;')
    n = len(planted_words(nasty=True))
    assert f"times seen: {10 * n:,}" in said and "rank: 1" in said


def test_search_finds_the_word_then_beginnings_then_others(run):
    found = run(
        """search("st"); return [...get("map-found").querySelectorAll("button")]
        .map((e) => e.textContent);"""
    )
    assert found == ["star", "storm", "sister", "@label{custom}", "constructor"]
    said = run('search("nowhere"); submit(); return get("map-found-said").textContent;')
    assert said == "There is no word “nowhere” in the map."


def test_names_are_thinned_and_none_stands_on_another(run):
    boxes, n = run(
        """await painted();
        const perX = plot.inner_width / (plot.x_range.end - plot.x_range.start);
        const perY = plot.inner_height / (plot.y_range.end - plot.y_range.start);
        const { x, y, name } = labels.data;
        return [x.map((_, i) => [x[i] * perX, -y[i] * perY, name[i].length]),
                points.data.x.length];"""
    )
    assert 3 < len(boxes) < n
    for i, (x, y, _) in enumerate(boxes):
        for other_x, other_y, length in boxes[:i]:
            apart = abs(y - other_y) >= 14.9 or x >= other_x + 3 * length or x < other_x
            assert apart


def test_zooming_in_shows_more_of_the_names_that_are_there(run):
    before, after, back = run(
        """await painted();
        const names = () => [...labels.data.name];
        const before = names();
        search("ship"); submit(); get("map-clear").click();
        points.selected.indices = [16];
        for (let i = 0; i < 6; i++) get("map-in").click();
        await painted();
        const after = names();
        get("map-clear").click(); get("map-whole").click(); await painted();
        return [before, after, names()];"""
    )
    assert before == back and after != before and "ship" in after


def test_lit_names_are_written_even_where_there_are_many(run):
    names, styles = run(
        """search("ship"); submit(); await painted();
        return [[...labels.data.name], [...labels.data.style]];"""
    )
    assert names[0] == "ship" and styles[0] == "bold" and styles.count("bold") == 1
    assert len(set(SEA) & set(names)) >= 4


def test_a_cluster_lights_its_words(run, found):
    indices, title = run(
        """document.querySelector("[data-cluster='0']").click();
        return [[...points.selected.indices], get("map-word").textContent];"""
    )
    assert indices == np.flatnonzero(found.groups.labels == 0).tolist()
    assert title == f"Cluster 1 {found.groups.groups[0].name}"


def test_points_can_be_coloured_by_counts(run):
    before, after = run(
        """const before = new Set(points.data.color).size;
        change("map-color", "1");
        const after = new Set(points.data.color).size;
        change("map-color", "0");
        return [before, after];"""
    )
    assert before <= 10 < after


def test_the_arrows_go_from_first_to_second_words(run, found):
    first, second, said = run(
        """const arrows = drawn.get_model_by_name("analogies-arrows");
        change("analogies-relation", "0");
        return [[...arrows.data.first], [...arrows.data.second],
                get("analogies-said").textContent];"""
    )
    (relation,) = found.relations
    assert list(zip(first, second, strict=True)) == relation.pairs
    assert said == f"8 pairs; agreement +{relation.agreement.mean():.2f} on average."


@pytest.mark.parametrize("word", NASTY, ids=range(len(NASTY)))
def test_hostile_words_are_found_and_shown_as_text(run, tab, word):
    name = shown_name(word)
    title, marks, unharmed = run(
        f"""search({json.dumps(name)}); submit(); await painted();
        const marks = get("map").querySelectorAll(".panel img, .panel script, #map-found img");
        return [get("map-word").textContent, marks.length, window.hacked === undefined];"""
    )
    assert title == name and marks == 0 and unharmed and tab.problems() == []


def test_a_pointer_over_a_point_shows_its_word_as_text(run, tab):
    place = planted_words(nasty=True).index(HOSTILE)
    x, y = run(
        f"""search({json.dumps(shown_name(HOSTILE))}); submit();
        for (let i = 0; i < 9; i++) get("map-in").click();
        const view = [...Bokeh.index].find((v) => v.model === plot);
        get("map-color").scrollIntoView({{behavior: "instant"}});
        await new Promise((done) => setTimeout(done, 100));
        const area = view.canvas_view.el.getBoundingClientRect();
        return [area.left + view.frame.x_scale.compute(points.data.x[{place}]),
                area.top + view.frame.y_scale.compute(points.data.y[{place}])];"""
    )
    tab.move_to(x, y)
    tab.wait_for("Bokeh.documents[0].get_model_by_name('map-points').inspected.indices.length > 0")
    seen, tags = run(
        """await new Promise((done) => setTimeout(done, 100));
        const within = (root) => [...root.querySelectorAll("*")].flatMap(
          (e) => e.shadowRoot ? [e, ...within(e.shadowRoot)] : [e]);
        const tip = within(document).find((e) => e.classList.contains("bk-Tooltip"));
        return [tip.shadowRoot.textContent, within(tip.shadowRoot).map((e) => e.tagName)];"""
    )
    tab.move_to(0, 0)
    assert shown_name(HOSTILE) in seen and "cluster: " in seen
    assert not {"IMG", "SCRIPT"} & set(tags)


def test_two_vocabularies_are_in_one_map(browser, tmp_path):
    one, other = planted_vectors(), planted_vectors(noise=0.12)
    lowdim.words(one, against=other, name="French").save(tmp_path / "two.html")
    tab = browser.open(tmp_path / "two.html")
    try:
        listed, titles, found, legend = tab.run(
            TOOLS
            + """search("ship"); submit();
            const texts = (box, tag) =>
              [...get(box).querySelectorAll(tag)].map((e) => e.textContent);
            return [near(), texts("map-near", "h3"), texts("map-found", "button"),
                    texts("map-legend", "li")];"""
        )
    finally:
        tab.close()
    assert titles == ["Nearest in French", "Nearest in the other vectors"]
    assert found == ["ship (French)", "ship (the other vectors)"]
    assert legend == ["French", "the other vectors"]
    normal = one.normalized(("unit", "center", "unit"))
    assert listed[:10] == [word for word, _ in normal.most_similar("ship", topn=10)]
    assert listed[10] == "ship"


@pytest.mark.parametrize("word", ["harbour", NASTY[1], "nowhere"])
def test_a_link_may_name_a_word(browser, path, word):
    class Linked:
        def as_uri(self):
            return f"{path.as_uri()}#{urlencode({'word': word})}"

    tab = browser.open(Linked())
    try:
        title = tab.value("document.getElementById('map-word').textContent")
        assert title == (word if word != "nowhere" else "A word") and tab.problems() == []
    finally:
        tab.close()


@pytest.mark.parametrize("size", [(1200, 900), (360, 740)], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(browser, path, size, scheme):
    tab = browser.open(path, size=size, prefers_color_scheme=scheme)
    try:
        tab.run(TOOLS + 'search("x"); submit(); await painted();')
        assert tab.value("document.documentElement.scrollWidth") <= size[0]
        assert tab.problems() == []
    finally:
        tab.close()


def test_a_dark_page_has_lighter_points_and_arrows(browser, path, tab):
    colors = """return [drawn.get_model_by_name("analogies-arrows").data.color[0],
                        points.data.color[0]].map((c) => parseInt(c.slice(1, 3), 16));"""
    dark = browser.open(path, prefers_color_scheme="dark")
    try:
        lighter, plain = dark.run(TOOLS + colors), tab.run(TOOLS + colors)
        assert all(a > b for a, b in zip(lighter, plain, strict=True))
        dark.show_as(prefers_color_scheme="light")
        dark.wait_for(f"(() => {{ {TOOLS} {colors} }})().join() === {','.join(map(str, plain))!r}")
        assert dark.problems() == []
    finally:
        dark.close()


def test_all_controls_can_be_reached_by_keyboard(browser, path):
    tab = browser.open(path)
    try:
        tab.press("Tab")
        assert tab.value("document.activeElement.className") == "skip"
        reached = set()
        for _ in range(40):
            tab.press("Tab")
            reached.add(tab.value("document.activeElement.id"))
        wanted = {"map-search", "map-color", "map-in", "map-out", "map-whole", "map-clear"}
        assert wanted <= reached
        tab.run(TOOLS + 'get("map-search").focus(); search("ship");')
        tab.press("Enter", "\r")
        assert tab.value("document.getElementById('map-word').textContent") == "ship"
    finally:
        tab.close()
