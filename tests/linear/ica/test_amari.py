"""The distance from a scaled permutation."""

import numpy as np
import pytest

from lowdim import amari_distance


def test_the_amari_distance_of_a_scaled_permutation_is_zero_and_of_equal_entries_one():
    P = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, -1.0], [0.5, 0.0, 0.0]])
    assert amari_distance(P, np.eye(3)) == 0.0
    assert amari_distance(np.ones((3, 3)), np.eye(3)) == pytest.approx(1.0)
