"""Documents as a page shows them."""

import numpy as np
import pytest

import lowdim
from lowdim.report.topics.showing import WordFinder, colored, plain_pieces


@pytest.fixture
def finder():
    vectorizer = lowdim.CountVectorizer(stop_words=["the"], stemmer=str.upper, lowercase=True)
    return WordFinder(vectorizer.fit(["the cat sat", "dogs bark"]))


def test_words_are_found_as_they_are_written(finder):
    text = "The CAT, the dogs; Cats"
    found = [text[a:b] for a, b, _ in finder.find(text)]
    assert found == ["CAT", "dogs"]


def test_words_have_the_topic_that_they_most_probably_stand_for(finder):
    columns = finder._vocabulary
    topics = np.full((2, 4), 1e-9)
    topics[0, columns["CAT"]] = topics[1, columns["DOGS"]] = topics[0, columns["SAT"]] = 0.5
    topics[1, columns["SAT"]] = 0.5
    text = "A cat sat by dogs."
    pieces = colored(text, finder, topics, np.array([0.5, 0.5]))
    assert pieces == [["A ", -1], ["cat", 0], [" sat by ", -1], ["dogs", 1], [".", -1]]
    assert plain_pieces(pieces) == text
    sure = colored(text, finder, topics, np.array([0.9, 0.1]))
    assert ["sat", 0] in sure


def test_functions_of_the_user_leave_texts_uncoloured():
    vectorizer = lowdim.CountVectorizer(analyzer=str.split).fit(["a b"])
    assert list(WordFinder(vectorizer).find("a b")) == []
