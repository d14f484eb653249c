"""Ranks by distance and then by number."""

import numpy as np
from numpy.testing import assert_array_equal

from lowdim.maps.neighbors.found import ranked


def test_the_smallest_come_first_and_equal_ones_by_number():
    index = np.array([[7, 3, -1, 5]])
    squares = np.array([[1.0, 2.0, 0.0, 1.0]])
    numbers, values = ranked(index, squares, 4)
    assert_array_equal(numbers, [[5, 7, 3, -1]])
    assert_array_equal(values, [[1.0, 1.0, 2.0, np.inf]])
    assert_array_equal(ranked(index, squares, 2)[0], [[5, 7]])
