"""The map and the typical documents."""

import numpy as np

from lowdim.report.topics import payload
from lowdim.report.topics.sections.documents import GLANCE, MAP_ID, map_section, typical_section


def test_documents_lie_between_their_topics(found):
    section = map_section(found, 0)
    data = section.figures[MAP_ID].renderers[0].data_source.data
    low, high = found.anchors.min(axis=0), found.anchors.max(axis=0)
    points = np.column_stack([data["x"], data["y"]])
    assert (points >= low - 1e-5).all() and (points <= high + 1e-5).all()
    assert set(section.figures) == {MAP_ID, GLANCE} and section.data["total"] == len(points)


def test_a_map_of_some_documents_says_so(found, monkeypatch):
    monkeypatch.setattr(payload, "MAP_DOCUMENTS", 30)
    assert "30 of the 102 documents are drawn" in str(map_section(found, 0).body)


def test_topics_can_be_chosen_by_name(found):
    body = str(typical_section(found).body)
    assert all(topic.name in body for topic in found.topics)
