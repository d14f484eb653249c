"""The factor model itself."""

import numpy as np

from lowdim.linear.missing.model import NOISE_FLOOR, noise_std


def test_the_noise_is_taken_as_it_is_where_it_is_not_tiny():
    W = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_array_equal(noise_std(W, np.array([4.0, 9.0])), [2.0, 3.0])


def test_noise_is_at_least_a_tiny_part_of_what_the_factors_explain():
    W = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(noise_std(W, np.zeros(2)), [5.0 * np.sqrt(NOISE_FLOOR), 0.0])
