"""What users hold of a page."""

import html

import pytest

from lowdim.report.page.report import PageReport
from tests.report.browser import CATCH
from tests.report.samples import HOSTILE, Elements


class Small(PageReport):
    frame_title = HOSTILE

    def __init__(self, text):
        self.text, self.made = text, 0

    def _make_html(self):
        self.made += 1
        return self.text


def test_the_page_is_made_once_and_saved_as_it_is(tmp_path):
    report = Small("<p>ä</p>")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html == "<p>ä</p>"
    assert report.made == 1


def test_a_report_must_say_what_its_page_is():
    with pytest.raises(TypeError, match="_make_html"):
        PageReport()


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(small_html):
    frame = Small(small_html)._repr_html_()
    assert frame.count("<") == 2 and 'sandbox="allow-scripts allow-downloads"' in frame
    assert "allow-same-origin" not in frame
    page = Elements(frame)
    assert page.tags == ["iframe"] and page.handlers == []


NOTEBOOK = """<!DOCTYPE html><html><body><p id="cell">before</p><script>
window.addEventListener("message", (event) => {
  window.said = event.data;
  document.documentElement.dataset.ready = "yes";
});
</script>"""


def test_a_notebook_cell_shows_the_page_and_is_left_alone_by_it(small_html, open_page):
    """The page in the frame says when it is ready, and what went wrong."""
    say = """document.addEventListener("DOMContentLoaded", async () => {
      const root = document.documentElement;
      while (root.dataset.ready !== "yes") await new Promise((done) => setTimeout(done, 20));
      parent.postMessage(window.problems, "*");
    });"""
    scripts = f"<script>{CATCH}{say}</script>"
    # ahead of the policy, which does not know this script
    framed = Small(small_html.replace("<head>", "<head>" + scripts, 1))
    tab = open_page(NOTEBOOK + framed._repr_html_())
    assert tab.value("window.said") == []
    assert tab.value("document.getElementById('cell').textContent") == "before"
    assert tab.value("window.hacked") is None
    assert html.unescape(tab.value("document.querySelector('iframe').title")) == HOSTILE
