"""The page of the planted vectors, made once."""

import pytest

import lowdim
from tests.report.words.planted import planted_vectors


@pytest.fixture(scope="session")
def words_report():
    """What `words` finds in the planted vectors, hostile words and all."""
    return lowdim.words(planted_vectors(nasty=True), name="planted")


@pytest.fixture(scope="session")
def found(words_report):
    return words_report.findings
