"""Names beside arrows: near where they belong, and apart."""

import numpy as np
from numpy.testing import assert_allclose

from lowdim.plots.arrows import spread_out


def test_positions_far_enough_apart_stay():
    wanted = np.array([3.0, 1.0, 2.0])
    assert_allclose(spread_out(wanted, 0.5, 0, 4), wanted)


def test_close_positions_part_about_their_middle():
    assert_allclose(spread_out(np.array([1.0, 1.0, 5.0]), 1.0, 0, 9), [0.5, 1.5, 5.0])


def test_positions_stay_within_their_bounds(rng):
    wanted = rng.uniform(-10, 10, size=12)
    placed = spread_out(wanted, 0.5, -3.0, 3.0)
    assert placed.min() >= -3 and placed.max() <= 3
    in_order = placed[np.argsort(wanted)]
    assert np.all(np.diff(in_order) >= 0.5 - 1e-12)
