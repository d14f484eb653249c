"""The two layers."""

import numpy as np

from lowdim.linear.autoencoder.layers import random_weights


def test_the_first_weights_are_a_projector(rng):
    V, W = random_weights(7, 3, rng)
    np.testing.assert_allclose(W @ V, np.eye(3), atol=1e-14)
    np.testing.assert_array_equal(W, V.T)
    assert not np.shares_memory(V, W)  # untied weights move apart
