"""Pairs of words near each other, against brute force."""

import re
import sys

import numpy as np
import pytest

import lowdim
from lowdim.text import cooccurrence
from lowdim.text.counting import tally
from lowdim.text.pairs import counting

WORDS = ["aa", "bb", "cc", "dd", "ee", "ff", "the"]


def texts(rng, n=30):
    return [" ".join(rng.choice(WORDS, size=rng.integers(0, 12))) for _ in range(n)]


def brute_force(docs, terms, offsets, weight):
    number = {term: i for i, term in enumerate(terms)}
    C = np.zeros((len(terms), len(terms)))
    for doc in docs:
        words = re.findall(r"\w\w+", doc)
        for p, word in enumerate(words):
            for o in offsets:
                if 0 <= p + o < len(words) and word in number and words[p + o] in number:
                    C[number[word], number[words[p + o]]] += weight(o)
    return C


WINDOWS = {
    1: [-1, 1],
    4: [-4, -3, -2, -1, 1, 2, 3, 4],
    (0, 2): [1, 2],
    (3, 1): [-3, -2, -1, 1],
    frozenset({-2, 5}): [-2, 5],
    10**9: list(range(-20, 0)) + list(range(1, 21)),
}


@pytest.mark.parametrize("window", WINDOWS, ids=repr)
@pytest.mark.parametrize("weighting", ["flat", "harmonic"])
def test_pairs_are_those_of_brute_force(rng, window, weighting, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 150)
    monkeypatch.setattr(counting, "PLACES_AT_A_TIME", 40)
    monkeypatch.setattr(counting, "PAIRS_AT_A_TIME", 10)
    monkeypatch.setattr(counting, "PLACES_FETCHED", 3)
    docs = texts(rng)
    vectorizer = lowdim.CountVectorizer(stop_words=["the"], min_df=12).fit(docs)
    terms = vectorizer.get_feature_names_out()

    def weight(offset):
        return 1.0 if weighting == "flat" else 1.0 / abs(offset)

    expected = brute_force(docs, terms, WINDOWS[window], weight)
    C = cooccurrence(docs, vectorizer, window=window, weighting=weighting)
    assert C.format == "csr" and C.has_sorted_indices
    np.testing.assert_allclose(C.toarray(), expected, rtol=1e-12)
    in_python = lowdim.CountVectorizer(tokenizer=str.split, token_pattern=None).fit(docs)
    in_python.vocabulary_ = vectorizer.vocabulary_
    C = cooccurrence(docs, in_python, window=window, weighting=weighting)
    np.testing.assert_allclose(C.toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("at_a_time", [10, 2**20])
def test_none_counts_documents_with_both(rng, at_a_time, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 100)
    monkeypatch.setattr(sys.modules[cooccurrence.__module__], "TOGETHER", at_a_time)
    monkeypatch.setattr(counting, "PRODUCTS_AT_A_TIME", at_a_time)
    docs = texts(rng)
    vectorizer = lowdim.CountVectorizer(binary=True)
    X = vectorizer.fit_transform(docs)
    C = cooccurrence(docs, vectorizer, window=None)
    np.testing.assert_array_equal(C.toarray(), (X.T @ X).toarray())
    assert C.format == "csr" and C.has_sorted_indices


def test_sentences_are_short_documents():
    docs = ["Aa bb. Bb cc! Dd?", 'He said "aa." Then bb\n\ncc dd']
    vectorizer = lowdim.CountVectorizer().fit(docs)
    C = cooccurrence(docs, vectorizer, window="sentence")
    sentences = ["aa bb", "bb cc", "dd", "he said aa", "then bb", "cc dd"]
    X = (vectorizer.transform(sentences) > 0).astype(float)
    np.testing.assert_array_equal(C.toarray(), (X.T @ X).toarray())


def test_no_pairs_are_a_matrix_of_zeros():
    vectorizer = lowdim.CountVectorizer().fit(["aa", "bb"])
    assert cooccurrence(["aa", "bb", ""], vectorizer).nnz == 0
    assert cooccurrence([], vectorizer).shape == (2, 2)
    assert cooccurrence([], vectorizer, window=None).nnz == 0


def test_the_number_of_threads_changes_no_bit(rng, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 100)
    docs, found = texts(rng), []
    vectorizer = lowdim.CountVectorizer().fit(docs)
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            found.append(cooccurrence(docs, vectorizer, weighting="harmonic").toarray())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("window", [0, -1, True, "word", (1,), (-1, 2), {0, 1}, set(), 2.5])
def test_windows_are_checked(window):
    vectorizer = lowdim.CountVectorizer(vocabulary=["aa"])
    with pytest.raises(ValueError, match="window="):
        cooccurrence(["aa"], vectorizer, window=window)


def test_tokens_are_counted_as_they_are(rng):
    docs = texts(rng)
    tokens = lowdim.text.read_tokens(docs, min_count=3)
    without_rare = [" ".join(tokens.sentence(i)) for i in range(tokens.n_sentences)]
    vectorizer = lowdim.CountVectorizer(vocabulary=tokens.words)
    for window in (2, (0, 3), None):
        expected = cooccurrence(without_rare, vectorizer, window=window)
        found = cooccurrence(tokens, window=window)
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
        assert found.has_sorted_indices


def test_the_door():
    vectorizer = lowdim.CountVectorizer(vocabulary=["aa"])
    with pytest.raises(ValueError, match="weighting='even'"):
        cooccurrence(["aa"], vectorizer, weighting="even")
    with pytest.raises(ValueError, match="needs a window with distances"):
        cooccurrence(["aa"], vectorizer, window=None, weighting="harmonic")
    with pytest.raises(TypeError, match=r"needs a vectorizer.*read_tokens"):
        cooccurrence(["aa"])
    with pytest.raises(ValueError, match="leave out the vectorizer"):
        cooccurrence(lowdim.text.read_tokens(["aa"], min_count=1), vectorizer)
    with pytest.raises(ValueError, match="single words"):
        cooccurrence(["aa"], lowdim.CountVectorizer(ngram_range=(1, 2)).fit(["aa bb"]))
