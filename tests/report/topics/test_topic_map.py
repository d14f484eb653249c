"""Topics in a plane."""

import numpy as np
from scipy.spatial.distance import jensenshannon, pdist, squareform

from lowdim.report.topics import topic_map
from lowdim.report.topics.topic_map import (
    classical_scaling,
    divergences,
    document_plane,
    spread_axes,
)


def test_divergences_are_those_of_scipy(rng):
    P = rng.dirichlet(np.full(30, 0.2), size=5)
    P[0, :10] = 0
    P[0] /= P[0].sum()
    expected = [[jensenshannon(p, q, base=2) ** 2 for q in P] for p in P]
    np.testing.assert_allclose(divergences(P), expected, atol=1e-12)


def test_topics_without_common_words_are_one_bit_apart():
    assert divergences(np.eye(3)).round(12).tolist() == (1 - np.eye(3)).tolist()


def test_many_topics_look_at_frequent_terms_and_never_find_more(rng, monkeypatch):
    P = rng.dirichlet(np.full(200, 0.1), size=6)
    exact = divergences(P)
    monkeypatch.setattr(topic_map, "EXACT_VALUES", 10)
    monkeypatch.setattr(topic_map, "MOST_TERMS", 150)
    near = divergences(P)
    assert (near <= exact + 1e-12).all() and np.abs(near - exact).max() < 0.1


def test_points_of_a_plane_come_back(rng):
    points = rng.normal(size=(7, 2))
    D = squareform(pdist(points))
    found = classical_scaling(D**2)
    np.testing.assert_allclose(squareform(pdist(found)), D, atol=1e-9)


def test_one_topic_and_two_have_a_map():
    assert classical_scaling(np.zeros((1, 1))).tolist() == [[0, 0]]
    two = classical_scaling(np.array([[0.0, 4.0], [4.0, 0.0]]))
    np.testing.assert_allclose(np.abs(two[:, 0]), [1, 1])
    np.testing.assert_allclose(two[:, 1], 0, atol=1e-12)


def test_a_document_of_one_topic_lies_on_it():
    points = np.array([[0.0, 1.0], [2.0, 0.0]])
    shares = np.array([[1.0, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(document_plane(shares, points), [[0, 1], [1, 0.5]])


def test_documents_spread_along_their_shares():
    shares = np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    along = spread_axes(shares)
    assert along.shape == (3, 2) and abs(along[0, 0] - along[1, 0]) > abs(along[0, 1] - along[1, 1])
    assert spread_axes(np.ones((4, 1))).shape == (4, 1)
