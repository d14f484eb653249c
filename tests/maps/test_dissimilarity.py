"""Dissimilarities from similarities, and what they are like."""

import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import lowdim
from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps import dissimilarity as module

S = np.array([[1.0, 0.8, 0.2], [0.8, 1.0, 0.5], [0.2, 0.5, 1.0]])
SUMS = np.array([2.0, 2.3, 1.7])
BY_HAND = {
    "one-minus": 1 - S,
    "correlation": np.sqrt(1 - S),
    "reverse": 1.0 - S,  # 0.8 + 0.2
    "neglog": -np.log(S),
    "cooccurrence": 1 / (1 + S * 6.0 / np.outer(SUMS, SUMS)),
}

# ---- from similarities ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", BY_HAND)
def test_three_objects_by_hand(method):
    expected = BY_HAND[method] * (1 - np.eye(3))
    np.testing.assert_allclose(lowdim.dissimilarity(S, method), expected, atol=1e-15)


def test_colours_are_one_minus_how_alike_they_are():
    similarity = load_ekman().similarity
    np.testing.assert_allclose(lowdim.dissimilarity(similarity), 1 - similarity, atol=1e-15)


def test_scales_are_reversed_whatever_is_on_the_diagonal():
    scale = np.array([[0.0, 9.0, 1.0], [9.0, 0.0, 4.0], [1.0, 4.0, 0.0]])
    expected = [[0, 1, 9], [1, 0, 6], [9, 6, 0]]
    np.testing.assert_array_equal(lowdim.dissimilarity(scale, "reverse"), expected)
    np.testing.assert_array_equal(
        lowdim.dissimilarity(-scale, "reverse"), [[0, 8, 0], [8, 0, 3], [0, 3, 0]]
    )


def test_correlations_are_distances_of_standardised_columns(rng):
    X = rng.normal(size=(30, 5))
    X = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(60)
    found = lowdim.dissimilarity(np.corrcoef(X.T), "correlation")
    np.testing.assert_allclose(found, squareform(pdist(X.T)), atol=1e-12)


@pytest.mark.parametrize("method", ["neglog", "cooccurrence"])
def test_counts_have_no_unit(method, rng):
    counts = squareform(rng.integers(1, 50, size=15)).astype(float)
    expected = lowdim.dissimilarity(counts, method)
    assert (expected >= 0).all()
    np.testing.assert_allclose(lowdim.dissimilarity(counts * 7e200, method), expected, atol=1e-9)


def test_missing_pairs_stay_missing():
    holes = S.copy()
    holes[0, 1] = holes[1, 0] = np.nan
    for method in BY_HAND:
        found = lowdim.dissimilarity(holes, method)
        assert np.isnan(found[0, 1]) and np.isfinite(found[0, 2])


