"""The page of the planted corpus, made once."""

import json

import pytest

import lowdim
from tests.report.topics.planted import planted_records


@pytest.fixture(scope="session")
def topics_report(tmp_path_factory):
    """What `topics` finds in the planted corpus, hostile texts and all."""
    path = tmp_path_factory.mktemp("planted") / "letters.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records()))
    return lowdim.topics(path, 3, text="text", id="name", label="subject", time="day")


@pytest.fixture(scope="session")
def found(topics_report):
    return topics_report.findings
