"""What the tests of pages share: a browser, and the page of a table with a truth to find."""

import pytest

from tests.report.samples import planted_table


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, started once."""
    from tests.report.browser import Browser

    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="session")
def planted():
    """A function that makes a table with a truth to find; see `planted_table`."""
    return planted_table


def _two_methods(patch):
    import lowdim
    from lowdim.report.explore import contest

    patch.setattr(contest, "models", lambda shape, rank: {"PPCA": [lowdim.ProbabilisticPCA(1)]})


@pytest.fixture(scope="module")
def few_models():
    """The comparison has tests of its own; here two methods are enough."""
    with pytest.MonkeyPatch.context() as patch:
        _two_methods(patch)
        yield


@pytest.fixture(scope="session")
def report():
    """What `explore` finds in the planted table."""
    import lowdim

    with pytest.MonkeyPatch.context() as patch:
        _two_methods(patch)
        return lowdim.explore(planted_table(), target="word", id="name")
