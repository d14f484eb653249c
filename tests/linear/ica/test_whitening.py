"""Whitening."""

import numpy as np
import pytest

from lowdim import FastICA, amari_distance


def test_white_rows_can_be_taken_as_they_are(rng):
    S = rng.laplace(size=(5000, 3))
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    model = FastICA(whiten=False, random_state=0).fit(S @ R.T)
    assert amari_distance(model.components_, R) < 0.1
    assert not hasattr(model, "mean_")


def test_more_sources_than_the_rank_are_cut_with_a_warning(rng):
    X = rng.laplace(size=(200, 2)) @ rng.normal(size=(2, 4))
    with pytest.warns(UserWarning, match="more than the rank 2 of X"):
        model = FastICA(3, random_state=0).fit(X)
    assert model.components_.shape == (2, 4)
