"""Lists of pairs: all of them, and some that stand for all."""

import numpy as np
import pytest

from lowdim.maps.mds import pairs as pairs_module
from lowdim.maps.mds.pairs import (
    all_pairs,
    check_joined,
    neighbors_of,
    sampled_pairs,
    sorted_pairs,
)
from tests.maps.mds.examples import between, list_of, noisy, random_weights


def nearest(D, q):
    index = np.argsort(D + np.diag(np.full(len(D), np.inf)), axis=1)[:, :q]
    return index, np.take_along_axis(D, index, axis=1)


def test_all_pairs_are_there_once(rng, monkeypatch):
    monkeypatch.setattr(pairs_module, "BLOCK_NUMBERS", 30)
    D = noisy(rng, 11)
    first, second, delta, weight, _ = list_of(D)
    np.testing.assert_array_equal(first, np.triu_indices(11, 1)[0])
    np.testing.assert_array_equal(second, np.triu_indices(11, 1)[1])
    np.testing.assert_array_equal(delta, D[np.triu_indices(11, 1)])
    assert weight.tolist() == [1.0]
    assert first.dtype == second.dtype == np.int32


def test_pairs_without_weight_or_dissimilarity_are_left_out(rng):
    D, W = noisy(rng, 9), random_weights(rng, 9)
    D[0, 1] = D[1, 0] = np.nan
    pairs = list_of(D, W)
    listed = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    i, j = np.nonzero(np.triu((W > 0) & ~np.isnan(D), 1))
    assert listed == set(zip(i.tolist(), j.tolist(), strict=True))
    np.testing.assert_array_equal(pairs.weight, W[pairs.first, pairs.second])
    assert len(all_pairs(between(D), 9).first) == 35


def test_sorting_keeps_pairs_together(rng):
    D, W = noisy(rng, 9), random_weights(rng, 9)
    pairs = sorted_pairs(list_of(D, W))
    assert np.all(np.diff(pairs.dissimilarity) >= 0)
    np.testing.assert_array_equal(pairs.dissimilarity, D[pairs.first, pairs.second])
    np.testing.assert_array_equal(pairs.weight, W[pairs.first, pairs.second])


def test_some_pairs_hold_all_neighbours_and_weigh_as_much_as_all(rng):
    n, q = 80, 3
    D = noisy(rng, n)
    index, near = nearest(D, q)
    pairs = sampled_pairs(between(D), n, 12, (index, near), rng)
    code = pairs.first.astype(int) * n + pairs.second
    assert np.all(np.diff(code) > 0)
    assert np.all(pairs.first < pairs.second)
    np.testing.assert_array_equal(pairs.dissimilarity, D[pairs.first, pairs.second])
    rows = np.repeat(np.arange(n), q)
    wanted = np.minimum(rows, index.ravel()) * n + np.maximum(rows, index.ravel())
    where = np.isin(code, wanted)
    assert where.sum() == len(np.unique(wanted))
    assert np.all(pairs.weight[where] == 1.0)
    np.testing.assert_allclose(pairs.total_weight, n * (n - 1) / 2)


def test_the_weighted_sum_estimates_the_sum_over_all(rng):
    n = 150
    D = noisy(rng, n)
    whole = D.sum() / 2
    neighbours = nearest(D, 2)
    draws = []
    for seed in range(30):
        pairs = sampled_pairs(between(D), n, 12, neighbours, np.random.default_rng(seed))
        draws.append(pairs.weight @ pairs.dissimilarity)
    error = np.std(draws) / np.sqrt(len(draws))
    assert abs(np.mean(draws) - whole) < 5 * error
    assert np.std(draws) < 0.05 * whole


@pytest.mark.parametrize("n_pairs", [1, 6, 60])
def test_a_part_of_the_pairs_is_with_neighbours(n_pairs):
    assert neighbors_of(n_pairs) == n_pairs // 6


def test_rows_that_nothing_joins_are_named():
    D = np.full((5, 5), np.nan)
    D[:4, :4] = 1.0
    with pytest.raises(ValueError, match="between row 4 and the other rows"):
        check_joined(list_of(D))
    with pytest.raises(ValueError, match=r"n_pairs=2 leaves .* row 4 .* Raise n_pairs"):
        check_joined(list_of(D), 2)
    check_joined(list_of(D[:4, :4]))
