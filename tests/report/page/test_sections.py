"""Sections as markup, and the scripts that they need."""

from markupsafe import Markup

from lowdim.report.page.sections import (
    COPY,
    CORE,
    FIGURES,
    MAP,
    TABLE,
    Script,
    Section,
    Tile,
    links_markup,
    scripts_of,
    section_markup,
    short_markup,
    tiles_markup,
)
from tests.report.samples import HOSTILE, Elements


def section(**settings):
    return Section("s", "Title", "Link", "Lead.", Markup("<p>body</p>"), **settings)


def test_a_section_has_its_title_its_sentence_and_its_body():
    assert section_markup(section()) == (
        '<section id="s" aria-labelledby="s-title"><h2 id="s-title">Title</h2>'
        '<p class="lead">Lead.</p><p>body</p></section>'
    )


def test_a_section_names_its_scripts_and_carries_their_data():
    text = section_markup(section(scripts=(TABLE, COPY), data={"n": 1}))
    assert 'data-scripts="table copy"' in text
    assert '<script type="application/json" id="s-data">{"n":1}</script></section>' in text


def test_scripts_come_once_and_after_what_they_need():
    own = Script("own", "lowdim.report.explore", needs=(TABLE, COPY))
    assert scripts_of([]) == [CORE]
    assert scripts_of([section(scripts=(own,)), section(scripts=(COPY, own))]) == [
        CORE, TABLE, COPY, own
    ]  # fmt: skip
    assert scripts_of([section(scripts=(MAP,))]) == [CORE, FIGURES, MAP]
    assert scripts_of([section(figures={"f": None})]) == [CORE, FIGURES]


def test_every_script_of_the_package_is_there_and_strict():
    for script in (CORE, FIGURES, MAP, TABLE, COPY):
        assert script.text().startswith('"use strict";')


def test_tiles_are_numbers_or_words():
    text = tiles_markup(
        [section(tile=Tile("7", "rows")), section(), section(tile=Tile("PCA", "x"))]
    )
    assert '<a href="#s"><b>7</b> rows</a>' in text and '<b class="words">PCA</b>' in text
    assert text.count("<li>") == 2


def test_what_is_not_said_leaves_no_list():
    assert tiles_markup([section()]) == short_markup([section()]) == ""


def test_what_was_found_in_short_is_the_sentences_of_the_sections_that_ask_for_it():
    sections = [section(in_short=True), section()]
    expected = '<ul class="short" aria-label="In short"><li>Lead.</li></ul>'
    assert short_markup(sections) == expected


def test_no_text_of_a_section_becomes_markup():
    hostile = Section(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, tile=Tile(HOSTILE, HOSTILE),
                      in_short=True, data=HOSTILE)  # fmt: skip
    for markup in (section_markup, lambda s: tiles_markup([s]), lambda s: short_markup([s]),
                   lambda s: links_markup([s])):  # fmt: skip
        page = Elements(markup(hostile))
        assert page.handlers == [] and not {"img", "script"} & set(page.tags) - {"script"}
        assert page.scripts == []
