"""New rows among the places of training rows."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.umap import placing
from lowdim.maps.umap.curve import Curve, coefficients
from lowdim.maps.umap.layout import ALL_PAIRS
from lowdim.maps.umap.placing import Settling, drawn_places, placed

TABLES = coefficients(Curve(1.5769, 0.8951))


def settling(**changes):
    return Settling(TABLES, 50, 0.25, 5, 42)._replace(**changes)


def problem(rng, n, k=2, m=40):
    places = (3 * rng.normal(size=(n, k))).astype(np.float32)
    indices = rng.integers(n, size=(m, 6))
    return places, indices, np.sort(rng.random((m, 6)), axis=1)[:, ::-1]


@pytest.mark.parametrize("n", [100, ALL_PAIRS + 1])
def test_rows_do_not_depend_on_each_other(rng, n):
    places, indices, weights = problem(rng, n)
    together = placed(places, indices, weights, settling())
    alone = [placed(places, indices[i : i + 1], weights[i : i + 1], settling()) for i in range(40)]
    np.testing.assert_array_equal(together, np.vstack(alone))


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(placing, "ROWS", 7)
    places, indices, weights = problem(rng, 100)
    found = []
    for threads in (1, 2):
        with lowdim.config_context(threads=threads):
            found.append(placed(places, indices, weights, settling()))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_kernel_is_its_python_twin(rng, k):
    places, indices, weights = problem(rng, 30, k, m=5)
    far = drawn_places(places, settling())
    near, share = places[indices], np.full(5, 0.1, np.float32)
    found = []
    for run in (placing._settle, placing._settle.python):
        Y = near.mean(axis=1)
        work = np.empty(k, np.float32)
        run(Y, near, weights.astype(np.float32), share, far, *TABLES, 4, 0.25, work)
        found.append(Y)
    np.testing.assert_allclose(*found, atol=5e-3)


def test_without_steps_a_row_is_at_the_mean_of_its_neighbours(rng):
    places, indices, weights = problem(rng, 100)
    Y = placed(places, indices, weights, settling(n_epochs=0))
    expected = np.einsum("mj,mjk->mk", weights, places[indices]) / weights.sum(axis=1)[:, None]
    np.testing.assert_allclose(Y, expected, atol=1e-3)  # weights have 16 bits
    np.testing.assert_array_equal(Y, placed(places, indices, weights, settling(negatives=0)))


def test_a_row_that_is_joined_to_nothing_is_placed_among_its_neighbours(rng):
    places, indices, _ = problem(rng, 100)
    Y = placed(places, indices, np.zeros((40, 6)), settling(n_epochs=0))
    np.testing.assert_allclose(Y, places[indices].mean(axis=1), atol=1e-5)


def test_a_row_settles_next_to_the_group_it_belongs_to(rng):
    places = np.vstack([rng.normal(size=(40, 2)), 20 + rng.normal(size=(40, 2))]).astype(np.float32)
    indices = np.array([[0, 1, 2, 3, 4, 41]])
    Y = placed(places, indices, np.array([[1.0, 0.9, 0.9, 0.8, 0.8, 0.05]]), settling())
    assert np.linalg.norm(Y[0]) < 4.0
