"""Shepard plots from plain arrays."""

import numpy as np

from lowdim.report.maps.figures import middles, shepard


def test_middles_follow_the_pairs(rng):
    x = rng.random(1000)
    a, b = middles(x, 3.0 * x)
    assert (np.diff(a) > 0).all()
    np.testing.assert_allclose(b, 3.0 * a)


def test_few_pairs_have_a_plot():
    figure = shepard("few", np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    assert figure.name == "few" and figure.x_range.start == 0
