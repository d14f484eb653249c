"""J and its gradients."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.text.embeddings.skip_gram.losses import Scores, pieces, shares, statistics
from tests.text.embeddings.examples import FOUR_WORDS, numeric_gradient, poisson_counts

each_loss = pytest.mark.parametrize("loss", ["softmax", "negative", "nce"])


def plain_objective(N, W, C, bias, loss, M):
    """The formulas, without care for large numbers."""
    H = W @ C.T + bias
    if loss == "softmax":
        return -float((N * (H - np.log(np.exp(H).sum(axis=1, keepdims=True)))).sum())
    if loss == "nce":
        H = H - np.log(M / N.sum(axis=1, keepdims=True))
    s = 1.0 / (1.0 + np.exp(-H))
    return -float((N * np.log(s) + M * np.log(1.0 - s)).sum())


def problem(rng, own_noise=False):
    N = poisson_counts(rng, 6, 5)
    N[2, 3] = 0.0
    N /= N.sum()
    q = rng.random(5) + 0.1
    q /= q.sum()
    M = 5.0 * N.sum(axis=1, keepdims=True) * q
    if own_noise:
        M = rng.random((6, 5)) + 0.1
    tables = [rng.normal(size=s) for s in ((6, 2), (5, 2), (5,))]
    return N, 5.0 * q, M, tables


@each_loss
@pytest.mark.parametrize("own_noise", [False, True])
def test_objective_and_gradients_are_those_of_the_formulas(rng, loss, own_noise):
    N, noise, M, (W, C, bias) = problem(rng, own_noise)
    sums, by_word = statistics(
        sp.csr_array(N), Scores(C, bias, loss, noise), W, M if own_noise else None
    )
    assert sums.objective == pytest.approx(plain_objective(N, W, C, bias, loss, M), rel=1e-12)
    for found, x, at in (
        (by_word, W, lambda x: (x, C, bias)),
        (sums.by_context, C, lambda x: (W, x, bias)),
        (sums.by_bias, bias, lambda x: (W, C, x)),
    ):
        expected = numeric_gradient(lambda x, at=at: plain_objective(N, *at(x), loss, M), x)
        np.testing.assert_allclose(found, expected, atol=1e-8)


@each_loss
def test_large_scores_are_no_overflow(rng, loss):
    N, noise, _, (W, C, bias) = problem(rng)
    sums, by_word = statistics(sp.csr_array(N), Scores(1e3 * C, bias, loss, noise), W, None)
    assert np.isfinite(sums.objective) and np.isfinite(by_word).all()


def test_a_row_without_counts_adds_nothing(rng):
    N, noise, M, (W, C, bias) = problem(rng)
    grown = np.vstack([N, np.zeros(5)])
    for loss in ("softmax", "negative", "nce"):
        for own in (None, np.vstack([M, np.ones(5)])):
            scores = Scores(C, bias, loss, noise)
            less = None if own is None else M
            one = statistics(sp.csr_array(N), scores, W, less)
            two = statistics(sp.csr_array(grown), scores, np.vstack([W, W[:1]]), own)
            assert two[0].objective == pytest.approx(one[0].objective, rel=1e-13)
            np.testing.assert_allclose(two[0].by_context, one[0].by_context, atol=1e-14)
            assert not two[1][-1].any()


def test_pieces_change_nothing_but_rounding(rng, monkeypatch):
    N, noise, _, (W, C, bias) = problem(rng)
    scores = Scores(C, bias, "negative", noise)
    whole = statistics(sp.csr_array(N), scores, W, None)
    monkeypatch.setattr("lowdim.text.embeddings.skip_gram.losses.PIECE_ROWS", 2)
    monkeypatch.setattr("lowdim.text.embeddings.skip_gram.losses.PIECE_BYTES", 1)
    assert len(pieces(sp.csr_array(N))) == 3
    cut = statistics(sp.csr_array(N), scores, W, None)
    np.testing.assert_allclose(cut[1], whole[1], atol=1e-15)
    assert cut[0].objective == pytest.approx(whole[0].objective, rel=1e-14)


def test_shares_add_up_to_1_and_are_stored_once():
    twice = sp.csr_array(
        (np.array([1.0, 2.0, 0.0, 5.0]), np.array([1, 1, 0, 2]), np.array([0, 3, 4])), shape=(2, 3)
    )
    N = shares(twice, 8.0)
    np.testing.assert_array_equal(N.toarray(), [[0, 0.375, 0], [0, 0, 0.625]])
    assert N.nnz == 2 and twice.nnz == 4
    assert shares(FOUR_WORDS, FOUR_WORDS.sum()).sum() == pytest.approx(1.0)


def test_shares_of_huge_counts_in_single_precision_are_numbers():
    N = shares(np.full((2, 2), 1e38, dtype=np.float32), 4e38)
    np.testing.assert_allclose(N.toarray(), 0.25, rtol=1e-6)
