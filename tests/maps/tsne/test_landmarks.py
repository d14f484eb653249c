"""Landmarks: which rows, their affinities, and the others among them."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from lowdim import TSNE
from lowdim.maps.tsne.landmarks import walked
from tests.maps.tsne.examples import clusters, random_affinities

QUICK = {"perplexity": 8, "max_iter": 200, "early_exaggeration_iter": 100, "random_state": 0}


def test_walks_over_three_rows_by_hand():
    """0 - 1 - 2 in a row, landmarks 0 and 2: every walk ends at the other one."""
    P = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4
    found = walked(random_affinities(np.random.default_rng(0), 3) * 0 + P, np.array([0, 2]))
    np.testing.assert_allclose(found.toarray(), [[0, 0.5], [0.5, 0]])


def test_affinities_of_landmarks_are_symmetric_and_sum_to_1(rng):
    P = walked(random_affinities(rng, 80), np.arange(0, 80, 4)).toarray()
    np.testing.assert_allclose(P, P.T, rtol=1e-6)
    assert P.sum() == pytest.approx(1.0)
    assert (np.diag(P) == 0).all()


def test_all_rows_have_a_place_next_to_their_cluster(rng):
    X, labels = clusters(rng, n=200)
    model = TSNE(landmarks=60, **QUICK).fit(X)
    assert model.landmarks_.shape == (60,)
    assert model.affinities_.shape == (60, 60)
    assert model.embedding_.shape == (200, 2)
    D = pairwise_distances(model.embedding_)
    np.fill_diagonal(D, np.inf)
    assert (labels[D.argmin(axis=1)] == labels).mean() > 0.97
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


def test_more_landmarks_than_rows_are_refused(rng):
    with pytest.raises(ValueError, match="landmarks=60"):
        TSNE(landmarks=60, perplexity=3).fit(rng.normal(size=(20, 3)))


def test_distances_have_no_landmarks():
    with pytest.raises(ValueError, match="landmarks=5 needs rows"):
        TSNE(landmarks=5, metric="precomputed", init="random", perplexity=2).fit(
            np.ones((20, 20)) - np.eye(20)
        )
