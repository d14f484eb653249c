"""Precision, recall, density and coverage: definitions, modes lost and invented."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from lowdim.selection.samples import pairs
from lowdim.selection.samples.balls import overlap

MODES = 8 * np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])


def drawn(rng, modes, n=200):
    return MODES[rng.choice(modes, size=n)] + rng.normal(size=(n, 2))


def test_shares_are_those_of_the_definitions(rng, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK", 100)
    real, fake, k = rng.normal(size=(40, 2)), 1.5 * rng.normal(size=(30, 2)), 3
    of_real = np.sort(cdist(real, real))[:, k]
    of_fake = np.sort(cdist(fake, fake))[:, k]
    D = cdist(real, fake)
    inside = of_real[:, None] >= D
    exact = (
        inside.any(axis=0).mean(),
        (of_fake >= D).any(axis=1).mean(),
        inside.sum() / (k * len(fake)),
        inside.any(axis=1).mean(),
    )
    assert_allclose(overlap(real, fake, k), exact)


def test_honest_draws_have_all(rng):
    found = overlap(drawn(rng, range(4)), drawn(rng, range(4)))
    assert min(found.precision, found.recall, found.coverage) > 0.85
    assert found.density == pytest.approx(1.0, abs=0.2)


def test_a_dropped_mode_lowers_recall_and_coverage(rng):
    found = overlap(drawn(rng, range(4)), drawn(rng, range(3)))
    assert found.precision > 0.85
    assert found.recall == pytest.approx(0.75, abs=0.15)
    assert found.coverage < 0.85


def test_an_invented_mode_lowers_precision_and_density(rng):
    found = overlap(drawn(rng, range(3)), drawn(rng, range(4)))
    assert found.recall > 0.85
    assert found.precision == pytest.approx(0.75, abs=0.15)
    assert found.density < 0.9


def test_copies_and_equal_rows_are_inside(rng):
    X = rng.normal(size=(30, 3))
    assert overlap(X, X)[:2] == (1.0, 1.0)
    few = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 1]], 15, axis=0)  # balls of no size
    assert overlap(few, few[::-1])[:2] == (1.0, 1.0)
    apart = overlap(few, few + 0.01)
    assert apart.precision == apart.recall == 0.0


def test_memory_is_that_of_blocks(rng, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK", 2**14)
    X = rng.normal(size=(1500, 2))
    overlap(X[:100], X[100:200])  # threads are there
    tracemalloc.start()
    overlap(X, X + 1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(X) ** 2  # of 8 len(X)^2 bytes of all distances
