"""Sammon's stress, pair by pair."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import lowdim
from lowdim.maps.sammon.pairs import (
    add_pairs,
    first_pair,
    gathered,
    look,
    pairs_of,
    runs_of,
)


def example(rng, n=15, k=2, counts=False):
    delta = rng.random(n * (n - 1) // 2) + 0.2
    count = rng.integers(1, 4, size=n).astype(float) if counts else np.ones(n)
    return pairs_of(delta, count), rng.normal(size=(k, n))


def plain_stress(pairs, Y):
    i, j = np.triu_indices(Y.shape[1], 1)
    d = np.sqrt(((Y[:, i] - Y[:, j]) ** 2).sum(axis=0))
    w = pairs.counts[i] * pairs.counts[j]
    return (w * (pairs.delta - d) ** 2 / pairs.delta).sum() / (w * pairs.delta).sum()


def test_three_points_on_a_line_by_hand():
    pairs = pairs_of(np.array([3.0, 4.0, 5.0]), np.ones(3))
    seen = look(pairs, np.array([[0.0, -3.0, 2.0]]))
    assert pairs.total == 12.0
    assert seen.stress == pytest.approx(4 / 4 / 12)
    # only the pair (0, 2) is wrong: delta 4, d 2; -2/12 (1/2 - 1/4) (0 - 2)
    np.testing.assert_allclose(seen.slope, [[1 / 12, 0, -1 / 12]], atol=1e-15)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_slope_and_bend_are_the_derivatives_of_the_stress(rng, k, counts):
    pairs, Y = example(rng, k=k, counts=counts)
    seen = look(pairs, Y)
    assert seen.stress == pytest.approx(plain_stress(pairs, Y), rel=1e-12)
    h = 1e-5
    for a, i in [(0, 0), (k - 1, 7), (0, 14)]:
        up, down = Y.copy(), Y.copy()
        up[a, i] += h
        down[a, i] -= h
        high, low = plain_stress(pairs, up), plain_stress(pairs, down)
        # where two points nearly coincide the third derivative is large
        near = 1 + 1 / pdist(Y.T).min() ** 3
        assert seen.slope[a, i] == pytest.approx((high - low) / (2 * h), abs=1e-8 * near)
        bend = (look(pairs, up).slope[a, i] - look(pairs, down).slope[a, i]) / (2 * h)
        assert seen.bend[a, i] == pytest.approx(bend, abs=1e-7 * near**2)


def test_a_point_that_counts_twice_is_two_points_in_one_place(rng):
    single = rng.normal(size=(2, 6))
    D = squareform(rng.random(15) + 0.2)
    index = [0, 0, 1, 2, 3, 4, 5]
    whole = D[np.ix_(index, index)]
    i, j = np.triu_indices(7, 1)
    d = np.sqrt(((single[:, index][:, i] - single[:, index][:, j]) ** 2).sum(axis=0))
    delta = whole[i, j]
    apart = delta > 0
    expected = ((delta - d)[apart] ** 2 / delta[apart]).sum() / delta.sum()
    pairs = pairs_of(squareform(D), np.array([2.0, 1, 1, 1, 1, 1]))
    assert look(pairs, single).stress == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_kernel_is_its_python(rng, dtype):
    pairs, Y = example(rng, counts=True)
    results = []
    for run in (add_pairs, add_pairs.python):
        slope, bend, stress = np.zeros((2, 15)), np.zeros((2, 15)), np.zeros(1)
        delta = pairs.delta.astype(dtype)
        run(delta, pairs.counts, Y, 3, 11, np.empty((2, 15)), slope, bend, stress)
        results.append(np.concatenate([slope.ravel(), bend.ravel(), stress]))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-10, atol=1e-10)


def test_points_that_coincide_pull_nothing():
    pairs = pairs_of(np.array([1.0, 1.0, 1.0]), np.ones(3))
    seen = look(pairs, np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    assert np.isfinite(seen.slope).all() and np.isfinite(seen.bend).all()
    assert seen.stress == pytest.approx(1 / 3)


@pytest.mark.parametrize("n", [1, 2, 3, 50, 900, 2500])
def test_runs_cover_all_rows_once(n):
    runs = runs_of(n)
    assert [i for first, last in runs for i in range(first, last)] == list(range(n))
    if n == 2500:
        work = [first_pair(n, b) - first_pair(n, a) for a, b in runs]
        assert len(runs) > 8 and max(work) < 1.2 * np.mean(work)


def test_pairs_are_gathered_from_rows(rng):
    D = squareform(rng.random(45))
    delta = gathered(10, lambda first, last: D[first:last], np.float64)
    np.testing.assert_array_equal(delta, squareform(D))


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr("lowdim.maps.sammon.pairs.PAIRS_PER_RUN", 100)
    pairs, Y = example(rng, n=60)
    found = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            found.append(look(pairs, Y))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
