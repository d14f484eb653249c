"""The vector of a new row is where its J is lowest."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.text.embeddings.skip_gram.codes import Coding, coded, encode, losses
from lowdim.text.embeddings.skip_gram.losses import Scores, statistics
from tests.text.embeddings.examples import poisson_counts

each_loss = pytest.mark.parametrize("loss", ["softmax", "negative", "nce"])


def coding(rng, loss, penalty=0.0, v=9, d=2):
    q = rng.random(v) + 0.1
    scores = Scores(rng.normal(size=(v, d)), rng.normal(size=v), loss, 5.0 * q / q.sum())
    return Coding(scores, penalty, 1000.0)


@each_loss
@pytest.mark.parametrize("penalty", [0.0, 0.01])
def test_the_gradient_vanishes_at_a_code(rng, loss, penalty):
    how = coding(rng, loss, penalty)
    N = poisson_counts(rng, 7, 9) + 1.0
    found = coded(N, how)
    sums, gradient = statistics(sp.csr_array(N / how.total), how.scores, found.W, None)
    np.testing.assert_allclose(gradient, -2 * penalty * found.W, atol=1e-9)
    assert found.loss @ N.sum(axis=1) / how.total == pytest.approx(sums.objective, rel=1e-12)
    loss_of_all, pairs = losses(sp.csr_array(N), how)
    assert loss_of_all == pytest.approx(sums.objective, rel=1e-12)
    assert pairs == pytest.approx(N.sum() / how.total)


@each_loss
def test_a_row_of_one_context_has_a_finite_vector_and_one_without_counts_has_0(rng, loss):
    how = coding(rng, loss)
    N = np.zeros((3, 9))
    N[0, how.scores.C[:, 0].argmax()] = 3.0
    N[2] = 1.0
    W = encode(N, how, "float32")
    assert W.dtype == np.float32
    assert np.isfinite(W).all() and not W[1].any()
    assert W[0].any()


def test_directions_without_contexts_stay_0(rng):
    how = coding(rng, "softmax")
    wide = how._replace(scores=how.scores._replace(C=np.pad(how.scores.C, [(0, 0), (0, 3)])))
    N = poisson_counts(rng, 4, 9) + 1.0
    W = coded(N, wide).W
    np.testing.assert_allclose(W[:, :2], coded(N, how).W, rtol=1e-9)
    assert not W[:, 2:].any()


def test_counts_twice_as_large_have_the_same_vector_without_a_penalty(rng):
    how, N = coding(rng, "softmax"), poisson_counts(rng, 4, 9) + 1.0
    np.testing.assert_allclose(coded(1e150 * N, how).W, coded(N, how).W, rtol=1e-9)
