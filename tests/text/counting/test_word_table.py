"""Words and their numbers: the table is a dict."""

import numpy as np

from lowdim.text.counting.cutting import as_tokens, as_words, table_of
from lowdim.text.counting.word_table import BASIS, PRIME, Tokens, WordTable, hashed


def test_numbers_are_those_of_a_dict(rng):
    words = ["".join(rng.choice(list("abc"), size=rng.integers(0, 6))) for _ in range(500)]
    table, expected = WordTable(1, 1), {}
    for part in (words[:7], words[7:300], words[300:]):
        numbers = [expected.setdefault(word, len(expected)) for word in part]
        np.testing.assert_array_equal(table.number(as_tokens(part)), numbers)
    assert as_words(table.words()) == list(expected)
    assert len(table) == len(expected)


def test_words_that_are_not_known_are_minus_one():
    table = table_of(["b", "a"])
    np.testing.assert_array_equal(table.number(as_tokens(["a", "c", "b"]), add=False), [1, -1, 0])
    assert len(table) == 2


def test_words_with_the_same_hash_are_different_words():
    tokens = as_tokens(["ab", "cd", "ab", "efg"])
    same = Tokens(tokens.text, tokens.start, tokens.end, np.zeros(4, np.int64))
    np.testing.assert_array_equal(WordTable(1, 1).number(same), [0, 1, 0, 2])


def test_a_copy_is_added_to_alone():
    table = table_of(["a"])
    copy = table.copy()
    np.testing.assert_array_equal(copy.number(as_tokens(["b", "a"])), [1, 0])
    assert (len(table), len(copy)) == (1, 2)


def test_hashes_are_fowler_noll_vo():
    def twin(word):
        h = BASIS
        for c in word:
            h = ((h ^ ord(c)) * PRIME + 2**63) % 2**64 - 2**63
        return h

    tokens = as_tokens(["", "cat", "\N{GRINNING FACE}x"])
    assert tokens.hashes.tolist() == [twin(""), twin("cat"), twin("\N{GRINNING FACE}x")]
    again = hashed(tokens.text, tokens.start, tokens.end)
    np.testing.assert_array_equal(again.hashes, tokens.hashes)
