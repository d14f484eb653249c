"""Where two steps of EM point."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.linalg.accelerate import squarem_point
from lowdim.text.topics.extrapolation import (
    FARTHEST,
    KEPT,
    LONGEST,
    move_back,
    move_on,
    step_between,
)

ROUNDED = 1e-5  # a step is rounded to float32, and counts up to 24-fold


def steps(rng, n=8):
    start = rng.random((n, 3))
    once = 0.7 * start + 0.3 * rng.random((n, 3))
    return start, once, once + 0.6 * (once - start)


def pointed(start, once, twice, weight=None):
    """Where they point, with what leads back."""
    there = twice.copy()
    return there, move_on(step_between(start, once), once, there, weight)


def test_the_limit_of_a_steady_fall_is_found(rng):
    limit, gap = rng.random((5, 3)) + 1.0, 0.3 * rng.random((5, 3))
    start, once, twice = (limit + gap * 0.7**i for i in range(3))
    there, _ = pointed(start, once, twice)
    np.testing.assert_allclose(there, limit, rtol=ROUNDED)
    np.testing.assert_allclose(there, squarem_point(start, once, twice), rtol=ROUNDED)


def test_a_step_has_its_longest(rng):
    limit, gap = rng.random((5, 3)) + 1.0, 0.3 * rng.random((5, 3))
    start, once, twice = (limit + gap * 0.99**i for i in range(3))
    left = 1 - 2 * LONGEST * 0.01 + LONGEST**2 * 0.01**2
    there, _ = pointed(start, once, twice)
    np.testing.assert_allclose(there, limit + gap * left, rtol=ROUNDED)


def test_where_nothing_bends_it_stays(rng):
    x = rng.random((4, 2))
    np.testing.assert_array_equal(pointed(x, x, x)[0], x)


def test_steps_that_grow_are_taken_as_they_are(rng):
    start = rng.random((4, 2))
    once, twice = start + 0.1, start + 0.4  # |v| = 2 |r|: a = 1
    np.testing.assert_array_equal(pointed(start, once, twice)[0], twice)


def test_nothing_becomes_zero(rng):
    start, once, twice = steps(rng)
    reached = start / 2.1
    there, _ = pointed(start, start / 2, reached)
    # up to the rounding of the step, which is no longer than what is reached
    assert (there >= KEPT * reached * (1 - 1e-6)).all()
    assert (pointed(start, once, twice)[0] > 0).all()


def test_what_is_too_small_for_a_step_stays_positive(rng):
    start, once, _ = steps(rng, 400)
    sizes = 10.0 ** rng.uniform(-60, 0, size=start.shape)
    there, _ = pointed(sizes * start, sizes * once, sizes * start / 2.1)
    assert (there > 0).all()


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_the_way_back_is_exact_but_for_rounding(rng, size):
    start, once, twice = (size * part for part in steps(rng, 40))
    there, back = pointed(start, once, twice)
    assert back.by.nbytes == twice.nbytes / 2
    assert not np.allclose(there, twice, rtol=1e-2, atol=0.0)
    move_back(there, back)
    np.testing.assert_allclose(there, twice, rtol=1e-15 / KEPT)


def test_what_was_all_but_gone_is_found_again(rng):
    start = rng.random((40, 3))
    once, twice = 1e-3 * start, 1e-12 * start  # points far up
    there, back = pointed(start, once, twice)
    assert (there <= (1 + 1e-6) * FARTHEST * twice).all()
    move_back(there, back)
    np.testing.assert_allclose(there, twice, rtol=4 * FARTHEST * np.finfo(float).eps)


def test_a_row_of_weight_2_is_there_twice(rng):
    parts = steps(rng)
    weight = rng.integers(0, 4, size=8)
    once, _ = pointed(*parts, weight.astype(float))
    often, _ = pointed(*(part.repeat(weight, axis=0) for part in parts))
    np.testing.assert_allclose(once.repeat(weight, axis=0), often, rtol=ROUNDED)


def test_equal_weights_change_nothing(rng):
    parts = steps(rng)
    assert pointed(*parts)[0] == pytest.approx(pointed(*parts, np.full(8, 3.0))[0], rel=1e-9)
