"""Candidates are ranked by their distances, and equal ones by number."""

import numpy as np
from numpy.testing import assert_array_equal

from lowdim.maps.neighbors.settling import settle


def test_candidates_are_ranked_by_square_and_number():
    X = np.array([[0.0], [3.0]])
    Y = np.array([[1.0], [5.0], [-1.0], [2.0], [1.0]])
    found = np.array([[4, 2, -1, 1, 0], [3, 1, 4, 0, -1]], np.int32)
    spread = np.array([0.0, 0.0, 0.0, 0.5, 0.0])
    for run in (settle, settle.python):
        index, squares = np.empty((2, 3), np.int32), np.empty((2, 3))
        run(X, Y, spread, found, index, squares)
        assert_array_equal(index, [[0, 2, 4], [3, 0, 1]])
        assert_array_equal(squares, [[1.0, 1.0, 1.0], [1.5, 4.0, 4.0]])


def test_what_is_missing_is_no_point_at_infinity():
    X = np.zeros((1, 2), np.float32)
    index, squares = np.empty((1, 2), np.int32), np.empty((1, 2))
    settle(X, X, np.zeros(1), np.array([[-1, 0, -1]], np.int32), index, squares)
    assert_array_equal(index, [[0, -1]])
    assert_array_equal(squares, [[0.0, np.inf]])
