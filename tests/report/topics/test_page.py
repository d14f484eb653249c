"""The page of `topics`, as text and in a browser."""

import re

import numpy as np
import pytest

import lowdim
from lowdim.report.topics.payload import BARS
from tests.report.samples import (
    assert_can_be_written,
    assert_labelled,
    assert_loads_nothing,
    assert_nothing_becomes_markup,
)
from tests.report.topics.planted import NASTY, planted_texts

SECTIONS = "topics corpus methods documents typical labels time odd done script".split()


@pytest.fixture(scope="session")
def text(topics_report):
    return topics_report.html


def test_documents_names_and_labels_cannot_become_markup(text):
    assert_nothing_becomes_markup(text)


def test_the_page_can_be_written_whatever_documents_hold(text):
    assert_can_be_written(text)


def test_the_page_loads_nothing_and_forbids_it(text):
    assert_loads_nothing(text)


def test_the_page_has_every_section_once(text):
    assert re.findall(r'<section id="(\w+)"', text) == SECTIONS


def test_the_top_of_the_page_counts_what_was_found(text):
    tiles = re.findall(r'<li><a href="#(\w+)"><b[^>]*>([^<]*)</b> ([^<]*)</a>', text)
    assert tiles[0] == ("topics", "3", "topics")
    assert tiles[1] == ("corpus", str(92 + len(NASTY)), "documents")
    assert [place for place, _, _ in tiles] == ["topics", "corpus", "methods", "labels", "odd"]


def test_every_control_has_a_label_and_everything_that_scrolls_can_be_reached_by_keyboard(text):
    assert_labelled(text)


def test_a_page_of_twenty_thousand_documents_is_below_five_megabytes(monkeypatch):
    monkeypatch.setattr("lowdim.report.topics.findings.contest", lambda *a: None)
    random = np.random.default_rng(0)
    words = np.array([f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(600)])
    texts = [" ".join(words[random.zipf(1.3, 30) % 600]) + " Ж" * 40 for _ in range(20_000)]
    report = lowdim.topics(texts, 3, language=None)
    assert len(report.html.encode()) < 5e6


@pytest.mark.parametrize("n", [4, 7])
def test_small_collections_have_a_page(n):
    texts = ["ship sea", "moon star", "ship harbour", "star sky", "", "sea", "moon"][:n]
    assert "<h2" in lowdim.topics(texts).html


def test_one_topic_has_a_page():
    assert ">1</b> topic<" in lowdim.topics(planted_texts(20)[0], 1).html


# ---- in a browser --------------------------------------------------------------------------------

TOOLS = """
const get = (id) => document.getElementById(id);
const points = Bokeh.documents[0].get_model_by_name("topics-points");
const change = (id, value, kind = "change") => {
  get(id).value = value;
  get(id).dispatchEvent(new Event(kind));
};
const words = () => [...get("topics-terms").querySelectorAll("button")].map((b) => b.textContent);
"""


@pytest.fixture(scope="module")
def path(topics_report, tmp_path_factory):
    path = tmp_path_factory.mktemp("topics") / "page.html"
    topics_report.save(path)
    return path


