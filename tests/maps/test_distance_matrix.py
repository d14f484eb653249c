"""Distances that the user gives: every way in which they are none has its own words."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.distance_matrix import check_distances, check_new_distances

D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])


def changed(i, j, value, both=False):
    other = D.copy()
    other[i, j] = value
    if both:
        other[j, i] = value
    return other


def test_distances_are_taken():
    check_distances(D)
    check_distances(changed(0, 1, 1.0 + 1e-12))  # rounding
    check_distances(sp.csr_array(changed(0, 2, 0.0)))  # a graph of some
    check_distances(changed(0, 1, 5.0), symmetric=False)
    check_distances(changed(0, 1, np.nan, both=True), nan=True)
    check_distances(np.eye(3), affinity=True)


BAD = {
    "asymmetric": (changed(0, 2, 9.0), "Array must be symmetric: .* 9 from row 0 to row 2, and 2"),
    "negative": (changed(1, 2, -1.0, True), "negative distance -1 of rows 1 and 2; .*positive"),
    "negative graph": (sp.csr_array(changed(1, 2, -1.0)), "negative distance -1 of rows 1 and 2"),
    "not square": (D[:2], r"shape \(2, 3\).* square distance matrix .*2-dimensional and square"),
    "a diagonal": (D + np.eye(3), "row 0 to itself, which is 0. .*lowdim.dissimilarity"),
    "NaN": (changed(0, 1, np.nan, True), "NaN for the distance of rows 0 and 1"),
}


NO_AFFINITIES = {
    "negative": (changed(1, 2, -1.0), "negative affinity -1 of rows 1 and 2"),
    "negative graph": (sp.csr_array(changed(1, 2, -1.0)), "negative affinity -1 of rows 1 and 2"),
    "not square": (D[:2], r"shape \(2, 3\), and metric='precomputed_affinity' needs a square"),
}


@pytest.mark.parametrize("kind", NO_AFFINITIES)
def test_what_is_no_affinity_is_refused_by_that_name(kind):
    given, message = NO_AFFINITIES[kind]
    with pytest.raises(ValueError, match=message):
        check_distances(given, affinity=True)


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_distance_is_refused(kind):
    matrix, message = BAD[kind]
    with pytest.raises(ValueError, match=message):
        check_distances(matrix)


def test_half_of_a_missing_pair_is_no_symmetry():
    with pytest.raises(ValueError, match="must be symmetric"):
        check_distances(changed(0, 1, np.nan), nan=True)


def test_new_rows_have_a_distance_to_each_training_row():
    check_new_distances(D[:1], 3)
    with pytest.raises(ValueError, match="distances of each new row to the 4 training rows"):
        check_new_distances(D, 4)
    with pytest.raises(ValueError, match="negative distance"):
        check_new_distances(-D, 3)
