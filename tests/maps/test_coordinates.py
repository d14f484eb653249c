"""Principal coordinates from squared dissimilarities."""

import numpy as np
import pytest

from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps import coordinates
from lowdim.maps.coordinates import (
    all_eigenvalues,
    centre_twice,
    column_signs,
    goodness_of_fit,
    placed,
    principal_coordinates,
    squared,
)


def distances(X):
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def plain_B(D, weight=None):
    """-1/2 J D^2 J' as it is written."""
    w = np.ones(len(D)) if weight is None else weight
    J = np.eye(len(D)) - np.outer(np.ones(len(D)), w) / w.sum()
    return -0.5 * J @ D**2 @ J.T


# ---- golden values -------------------------------------------------------------------------------


def test_roads_of_europe_are_those_of_r():
    found = principal_coordinates(squared(load_eurodist().dissimilarity), 2)
    np.testing.assert_allclose(found.values, [19538377.0895, 11856555.3340], rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.Y[0]), [2290.274680, 1798.80293], rtol=1e-8)
    fit = goodness_of_fit(found.values, found.spectrum)
    np.testing.assert_allclose(fit, [0.7537543, 0.8679134], atol=1e-7)


def test_colours_lie_on_a_circle_in_their_order():
    found = principal_coordinates(squared(1 - load_ekman().similarity), 2)
    np.testing.assert_allclose(found.values, [1.98213, 1.29933], atol=1e-5)
    assert (found.spectrum < -1e-9).sum() == 2
    angle = np.unwrap(np.arctan2(found.Y[:, 1], found.Y[:, 0]))
    turns = np.diff(angle)
    assert (turns > 0).all() or (turns < 0).all()


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_centring_twice_is_the_product_with_j_on_both_sides(rng, weighted):
    D = distances(rng.normal(size=(40, 3)))
    weight = rng.random(40) if weighted else None
    B = squared(D)
    means = centre_twice(B, weight)
    np.testing.assert_allclose(B, plain_B(D, weight), atol=1e-12)
    np.testing.assert_allclose(means, np.average(D**2, axis=1, weights=weight), rtol=1e-12)


def test_places_have_the_products_of_the_nearest_matrix_of_their_rank(rng):
    D = rng.random((30, 30)) + 0.5
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    found = principal_coordinates(squared(D), 3)
    values, U = np.linalg.eigh(plain_B(D))
    best = (U[:, -3:] * values[-3:]) @ U[:, -3:].T
    np.testing.assert_allclose(found.Y @ found.Y.T, best, atol=1e-11)
    np.testing.assert_allclose(found.trace, values.sum(), rtol=1e-10)
    np.testing.assert_allclose(found.spectrum, values[::-1], atol=1e-10)


def test_a_constant_is_added_to_all_pairs_but_not_to_the_diagonal():
    D = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(squared(D, 2.0), [[0.0, 9.0], [9.0, 0.0]])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_row_that_was_there_is_put_at_its_place(rng, weighted):
    D = rng.random((25, 25))
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    weight = rng.random(25) + 0.1 if weighted else None
    found = principal_coordinates(squared(D), 2, weight)
    np.testing.assert_allclose(placed(D**2, found.means, found.axes), found.Y, atol=1e-12)


# ---- two roads -----------------------------------------------------------------------------------


def test_weights_are_repeated_rows(rng):
    D = distances(rng.normal(size=(20, 4)))
    count = rng.integers(0, 4, size=20)
    count[:3] = 1
    twice = np.repeat(np.arange(20), count)
    whole = principal_coordinates(squared(D[np.ix_(twice, twice)]), 2)
    found = principal_coordinates(squared(D), 2, count.astype(float))
    np.testing.assert_allclose(found.values, whole.values, rtol=1e-10)
    signs = np.sign((found.Y[twice] * whole.Y).sum(axis=0))
    np.testing.assert_allclose(found.Y[twice] * signs, whole.Y, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_lanczos_finds_what_lapack_finds(rng, monkeypatch, weighted):
    D = np.abs(rng.normal(size=(150, 6))[:, None] - rng.normal(size=(150, 6))).sum(axis=2)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    weight = rng.random(150) + 0.5 if weighted else None
    whole = principal_coordinates(squared(D), 2, weight)
    monkeypatch.setattr(coordinates, "ALL", 10)
    few = principal_coordinates(squared(D), 2, weight)
    assert len(few.spectrum) == 2
    np.testing.assert_allclose(few.values, whole.values, rtol=1e-9)
    np.testing.assert_allclose(few.Y, whole.Y, atol=1e-7 * np.abs(whole.Y).max())


def test_columns_of_eigenvalues_that_are_not_positive_are_zero():
    found = principal_coordinates(squared(np.array([[0.0, 3.0], [3.0, 0.0]])), 2)
    np.testing.assert_allclose(found.Y, [[1.5, 0.0], [-1.5, 0.0]], atol=1e-15)
    np.testing.assert_allclose(found.values, [4.5, 0.0])


def test_all_eigenvalues_are_those_of_weighted_rows(rng):
    B, w = plain_B(distances(rng.normal(size=(12, 3)))), rng.random(12)
    root = np.sqrt(w)
    expected = np.linalg.eigvalsh(root[:, None] * B * root)[::-1]
    np.testing.assert_allclose(all_eigenvalues(B, root), expected, atol=1e-12)


def test_signs_do_not_hang_on_ties_in_the_last_digit():
    Y = np.array([[-1.0, 2.0], [1.0 + 1e-14, -3.0], [0.2, 0.0]])
    np.testing.assert_array_equal(column_signs(Y), [-1.0, -1.0])


def test_no_dissimilarities_have_no_fit():
    np.testing.assert_array_equal(goodness_of_fit(np.zeros(2), np.zeros(5)), [0.0, 0.0])


@pytest.mark.parametrize("n", [12, 90, 300])
def test_places_do_not_need_the_whole_spectrum(rng, n):
    X = rng.normal(size=(n, 6))
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    whole = principal_coordinates(D.copy(), 3)
    part = principal_coordinates(D.copy(), 3, whole=False)
    assert len(whole.spectrum) == n
    assert len(part.spectrum) == 3
    np.testing.assert_allclose(part.Y, whole.Y, atol=1e-9 * np.abs(whole.Y).max())
