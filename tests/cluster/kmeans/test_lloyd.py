"""Lloyd's algorithm, step by step."""

import numpy as np
import pytest

from lowdim.cluster.kmeans.assignment import Setting, statistics
from lowdim.cluster.kmeans.lloyd import Clusters, Descent, best_of, lloyd
from lowdim.cluster.kmeans.seeding import part_in_memory
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from tests.cluster.kmeans.examples import frame, groups

# ---- the derivation ------------------------------------------------------------------------------


def test_changes_add_up_to_the_sums_of_all_rows(rng):
    X, _ = groups(rng, n=1000, apart=1.0)
    descent = Descent(ArrayBlocks(X, block_rows=300), None, frame(4), 20)
    state = descent.start(X[:20].copy())
    for _ in range(10):
        plain = statistics(X, Setting(state.centers, frame(4)), None)
        inertia, new = descent.step(state)
        assert inertia == pytest.approx(plain.inertia, rel=1e-12)
        np.testing.assert_array_equal(new.sums.count, plain.count)
        np.testing.assert_allclose(new.sums.sum_x, plain.sum_x, atol=1e-10)
        state = new


def test_what_is_remembered_changes_no_step(rng):
    X, _ = groups(rng, n=800, apart=1.0)
    steps = []
    for remember in (True, False):
        descent = Descent(ArrayBlocks(X, block_rows=300), None, frame(4), 10, remember=remember)
        state = descent.start(X[:10].copy())
        for _ in range(8):
            inertia, state = descent.step(state)
        steps.append((inertia, state.centers))
    assert steps[0][0] == pytest.approx(steps[1][0], rel=1e-12)
    np.testing.assert_allclose(steps[0][1], steps[1][1], atol=1e-12)


# ---- properties ----------------------------------------------------------------------------------


def test_of_starts_that_end_alike_the_first_is_kept():
    runs = [
        Clusters(np.full((1, 1), i), np.zeros(1), J) for i, J in enumerate([3.0, 2.0 + 1e-15, 2])
    ]
    assert best_of(runs) is runs[1]
    assert best_of([Clusters(None, None, 0.0)]).inertia == 0.0


def test_k_means_finds_the_means_of_two_groups():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    found = lloyd(X, 2, np.random.default_rng(0), np.array([1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_allclose(np.sort(found.centers, axis=0), [[0.75], [9.5]])
    assert found.inertia == pytest.approx(1.25)


def test_k_means_sees_weights_as_repeated_rows_in_any_order(rng):
    X = rng.normal(size=(60, 3))
    weight = rng.integers(0, 3, size=60).astype(float)
    weight[0] = 1.0
    repeated = np.repeat(X, weight.astype(int), axis=0)
    results = []
    for rows, w in [(X, weight), (repeated[rng.permutation(len(repeated))], None)]:
        random = np.random.default_rng(1)
        part = part_in_memory(as_blocks(rows), random, w)
        results.append(lloyd(part.rows, 4, random, part.weight))
    np.testing.assert_allclose(results[0].centers, results[1].centers, atol=1e-12)
