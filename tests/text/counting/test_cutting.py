"""A chunk of documents by kernels, and the same in Python."""

import re

import numpy as np
import pytest

from lowdim.text.counting import cutting
from lowdim.text.counting.analysis import word_ngrams
from lowdim.text.counting.cutting import (
    NO_LIMIT,
    Rules,
    as_grams,
    as_tokens,
    as_words,
    counted,
    cut_and_numbered,
    table_of,
    without_negative,
)
from lowdim.text.counting.letters import letter_table

ALPHABET = list("abAB12_ .-\n\0éÉ\N{GRINNING FACE}")


def rules(least=2, most=NO_LIMIT, stop=(), ngrams=(1, 1), stem=None):
    return Rules(letter_table(r"\w", True), least, most, table_of(list(stop)), ngrams, stem)


def random_texts(rng, n=40):
    return ["".join(rng.choice(ALPHABET, size=rng.integers(0, 60))) for _ in range(n)]


def in_python(text, least=2, most=NO_LIMIT, stop=(), ngrams=(1, 1), stem=None):
    words = [w for w in re.findall(r"\w+", text.lower()) if least <= len(w) <= most]
    words = [word for word in words if word not in stop]
    return word_ngrams(words if stem is None else stem(words), ngrams)


def first_two_letters(words):
    return [word[:2] for word in words]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"least": 1},
        {"most": 3, "stop": ("",)},
        {"stop": ("ab", "12")},
        {"ngrams": (1, 3), "stop": ("ab",)},
        {"ngrams": (2, 2)},
        {"stem": first_two_letters},
    ],
    ids=lambda how: "-".join(how) or "plain",
)
def test_counts_are_those_of_python(rng, how, monkeypatch):
    texts = random_texts(rng)
    found = counted(texts, rules(**how))
    words = as_words(found.words)
    terms = words
    if found.grams is not None:
        spans = zip(found.grams.start, found.grams.end, strict=True)
        terms = [" ".join(words[i] for i in found.grams.text[a:b]) for a, b in spans]
        for at_a_time in (3, 2**17):
            monkeypatch.setattr(cutting, "GRAMS_AT_A_TIME", at_a_time)
            assert as_grams(found.words, found.grams) == terms
    assert len(set(terms)) == len(terms)
    X = found.counts.toarray()
    for row, text in zip(X, texts, strict=True):
        expected = in_python(text, **how)
        assert {t: c for t, c in zip(terms, row, strict=True) if c} == {
            term: expected.count(term) for term in expected
        }


def test_words_that_do_not_count_keep_their_place():
    cut = cut_and_numbered(["the cat the looooong dog"], rules(stop=("", "the"), most=5))
    words = as_words(cut.words.words())
    assert [words[i] if i >= 0 else None for i in cut.ids] == [None, "cat", None, None, "dog"]
    ids, last = without_negative(cut.ids, cut.last)
    assert [words[i] for i in ids] == ["cat", "dog"] and last.tolist() == [2]


def test_words_do_not_reach_over_the_end_of_a_document():
    found = counted(["ab", "cd", "", "ef"], rules(ngrams=(2, 2)))
    assert found.counts.shape == (4, 0)


def test_no_documents_have_no_words():
    found = counted([], rules())
    assert found.counts.shape == (0, 0) and as_words(found.words) == []
    assert as_words(as_tokens([])) == []


def test_a_word_of_a_million_letters_is_one_word():
    found = counted(["a" * 10**6, "b"], rules())
    np.testing.assert_array_equal(found.counts.toarray(), [[1], [0]])
