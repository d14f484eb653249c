"""What is minimised, as one function of one array."""

import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.text.embeddings.skip_gram.learning import Problem, Vectors, as_shares
from lowdim.text.embeddings.skip_gram.start import Margins
from tests.text.embeddings.examples import numeric_gradient, poisson_counts


def problem(rng, **changed):
    n = 5 if changed.get("tied") else 6
    N = poisson_counts(rng, n, 5) + 1.0
    P = N / N.sum()
    settings = {
        "rows": as_shares(ArrayBlocks(N), N.sum()),
        "margins": Margins(P.sum(axis=1), P.sum(axis=0)),
        "loss": "softmax",
        "noise": 5.0 * P.sum(axis=0),
        "own_noise": None,
        "penalty": 0.0,
        "with_bias": True,
        "tied": False,
        "d": 2,
    }
    return Problem(**{**settings, **changed}), n


@pytest.mark.parametrize("with_bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "two tables"])
@pytest.mark.parametrize("loss", ["softmax", "negative"])
def test_the_gradient_is_that_of_the_objective(rng, tied, with_bias, loss):
    own, n = problem(rng, tied=tied, with_bias=with_bias, loss=loss, penalty=0.01)
    W = rng.normal(size=(n, 2))
    start = Vectors(W, W if tied else rng.normal(size=(5, 2)), rng.normal(size=5))
    theta = own.packed(start)
    back = own.unpacked(theta)
    np.testing.assert_array_equal(back.W, W)
    np.testing.assert_array_equal(back.bias, start.bias if with_bias else 0.0)
    _, gradient = own.value_and_gradient(theta)
    expected = numeric_gradient(lambda x: own.value_and_gradient(x)[0], theta)
    np.testing.assert_allclose(gradient, expected, atol=1e-8)
    curvature = own.curvature(theta)
    assert curvature.shape == theta.shape and (curvature > 0).all()


def test_the_penalty_is_a_sum_of_squares_without_biases(rng):
    plain, n = problem(rng)
    theta = plain.packed(Vectors(*(rng.normal(size=s) for s in ((n, 2), (5, 2), (5,)))))
    costly = plain._replace(penalty=0.5)
    difference = costly.value_and_gradient(theta)[0] - plain.value_and_gradient(theta)[0]
    assert difference == pytest.approx(0.5 * float(theta[:-5] @ theta[:-5]))


def test_in_memory_blocks_have_rows_enough_for_their_sums(rng):
    N = rng.poisson(1.0, size=(300, 4)).astype(float)
    rows = as_shares(ArrayBlocks(N, block_rows=1), N.sum())
    assert rows.is_sparse and rows._block_rows >= 64
