import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

import lowdim
from lowdim.maps.affinities.conditional import conditional, uniform

# float32 shares are good to 6e-8 each: their entropy to some 1e-6
PRECISION = {np.float64: 1e-8, np.float32: 5e-6}


def entropy(p):
    p = p.astype(np.float64)
    return -np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=1)


def distances(rng, n=60, d=5, k=40):
    D = np.sort(pairwise_distances(rng.normal(size=(n, d))), axis=1)
    return np.ascontiguousarray(D[:, 1 : k + 1])


# ---- golden values -------------------------------------------------------------------------------


def test_two_neighbours_whose_shares_are_known():
    # shares 3/4 and 1/4 at beta (d2^2 - d1^2) = log 3; their entropy is that of perplexity 1.7548
    p = np.array([0.75, 0.25])
    perplexity = np.exp(-(p * np.log(p)).sum())
    found = conditional(np.array([[1.0, 2.0]]), perplexity)
    np.testing.assert_allclose(found.p[0], p, atol=1e-8)
    np.testing.assert_allclose(found.bandwidths, np.sqrt(3 / (2 * np.log(3))), rtol=1e-8)


def test_the_peers_give_the_same_shares(rng):
    from sklearn.manifold import _utils

    open_tsne = pytest.importorskip("openTSNE._tsne")

    D = distances(rng)
    ours = conditional(D, 12.0).p
    theirs = open_tsne.compute_gaussian_perplexity(D, np.array([12.0]), num_threads=1)
    np.testing.assert_allclose(ours, np.asarray(theirs).reshape(D.shape), atol=1e-5)
    theirs = _utils._binary_search_perplexity((D**2).astype(np.float32), 12.0, 0)
    np.testing.assert_allclose(ours, theirs, atol=2e-5)  # they stop at an entropy within 1e-5


def test_several_perplexities_give_the_mean_of_their_shares(rng):
    D = distances(rng)
    small, large = conditional(D, 5.0), conditional(D, 20.0)
    both = conditional(D, [5.0, 20.0])
    np.testing.assert_allclose(both.p, (small.p + large.p) / 2, atol=1e-15)
    np.testing.assert_array_equal(both.bandwidths[:, 1], large.bandwidths)


# ---- the equation --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("perplexity", [1.01, 2.0, 7.5, 30.0, 39.9])
def test_the_entropy_is_that_of_the_perplexity(rng, perplexity, dtype):
    D = distances(rng).astype(dtype)
    p, sigma = conditional(D, perplexity)
    assert p.dtype == dtype
    np.testing.assert_allclose(entropy(p), np.log(perplexity), atol=PRECISION[dtype])
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=PRECISION[dtype])
    squares = D.astype(np.float64) ** 2
    expected = np.exp(-(squares - squares[:, :1]) / (2 * sigma[:, None] ** 2))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, expected, atol=PRECISION[dtype])


def test_the_order_of_neighbours_does_not_matter(rng):
    D = distances(rng)
    order = rng.permuted(np.tile(np.arange(40), (60, 1)), axis=1)
    shuffled = conditional(np.take_along_axis(D, order, axis=1), 9.0)
    expected = np.take_along_axis(conditional(D, 9.0).p, order, axis=1)
    np.testing.assert_allclose(shuffled.p, expected, atol=1e-9)


@pytest.mark.parametrize("unit", [1e150, 1e-150, 1e300, 1e-300])
def test_units_do_not_matter(rng, unit):
    D = distances(rng)
    plain, scaled = conditional(D, 9.0), conditional(D * unit, 9.0)
    np.testing.assert_allclose(scaled.p, plain.p, atol=1e-12)
    np.testing.assert_allclose(scaled.bandwidths / unit, plain.bandwidths, rtol=1e-9)


@pytest.mark.parametrize("far", [1e3, 1e30, 1e150])
@pytest.mark.parametrize("near", [10, 20])
def test_huge_gaps_between_neighbours_keep_the_entropy(rng, near, far):
    D = distances(rng)
    D[:, near:] *= far
    for perplexity in (5.0, 15.0, 30.0):
        np.testing.assert_allclose(entropy(conditional(D, perplexity).p), np.log(perplexity), 1e-7)


def test_nearly_equal_distances_keep_the_entropy(rng):
    D = 1.0 + 1e-9 * distances(rng)
    np.testing.assert_allclose(entropy(conditional(D, 9.0).p), np.log(9.0), 1e-7)


def test_threads_change_no_bit(rng):
    D = np.tile(distances(rng), (60, 1))
    results = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            results.append(conditional(D, 9.0))
    np.testing.assert_array_equal(results[0].p, results[1].p)
    np.testing.assert_array_equal(results[0].bandwidths, results[1].bandwidths)


# ---- where no bandwidth gives the perplexity -----------------------------------------------------


def test_more_nearest_rows_than_the_perplexity_have_equal_shares():
    D = np.array([[0.0, 0.0, 0.0, 1.0, 2.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
    p, sigma = conditional(D, 2.5)
    np.testing.assert_allclose(p, [[1 / 3, 1 / 3, 1 / 3, 0, 0], [0.2] * 5])
    np.testing.assert_array_equal(sigma, 0.0)


def test_fewer_neighbours_than_the_perplexity_have_equal_shares():
    p, sigma = conditional(np.array([[1.0, 5.0, np.inf, np.inf], [np.inf] * 4]), 2.5)
    np.testing.assert_allclose(p, [[0.5, 0.5, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(sigma, np.inf)


def test_some_neighbours_at_distance_0_take_part_in_the_entropy(rng):
    D = distances(rng)
    D[:, :6] = 0.0
    p = conditional(D, 9.0).p
    np.testing.assert_allclose(entropy(p), np.log(9.0), 1e-8)
    np.testing.assert_allclose(p[:, :6], p[:, :1] * np.ones(6), rtol=1e-14)


def test_what_is_no_neighbour_has_no_share(rng):
    D = distances(rng)
    with_none = np.hstack([D, np.full((60, 3), np.inf)])
    p = conditional(with_none, 9.0).p
    np.testing.assert_allclose(p[:, :40], conditional(D, 9.0).p, atol=1e-12)
    assert not p[:, 40:].any()


# ---- equal shares --------------------------------------------------------------------------------


def test_uniform_gives_equal_shares_to_as_many_as_the_perplexity(rng):
    D = rng.permuted(distances(rng), axis=1)
    p, last = uniform(D, 7.0)
    assert ((p > 0).sum(axis=1) == 7).all()
    np.testing.assert_allclose(p[p > 0], 1 / 7)
    np.testing.assert_array_equal(np.where(p > 0, D, 0).max(axis=1), last)
    np.testing.assert_allclose(entropy(p), np.log(7.0))


def test_uniform_of_several_perplexities_is_their_mean(rng):
    D = distances(rng)
    expected = (uniform(D, 3.0).p + uniform(D, 8.0).p) / 2
    np.testing.assert_allclose(uniform(D, [3.0, 8.0]).p, expected, atol=1e-15)


def test_uniform_leaves_out_what_is_no_neighbour():
    p, last = uniform(np.array([[2.0, np.inf, np.inf]]), 2.0)
    np.testing.assert_array_equal(p, [[1, 0, 0]])
    np.testing.assert_array_equal(last, [2.0])
