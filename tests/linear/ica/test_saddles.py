"""Searches do not end at a saddle."""

import numpy as np
import pytest

from lowdim import FastICA, amari_distance
from lowdim.core.opening import as_blocks
from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.saddles import off_saddle
from lowdim.linear.ica.statistics import MixedRows


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


def test_the_sum_and_difference_of_two_sources_are_turned_back_and_the_sources_stay(rng):
    S = rng.laplace(size=(20_000, 2)) / np.sqrt(2)
    rows = MixedRows(
        as_blocks(S), None, 20_000.0, np.zeros(2), np.eye(2), Contrast.of("logcosh", None)
    )
    assert off_saddle(rows, np.eye(2)) is None
    away = off_saddle(rows, np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2))
    np.testing.assert_allclose(np.abs(away), np.eye(2), atol=1e-12)
