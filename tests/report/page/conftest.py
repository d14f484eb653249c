"""The small page as text, as a file and in a browser."""

import pytest

from lowdim.report.page import shell
from tests.report.page.small import small_page


@pytest.fixture(scope="session")
def small_html():
    return shell.html(small_page())


@pytest.fixture(scope="session")
def small_path(small_html, tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "page.html"
    path.write_text(small_html, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tab(browser, small_path):
    """The small page on a wide, light screen; tests leave it as it was."""
    opened = browser.open(small_path)
    yield opened
    opened.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """A function that opens the text of a page in a tab of its own."""
    tabs = []

    def opened(text, **settings):
        path = tmp_path / f"page{len(tabs)}.html"
        path.write_text(text, encoding="utf-8")
        tabs.append(browser.open(path, **settings))
        return tabs[-1]

    yield opened
    for one in tabs:
        one.close()
