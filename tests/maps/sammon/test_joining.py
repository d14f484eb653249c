"""Rows that do not differ become one point."""

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from lowdim.maps.sammon.joining import joined, row_of


def test_rows_that_all_differ_stay_as_they_are(rng):
    delta = rng.random(45) + 0.1
    found = joined(delta, 10, np.arange(10))
    assert found.delta is delta
    np.testing.assert_array_equal(found.first, np.arange(10))
    np.testing.assert_array_equal(found.group, np.arange(10))


@pytest.mark.parametrize("copies", [[0, 1, 2, 0, 3, 1, 0, 4], [0, 0, 1], [0, 1, 2, 2], [0, 0]])
def test_copies_are_one_point_and_dissimilarities_those_of_the_first(rng, copies):
    m = max(copies) + 1
    D = squareform(rng.random(m * (m - 1) // 2) + 0.1) if m > 1 else np.zeros((1, 1))
    whole = D[np.ix_(copies, copies)]
    whole = squareform(whole) + 1e-12 * (squareform(whole) == 0)
    found = joined(whole, len(copies), np.arange(len(copies)))
    if m == 1:  # nothing to compare with: all that there is is small
        assert found.group.tolist() == [0, 1]
        return
    assert found.group.tolist() == copies
    assert found.first.tolist() == [copies.index(i) for i in range(m)]
    np.testing.assert_array_equal(found.delta, squareform(D))


def test_exact_zeros_alone_are_one_point():
    found = joined(np.zeros(3), 3, np.arange(3))
    assert found.group.tolist() == [0, 0, 0] and len(found.delta) == 0


def test_rows_in_one_place_that_differ_to_others_are_refused_by_name():
    D = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    with pytest.raises(ValueError, match=r"rows 10 and 20, .* to row 30: 1 and 2\. Sammon divides"):
        joined(squareform(D), 3, np.array([10, 20, 30]))


def test_a_row_of_pairs_is_that_of_the_matrix(rng):
    D = squareform(rng.random(21))
    for i in range(7):
        np.testing.assert_array_equal(row_of(squareform(D), 7, i), D[i])
