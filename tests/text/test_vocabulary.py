"""Which words are worth counting."""

import numpy as np
import pytest

from lowdim.text.vocabulary import (
    MOST_TERMS,
    choose_vocabulary,
    document_limits,
    reasons_to_drop,
)


def documents(n=40):
    """'every' in all, 'half' in half, 'pair' in two, 'lone<i>' in one, and a number in some."""
    return [
        f"every lone{'x' * i} {i % 3 + 1990}" + " half" * (i % 2) + " pair" * (i in (3, 4))
        for i in range(n)
    ]


def test_rare_common_and_numbers_are_left_out_and_counted():
    found = choose_vocabulary(documents())
    assert found.vectorizer.get_feature_names_out().tolist() == ["half", "pair"]
    assert (found.least, found.most) == (2, 20)
    dropped = {one.reason: one for one in found.dropped}
    assert dropped["common"].examples == ["every"] and dropped["common"].n_tokens == 40
    assert dropped["number"].n_terms == 3 and dropped["number"].n_tokens == 40
    assert dropped["rare"].n_terms + dropped["long"].n_terms == 40
    assert found.n_tokens == found.counts.sum() + sum(one.n_tokens for one in found.dropped)


def test_the_vectorizer_counts_further_documents_as_the_first_ones():
    found = choose_vocabulary(documents())
    again = found.vectorizer.transform(documents())
    assert (again != found.counts).nnz == 0


def test_a_word_of_a_million_letters_is_counted_and_does_not_count():
    found = choose_vocabulary([*documents(), "x" * 10**6, "x" * 10**6])
    assert any(one.reason == "long" for one in found.dropped)
    assert max(map(len, found.vectorizer.get_feature_names_out())) < 40


def test_few_documents_keep_all_words():
    assert document_limits(5) == (1, 5) and document_limits(20) == (2, 10)
    assert document_limits(10_000) == (5, 5_000)
    found = choose_vocabulary(["a cat", "a cat and a dog"])
    assert found.vectorizer.get_feature_names_out().tolist() == ["and", "cat", "dog"]


def test_documents_that_share_no_words_keep_them():
    found = choose_vocabulary([f"{letter * 3} {letter * 4}" for letter in "abcdefghijklmnopqrstuv"])
    assert found.counts.shape == (22, 44)


def test_only_numbers_are_better_than_nothing():
    assert choose_vocabulary(["12 13", "13 14"] * 15).counts.shape[1] == 3


def test_the_most_frequent_terms_are_kept():
    n = MOST_TERMS + 5
    terms = np.array([f"t{i}" for i in range(n)])
    reasons = reasons_to_drop(terms, np.full(n, 5), np.arange(n), 2, 10)
    assert reasons[:5].tolist() == ["beyond"] * 5 and (reasons[5:] == "").all()


def test_documents_without_words_are_refused():
    with pytest.raises(ValueError, match="empty vocabulary"):
        choose_vocabulary(["", "!"])
