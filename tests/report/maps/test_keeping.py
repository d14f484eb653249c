"""What a map keeps, held against definitions and maps that keep all or nothing."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from lowdim.report.maps import keeping
from lowdim.report.maps.keeping import (
    kept_by,
    near_in_map,
    rank_correlation,
    shared_neighbors,
    stress_1,
    truth_of,
)


def test_a_plane_keeps_itself_whole(rng):
    X = rng.normal(size=(60, 2))
    kept = kept_by(7.0 * X[:, ::-1], truth_of(X, 0), 0)  # mirrored and in other units
    assert kept.share == 1.0 and kept.rows.min() == 10
    assert kept.trustworthiness == kept.continuity == pytest.approx(1.0)
    assert kept.distance_correlation == pytest.approx(1.0)
    assert kept.stress == pytest.approx(0.0, abs=1e-7)


def test_points_at_random_keep_as_many_neighbours_as_chance_does(rng):
    n, k = 400, 10
    kept = kept_by(rng.normal(size=(n, 2)), truth_of(rng.normal(size=(n, 5)), 0), 0)
    chance = k / (n - 1)
    error = np.sqrt(chance / (n * k))  # of a share of n k draws
    assert abs(kept.share - chance) < 6 * error


def test_neighbours_in_the_map_are_those_of_the_definition(rng):
    Y = rng.normal(size=(50, 2))
    D = cdist(Y, Y)
    np.fill_diagonal(D, np.inf)
    expected = np.sort(np.argsort(D, axis=1)[:, :4], axis=1)
    np.testing.assert_array_equal(np.sort(near_in_map(Y, 4), axis=1), expected)


def test_of_many_points_in_one_place_none_is_its_own_neighbour():
    near = near_in_map(np.zeros((30, 2)), 5)
    assert near.shape == (30, 5)
    assert not (near == np.arange(30)[:, None]).any()
    assert all(len(set(row)) == 5 for row in near.tolist())


def test_shared_neighbours_are_counted_whatever_their_order():
    near = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3]])
    other = np.array([[3, 2, 1], [3, 4, 5], [4, 5, 0]])
    np.testing.assert_array_equal(shared_neighbors(near, other), [3, 1, 1])


def test_stress_of_two_distances_by_hand():
    # delta = (1, 2), d = (1, 1): best scale 3/2, error 1/4 + 1/4 of 5
    assert stress_1(np.array([1.0, 2.0]), np.ones(2)) == pytest.approx(np.sqrt(0.5 / 5))
    assert stress_1(np.array([1e-300, 2e-300]), np.ones(2)) == pytest.approx(np.sqrt(0.5 / 5))
    assert stress_1(np.ones(3), np.zeros(3)) == 1.0 and stress_1(np.zeros(3), np.ones(3)) == 0.0


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_do_not_matter(rng, unit):
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    one, other = (kept_by(u * Y, truth_of(u * X, 0), 0) for u in (1.0, unit))
    np.testing.assert_array_equal(other.rows, one.rows)
    assert other.stress == pytest.approx(one.stress)
    assert other.distance_correlation == pytest.approx(one.distance_correlation)
    np.testing.assert_allclose(other.distance / unit, one.distance)


def test_a_constant_has_no_order():
    assert rank_correlation(np.ones(5), np.arange(5.0)) == 0.0
    assert rank_correlation(np.arange(5.0), np.arange(5.0) ** 3) == pytest.approx(1.0)


def test_missing_values_are_filled_where_pairs_are_compared(rng):
    X = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 6))
    holes = X.copy()
    holes[rng.random(X.shape) < 0.1] = np.nan
    truth, whole = truth_of(holes, 0), truth_of(X, 0)
    assert not np.isnan(truth.condensed).any()
    assert rank_correlation(truth.condensed, whole.condensed) > 0.95
    assert shared_neighbors(truth.near, whole.near).mean() > 6


def test_large_pages_have_fewer_neighbours_and_judge_a_sample(rng, monkeypatch):
    monkeypatch.setattr(keeping, "MANY_ROWS", 50)
    monkeypatch.setattr(keeping, "JUDGED_ROWS", 40)
    truth = truth_of(rng.normal(size=(60, 3)), 0)
    assert truth.near.shape == (60, 5) and len(truth.judged) == 40
    assert len(truth.pairs) == len(truth.condensed) == 40 * 39 // 2
