"""New points among those of a map."""

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from lowdim.maps.mds.placing import anchors_of, place


def crowded(rng, m=15, n=60, k=2):
    """A map, and disparities to it that no place has."""
    Y = rng.normal(size=(n, k))
    f = cdist(rng.normal(size=(m, k)), Y)
    return Y, np.sqrt(f**2 + rng.uniform(0.0, 3.0, size=f.shape))


def stress(y, f, Y):
    return float(((f - np.linalg.norm(Y - y, axis=1)) ** 2).sum())


def test_points_of_the_plane_are_placed_where_they_are(rng):
    for k in (1, 2, 4):
        Y, Z = rng.normal(size=(30, k)), rng.normal(size=(8, k))
        np.testing.assert_allclose(place(cdist(Z, Y), anchors_of(Y)), Z, atol=1e-9)


def test_nothing_near_is_lower(rng):
    Y, f = crowded(rng)
    for y, row in zip(place(f, anchors_of(Y)), f, strict=True):
        polished = minimize(stress, y, args=(row, Y), tol=1e-12)
        assert stress(y, row, Y) <= polished.fun * (1 + 1e-9)


def test_points_are_placed_each_for_itself(rng):
    Y, f = crowded(rng)
    anchors = anchors_of(Y)
    together = place(f, anchors)
    np.testing.assert_array_equal(place(f[::-1].copy(), anchors), together[::-1])
    for i in (0, 7):
        np.testing.assert_array_equal(place(f[i : i + 1], anchors)[0], together[i])


def test_a_map_that_is_one_place_has_room_for_others():
    places = place(np.ones((2, 3)), anchors_of(np.zeros((3, 2))))
    assert np.isfinite(places).all()


def test_the_map_may_be_moved_and_turned(rng):
    Y, f = crowded(rng)
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    moved = place(f, anchors_of(Y @ turn + 5.0))
    np.testing.assert_allclose(moved, place(f, anchors_of(Y)) @ turn + 5.0, atol=1e-6)
