"""What is found in a planted corpus."""

import numpy as np
import pytest

import lowdim
from lowdim.report.topics.findings import CHOICE_DOCUMENTS, Wishes, excerpt_length
from tests.report.topics.planted import NASTY, SUBJECTS, planted_texts


def test_the_topics_are_the_planted_subjects(found):
    assert len(found.topics) == 3
    subjects = [
        {name for name, words in SUBJECTS.items() if set(topic.words) <= set(words)}
        for topic in found.topics
    ]
    assert sorted(map(len, subjects)) == [1, 1, 1] and set.union(*subjects) == set(SUBJECTS)


def test_topics_have_names_shares_and_coherence(found):
    shares = [topic.share for topic in found.topics]
    assert sum(shares) == pytest.approx(1.0) and shares == sorted(shares, reverse=True)
    assert all(topic.name == ", ".join(topic.words[:3]) for topic in found.topics)
    assert all(topic.coherence > 0 for topic in found.topics)
    with_words = int((found.n_words > 0).sum())
    assert sum(topic.n_documents for topic in found.topics) == with_words


def test_all_documents_are_there_whatever_they_hold(found):
    n = 92 + len(NASTY)
    assert found.shares.shape == (n, 3) and len(found.reading.ids) == n
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0)
    assert max(map(len, found.terms)) < 40  # not the word of a million letters


def test_labels_copies_and_time_are_found(found):
    assert found.labels.agreement > 0.7 and found.labels.n_documents.sum() == 92 + len(NASTY)
    assert any({0, 90} <= set(group.tolist()) for group in found.duplicates.groups)
    assert found.reading.first_copy[90] == 0
    assert found.time.n_unknown == len(NASTY) and found.time.names[0] == "2010 Q1"


def test_topics_beat_the_unigram_model(found):
    assert found.comparison.names[-1] == "unigram" and len(found.comparison.names) == 4


def test_the_number_of_topics_can_be_chosen():
    texts, _ = planted_texts(60)
    found = lowdim.topics(texts).findings
    assert 2 <= len(found.topics) == found.choice.choice <= 5


def test_few_documents_have_two_topics_and_no_contest():
    found = lowdim.topics(["ship sea", "moon star", "ship harbour", "star sky"]).findings
    assert found.choice is None and len(found.topics) == 2 and found.comparison is None
    assert any("too few documents" in remark for remark in found.remarks)


def test_a_large_corpus_chooses_on_a_sample_and_says_so(monkeypatch):
    monkeypatch.setattr("lowdim.report.topics.findings.CHOICE_DOCUMENTS", 30)
    found = lowdim.topics(planted_texts(60)[0]).findings
    assert any("chosen on 30 documents" in remark for remark in found.remarks)
    assert CHOICE_DOCUMENTS > 1000


def test_the_language_is_found_or_given():
    texts = [f"das Schiff und der Hafen mit dem Kapitän {i} ist nicht auf See" for i in range(6)]
    found = lowdim.topics(texts, 2).findings
    assert any("'de'" in remark for remark in found.remarks) or found.language == "de"
    assert lowdim.topics(texts, 2, language=None).findings.language is None
    assert lowdim.topics(texts, 2, language="english").findings.language == "en"


def test_stems_and_words_in_a_row_count():
    texts = planted_texts(30)[0]
    found = lowdim.topics(texts, 2, language="english", stem=True, ngrams=2).findings
    assert "captain" in found.terms and "telescop" in found.terms
    assert any(" " in term for term in found.terms)


def test_excerpts_are_shorter_where_documents_are_many():
    assert excerpt_length(10) == 160 and 50 < excerpt_length(20_000) < 70
    assert excerpt_length(10**6) == 0


def test_the_same_seed_finds_the_same(found):
    texts = planted_texts(30)[0]
    one, two = (lowdim.topics(texts, 2, random_state=5).findings for _ in range(2))
    np.testing.assert_array_equal(one.shares, two.shares)
    assert Wishes().k == "auto"
