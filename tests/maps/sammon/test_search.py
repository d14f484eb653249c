"""The search for places of least stress."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps.coordinates import principal_coordinates, squared
from lowdim.maps.sammon.pairs import look, pairs_of
from lowdim.maps.sammon.search import curvature, search_start, search_step, sized


def problem(D):
    D = D / D.mean()
    Y = principal_coordinates(squared(D), 2).Y.T
    return pairs_of(squareform(D), np.ones(len(D))), np.ascontiguousarray(Y)


def history(pairs, Y, solver, steps, magic=0.2):
    state, found = search_start(Y, magic, solver), []
    for _ in range(steps):
        state = search_step(pairs, state)
        found.append(state.stress)
    return state, np.array(found)


GOLDEN = {  # R's MASS::sammon at its end
    "roads": (load_eurodist().dissimilarity, 0.0170457, 0.0093982),
    "colours": (1 - load_ekman().similarity, 0.0638112, 0.0222278),
}


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize(("solver", "steps"), [("newton", 40), ("gradient", 250)])
def test_known_maps_are_found(name, solver, steps):
    D, first, last = GOLDEN[name]
    _, found = history(*problem(D), solver, steps)
    assert found[0] == pytest.approx(first, abs=1e-7)
    assert found[-1] == pytest.approx(last, abs=1.5e-7)


@pytest.mark.parametrize("solver", ["newton", "gradient"])
@pytest.mark.parametrize("magic", [0.01, 0.2, 50.0])
def test_stress_never_rises(rng, solver, magic):
    D = squareform(rng.random(435) + 0.05)
    pairs, _ = problem(D)
    state, found = history(pairs, rng.normal(size=(2, 30)), solver, 60, magic)
    assert (np.diff(found) <= 0).all() and found[-1] < found[0]
    assert look(pairs, state.Y).stress == pytest.approx(found[-1], rel=1e-10)


@pytest.mark.parametrize("solver", ["newton", "gradient"])
def test_a_plane_is_found_again(rng, solver):
    D = squareform(pdist(rng.normal(size=(25, 2))))
    pairs, Y = problem(D)
    _, found = history(pairs, Y * 1.3 + 0.05 * rng.normal(size=Y.shape), solver, 300)
    assert found[-1] < (1e-12 if solver == "newton" else 1e-6)


def test_a_search_at_its_end_stays_there():
    pairs, Y = problem(squareform(pdist(np.random.default_rng(0).normal(size=(10, 2)))))
    for solver in ("newton", "gradient"):
        state, _ = history(pairs, Y, solver, 40)
        np.testing.assert_array_equal(search_step(pairs, state).stress, state.stress)


def test_a_flat_coordinate_takes_no_endless_step(rng):
    seen = look(*problem(squareform(pdist(rng.normal(size=(10, 2))))))
    flat = seen._replace(bend=np.where(np.arange(10) == 3, 0.0, seen.bend))
    assert (curvature(flat) > 0).all()


def test_a_start_gets_the_size_of_least_stress(rng):
    pairs, _ = problem(squareform(rng.random(45) + 0.2))
    Y = sized(pairs, 7.3 * rng.normal(size=(2, 10)))
    best = look(pairs, Y).stress
    assert all(look(pairs, t * Y).stress > best for t in (0.999, 1.001))
    np.testing.assert_array_equal(sized(pairs, np.zeros((2, 10))), 0.0)
