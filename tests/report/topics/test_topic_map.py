"""Topics in a plane."""

import numpy as np
from scipy.spatial.distance import jensenshannon, pdist, squareform

from lowdim.report.topics import topic_map
from lowdim.report.topics.topic_map import (
    classical_scaling,
    divergences,
    document_plane,
    spread_points,
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


def stress(D, X):
    return ((D - squareform(pdist(X))) ** 2).sum()


def test_spread_points_lower_the_stress_and_leave_room():
    D = 1.0 - np.eye(12)  # all equally far apart
    start = classical_scaling(D)
    found = spread_points(D, start)
    assert stress(D, found) < stress(D, start)
    assert pdist(found).min() > 0.25
    assert spread_points(np.zeros((1, 1)), np.zeros((1, 2))).shape == (1, 2)


def test_points_of_a_plane_stay_where_they_are(rng):
    points = rng.normal(size=(7, 2))
    D = squareform(pdist(points))
    found = spread_points(D**2, classical_scaling(D**2))
    np.testing.assert_allclose(squareform(pdist(found)), D, atol=1e-3)
