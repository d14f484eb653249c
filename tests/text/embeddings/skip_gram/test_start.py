"""The first vectors: the decomposition of weighted log ratios."""

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.text.embeddings.skip_gram.losses import shares
from lowdim.text.embeddings.skip_gram.start import Margins, margins_of, spectral_vectors
from tests.text.embeddings.examples import FOUR_WORDS


def start(N, d, rng, tied=False, offset=0.0):
    P = shares(N, N.sum())
    margins = Margins(*(np.asarray(P.sum(axis=axis)).ravel() for axis in (1, 0)))
    a = np.full(N.shape[1], offset)
    return margins, spectral_vectors(ArrayBlocks(P), margins, a, d, rng, tied=tied)


def test_sums_of_rows_and_columns():
    for X in (FOUR_WORDS, sp.csr_array(FOUR_WORDS)):
        by_column, by_row = margins_of(X)
        np.testing.assert_allclose(by_column, FOUR_WORDS.sum(axis=0))
        np.testing.assert_allclose(by_row, FOUR_WORDS.sum(axis=1))


def test_at_full_rank_products_are_the_log_ratios(rng):
    margins, (W, C) = start(FOUR_WORDS, 4, rng)
    P = FOUR_WORDS / FOUR_WORDS.sum()
    ratio = np.log(P / np.outer(*margins))
    # noise of 0.01 times vectors of size up to 5, of 4 numbers
    np.testing.assert_allclose(W @ C.T, ratio, atol=0.5)


def test_what_a_bias_would_say_is_added(rng):
    _, (W, C) = start(np.outer([1.0, 2.0], [3.0, 4.0, 5.0]), 1, rng, offset=-1.0)
    np.testing.assert_allclose(W @ C.T, -1.0, atol=0.1)


def test_tied_vectors_keep_what_is_positive(rng):
    S = np.diag([5.0, 1.0, 1.0]) + 1.0
    _, (W, C) = start(S, 3, rng, tied=True)
    assert W is C
    assert (W @ W.T)[0, 0] > 0.5
    _, (W, _) = start(12.0 - S, 3, rng, tied=True)  # words avoid themselves: no x.x does
    assert (W**2).sum(axis=1).max() < 1.0


def test_words_that_were_not_seen_have_noise_only(rng):
    N = np.vstack([FOUR_WORDS, np.zeros(5)])
    _, (W, _) = start(N, 2, rng)
    assert np.abs(W[-1]).max() < 0.06
