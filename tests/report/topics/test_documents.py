"""Typical documents, and what is shown of them."""

import numpy as np

import lowdim
from lowdim.report.topics.documents import show_documents, typical_documents
from lowdim.report.topics.showing import WordFinder, plain_pieces


def test_typical_documents_have_much_of_a_topic_and_words_enough():
    shares = np.array([[0.99, 0.01], [0.9, 0.1], [0.95, 0.05], [0.2, 0.8], [0.9, 0.1]])
    n_words = np.array([1, 200, 100, 50, 200])
    first_copy = np.array([0, 1, 2, 3, 1])
    assert typical_documents(shares, n_words, first_copy) == [[1, 2, 3], [3, 1, 2]]


def test_documents_without_words_are_typical_of_nothing():
    found = typical_documents(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 5]), np.arange(2))
    assert found == [[1], []]


def test_the_page_keeps_the_beginnings_of_all_and_more_of_some():
    texts = ["the cat sat", "a dog", "fish " * 500]
    vectorizer = lowdim.CountVectorizer().fit(texts)
    k = len(vectorizer.vocabulary_)
    found = show_documents(
        lowdim.corpus(texts), [[2], []], [0], np.ones((3, 1)), np.full((1, k), 1 / k),
        WordFinder(vectorizer), 20,
    )  # fmt: skip
    assert found.excerpts[:2] == texts[:2] and len(found.excerpts[2]) <= 20
    assert sorted(found.shown) == [0, 2]
    assert plain_pieces(found.shown[0].pieces) == texts[0]
    assert all(topic == 0 for piece, topic in found.shown[0].pieces if piece.strip())
