"""Texts as numbers of words."""

import numpy as np

from lowdim.text import read_tokens
from lowdim.text.tokens import Tokens
from lowdim.text.tokens.storing import IdStore


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


def test_what_was_read_of_a_file_can_be_read_again_after_it_was_given_back(monkeypatch, rng):
    monkeypatch.setattr(IdStore.__init__, "__defaults__", (1000,))
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 50, size=200)) for _ in range(20)]
    tokens = read_tokens(texts, min_count=1)
    assert isinstance(tokens.ids.base, np.memmap)
    before = tokens.ids.copy()
    tokens.release()
    np.testing.assert_array_equal(tokens.ids, before)
    Tokens(["a"], np.ones(1, np.int64), np.zeros(1, np.int32), np.array([0, 1])).release()
