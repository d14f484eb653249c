"""What sections are made of: markup with every text escaped, and numbers in words."""

import csv
import io

import pytest

from lowdim.report.page.parts import (
    copyable,
    counted,
    drawing,
    listed,
    long_table,
    options,
    percent,
    place,
    table,
)
from tests.report.page.small import LINES, LONG
from tests.report.samples import HOSTILE, Elements


def test_numbers_are_said_in_words():
    assert percent(0.5) == "50 %"
    assert percent(0.0004) == "<0.1 %"
    assert percent(0.0) == "0 %" and percent(0.031) == "3.1 %" and percent(0.03) == "3 %"
    assert counted(1, "row") == "1 row" and counted(1200, "row") == "1,200 rows"


def test_names_are_listed():
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a"]) == "a" and listed([]) == ""
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"


def test_columns_of_numbers_are_set_to_the_right():
    text = table(["word", "count#"], [("sea", 7)], "words")
    assert '<th scope="col">word</th><th class="number" scope="col">count</th>' in text
    assert '<td>sea</td><td class="number">7</td>' in text


def test_columns_without_names_have_no_line_of_heads():
    text = table(["", "#"], [("words", 7)], "the corpus")
    assert "<thead>" not in text and '<td class="number">7</td>' in text


def test_a_line_of_another_length_is_refused():
    with pytest.raises(ValueError, match="zip"):
        table(["a", "b"], [("one",)], "x")


def test_the_chosen_option_is_selected():
    assert options([(0, "a"), (1, "b")], 1) == (
        '<option value="0">a</option><option value="1" selected>b</option>'
    )


def test_a_figure_has_a_place_and_a_caption():
    assert place("f", "Read it so.") == (
        '<figure role="group" aria-label="Read it so."><div class="drawing" id="figure-f"></div>'
        "<figcaption>Read it so.</figcaption></figure>"
    )


@pytest.mark.parametrize(
    "markup",
    [
        place(HOSTILE, HOSTILE),
        drawing(HOSTILE),
        table([HOSTILE], [(HOSTILE,)], HOSTILE),
        long_table(HOSTILE, [HOSTILE], [HOSTILE], HOSTILE, HOSTILE),
        copyable(HOSTILE, HOSTILE),
        options([(HOSTILE, HOSTILE)], HOSTILE),
    ],
    ids=["place", "drawing", "table", "long_table", "copyable", "options"],
)
def test_no_text_becomes_markup(markup):
    page = Elements(markup)
    assert page.handlers == [] and not {"img", "script"} & set(page.tags)


# ---- in a browser --------------------------------------------------------------------------------


def use(tab, script):
    return tab.run(
        f"const get = (name) => document.getElementById({LONG!r} + '-' + name); {script}"
    )


def test_a_long_table_is_turned_by_keyboard(tab):
    first = use(tab, "return get('values').rows[0].cells[0].textContent")
    assert first == LINES[0][0][0]
    assert use(tab, "return [get('before').disabled, get('after').disabled]") == [True, False]
    use(tab, "get('after').focus()")
    tab.press("Enter", "\r")
    assert use(tab, "return get('place').textContent") == "16 to 29 of 29"
    shown = use(tab, "return [...get('values').rows].map((r) => r.cells[0].textContent)")
    assert shown == [line[0] for line in (LINES[0] + LINES[1])[15:]]
    assert use(tab, "return [get('before').disabled, get('after').disabled]") == [False, True]
    use(tab, "get('before').click()")
    assert use(tab, "return get('place').textContent") == "1 to 15 of 29"


def test_a_long_table_shows_one_group(tab):
    choose = "get('group').value = {!r}; get('group').dispatchEvent(new Event('change'));"
    found = use(tab, choose.format("1") + "return [...get('values').rows].length")
    assert found == len(LINES[1])
    assert use(tab, "return get('place').textContent") == "1 to 9 of 9"
    use(tab, choose.format(""))
    assert use(tab, "return get('place').textContent") == "1 to 15 of 29"


def test_the_download_has_every_line_quoted_where_it_must_be(tab):
    text = use(
        tab,
        """let blob; const made = URL.createObjectURL;
        URL.createObjectURL = (b) => { blob = b; return "#"; };
        get("download").click();
        URL.createObjectURL = made;
        return await blob.text();""",
    )
    rows = list(csv.reader(io.StringIO(text)))
    assert rows == [["line", "group"], *LINES[0], *LINES[1]]


def test_a_text_can_be_copied(tab, browser):
    tab.ask("Browser.setPermission", permission={"name": "clipboard-write"}, setting="granted")
    tab.run("""navigator.clipboard.writeText = async (text) => { window.copied = text; };
            document.getElementById("text-copy").click(); await 0; await 0;""")
    assert tab.value("window.copied") == HOSTILE
    tab.wait_for("document.getElementById('text-copy').textContent === 'Copied'")
