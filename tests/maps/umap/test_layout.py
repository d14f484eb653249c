"""The layout of UMAP."""

from itertools import pairwise

import numpy as np
import pytest

import lowdim
from lowdim.maps.umap.curve import Curve, losses
from lowdim.maps.umap.graph import directed, fuzzy_union
from lowdim.maps.umap.layout import (
    ALL_PAIRS,
    Places,
    advanced,
    blocks_of,
    cross_entropy,
    edges_of,
    estimated_objective,
    look_of,
    plan_of,
)
from tests.maps.umap.examples import graph_of

CURVE = Curve(1.5769, 0.8951)


def places(rng, n, k=2):
    return Places((rng.normal(size=(n, k)) * 3).astype(np.float32), 0)


def test_edges_keep_what_is_visited_at_least_once(rng):
    graph = graph_of(rng.normal(size=(50, 3)), 8)
    edges = edges_of(graph, 10)
    dense = (graph / graph.data.max()).toarray()
    dense[dense < 0.1] = 0.0
    assert len(edges.indices) == np.count_nonzero(dense)
    np.testing.assert_allclose(edges.degree, dense.sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(edges.rate / 2.0**32, edges.weight, atol=1e-6)


@pytest.mark.parametrize("n", [1, 5, 2048, 4096, 100_001])
def test_blocks_are_all_rows_once(n):
    blocks = blocks_of(n)
    assert blocks[0][0] == 0 and blocks[-1][1] == n and len(blocks) <= 32
    assert all(a[1] == b[0] for a, b in pairwise(blocks))


def test_few_rows_settle_without_any_draw(rng):
    graph = graph_of(rng.normal(size=(80, 4)))
    start = places(rng, 80)
    one, other = (
        advanced(start, plan_of(graph, CURVE, n_epochs=30, seed=seed), 30).Y for seed in (1, 2)
    )
    np.testing.assert_array_equal(one, other)


def test_settling_lowers_the_objective_in_every_chunk(rng):
    graph = graph_of(rng.normal(size=(120, 4)))
    plan = plan_of(graph, CURVE, n_epochs=200)
    look, now = look_of(plan, CURVE), places(rng, 120)
    history = []
    while now.epoch < 200:
        history.append(estimated_objective(now.Y, look))
        now = advanced(now, plan, 25)
    # pairs are sampled and rounded to tables: a percent
    assert (np.diff(history) <= 0.01 * history[0]).all() and history[-1] < 0.7 * history[0]


@pytest.mark.parametrize("n", [60, ALL_PAIRS + 40])
def test_epochs_in_pieces_are_epochs_at_once(rng, n):
    graph = graph_of(rng.normal(size=(n, 3)), 6)
    plan = plan_of(graph, CURVE, n_epochs=20, seed=5)
    start = places(rng, n)
    whole, parts = advanced(start, plan, 20), start
    for _ in range(4):
        parts = advanced(parts, plan, 5)
    np.testing.assert_array_equal(whole.Y, parts.Y)
    assert whole.epoch == parts.epoch == 20


@pytest.mark.parametrize("k", [2, 3])
def test_threads_change_no_bit(rng, k):
    n = 4200
    indices = np.sort((np.arange(n)[:, None] + [1, 2, 5]) % n, axis=1)
    graph = fuzzy_union(directed(rng.random((n, 3)), indices, n))
    assert len(blocks_of(n)) == 2
    plan, start, found = plan_of(graph, CURVE, n_epochs=6, seed=3), places(rng, n, k), []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            found.append(advanced(start, plan, 6).Y)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_cross_entropy_is_the_sum_over_all_pairs(rng):
    graph = graph_of(rng.normal(size=(70, 3)), 6)
    Y = rng.normal(size=(70, 2)).astype(np.float32)
    v, total = graph.toarray().astype(float), 0.0
    squared = ((Y[:, None].astype(float) - Y) ** 2).sum(axis=2)
    near, far = losses(squared, CURVE)
    for i in range(70):
        for j in range(70):
            if i != j:
                total += v[i, j] * near[i, j] + (1 - v[i, j]) * far[i, j]
                total += sum(p * np.log(p) for p in (v[i, j], 1 - v[i, j]) if p > 0)
    assert cross_entropy(graph, Y, CURVE, all_pairs=True) == pytest.approx(total, rel=1e-9)
    sampled = cross_entropy(graph, Y, CURVE, all_pairs=False)
    assert sampled == pytest.approx(total, rel=0.01)  # from 2,000,000 pairs of 4,830


def test_the_estimated_objective_is_that_of_all_edges_and_pairs(rng):
    graph = graph_of(rng.normal(size=(200, 3)), 6)
    Y = rng.normal(size=(200, 2)).astype(np.float32)
    plan = plan_of(graph, CURVE, n_epochs=100, negatives=3, strength=2.0)
    near, far = losses(((Y[:, None].astype(float) - Y) ** 2).sum(axis=2), CURVE)
    np.fill_diagonal(far, 0.0)
    weight = graph.toarray() * (graph.toarray() >= 0.01 * graph.data.max()) / graph.data.max()
    pushed = 3 * 2.0 * (weight.sum(axis=1) * far.sum(axis=1)).sum() / 199
    expected = (weight * near).sum() + pushed
    # 4,000 pairs whose losses vary about as much as they are: 1 / sqrt(4000), three times
    found = estimated_objective(Y, look_of(plan, CURVE))
    assert found == pytest.approx(expected, rel=0.06)
