"""Searches do not end at a saddle."""

import numpy as np
import pytest

from lowdim import FastICA, amari_distance


@pytest.mark.parametrize("algorithm", ["auto", "parallel", "picard"])
@pytest.mark.parametrize("fun", ["logcosh", "cube"])
def test_a_start_at_a_saddle_is_left(rng, algorithm, fun):
    S = rng.laplace(size=(2000, 2))
    S = np.vstack([S, S[:, ::-1], S * [1, -1], S[:, ::-1] * [1, -1]])  # as if exchanged, reflected
    S /= S.std(axis=0)
    # so E g(u) v = 0 exactly for the sum u and the difference v of the sources
    start = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
    model = FastICA(algorithm=algorithm, fun=fun, whiten=False, w_init=start, random_state=0).fit(S)
    assert amari_distance(model.components_, np.eye(2)) < 0.01
