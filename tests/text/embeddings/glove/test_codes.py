"""Vectors of new rows."""

import numpy as np
import pytest

from lowdim.text.embeddings.glove.codes import Coding, encode, squares
from tests.text.embeddings.examples import poisson_counts


def test_a_planted_vector_is_found(rng):
    C, bias = rng.normal(size=(9, 2)), rng.normal(size=9)
    W, own = rng.normal(size=(4, 2)), rng.normal(size=(4, 1))
    coding = Coding(C, bias, (100.0, 0.75, "power"), 0.0, True)
    X = np.exp(W @ C.T + own + bias)
    np.testing.assert_allclose(encode(X, coding, "float64"), W, atol=1e-6)
    loss, total = squares(X, coding)
    assert loss < 1e-10 and total > 0


def test_a_row_beside_others_has_the_same_bits(rng):
    coding = Coding(rng.normal(size=(9, 3)), rng.normal(size=9), (100.0, 0.75, "power"), 0.0, True)
    X = poisson_counts(rng, 12, 9, mean=1.0) * rng.choice([1e-5, 1.0, 1e5], size=(12, 1))
    alone = np.vstack([encode(X[i : i + 1], coding, "float64") for i in range(12)])
    np.testing.assert_array_equal(encode(X, coding, "float64"), alone)


@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_a_row_without_counts_has_the_vector_0(rng, penalty):
    coding = Coding(rng.normal(size=(9, 3)), np.zeros(9), (100.0, 0.75, "observed"), penalty, True)
    Z = encode(np.zeros((2, 9), np.float32), coding, "float32")
    assert Z.dtype == np.float32 and not Z.any()
