"""Chunks are numbered in one way, whatever counts them."""

import numpy as np
import pytest

from lowdim.text.counting import tally
from lowdim.text.counting.tally import PythonCounter, Sums, WordCounter, chunks_of, stacked
from tests.text.counting.test_cutting import in_python, random_texts, rules


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_kernels_and_python_count_the_same(rng, ngrams, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 200)
    texts = random_texts(rng)

    def analyze(text):
        return in_python(text, ngrams=ngrams)

    counters = [WordCounter(rules(ngrams=ngrams)), PythonCounter(analyze)]
    found = []
    for counter in counters:
        parts, sums = list(counter.parts(texts)), Sums()
        for part in parts:
            sums.add(part)
        terms = counter.terms()
        order = np.argsort(np.array(terms, dtype=object), kind="stable")
        column = np.empty(len(terms) + 1, dtype=np.int32)
        column[order] = np.arange(len(terms))
        X = stacked(parts, column, len(terms), np.int64).toarray()
        seen = sums.seen(terms)
        np.testing.assert_array_equal(seen.documents[order], (X > 0).sum(axis=0))
        np.testing.assert_array_equal(seen.occurrences[order], X.sum(axis=0))
        assert seen.n_documents == len(texts)
        found.append((sorted(terms), X))
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])
    # with terms that are given, all others do not count
    some = found[0][0][::2]
    closed = [
        WordCounter(rules(ngrams=ngrams), some),
        PythonCounter(analyze, {term: i for i, term in enumerate(some)}),
    ]
    for counter in closed:
        X = stacked(list(counter.parts(texts)), None, len(some), np.int64).toarray()
        np.testing.assert_array_equal(X, found[0][1][:, ::2])


def test_sequences_have_a_place_for_every_word(rng):
    texts = random_texts(rng)
    terms = sorted({word for text in texts for word in in_python(text)})[::2]
    number = {term: i for i, term in enumerate(terms)}
    expected = [[number.get(word, -1) for word in in_python(text)] for text in texts]
    for counter in (WordCounter(rules(), terms), PythonCounter(in_python, number)):
        (ids, last), *more = counter.sequences(texts)
        assert not more
        assert [part.tolist() for part in np.split(ids, last[:-1])] == expected


def test_chunks_have_about_so_many_characters():
    chunks = list(chunks_of(["a" * 2**19] * 5 + [""]))
    assert [len(chunk) for chunk in chunks] == [2, 2, 2]
