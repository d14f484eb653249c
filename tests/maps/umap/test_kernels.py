"""One epoch over a block of rows."""

import numpy as np
import pytest

from lowdim.maps.umap import kernels
from lowdim.maps.umap.curve import Curve, coefficients
from lowdim.maps.umap.layout import edges_of
from tests.maps.umap.examples import graph_of

TABLES = coefficients(Curve(1.5769, 0.8951))
NOTHING = np.zeros(1, np.float32)


def problem(rng, k, n=40):
    edges = edges_of(graph_of(rng.normal(size=(n, 4)), 6), 50)
    Y = rng.normal(size=(n, k)).astype(np.float32) * 3
    return edges, np.concatenate([Y, Y])


def sampled(run, Z, edges, block, move=(), epoch=3, negatives=4):
    arrays = edges.indptr, edges.indices, edges.rate
    with np.errstate(over="ignore"):
        run(Z, *arrays, *block, epoch, 7, *TABLES, 0.02, negatives, *move)
    return Z


def settled(run, Z, edges, block, draws, move=(), extra=NOTHING):
    share = edges.degree * np.float32(0.1)
    arrays = edges.indptr, edges.indices, edges.weight, extra, share
    with np.errstate(over="ignore"):
        run(Z, *arrays, *block, 3, 7, *TABLES, 0.5, draws, *move)
    return Z


@pytest.mark.parametrize("block", [(0, 40), (10, 25)], ids=str)
def test_sampled_epochs_are_those_of_their_python_twins(rng, block):
    edges, Z = problem(rng, 2)
    plane = sampled(kernels.sampled_plane, Z.copy(), edges, block)
    twin = sampled(kernels.sampled_plane.python, Z.copy(), edges, block)
    np.testing.assert_allclose(plane, twin, atol=1e-3)
    any_k = sampled(kernels.sampled, Z.copy(), edges, block, (np.empty(2, np.float32),))
    np.testing.assert_allclose(any_k, plane, atol=1e-3)
    assert (plane[: block[0]] == Z[: block[0]]).all() and (plane[block[1] :] == Z[block[1] :]).all()
    assert not (plane == Z).all()


@pytest.mark.parametrize("draws", [0, 9])
def test_settling_steps_are_those_of_their_python_twins(rng, draws):
    edges, Z = problem(rng, 2)
    extra = rng.normal(size=len(edges.indices)).astype(np.float32) / 10
    for further in (NOTHING, extra):
        plane = settled(kernels.settled_plane, Z.copy(), edges, (5, 30), draws, extra=further)
        twin = settled(kernels.settled_plane.python, Z.copy(), edges, (5, 30), draws, extra=further)
        np.testing.assert_allclose(plane, twin, atol=1e-4)
        move = (np.empty(2, np.float32),)
        any_k = settled(kernels.settled, Z.copy(), edges, (5, 30), draws, move, extra=further)
        np.testing.assert_allclose(any_k, plane, atol=1e-4)


def test_settling_in_three_dimensions_is_its_python_twin(rng):
    edges, Z = problem(rng, 3)
    move = (np.empty(3, np.float32),)
    for run, *arguments in ((settled, (0, 40), 6), (sampled, (0, 40))):
        name = run.__name__  # that of the kernel
        compiled = run(getattr(kernels, name), Z.copy(), edges, *arguments, move=move)
        twin = run(getattr(kernels, name).python, Z.copy(), edges, *arguments, move=move)
        np.testing.assert_allclose(compiled, twin, atol=1e-3)


def test_an_edge_is_visited_as_often_as_its_weight_says(rng):
    edges, _ = problem(rng, 2)
    still = edges._replace(rate=edges.rate.copy())
    visits = np.zeros(len(edges.rate))
    number = np.arange(len(edges.rate), dtype=np.uint32)
    for epoch in range(400):  # the rule of the kernel, edge by edge
        phase = (number * np.uint32(0x9E3779B9) + np.uint32(epoch) * still.rate).astype(np.uint32)
        visits += (phase + still.rate).astype(np.uint32) < phase
    assert np.abs(visits - 400 * edges.weight).max() <= 1.01


def test_rows_are_drawn_evenly():
    counts = np.zeros(7)
    with np.errstate(over="ignore"):
        for row in range(3000):
            state = kernels._begun.python(11, 2, row)
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            counts[int(((state >> np.uint64(32)) * np.uint64(7)) >> np.uint64(32))] += 1
    # a standard deviation is sqrt(3000 / 7 * 6 / 7) = 19
    assert np.abs(counts - 3000 / 7).max() < 80
