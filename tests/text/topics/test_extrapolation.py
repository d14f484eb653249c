"""Where two steps of EM point."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.linalg.accelerate import squarem_point
from lowdim.text.topics.extrapolation import KEPT, LONGEST, pointed


def steps(rng, n=8):
    start = rng.random((n, 3))
    once = 0.7 * start + 0.3 * rng.random((n, 3))
    return start, once, once + 0.6 * (once - start)


def test_the_limit_of_a_steady_fall_is_found(rng):
    limit, gap = rng.random((5, 3)) + 1.0, 0.3 * rng.random((5, 3))
    start, once, twice = (limit + gap * 0.7**i for i in range(3))
    np.testing.assert_allclose(pointed(start, once, twice), limit, rtol=1e-9)
    np.testing.assert_allclose(squarem_point(start, once, twice), limit, rtol=1e-9)


def test_a_step_has_its_longest(rng):
    limit, gap = rng.random((5, 3)) + 1.0, 0.3 * rng.random((5, 3))
    start, once, twice = (limit + gap * 0.99**i for i in range(3))
    left = 1 - 2 * LONGEST * 0.01 + LONGEST**2 * 0.01**2
    np.testing.assert_allclose(pointed(start, once, twice), limit + gap * left, rtol=1e-9)


def test_where_nothing_bends_it_stays(rng):
    x = rng.random((4, 2))
    np.testing.assert_array_equal(pointed(x, x, x), x)


def test_nothing_becomes_zero(rng):
    start, once, twice = steps(rng)
    point = pointed(start, start / 2, start / 2.1)
    assert (point >= KEPT * start / 2.1).all()
    assert (pointed(start, once, twice) > 0).all()


def test_a_row_of_weight_2_is_there_twice(rng):
    parts = steps(rng)
    weight = rng.integers(0, 4, size=8)
    once = pointed(*parts, weight.astype(float))
    often = pointed(*(part.repeat(weight, axis=0) for part in parts))
    np.testing.assert_allclose(once.repeat(weight, axis=0), often, rtol=1e-9)


def test_equal_weights_change_nothing(rng):
    parts = steps(rng)
    assert pointed(*parts) == pytest.approx(pointed(*parts, np.full(8, 3.0)))
