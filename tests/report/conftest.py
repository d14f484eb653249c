"""What the tests of pages share: a browser, and the page of a table with a truth to find."""

import pytest

import lowdim
from lowdim.report.explore import planes, script
from tests.report.samples import planted_table, two_methods


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, started once."""
    from tests.report.browser import Browser

    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def tab(browser, path):
    """The page that a file's `path` has saved, on a wide, light screen."""
    opened = browser.open(path)
    yield opened
    opened.close()


@pytest.fixture(scope="session", autouse=True)
def small_planes():
    """t-SNE and UMAP of explore's map are fitted to few rows; the others are placed."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (planes, script):
            patch.setattr(module, "MAP_FIT_ROWS", 60)
        yield


@pytest.fixture(scope="session")
def planted():
    """A function that makes a table with a truth to find; see `planted_table`."""
    return planted_table


@pytest.fixture(scope="module")
def few_models():
    """The comparison has tests of its own; here two methods are enough."""
    with two_methods():
        yield


@pytest.fixture(scope="session")
def report():
    """What `explore` finds in the planted table."""
    with two_methods():
        return lowdim.explore(planted_table(), target="word", id="name")
