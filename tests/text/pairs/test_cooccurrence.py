"""Pairs of words near each other, against brute force."""

import re

import numpy as np
import pytest

import lowdim
from lowdim.text import cooccurrence, pairs
from lowdim.text.counting import tally
from lowdim.text.pairs import Run, Runs, added_up, pairs_of, some_words, window_of

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
    monkeypatch.setattr(pairs, "TABLE_PAIRS", 64)
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
    monkeypatch.setattr(pairs, "TOGETHER", at_a_time)
    monkeypatch.setattr(pairs, "PRODUCTS_AT_A_TIME", at_a_time)
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


def test_runs_on_disk_add_up_the_same(rng, monkeypatch):
    monkeypatch.setattr(pairs, "MERGED_PAIRS", 50)
    n = 20
    held, written = Runs(), Runs(budget=500)
    total = np.zeros(n * n)
    for _ in range(30):
        keys = np.unique(rng.integers(0, n * n, size=40))
        run = Run(keys, rng.normal(size=len(keys)))
        total[keys] += run.values
        held.add(run)
        written.add(run)
    assert len(written._files) > 1 and not held._files
    for runs in (held, written):
        np.testing.assert_allclose(runs.matrix(n).toarray().ravel(), total, atol=1e-12)
        runs.close()


def test_no_pairs_are_a_matrix_of_zeros():
    vectorizer = lowdim.CountVectorizer().fit(["aa", "bb"])
    assert cooccurrence(["aa", "bb", ""], vectorizer).nnz == 0
    assert cooccurrence([], vectorizer).shape == (2, 2)
    assert len(added_up([]).keys) == 0
    empty = np.zeros(0, np.int32), np.zeros(0, np.int64)
    assert list(some_words(*empty, window_of(3, "flat", 0))) == []
    assert cooccurrence([], vectorizer, window=None).nnz == 0


def test_pieces_of_a_chunk_add_up(rng, monkeypatch):
    ids = rng.integers(-1, 4, size=50).astype(np.int32)
    last = np.array([0, 20, 20, 21, 50], dtype=np.int64)
    near = window_of((2, 3), "harmonic", 29)
    (whole,) = some_words(ids, last, near)
    monkeypatch.setattr(pairs, "TABLE_PAIRS", 30)
    pieces = list(some_words(ids, last, near))
    assert [piece.places for piece in pieces[:2]] == [(0, 3), (3, 6)] and len(pieces) == 17
    keys, values = added_up([pairs_of(piece, 4) for piece in pieces])
    expected = pairs_of(whole, 4)
    np.testing.assert_array_equal(keys, expected.keys)
    np.testing.assert_allclose(values, expected.values, rtol=1e-14)


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


def test_the_door():
    vectorizer = lowdim.CountVectorizer(vocabulary=["aa"])
    with pytest.raises(ValueError, match="weighting='even'"):
        cooccurrence(["aa"], vectorizer, weighting="even")
    with pytest.raises(ValueError, match="needs a window with distances"):
        cooccurrence(["aa"], vectorizer, window=None, weighting="harmonic")
    with pytest.raises(ValueError, match="single words"):
        cooccurrence(["aa"], lowdim.CountVectorizer(ngram_range=(1, 2)).fit(["aa bb"]))
