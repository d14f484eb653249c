"""The page of the planted corpus, made once."""

import pandas as pd
import pytest

import lowdim
from tests.report.topics.planted import planted_records


@pytest.fixture(scope="session")
def topics_report():
    """What `topics` finds in the planted corpus, hostile texts and all."""
    table = pd.DataFrame(planted_records())
    return lowdim.topics(table, 3, text="text", id="name", label="subject", time="day")


@pytest.fixture(scope="session")
def found(topics_report):
    return topics_report.findings
