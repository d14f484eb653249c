"""Shepard's diagram."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import IsotonicRegression

import lowdim
from lowdim.maps.quality.shepard import disparities, drawn_pairs


def test_worked_by_hand():
    """Dissimilarities 1, 2, 3 with distances 2, 1, 4: the first two share their mean."""
    Y = np.array([[0.0, 0.0], [2.0, 0.0], [np.nan, np.nan]])
    assert_array_equal(disparities(np.array([1.0, 2, 3]), np.array([2.0, 1, 4])), [1.5, 1.5, 4])
    D = squareform([5.0, 6.0, 7.0])
    found = lowdim.shepard(D, [[0.0], [3.0], [-1.0]])
    assert_array_equal(found.dissimilarity, [5, 6, 7])
    assert_array_equal(found.distance, [3, 1, 4])
    assert_array_equal(found.disparity, [2, 2, 4])
    with pytest.raises(ValueError, match=r"Y has NaN or infinity .first in row 2"):
        lowdim.shepard(D, Y)


def test_all_pairs_are_there_and_the_curve_is_isotonic(rng):
    X, Y = rng.normal(size=(40, 4)), rng.normal(size=(40, 2))
    dissimilarity, distance, disparity = lowdim.shepard(squareform(pdist(X)), Y)
    order = np.argsort(pdist(X))
    assert_allclose(dissimilarity, pdist(X)[order], rtol=1e-14)
    assert_allclose(distance, pdist(Y)[order], rtol=1e-12)
    expected = IsotonicRegression().fit_transform(dissimilarity, distance)
    assert_allclose(disparity, expected, rtol=1e-10)
    assert np.all(np.diff(disparity) >= 0)


def test_equal_dissimilarities_have_one_disparity(rng):
    D = squareform(rng.integers(1, 5, size=45).astype(float))
    found = lowdim.shepard(D, rng.normal(size=(10, 2)))
    for value in np.unique(found.dissimilarity):
        assert np.ptp(found.disparity[found.dissimilarity == value]) == 0


def test_a_map_in_the_right_order_lies_on_the_curve(rng):
    Y = rng.normal(size=(20, 2))
    found = lowdim.shepard(np.sqrt(squareform(pdist(Y))), Y)
    assert_allclose(found.disparity, found.distance, rtol=1e-12)


def test_data_instead_of_dissimilarities(rng):
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    for metric in ("euclidean", "cityblock"):
        given = lowdim.shepard(pdist(X, metric), Y)
        assert_allclose(lowdim.shepard(X, Y, metric=metric), given, rtol=1e-12)


def test_pairs_that_are_missing_are_left_out(rng):
    D = squareform(rng.random(45))
    D[2, 5] = D[5, 2] = np.nan
    assert len(lowdim.shepard(D, rng.normal(size=(10, 2))).distance) == 44
    with pytest.raises(ValueError, match="no pair that is known"):
        lowdim.shepard(np.full((3, 3), np.nan), np.eye(3))


def test_many_pairs_are_drawn(rng, seed):
    X, Y = rng.normal(size=(100, 3)), rng.normal(size=(100, 2))
    few = lowdim.shepard(X, Y, metric="euclidean", n_pairs=300, random_state=seed)
    again = lowdim.shepard(X, Y, metric="euclidean", n_pairs=300, random_state=seed)
    assert len(few.distance) == 300
    assert_array_equal(few, again)
    assert np.isin(few.distance.round(9), pdist(Y).round(9)).all()


@pytest.mark.parametrize("n", [2, 3, 10, 57])
def test_pairs_are_numbered_as_pdist_does(n):
    class InOrder:
        def choice(self, total, size, **_):
            return np.arange(total - size, total)

    i, j = np.triu_indices(n, 1)
    most = len(i) - 1
    found = drawn_pairs(n, most, InOrder())
    assert_array_equal(found, [i[-most:] if most else i[:0], j[-most:] if most else j[:0]])
    assert_array_equal(drawn_pairs(n, len(i), InOrder()), [i, j])


def test_pairs_of_many_rows_are_pairs():
    n = 3_000_000_000
    i, j = drawn_pairs(n, 1000, np.random.default_rng(0))
    assert (0 <= i).all() and (i < j).all() and (j < n).all()
    assert len(np.unique(i * n + j)) == 1000


def test_bad_input(rng):
    with pytest.raises(ValueError, match="Array must be symmetric"):
        lowdim.shepard(rng.random((4, 4)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="square"):
        lowdim.shepard(rng.random((4, 3)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="negative"):
        lowdim.shepard(-np.ones((4, 4)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="Y has 3 rows where dissimilarity has 4"):
        lowdim.shepard(np.ones((4, 4)), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="n_pairs=0 is too small"):
        lowdim.shepard(np.ones((4, 4)), np.zeros((4, 2)), n_pairs=0)
