"""The data of the page."""

import base64
import json

import numpy as np

from lowdim.report.topics import payload
from lowdim.report.topics.payload import (
    document_names,
    excerpts,
    map_documents,
    map_payload,
    shown_payload,
    term_payload,
)


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_every_topic_has_its_most_relevant_terms_at_any_relevance(found):
    data = term_payload(found)
    words = np.array(data["words"], dtype=object)
    for topic in found.topics:
        terms = words[unpacked(data["terms"][topic.number], "<u4")]
        assert set(topic.words) <= set(terms)
        phi = unpacked(data["phi"][topic.number], "<f4")
        place = found.model.vectorizer_.vocabulary_[terms[3]]
        assert phi[3] == np.float32(found.model.components_[topic.number, place])
    assert data["total"] == found.n_words.sum()


def test_the_parts_of_a_term_add_up(found):
    data = term_payload(found)
    parts = unpacked(data["byTerm"], "u1").reshape(len(data["words"]), 3)
    assert np.abs(parts.sum(axis=1).astype(int) - 255).max() <= 2
    np.testing.assert_allclose(
        unpacked(data["overall"], "<f4").sum(), 1.0, atol=0.05
    )  # of planted words nearly all are among the first


def test_the_map_has_all_documents_and_what_colours_them(found):
    rows = map_documents(found, 0)
    data = map_payload(found, rows)
    assert data["n"] == len(found.shares) and data["rows"] is None and data["what"] == "document"
    names = [column["name"] for column in data["columns"]]
    assert names[:5] == ["main topic", "subject", "date", "words", "oddness"]
    assert len(names) == 5 + 3 and len(data["coordinates"]) == 2
    json.dumps(data, allow_nan=False)


def test_many_documents_are_drawn_in_part(found, monkeypatch):
    monkeypatch.setattr(payload, "MAP_DOCUMENTS", 20)
    rows = map_documents(found, 0)
    data = map_payload(found, rows)
    assert data["n"] == 20 and unpacked(data["rows"], "<u4").tolist() == rows.tolist()


def test_names_and_excerpts_can_be_written(found):
    "".join([*document_names(found), *excerpts(found)]).encode("utf-8")
    assert max(map(len, document_names(found))) <= payload.MOST_NAMES


def test_excerpts_are_cut_until_they_fit(found, monkeypatch):
    monkeypatch.setattr(payload, "EXCERPT_BYTES", 5_000)
    cut = excerpts(found)
    assert 2_000 < sum(len(json.dumps(text)) for text in cut) <= 5_000
    monkeypatch.setattr(payload, "EXCERPT_BYTES", 50)
    assert excerpts(found) == []


def test_shown_documents_have_their_largest_topics(found):
    data = shown_payload(found)
    for i, one in data["documents"].items():
        first = one["topics"][0]
        assert first[0] == found.shares[int(i)].argmax() and len(one["pieces"]) > 0
    assert all(str(i) in data["documents"] for some in data["typical"] for i in some)