REFUSED = {
    "method": ({"method": "1-s"}, S, "method='1-s' is not known; choose one of 'one-minus'"),
    "too large": ({}, 3 * S, "the similarity 2.4 for 0 and 1; method='one-minus' needs at most 1"),
    "zero": ({"method": "neglog"}, S * (S != 0.2), "similarity 0 for 0 and 2, whose logarithm"),
    "no counts": ({"method": "cooccurrence"}, np.zeros((2, 2)), "no counts for 0"),
    "asymmetric": ({}, np.triu(S), "Array must be symmetric"),
    "negative": ({"method": "neglog"}, -S, "negative"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_similarity_is_refused_by_name(what):
    arguments, given, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        lowdim.dissimilarity(given, **arguments)


# ---- what they are like --------------------------------------------------------------------------


def triangles_by_loops(D):
    n, broken, worst = len(D), 0, 0.0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a, b, c = D[i, j], D[j, k], D[i, k]
                excess = max(a - b - c, b - a - c, c - a - b)
                broken += excess > 1e-9
                worst = max(worst, excess)
    return broken, worst


def test_roads_of_europe_are_no_distances():
    D = load_eurodist().dissimilarity
    found = lowdim.check_dissimilarity(D)
    assert found.is_symmetric and found.has_zero_diagonal
    assert (found.n_violations, found.worst_excess) == triangles_by_loops(D)
    i, j, k = found.worst_triangle
    assert D[i, j] - D[i, k] - D[k, j] == found.worst_excess
    assert found.additive_constant == pytest.approx(2132.678, abs=5e-4)
    assert found.plane_share == pytest.approx(0.8679, abs=5e-5)
    assert found.negative_share == pytest.approx(1 - 0.7537543 / 0.8679134, abs=1e-6)
    assert "MDS" in found.advice and "additive constant" in repr(found)


def test_colours_are_nearly_distances():
    found = lowdim.check_dissimilarity(1 - load_ekman().similarity)
    assert found.n_negative_eigenvalues == 2
    assert found.additive_constant == pytest.approx(0.206313, abs=5e-7)


def test_distances_of_a_plane_are_euclidean(rng):
    found = lowdim.check_dissimilarity(pdist(rng.normal(size=(30, 2))))
    assert found.n_violations == 0 and found.worst_triangle is None
    assert found.n_negative_eigenvalues == 0 and found.additive_constant == 0.0
    assert found.plane_share == pytest.approx(1.0)
    assert found.advice.startswith("These are Euclidean distances: ClassicalMDS")


def test_random_numbers_are_trusted_for_their_order_alone(rng):
    D = squareform(rng.random(190) ** 3)
    found = lowdim.check_dissimilarity(D)
    assert found.n_violations == triangles_by_loops(D)[0]
    assert "MDS(transformation='ordinal')" in found.advice


def test_a_single_wrong_pair_is_not_called_nearly_euclidean(rng):
    D = squareform(pdist(rng.normal(size=(30, 3))))
    D[3, 8] = D[8, 3] = 99.0
    found = lowdim.check_dissimilarity(D)
    assert found.negative_share > 0.2 and found.n_violations == 28
    assert "the worst of them first" in found.advice


def test_distances_that_no_space_holds_are_called_far_from_euclidean():
    """From the hub of a star to its ends 1, between ends 2: no triangle is broken."""
    D = np.full((60, 60), 2.0)
    D[0] = D[:, 0] = 1.0
    D[1:31, 31:] = D[31:, 1:31] = 1.0  # and two groups of ends that touch
    np.fill_diagonal(D, 0.0)
    found = lowdim.check_dissimilarity(D)
    assert found.n_violations == 0 and found.negative_share > 0.2
    assert "distances, but far from Euclidean" in found.advice


def changed(i, j, value):
    E = squareform(np.arange(1.0, 7.0))
    E[i, j] = value
    return E


ODD = {
    "asymmetric": (changed(0, 1, 2.0), "is_symmetric", False, r"give maps \(D \+ D.T\) / 2"),
    "diagonal": (changed(1, 1, 2.0), "has_zero_diagonal", False, "The diagonal is not 0"),
    "negative": (-squareform(np.arange(1.0, 7.0)), "n_negative", 6, "Some pairs are negative"),
    "missing": (changed(0, 1, np.nan), "n_missing", 1, "MDS leaves them out"),
    "infinite": (changed(0, 1, np.inf), "n_missing", 0, "infinite"),
    "nothing": (np.zeros((3, 3)), "n_violations", 0, "Euclidean"),
    "one object": (np.zeros((1, 1)), "n_triangles", 0, "Euclidean"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_wrong_is_said(kind):
    given, attribute, value, advice = ODD[kind]
    if kind in ("missing", "infinite"):
        given = np.where(np.isfinite(given.T), given, given.T)
    found = lowdim.check_dissimilarity(given)
    assert getattr(found, attribute) == value
    assert re.search(advice, found.advice)
    assert found.to_frame().shape[0] >= 6


def test_of_many_objects_some_are_looked_at(rng, monkeypatch):
    monkeypatch.setattr(module, "MOST", 12)
    found = lowdim.check_dissimilarity(pdist(rng.normal(size=(40, 2))))
    assert (found.n_objects, found.n_looked_at, found.n_triangles) == (40, 12, 220)
    assert "40, 12 looked at" in repr(found)


def test_what_is_not_square_is_refused():
    with pytest.raises(ValueError, match="array must be 2-dimensional and square"):
        lowdim.check_dissimilarity(np.ones((2, 3)))


def test_negative_pairs_break_no_more_triangles_than_there_are(rng):
    D = rng.normal(size=(12, 12))
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    found = lowdim.check_dissimilarity(D)
    assert 0 < found.n_violations <= found.n_triangles == 220
    assert len(set(found.worst_triangle)) == 3


def test_no_share_is_printed_as_minus_nothing(rng):
    X = rng.normal(size=(9, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    assert "-0.0%" not in str(lowdim.check_dissimilarity(D))
