"""Pages that several tests look at, made once."""

import pytest

import lowdim
from tests.report.explore.tables import numbers, words
from tests.report.samples import two_methods


@pytest.fixture(scope="session")
def of_numbers():
    with two_methods():
        return lowdim.explore(numbers())


@pytest.fixture(scope="session")
def of_words():
    with two_methods():
        return lowdim.explore(words())


@pytest.fixture(scope="session")
def of_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "table.csv"
    words().to_csv(path, index=False)
    with two_methods():
        return lowdim.explore(path, target="size")