def test_the_page_loads_without_errors_and_nothing_in_it_runs(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    drawn = tab.value("[...document.querySelectorAll('.drawing')].map((e) => e.children.length)")
    assert len(drawn) >= 7 and set(drawn) == {1}


def test_the_words_of_a_topic_are_its_most_relevant_ones(tab, found):
    shown = tab.run(TOOLS + 'change("topics-topic", "0"); return words();')
    assert shown[:10] == found.topics[0].words and len(shown) <= BARS


def test_the_relevance_moves_words(tab, found):
    right, left = tab.run(
        TOOLS
        + """change("topics-relevance", "1", "input"); const right = words();
        change("topics-relevance", "0", "input"); const left = words();
        change("topics-relevance", "0.6", "input"); return [right, left];"""
    )
    top = found.model.top_words(10, relevance=1.0)[0]
    assert right[:10] == top and left != right
    assert left[:5] == found.model.top_words(5, relevance=0.0)[0]


def test_a_topic_chosen_anywhere_is_chosen_everywhere(tab):
    chosen = tab.run(
        TOOLS
        + """points.selected.indices = [2];
        const one = [get("topics-topic").value, get("typical-topic").value];
        change("typical-topic", "1");
        const two = [get("topics-topic").value, String(points.selected.indices[0])];
        document.querySelector("[data-topic='0']").click();
        return [one, two, get("topics-chosen").textContent.slice(0, 7)];"""
    )
    assert chosen == [["2", "2"], ["1", "1"], "Topic 1"]


def test_next_and_before_go_through_the_topics(tab):
    seen = tab.run(
        TOOLS
        + """change("topics-topic", "0");
        const begin = get("topics-before").disabled;
        get("topics-after").click(); get("topics-after").click();
        const end = [get("topics-topic").value, get("topics-after").disabled];
        change("topics-topic", "0"); return [begin, ...end];"""
    )
    assert seen == [True, "2", True]


def test_a_word_that_is_pressed_sizes_the_circles(tab):
    before, after, back = tab.run(
        TOOLS
        + """change("topics-topic", "0");
        const before = [...points.data.size];
        get("topics-terms").querySelector("button").click();
        const after = [...points.data.size];
        get("topics-terms").querySelector("button[aria-pressed='true']").click();
        return [before, after, [...points.data.size]];"""
    )
    assert before == back and max(after) == after[0] and min(after[1:]) < 15


def test_typical_documents_have_coloured_words(tab, found):
    names, words, colors = tab.run(
        TOOLS
        + """change("typical-topic", "1");
        const box = get("typical-documents");
        const marked = [...box.querySelectorAll(".word")];
        return [[...box.querySelectorAll("h3")].map((e) => e.textContent),
                marked.map((e) => e.textContent),
                marked.map((e) => getComputedStyle(e).backgroundColor)];"""
    )
    assert names == [found.reading.ids[i] for i in found.documents.typical[1]]
    assert len(words) > 30 and len(set(colors)) >= 2


def test_documents_are_found_by_name_and_by_word_and_shown_in_the_map(tab, found):
    said, names, row = tab.run(
        TOOLS
        + """const search = (text) => {
          get("documents-words").value = text;
          get("documents-search").dispatchEvent(new Event("submit", {cancelable: true}));
        };
        search("ODD");
        const said = get("documents-found-said").textContent;
        const buttons = [...get("documents-found").querySelectorAll("button")];
        const names = buttons.map((b) => b.textContent);
        get("documents-found").querySelector("button").click();
        return [said, names, get("documents-row-name").textContent];"""
    )
    assert names == ["odd"] and said.startswith("1 of") and row == "Document odd"
    empty = tab.run(
        TOOLS
        + """get("documents-words").value = "nowhere-to-be-found";
        get("documents-search").dispatchEvent(new Event("submit", {cancelable: true}));
        return get("documents-found-said").textContent;"""
    )
    assert empty.startswith("0 of")


@pytest.mark.parametrize("name", NASTY)
def test_hostile_documents_are_found_and_shown_as_text(tab, name):
    names, marks, unharmed = tab.run(
        TOOLS
        + f"""get("documents-words").value = "{name}";
        get("documents-search").dispatchEvent(new Event("submit", {{cancelable: true}}));
        const buttons = [...get("documents-found").querySelectorAll("button")];
        buttons[buttons.length - 1].click();
        const names = buttons.map((b) => b.textContent);
        const marks = get("documents-found").querySelectorAll("img, script, b").length;
        return [names, marks, window.hacked === undefined];"""
    )
    assert any(found.startswith(f"{name} </script>") for found in names)
    assert marks == 0 and unharmed and tab.problems() == []


@pytest.mark.parametrize("size", [(1200, 900), (360, 740)], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(browser, path, size, scheme):
    tab = browser.open(path, size=size, prefers_color_scheme=scheme)
    try:
        assert tab.value("document.documentElement.scrollWidth") <= size[0]
        assert tab.problems() == []
    finally:
        tab.close()


def test_the_first_key_skips_to_the_findings_and_all_controls_can_be_reached(browser, path):
    tab = browser.open(path)
    try:
        tab.press("Tab")
        assert tab.value("document.activeElement.className") == "skip"
        reached = set()
        for _ in range(120):
            tab.press("Tab")
            reached.add(tab.value("document.activeElement.id"))
        assert {"topics-topic", "topics-relevance", "documents-words", "typical-topic"} <= reached
    finally:
        tab.close()
