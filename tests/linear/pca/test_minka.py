"""Minka's evidence."""

import numpy as np
import pytest

from lowdim.linear.pca.minka import minka_evidence, minka_rank


@pytest.mark.parametrize("d", [2, 5, 10])
def test_evidence_is_scikit_learns(rng, d):
    from sklearn.decomposition._pca import _assess_dimension

    spectrum = np.sort(rng.random(d) + 0.1)[::-1]
    for k in range(1, d):
        ours, theirs = minka_evidence(spectrum, k, 100), _assess_dimension(spectrum, k, 100)
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_the_planted_number_is_chosen(rng):
    X = rng.normal(size=(2000, 4)) @ (3 * rng.normal(size=(4, 12))) + rng.normal(size=(2000, 12))
    assert minka_rank(np.linalg.eigvalsh(np.cov(X.T))[::-1], 2000) == 4


def test_a_spectrum_that_ends_in_zero_has_a_choice():
    assert minka_rank(np.array([2.0, 1.0, 0.0]), 50) == 1
    assert minka_rank(np.array([1.0]), 50) == 1
