"""R_NX and the area under it."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import config_context
from lowdim.maps.quality import coranks
from lowdim.maps.quality.coranks import all_ranks, area, kept_curve
from lowdim.maps.quality.space import MapSpace


def by_definition(X, Y):
    """Neighbourhoods of every size, as sets."""
    n, near = len(X), []
    for Z in (X, Y):
        D = np.linalg.norm(Z[:, None] - Z[None], axis=2)
        np.fill_diagonal(D, np.inf)
        near.append(np.argsort(D, axis=1))
    curve = []
    for k in range(1, n - 1):
        both = [len(set(a[:k]) & set(b[:k])) for a, b in zip(*near, strict=True)]
        Q = np.sum(both) / (k * n)
        curve.append(((n - 1) * Q - k) / (n - 1 - k))
    return np.array(curve)


def test_curve_is_that_of_its_definition(rng):
    X, Y = rng.normal(size=(30, 4)), rng.normal(size=(30, 2))
    found = kept_curve(MapSpace(X), MapSpace(Y), np.arange(30))
    assert_allclose(found, by_definition(X, Y), rtol=1e-12, atol=1e-12)


def test_a_map_that_keeps_all_has_an_area_of_1(rng):
    X = rng.normal(size=(25, 3))
    curve = kept_curve(MapSpace(X), MapSpace(-2 * X), np.arange(25))
    assert_array_equal(curve, np.ones(23))
    assert area(curve) == 1.0


def test_a_map_of_chance_has_an_area_near_0(rng):
    X, Y = rng.normal(size=(400, 3)), rng.normal(size=(400, 2))
    curve = kept_curve(MapSpace(X), MapSpace(Y), np.arange(400))
    assert abs(area(curve)) < 0.02


def test_small_neighbourhoods_weigh_more():
    assert_allclose(area(np.array([1.0, 0.0, 0.0])), 6 / 11)


def test_rows_and_blocks_add_up(rng, monkeypatch):
    X, Y = MapSpace(rng.normal(size=(40, 3))), MapSpace(rng.normal(size=(40, 2)))
    whole = kept_curve(X, Y, np.arange(40))
    parts = [kept_curve(X, Y, np.arange(40)[s]) for s in (slice(10), slice(10, 40))]
    assert_allclose((10 * parts[0] + 30 * parts[1]) / 40, whole, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(coranks, "BLOCK_BYTES", 1)
    with config_context(threads=2):
        assert_array_equal(kept_curve(X, Y, np.arange(40)), whole)


def test_every_row_has_a_rank_and_itself_the_last(rng):
    rank = all_ranks(MapSpace(rng.normal(size=(20, 2))), np.array([3, 8]))
    assert_array_equal(np.sort(rank, axis=1), np.tile(np.arange(1, 21), (2, 1)))
    assert_array_equal(rank[[0, 1], [3, 8]], [20, 20])
