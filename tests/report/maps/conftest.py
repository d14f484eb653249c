"""The page of maps of the planted table, made once."""

import pytest

from tests.report.maps.planted import planted_report


@pytest.fixture(scope="session")
def map_report():
    return planted_report()


@pytest.fixture(scope="session")
def found(map_report):
    return map_report.findings
