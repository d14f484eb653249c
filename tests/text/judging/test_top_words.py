"""The words that say most about each topic."""

import numpy as np
import pytest

import lowdim
from lowdim.text import top_words
from lowdim.text.judging.top_words import word_relevance

NAMES = ["the", "cat", "law", "of"]


class Model:
    def __init__(self, components, **others):
        self.components_ = np.asarray(components, dtype=float)
        self.__dict__.update(others)


def test_relevance_is_that_of_ldavis():
    topics, weights = np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([3.0, 1.0])
    p = np.array([0.6, 0.4])  # 3/4 of the first, 1/4 of the second
    expected = 0.6 * np.log(topics) + 0.4 * np.log(topics / p)
    np.testing.assert_allclose(word_relevance(topics, weights, 0.6), expected)


def test_relevance_leads_from_frequent_to_special_words():
    model = Model([[60, 30, 1, 50], [60, 1, 10, 50]])
    assert top_words(model, NAMES, 2, relevance=1.0) == [["the", "of"], ["the", "of"]]
    assert top_words(model, NAMES, 1, relevance=0.0) == [["cat"], ["law"]]
    assert top_words(model, NAMES)[0] == ["the", "of", "cat", "law"]
    assert top_words(model, NAMES, relevance=0.3)[0] == ["cat", "the", "of", "law"]


def test_words_that_a_topic_does_not_have_are_not_named():
    model = Model([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    assert top_words(model, NAMES) == [["law", "the"], ["of"]]
    nearly = Model([[1.0, 1e-30, 2.0, 0.0], [1e-12, 0.0, 1e-15, 1.0]])
    assert top_words(nearly, NAMES) == [["law", "the"], ["of"]]


def test_topics_are_as_large_as_the_model_says():
    # of equal size, "the" is as frequent as "cat" in both; of sizes 9 and 1, "cat" is rare
    components = [[0.5, 0.2, 0.3, 0.0], [0.3, 0.5, 0.2, 0.0]]
    plain = word_relevance(np.array(components), np.array([0.1, 0.9]), 0.0)
    expected = [NAMES[j] for j in np.argsort(-plain[1])[:3]]
    assert top_words(Model(components, topic_weights_=[0.1, 0.9]), NAMES, 3, 0.0)[1] == expected


def test_names_come_from_a_vectorizer_and_serve_coherence():
    docs = ["cat dog cat", "dog cat", "law tax", "tax law law"]
    vectorizer = lowdim.CountVectorizer()
    X = vectorizer.fit_transform(docs)
    model = Model(np.array([[1, 1, 0, 0], [0, 0, 1, 1]]) @ X.toarray())
    words = top_words(model, vectorizer)
    assert words == [["cat", "dog"], ["law", "tax"]]
    assert (lowdim.text.coherence(words, docs) > 0.99).all()


def test_what_is_no_topic_model_is_refused():
    with pytest.raises(TypeError, match="has no components_"):
        top_words(object(), NAMES)
    with pytest.raises(ValueError, match="names has 1 words; there are 4 columns"):
        top_words(Model(np.ones((1, 4))), ["a"])
    with pytest.raises(ValueError, match="relevance=2 must be"):
        top_words(Model(np.ones((1, 4))), NAMES, relevance=2)
