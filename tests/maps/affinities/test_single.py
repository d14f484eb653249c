import numpy as np
from sklearn.metrics import pairwise_distances

from lowdim.maps.affinities.single import single_bandwidth


def entropy(p):
    p = p[p > 0]
    return -(p * np.log(p)).sum()


def test_all_pairs_share_one_bandwidth(rng):
    D = pairwise_distances(rng.normal(size=(40, 3)))
    P, sigma = single_bandwidth(D, 6.0)
    np.testing.assert_allclose(entropy(P), np.log(40 * 6.0), 1e-8)
    expected = np.exp(-(D**2) / (2 * sigma[0] ** 2)) * (1 - np.eye(40))
    np.testing.assert_allclose(P, expected / expected.sum(), atol=1e-12)
    assert (sigma == sigma[0]).all()


def test_neighbours_give_pairs_of_the_graph(rng):
    X = rng.normal(size=(40, 3))
    X[3] = X[7]  # a pair at distance 0 is a pair
    D = pairwise_distances(X)
    D[3, 7] = D[7, 3] = 0.0
    far = D + np.diag(np.full(40, np.inf))
    indices = np.argsort(far, axis=1)[:, :9]
    P, sigma = single_bandwidth(np.take_along_axis(far, indices, axis=1), 3.0, indices)
    linked = np.zeros((40, 40), dtype=bool)
    np.put_along_axis(linked, indices, True, axis=1)
    linked |= linked.T
    expected = np.where(linked, np.exp(-(D**2) / (2 * sigma[0] ** 2)), 0.0)
    np.testing.assert_allclose(P.toarray(), expected / expected.sum(), atol=1e-12)
    np.testing.assert_allclose(entropy(P.data), np.log(40 * 3.0), 1e-8)
    assert P.has_sorted_indices


def test_a_row_far_away_has_next_to_no_share(rng):
    X = rng.normal(size=(40, 3))
    X[0] += 50.0
    P, _ = single_bandwidth(pairwise_distances(X), 6.0)
    assert P[0].sum() < 1e-12  # of 1 / 80 that the other kind gives it at least


def test_units_do_not_matter(rng):
    D = pairwise_distances(rng.normal(size=(40, 3)))
    plain = single_bandwidth(D, 6.0)
    for unit in (1e150, 1e-150):
        scaled = single_bandwidth(D * unit, 6.0)
        np.testing.assert_allclose(scaled.P, plain.P, atol=1e-12)
        np.testing.assert_allclose(scaled.bandwidths / unit, plain.bandwidths, rtol=1e-8)
