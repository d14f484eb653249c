"""Windows with a word, and with two words together."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.judging import windows as module
from lowdim.text.judging.windows import Pairs, in_counts, in_texts


def pairs_of(n_words):
    left, right = np.array(list(combinations(range(n_words), 2)), dtype=np.int64).T.copy()
    return Pairs(left, right, n_words)


def piece(documents):
    ids = np.array([word for document in documents for word in document], dtype=np.int32)
    return ids, np.cumsum([len(document) for document in documents]).astype(np.int64)


def by_hand(documents, n_words, window):
    """All windows, one after the other."""
    total, word, pair = 0, Counter(), Counter()
    for document in documents:
        size = len(document) if window is None else window
        starts = range(max(len(document) - size + 1, 1)) if document or window is None else ()
        for start in starts:
            here = {w for w in document[start : start + size] if w >= 0}
            total += 1
            word.update(here)
            pair.update(combinations(sorted(here), 2))
    words = [word[i] for i in range(n_words)]
    return total, words, [pair[p] for p in combinations(range(n_words), 2)]


# ---- golden values -------------------------------------------------------------------------------


def test_a_document_worked_by_hand():
    # windows of two: a b, b a, a -, - c;  the last word of all is alone in its document
    document = [[0, 1, 0, -1, 2], [2]]
    found = in_texts([piece(document)], pairs_of(3), 2)
    assert found.total == 5
    assert found.of_word.tolist() == [3, 2, 2]
    assert found.of_pair.tolist() == [2, 0, 0]


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 2, 5, 10, 110, None])
def test_intervals_count_what_windows_count(rng, window):
    documents = [
        rng.integers(-3, 5, size=length).tolist()
        for length in (*rng.integers(0, 30, size=25), 0, 1, 200)
    ]
    total, word, pair = by_hand(documents, 5, window)
    found = in_texts([piece(documents[:7]), piece(documents[7:])], pairs_of(5), window)
    assert found.total == total
    assert found.of_word.tolist() == word
    assert found.of_pair.tolist() == pair


def test_rows_of_counts_are_documents(rng):
    counts = rng.poisson(0.5, size=(40, 6))
    documents = [np.repeat(np.arange(6), row).tolist() for row in counts]
    found = in_counts(sp.csr_array(counts), np.arange(6), pairs_of(6))
    total, word, pair = by_hand(documents, 6, None)
    assert (found.total, found.of_word.tolist(), found.of_pair.tolist()) == (total, word, pair)


def test_the_kernel_agrees_with_its_python(rng):
    begin = np.cumsum(rng.integers(1, 4, size=40)).astype(np.int64)
    end = begin + 1
    edges = np.array([0, 15, 15, 40], dtype=np.int64)
    pairs = pairs_of(3)
    fast, slow = np.zeros(3, np.int64), np.zeros(3, np.int64)
    begin[15:] -= begin[15]
    end[15:] = begin[15:] + 1
    module._overlaps(edges, begin, end, pairs.left, pairs.right, fast)
    module._overlaps.python(edges, begin, end, pairs.left, pairs.right, slow)
    np.testing.assert_array_equal(fast, slow)
    shared = len(set(begin[:15].tolist()) & set(begin[15:].tolist()))
    assert fast.tolist() == [0, shared, 0]


def test_the_number_of_threads_changes_nothing(rng):
    pieces = [piece([rng.integers(-1, 4, size=50).tolist()]) for _ in range(9)]
    found = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            found.append(in_texts(iter(pieces), pairs_of(4), 7))
    np.testing.assert_array_equal(found[0].of_pair, found[1].of_pair)


def test_no_documents_have_no_windows():
    assert in_texts([], pairs_of(2), 10).total == 0
    assert in_texts([piece([[]])], pairs_of(2), 10).total == 0
