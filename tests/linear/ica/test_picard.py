"""Quasi-Newton steps on rotations."""

import pytest

from lowdim import FastICA, amari_distance
from tests.linear.ica.sources import laplacian


def test_picard_and_the_fixed_point_end_together(rng):
    X, _ = laplacian(rng)
    one = FastICA(algorithm="picard", random_state=0, tol=1e-12, max_iter=500).fit(X)
    other = FastICA(algorithm="parallel", random_state=0, tol=1e-12, max_iter=500).fit(X)
    assert amari_distance(one.components_, other.mixing_) < 1e-3
    assert one.history_[-1] == pytest.approx(other.history_[-1], rel=1e-6)
