"""Starts where dissimilarities are missing."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from lowdim.maps.framing import frame_of, points_of
from lowdim.maps.mds.start import first_places, of_graph, of_some_pairs
from lowdim.maps.points import metric_of
from lowdim.maps.start import start
from tests.maps.mds.examples import planted

PRECOMPUTED = metric_of("precomputed")


def test_a_plane_is_nearly_found_though_pairs_are_missing(rng):
    _, D = planted(rng, 40)
    missing = np.triu(rng.random(D.shape) < 0.2, 1)
    Y = of_some_pairs(D, missing | missing.T, 2)
    rest = squareform(pdist(Y)) - D
    assert np.sqrt((rest**2).sum() / (D**2).sum()) < 0.1


def test_shortest_ways_of_a_whole_graph_are_its_distances(rng):
    _, D = planted(rng, 20)
    np.testing.assert_allclose(squareform(pdist(of_graph(sp.csr_array(D), 2))), D, atol=1e-9)


@pytest.mark.parametrize("init", ["classical_mds", "random"])
def test_without_missing_pairs_it_is_the_start_of_all_maps(rng, init):
    _, D = planted(rng, 20)
    points = points_of(D, frame_of(D, PRECOMPUTED), PRECOMPUTED)
    ours, theirs = (
        function(np.random.default_rng(0))
        for function in (
            lambda random: first_places(init, points, 2, PRECOMPUTED, None, random),
            lambda random: start(init, points, 2, metric=PRECOMPUTED, random=random),
        )
    )
    np.testing.assert_array_equal(ours, theirs)


def test_pairs_of_weight_0_are_missing(rng):
    _, D = planted(rng, 30)
    wrong, W = D.copy(), np.ones_like(D)
    wrong[0, 1] = wrong[1, 0] = 1e3
    W[0, 1] = W[1, 0] = 0.0
    points = points_of(wrong, frame_of(wrong, PRECOMPUTED), PRECOMPUTED)
    Y = first_places("classical_mds", points, 2, PRECOMPUTED, W, rng) * points.unit
    assert np.abs(squareform(pdist(Y)) - D).max() < 0.3 * D.max()
