"""Neighbours that the user gives, and those of another table."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors

from lowdim.maps.neighbors.given import given_neighbors
from tests.maps.examples import as_points, sorted_neighbors


def test_every_form_gives_the_same_neighbours(rng):
    X = 10 * rng.normal(size=(40, 3))
    points, (index, distance) = as_points(X), sorted_neighbors(X, 8)
    shuffle = rng.permuted(np.tile(np.arange(8), (40, 1)), axis=1)
    mixed = tuple(np.take_along_axis(part, shuffle, axis=1) for part in (index, distance))
    itself = np.column_stack([np.arange(40), index]), np.column_stack([np.zeros(40), distance])
    forms = [
        (index, distance),
        [index.astype(float), distance],
        (*mixed, None),  # umap's precomputed_knn has a third part
        itself,
        KNeighborsTransformer(n_neighbors=9).fit_transform(X),
        NearestNeighbors(n_neighbors=5).fit(X),
    ]
    for given in forms:
        found = given_neighbors(given, points, 6, 40)
        assert_array_equal(found.indices, index[:, :6])
        assert_allclose(found.distances * points.unit, distance[:, :6])


def bad_forms():
    index = (np.arange(20)[:, None] + np.arange(1, 5)) % 20
    far = np.tile(np.arange(1.0, 5.0), (20, 1))
    graph = sp.csr_array(np.ones((20, 20)))
    other = index.copy()
    other[3, 2] = 20
    negative = far.copy()
    negative[1, 1] = -2.0
    return {
        "fewer rows": ((index[:9], far[:9]), "neighbours of another table: they have those of 9"),
        "a row beyond": ((other, far), "neighbours of another table: they have row 20, and X has"),
        "other shapes": ((index, far[:, :2]), r"shapes \(20, 4\) and \(20, 2\)"),
        "fractions": ((index + 0.5, far), "indices must be whole numbers"),
        "negative": ((index, negative), "the distance -2; distances are positive or 0"),
        "too few": ((index[:, :2], far[:, :2]), "have 2 neighbours of row 0 beside itself, and 3"),
        "another graph": (graph[:9, :9], r"a graph of shape \(9, 9\)"),
        "a negative graph": (-graph, "the distance -1"),
        "a number": (7, "must be the name of a method"),
    }


@pytest.mark.parametrize("kind", bad_forms())
def test_what_are_no_neighbours_is_refused(kind):
    given, message = bad_forms()[kind]
    with pytest.raises(ValueError, match=message):
        given_neighbors(given, as_points(np.arange(20.0)[:, None]), 3, 20)


def test_numbers_of_a_table_with_rows_that_were_left_out_are_refused(rng):
    points = as_points(rng.normal(size=(20, 2)))
    with pytest.raises(ValueError, match="rows without any observed value, which are left out"):
        given_neighbors(sorted_neighbors(points.rows, 4), points, 3, 21)


def test_a_finder_of_another_table_is_refused(rng):
    points = as_points(rng.normal(size=(20, 2)))
    finder = NearestNeighbors(n_neighbors=3).fit(rng.normal(size=(25, 2)))
    with pytest.raises(ValueError, match="neighbours of another table: they have those of 25 rows"):
        given_neighbors(finder, points, 3, 20)
