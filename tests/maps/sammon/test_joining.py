"""Rows that do not differ become one point."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

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
    whole = squareform(whole)
    if m > 1:  # the square root of what rounding leaves
        whole = whole + 1e-8 * (whole == 0)
    found = joined(whole, len(copies), np.arange(len(copies)))
    assert found.group.tolist() == copies
    assert found.first.tolist() == [copies.index(i) for i in range(m)]
    np.testing.assert_array_equal(found.delta, squareform(D) if m > 1 else [])


def test_exact_zeros_alone_are_one_point():
    found = joined(np.zeros(3), 3, np.arange(3))
    assert found.group.tolist() == [0, 0, 0] and len(found.delta) == 0


def test_rows_in_one_place_that_differ_to_others_are_refused_by_name():
    D = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    with pytest.raises(ValueError, match=r"rows 10 and 20, .* to row 30: 1 and 2\. Sammon divides"):
        joined(squareform(D), 3, np.array([10, 20, 30]))


def test_near_rows_are_joined_only_if_they_are_alike(rng):
    X = rng.normal(size=(20, 3))
    X[7] = X[3] + 1e-6
    found = joined(pdist(X), 20, np.arange(20))
    assert found.group[7] == found.group[3] == 3 and len(found.first) == 19
    D = squareform(pdist(X))
    D[7, 5] = D[5, 7] = 9.0
    assert len(joined(squareform(D), 20, np.arange(20)).first) == 20


def test_far_groups_are_not_joined(rng):
    X = rng.normal(size=(40, 3)) + 1e8 * (np.arange(40) % 2)[:, None]
    assert len(joined(pdist(X), 40, np.arange(40)).first) == 40


def test_a_row_of_pairs_is_that_of_the_matrix(rng):
    D = squareform(rng.random(21))
    for i in range(7):
        np.testing.assert_array_equal(row_of(squareform(D), 7, i), D[i])
