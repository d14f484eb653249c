"""Rows as points: centers and units that round nothing, and rows of length 1."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.maps.framing import frame_of, points_of, unit_of
from lowdim.maps.points import metric_of
from tests.maps.examples import as_points

EUCLIDEAN = metric_of("euclidean")


def test_the_unit_is_a_power_of_two_for_all_numbers():
    assert unit_of(0.0) == 1.0 and unit_of(1.0) == 1.0 and unit_of(7.9) == 4.0
    for value in (5e-324, 1e-300, 3.0, 1.7e308):
        unit = unit_of(value)
        assert 1.0 <= value / unit < 2.0 and np.frexp(unit)[0] == 0.5


def test_only_columns_far_from_zero_are_moved_and_to_their_least_value():
    X = np.array([[1000.0, 1.0, -1000.0, 0.0], [1001.0, 3.0, -999.0, 0.0]])
    frame = frame_of(X, EUCLIDEAN)
    assert_array_equal(frame.center, [1000.0, 0.0, -1000.0, 0.0])
    assert frame.unit == 2.0
    assert_array_equal(as_points(X).rows * 2.0, [[0, 1, 0, 0], [1, 3, 1, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moving_and_scaling_round_nothing(rng, dtype):
    X = (rng.normal(size=(50, 4)) + np.array([0.0, 5.0, 1e3, -1e5])).astype(dtype)
    points, frame = as_points(X), frame_of(X, EUCLIDEAN)
    back = points.rows.astype(float) * frame.unit + frame.center
    assert_array_equal(back, X.astype(float))
    assert points.rows.dtype == dtype and np.abs(points.rows).max() < 2


def test_missing_values_do_not_move_the_frame(rng):
    X = rng.normal(size=(30, 3)) + 1e4
    holes = X.copy()
    holes[5:10, 1] = np.nan
    holes[:, 2] = np.nan
    frame = frame_of(holes, EUCLIDEAN)
    assert frame.center[0] == X[:, 0].min() and frame.center[2] == 0.0
    points = points_of(holes, frame, EUCLIDEAN, pairwise=True)
    assert_array_equal(points.observed, ~np.isnan(holes))
    assert points_of(X, frame, EUCLIDEAN, pairwise=True).observed is None


def test_what_is_missing_adds_its_variance_in_the_unit_of_points():
    X = np.array([[8.0], [0.0]])
    points = points_of(X, frame_of(X, EUCLIDEAN), EUCLIDEAN, std=np.array([0.0, 4.0]))
    assert points.unit == 8.0
    assert_array_equal(points.spread, [0.0, 0.25])


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_points_for_cosines_have_length_1_and_rows_of_zeros_a_spread(rng, metric):
    X = rng.normal(size=(20, 6)) * 1e200
    X[3] = 0.0
    X[4] = 2.5 if metric == "correlation" else 0.0
    points = as_points(X, metric)
    lengths = np.linalg.norm(points.rows, axis=1)
    assert_allclose(np.delete(lengths, [3, 4]), 1.0)
    assert_array_equal(lengths[[3, 4]], 0.0)
    assert_array_equal(np.flatnonzero(points.spread), [3, 4])
    assert points.unit == 1.0


def test_sparse_rows_stay_sparse_and_are_left_as_they_were(rng):
    S = sp.random_array((20, 30), density=0.2, rng=rng, format="csr") * 100
    before = S.copy()
    for metric in ("euclidean", "cosine", "correlation"):
        points = as_points(S, metric)
        assert sp.issparse(points.rows) and points.rows.nnz == S.nnz
        assert_array_equal(S.data, before.data)


def test_units_of_x_are_units_of_points(rng):
    X = rng.normal(size=(10, 3))
    small, large = as_points(X), as_points(X * 2.0**900)
    assert_array_equal(small.rows, large.rows)
    assert large.unit == small.unit * 2.0**900
