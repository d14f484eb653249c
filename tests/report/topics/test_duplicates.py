"""Near copies: found by hashes, judged by their words."""

import numpy as np
import scipy.sparse as sp

from lowdim.report.topics.duplicates import ALIKE, jaccard, near_duplicates


def counts(rng, n=60, v=400, words=40):
    X = np.zeros((n, v))
    for i in range(n):
        X[i, rng.choice(v, words, replace=False)] = rng.integers(1, 4, words)
    return X


def test_the_share_of_words_in_common_is_that_of_sets():
    X = sp.csr_array([[1, 2, 0, 1], [3, 0, 0, 1], [0, 0, 5, 0]])
    pairs = np.array([[0, 1], [0, 2], [2, 2]])
    np.testing.assert_allclose(jaccard(X, pairs), [2 / 3, 0, 1])


def test_planted_copies_are_found_and_nothing_else(rng):
    X = counts(rng)
    X[7] = X[3]
    X[50] = X[3]
    X[50, np.flatnonzero(X[3])[0]] = 0  # 39 of 40 words
    X[21] = X[20]
    found = near_duplicates(sp.csr_array(X))
    assert [group.tolist() for group in found.groups] == [[3, 7, 50], [20, 21]]
    assert found.n_documents == 3
    np.testing.assert_allclose(found.alike, [39 / 40, 1.0])


def test_documents_that_are_alike_by_half_are_no_copies(rng):
    X = counts(rng, n=2)
    X[1] = X[0]
    some = np.flatnonzero(X[0])[:20]
    X[1, some] = 0
    assert near_duplicates(sp.csr_array(X)).groups == [] and ALIKE > 0.5


def test_short_and_empty_documents_are_no_copies():
    X = np.zeros((6, 30))
    X[:3, :4] = 1
    assert near_duplicates(sp.csr_array(X)).groups == []
    assert near_duplicates(sp.csr_array((3, 5))).groups == []
