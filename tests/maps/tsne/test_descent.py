"""Steps: the gradient beside a numerical one, gains, the longest step."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.tsne import attraction
from lowdim.maps.tsne.attraction import pairs_of
from lowdim.maps.tsne.descent import (
    LONGEST,
    Forces,
    Phase,
    gradient,
    map_divergence,
    start_layout,
    stepped,
)
from tests.maps.tsne.examples import plain_divergence, random_affinities

PLAIN = Phase(exaggeration=1.0, learning_rate=1.0, compression=0.0)


@pytest.mark.parametrize("method", ["exact", "barnes_hut", "fft"])
@pytest.mark.parametrize(("axes", "dof"), [(1, 1.0), (2, 1.0), (2, 0.5), (3, 2.0)])
def test_the_gradient_is_that_of_the_divergence(method, axes, dof, rng):
    P = random_affinities(rng, 25)
    Y = rng.normal(size=(25, axes)).astype(np.float32)
    found = gradient(Y, pairs_of(P), Forces(method, dof, 0.01), PLAIN)
    step, numerical = 1e-4, np.empty(Y.shape)
    for at in np.ndindex(Y.shape):
        up, down = Y.astype(np.float64), Y.astype(np.float64)
        up[at] += step
        down[at] -= step
        numerical[at] = (plain_divergence(up, P, dof) - plain_divergence(down, P, dof)) / (2 * step)
    np.testing.assert_allclose(found, numerical, atol=2e-3 * np.abs(numerical).max())


def test_exaggeration_and_compression_add_to_the_gradient(rng):
    P, Y = pairs_of(random_affinities(rng, 25)), rng.normal(size=(25, 2)).astype(np.float32)
    forces = Forces("exact", 1.0, 0.5)
    plain = gradient(Y, P, forces, PLAIN)
    pull = 4 * attraction.attraction(P, Y, 1.0)
    strong = gradient(Y, P, forces, PLAIN._replace(exaggeration=3.0))
    np.testing.assert_allclose(strong, plain + 2 * pull, atol=1e-6)
    pressed = gradient(Y, P, forces, PLAIN._replace(compression=5.0))
    np.testing.assert_allclose(pressed, plain + 2 * 5.0 * Y / 25, atol=1e-6)


@pytest.mark.parametrize("method", ["exact", "barnes_hut", "fft"])
def test_small_steps_go_down(method, rng):
    P = random_affinities(rng, 60)
    pairs, forces = pairs_of(P), Forces(method, 1.0, 0.1)
    layout = start_layout(rng.normal(size=(60, 2)))
    values = [map_divergence(layout.Y, pairs, forces)]
    for _ in range(5):
        layout, _ = stepped(layout, pairs, forces, PLAIN._replace(learning_rate=0.5))
        values.append(map_divergence(layout.Y, pairs, forces))
    assert (np.diff(values) < 1e-6).all()


def test_gains_grow_where_steps_go_on_and_shrink_where_they_turn(rng):
    pairs, forces = pairs_of(random_affinities(rng, 30)), Forces("exact", 1.0, 0.5)
    layout = start_layout(rng.normal(size=(30, 2)))
    slope = gradient(layout.Y, pairs, forces, PLAIN)
    layout = layout._replace(velocity=-np.sign(slope).astype(np.float32))
    np.testing.assert_allclose(stepped(layout, pairs, forces, PLAIN)[0].gains, 1.2)
    layout = layout._replace(velocity=np.sign(slope).astype(np.float32))
    np.testing.assert_allclose(stepped(layout, pairs, forces, PLAIN)[0].gains, 0.8)


def test_no_point_moves_further_than_the_longest_step(rng):
    pairs, forces = pairs_of(random_affinities(rng, 30)), Forces("exact", 1.0, 0.5)
    layout = start_layout(rng.normal(size=(30, 2)))
    moved, norm = stepped(layout, pairs, forces, PLAIN._replace(learning_rate=1e6))
    lengths = np.linalg.norm(moved.velocity, axis=1)
    np.testing.assert_allclose(lengths, LONGEST, rtol=1e-5)
    slope = gradient(layout.Y, pairs, forces, PLAIN)
    assert norm == pytest.approx(np.linalg.norm(slope), rel=1e-5)
    np.testing.assert_allclose(moved.Y.mean(axis=0), 0, atol=1e-5)


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(attraction, "PIECE", 100)
    pairs, forces = pairs_of(random_affinities(rng, 80)), Forces("fft", 1.0, 0.5)
    start = start_layout(rng.normal(size=(80, 2)))
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            layout = start
            for _ in range(3):
                layout, _ = stepped(layout, pairs, forces, PLAIN)
            results.append(layout)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].Y, other.Y)
        np.testing.assert_array_equal(results[0].gains, other.gains)
