"""Whitening."""

import numpy as np
import pytest

from lowdim import FastICA, amari_distance
from lowdim.core.opening import as_blocks
from lowdim.linear.ica.whitening import whitening


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


@pytest.mark.parametrize("weighted", [True, False])
def test_whitened_rows_have_the_identity_for_a_covariance(rng, weighted):
    X = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) + 3.0
    weight = rng.uniform(0.5, 2.0, size=300) if weighted else None
    mean, K, n = whitening(as_blocks(X), weight, 3, white=False)
    Z = (X - mean) @ K.T
    w = np.ones(300) if weight is None else weight
    np.testing.assert_allclose((Z * w[:, None]).T @ Z / n, np.eye(3), atol=1e-10)
    assert n == pytest.approx(w.sum())


def test_ignored_components_are_said(rng):
    with pytest.warns(UserWarning, match="n_components=2 is ignored with whiten=False"):
        mean, K, _ = whitening(as_blocks(rng.normal(size=(50, 3))), None, 2, white=True)
    np.testing.assert_array_equal(K, np.eye(3))
    np.testing.assert_array_equal(mean, 0.0)


def test_rows_that_cannot_be_whitened_are_refused(rng):
    X = rng.normal(size=(30, 3)) * 1e-310
    with pytest.raises(ValueError, match=r"X varies by no more than \de-31\d, .* Multiply X by"):
        whitening(as_blocks(X), None, 2, white=False)
