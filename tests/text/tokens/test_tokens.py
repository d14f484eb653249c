"""Texts as numbers of words."""

import numpy as np

from lowdim.text import read_tokens
from lowdim.text.tokens import Tokens


def tokens():
    return read_tokens(["b a b c", "", "c c b"], min_count=1)


def test_tokens_say_what_they_are():
    found = tokens()
    assert found.words == ["b", "c", "a"] and found.counts.tolist() == [3, 3, 1]
    assert len(found) == 7 and found.n_sentences == 3
    assert repr(found) == "Tokens(7 of 7 words in 3 sentences, 3 different)"
    assert [found.sentence(i) for i in range(3)] == [["b", "a", "b", "c"], [], ["c", "c", "b"]]
    given = Tokens(["x"], np.array([2]), np.zeros(2, np.int32), np.array([0, 2]))
    assert given.n_seen == 2


def test_counts_by_sentence():
    X = tokens().counts_by_sentence()
    assert X.dtype == np.float64 and X.has_sorted_indices
    np.testing.assert_array_equal(X.toarray(), [[2, 1, 1], [0, 0, 0], [1, 2, 0]])
    X = tokens().counts_by_sentence(binary=True)
    np.testing.assert_array_equal(X.toarray(), [[1, 1, 1], [0, 0, 0], [1, 1, 0]])


def test_a_fingerprint_is_that_of_the_text():
    same = {tokens().fingerprint() for _ in range(2)}
    others = [
        read_tokens(docs, min_count=1).fingerprint()
        for docs in (["b a b c", "", "c b c"], ["b a b c", "c c b"], ["b d b c", "", "c c b"])
    ]
    assert len(same) == 1 and len({*same, *others}) == 4
