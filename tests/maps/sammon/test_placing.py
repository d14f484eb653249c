"""New rows among points that stay where they are."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

import lowdim
from lowdim.maps.sammon.placing import first_places, place_rows, settle


def test_a_row_of_the_plane_is_put_where_it_is(rng):
    Y, true = rng.normal(size=(30, 2)), rng.normal(size=(9, 2))
    places = place_rows(cdist(true, Y), np.ones(30), Y)
    np.testing.assert_allclose(places, true, atol=1e-6)


def test_places_are_minima(rng):
    Y, delta = rng.normal(size=(20, 2)), rng.random((6, 20)) * 2 + 0.3
    count = rng.integers(1, 4, size=20).astype(float)

    def error(y, row):
        return (count / row * (row - np.sqrt(((y - Y) ** 2).sum(axis=1))) ** 2).sum()

    for place, row in zip(place_rows(delta, count, Y), delta, strict=True):
        better = minimize(error, place, args=(row,), method="BFGS", options={"gtol": 1e-10})
        assert error(place, row) <= better.fun * (1 + 1e-8)
        np.testing.assert_allclose(better.x, place, atol=1e-4)


def test_no_step_makes_it_worse(rng):
    Y, delta = rng.normal(size=(2, 20)), rng.random((5, 20)) + 0.2
    weight, places, error = 1 / delta, rng.normal(size=(5, 2)), np.empty(5)
    found = []
    for _ in range(30):
        settle(delta, weight, Y, places, error, np.empty(20), 1, 1.7, 0.0)
        found.append(error.copy())
    assert (np.diff(found, axis=0) <= 1e-12).all()


def test_the_kernel_is_its_python(rng):
    Y, delta = rng.normal(size=(2, 12)), rng.random((4, 12)) + 0.2
    weight, start = 1 / delta, rng.normal(size=(4, 2))
    results = []
    for run in (settle, settle.python):
        places, error = start.copy(), np.empty(4)
        run(delta, weight, Y, places, error, np.empty(12), 7, 1.7, 0.0)
        results.append(np.column_stack([places, error]))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_row_does_not_depend_on_the_others(rng, k):
    Y, delta = rng.normal(size=(15, k)), rng.random((8, 15)) + 0.2
    whole = place_rows(delta, np.ones(15), Y)
    one = np.vstack([place_rows(row[None], np.ones(15), Y) for row in delta])
    np.testing.assert_array_equal(whole, one)
    with lowdim.config_context(threads=1):
        np.testing.assert_array_equal(place_rows(delta, np.ones(15), Y), whole)


def test_one_point_and_points_in_one_place_have_rows_beside_them():
    places = place_rows(np.array([[2.0]]), np.ones(1), np.zeros((1, 2)))
    assert np.linalg.norm(places) == pytest.approx(2.0)
    places = place_rows(np.array([[2.0, 2.0]]), np.ones(2), np.ones((2, 2)))
    assert np.linalg.norm(places - 1) == pytest.approx(2.0)
    assert len(first_places(np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 2)))) == 3
