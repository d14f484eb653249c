"""One look at all documents."""

import json

import numpy as np
import pytest

import lowdim
from lowdim.report.topics import reading
from lowdim.report.topics.reading import first_equal, read_documents, sample_size
from tests.report.topics.planted import planted_records


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "letters.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records(20, nasty=False)))
    return path


def test_documents_have_lengths_names_and_columns(path):
    found = read_documents(path, id="name", label="subject", time="day")
    assert found.n_read == len(found.ids) == 22 and found.numbers is None
    assert found.ids[-1] == "odd" and found.label[:3] == ["sea", "sky", "food"]
    texts = [record["text"] for record in planted_records(20, nasty=False)]
    assert found.lengths.tolist() == list(map(len, texts))
    assert found.n_characters == sum(map(len, texts))


def test_copies_are_known_by_their_text(path):
    found = read_documents(path)
    copies = np.flatnonzero(found.first_copy != np.arange(22))
    assert copies.tolist() == [20] and found.first_copy[20] == 0
    assert first_equal(np.array([5, 5, 5], np.uint64), np.array([0, 3, 3])).tolist() in (
        [0, 0, 0],
        [0, 1, 1],
    )


def test_bytes_that_are_no_characters_are_counted(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"one\ntwo \xff\xfe\nthree\nfour\n")
    assert read_documents(path, split="line").bad.tolist() == [0, 2, 0, 0]


def test_a_sample_is_drawn_at_random_and_again_the_same(path):
    one, two = (read_documents(path, sample=8, seed=3) for _ in range(2))
    assert one.asked and one.n_read == 22 and len(one.ids) == 8
    assert one.numbers.tolist() == two.numbers.tolist() == sorted(one.numbers)
    whole = list(lowdim.corpus(path))
    assert list(one.documents) == [whole[i] for i in one.numbers]


def test_a_very_large_corpus_is_sampled(path, monkeypatch):
    assert sample_size(np.full(10, 1000), None) == 10
    monkeypatch.setattr(reading, "LARGE_CHARACTERS", 5_000)
    monkeypatch.setattr(reading, "SAMPLE_CHARACTERS", 2_500)
    assert sample_size(np.full(10, 1000), None) == 4
    found = read_documents(path)
    assert len(found.ids) < 22 == found.n_read and not found.asked


def test_too_few_documents_are_refused():
    with pytest.raises(ValueError, match="has 2 documents; topics need at least 4"):
        read_documents(["one", "two"])


def test_columns_that_are_not_there_are_named(path):
    with pytest.raises(ValueError, match="no column 'topic'"):
        read_documents(path, label="topic")
    with pytest.raises(KeyError, match="no column 'year'"):
        read_documents(lowdim.corpus(path), time="year")
