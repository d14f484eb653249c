"""Many small images become one."""

import numpy as np
from numpy.testing import assert_array_equal

from lowdim.report.generate.walls import MOST, some_of, wall, walls


def test_images_stand_in_their_order():
    images = np.zeros((4, 60, 50))
    images[3] = 1.0
    canvas = wall(images)
    assert canvas.dtype == np.uint8
    assert (canvas[:60, :50] == 0).all() and (canvas[-60:, -50:] == 255).all()
    assert canvas.shape == (60 * 2 + 3, 50 * 2 + 3)


def test_small_images_are_enlarged_and_colours_stay(rng):
    images = rng.integers(0, 256, (3, 4, 4, 3), dtype=np.uint8)
    canvas = wall(images, across=3, peak=255.0)
    assert canvas.shape[2] == 3
    assert_array_equal(canvas[0, 0], images[0, 0, 0])
    assert_array_equal(canvas[:12, :12], np.broadcast_to(images[0, 0, 0], (12, 12, 3)))


def test_drawn_are_left_of_real(rng):
    drawn, real = np.zeros((9, 48, 48)), np.ones((20, 48, 48))
    canvas = walls(drawn, real, 0)
    assert (canvas[:48, :48] == 0).all() and (canvas[:48, -48:] == 255).all()
    assert walls(drawn, None, 0).shape == wall(drawn).shape


def test_some_are_drawn_without_repetition(rng):
    images = np.arange(100.0)[:, None, None]
    some = some_of(images, MOST, 3)
    assert len(np.unique(some)) == MOST
    assert_array_equal(some, some_of(images, MOST, 3))
