"""Counts as tokens, in blocks."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.text.topics.lda import gibbs_tokens
from lowdim.text.topics.lda.gibbs_tokens import check_whole, pieces_of_words, tokens_of


def test_tokens_of_a_small_matrix():
    tokens = tokens_of(sp.csr_array([[2, 0, 1], [0, 0, 3], [0, 0, 0]]))
    np.testing.assert_array_equal(tokens.doc, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(tokens.ptr, [[0, 2, 2, 6]])
    np.testing.assert_array_equal(tokens.cuts, [0, 3])
    np.testing.assert_array_equal(tokens.length, [3, 3, 0])


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_blocks_hold_every_token_once(rng, dtype, monkeypatch):
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 1)
    monkeypatch.setattr(gibbs_tokens, "TOKENS_PER_WORD", 1)
    X = rng.poisson(0.6, size=(40, 11)).astype(dtype)
    tokens = tokens_of(sp.csr_array(X))
    assert len(tokens.cuts) == 17
    found = np.zeros_like(X)
    for block, own in enumerate(tokens.ptr):
        documents, part = tokens.block(block)
        assert (part.start, part.stop) == (own[0], own[-1])
        word = np.repeat(np.arange(11), np.diff(own))
        assert ((tokens.doc[part] >= documents.start) & (tokens.doc[part] < documents.stop)).all()
        np.add.at(found, (tokens.doc[part], word), 1)
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(tokens.length, X.sum(axis=1))


def test_blocks_have_about_equally_many_tokens(rng, monkeypatch):
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 100)
    X = sp.csr_array(rng.poisson(2.0, size=(400, 5)))
    tokens = tokens_of(X)
    sizes = np.diff([part[0] for part in tokens.ptr] + [len(tokens.doc)])
    assert len(sizes) == 16
    # a block ends with the document in which its part of the tokens ends
    assert np.abs(sizes - sizes.mean()).max() <= tokens.length.max()


def test_one_long_document_is_one_block(monkeypatch):
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 1)
    X = sp.csr_array(np.array([[1], [10_000], [1], [1]]))
    tokens = tokens_of(X)
    assert tokens.cuts[0] == 0 and tokens.cuts[-1] == 4
    assert (np.diff(tokens.cuts) > 0).all()
    assert len(tokens.doc) == 10_003


def test_pieces_of_words_are_all_words(rng):
    tokens = tokens_of(sp.csr_array(rng.poisson(0.5, size=(30, 50))))
    pieces = list(pieces_of_words(tokens))
    assert pieces[0][0] == 0 and pieces[-1][1] == 50
    assert all(stop == start for (_, stop), (start, _) in pairwise(pieces))


def test_terms_that_a_row_stores_twice_add_up():
    X = sp.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    np.testing.assert_array_equal(tokens_of(X).ptr, [[0, 1, 3]])


def test_documents_without_words_have_no_tokens():
    tokens = tokens_of(sp.csr_array((3, 4)))
    assert len(tokens.doc) == 0
    np.testing.assert_array_equal(tokens.cuts, [0, 3])


def test_counts_that_are_not_whole_are_refused():
    X = sp.csr_array([[0.0, 2.0], [0.5, 1.0]])
    message = r"X has 0\.5 in row 1, column 0; gibbs needs whole counts.*or use map\."
    with pytest.raises(ValueError, match=message):
        check_whole(X, "gibbs", "map")


def test_too_many_words_are_refused():
    with pytest.raises(ValueError, match=r"X counts 1e\+10 words; gibbs keeps a topic for each"):
        check_whole(sp.csr_array([[1e10, 2.0]]), "gibbs", "map")
