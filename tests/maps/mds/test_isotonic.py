"""Isotonic regression: the nearest values that do not fall."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import isotonic_regression

from lowdim import config_context
from lowdim.maps.mds import guttman, isotonic


def test_a_value_that_falls_is_pooled_with_those_before_it():
    found = isotonic.isotonic(np.array([1.0, 4.0, 3.0, 2.0, 6.0]), np.ones(1))
    assert_array_equal(found, [1.0, 3.0, 3.0, 3.0, 6.0])
    weighted = isotonic.isotonic(np.array([4.0, 1.0]), np.array([1.0, 3.0]))
    assert_array_equal(weighted, [1.75, 1.75])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 50, 3000])
def test_it_is_scipys(rng, n, weighted, monkeypatch):
    monkeypatch.setattr(guttman, "PAIRS_PER_CUT", 7)  # pieces that are pooled by themselves
    weight = rng.random(n) + 0.1 if weighted else np.ones(1)
    for values in (rng.normal(size=n), rng.normal(size=n).round(1), np.sort(rng.random(n))[::-1]):
        given = np.array(values)
        expected = isotonic_regression(values, weights=weight if weighted else None).x
        assert_allclose(isotonic.isotonic(values, weight), expected, rtol=1e-12, atol=1e-13)
        assert_array_equal(values, given)


def test_what_rises_stays(rng):
    values = np.sort(rng.normal(size=1000))
    assert_array_equal(isotonic.isotonic(values, np.ones(1)), values)


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(guttman, "PAIRS_PER_CUT", 100)
    values, found = rng.normal(size=5000), []
    for threads in (1, 3):
        with config_context(threads=threads):
            found.append(isotonic.isotonic(values, np.ones(1)))
    assert_array_equal(*found)


def test_the_kernel_equals_its_twin(rng):
    results = []
    for run in (isotonic.pooled, isotonic.pooled.python):
        arrays = np.array(list(range(40)))[::-1] % 7 + 0.5, np.ones(40), np.arange(1, 41)
        results.append((run(*arrays), *arrays))
    for mine, twin in zip(*results, strict=True):
        assert_array_equal(mine, twin)
