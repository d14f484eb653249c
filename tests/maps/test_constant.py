"""Cailliez' additive constant."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from lowdim.datasets import load_ekman, load_eurodist
from lowdim.maps import constant
from lowdim.maps.constant import additive_constant
from lowdim.maps.coordinates import centre_twice, squared


def least_eigenvalue(D, c):
    B = squared(D, c)
    centre_twice(B)
    return np.linalg.eigvalsh(B)[0]


def random_dissimilarities(rng, n=30):
    return squareform(rng.random(n * (n - 1) // 2))


def test_the_constants_of_known_data():
    assert additive_constant(load_eurodist().dissimilarity) == pytest.approx(2132.678, abs=5e-4)
    assert additive_constant(1 - load_ekman().similarity) == pytest.approx(0.206313, abs=5e-7)


def test_three_objects_that_break_the_triangle_by_hand():
    # 1 + 1 < 3: with c, (1 + c) + (1 + c) = 3 + c, a line
    D = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    assert additive_constant(D) == pytest.approx(1.0, rel=1e-12)


def test_it_is_the_least_that_leaves_no_negative_eigenvalue(rng):
    D = random_dissimilarities(rng)
    c = additive_constant(D)
    assert least_eigenvalue(D, c) > -1e-10
    assert least_eigenvalue(D, 0.99 * c) < -1e-4


@pytest.mark.parametrize("d", [1, 2, 5])
def test_euclidean_distances_need_none(rng, d):
    assert additive_constant(squareform(pdist(rng.normal(size=(12, d))))) == 0.0
    assert additive_constant(np.zeros((4, 4))) == 0.0


def test_products_find_what_the_whole_matrix_gives(rng, monkeypatch):
    D = random_dissimilarities(rng, 60)
    whole = additive_constant(D)
    monkeypatch.setattr(constant, "ALL", 10)
    assert additive_constant(D) == pytest.approx(whole, rel=1e-9)


def test_a_search_that_does_not_settle_ends_with_the_whole_matrix(rng, monkeypatch):
    D = random_dissimilarities(rng, 20)
    whole = additive_constant(D)

    def never(*_, **__):
        raise constant.ArpackError(-9)

    monkeypatch.setattr(constant, "ALL", 10)
    monkeypatch.setattr(constant, "eigs", never)
    assert additive_constant(D) == pytest.approx(whole, rel=1e-12)


def test_weights_are_repeated_rows(rng):
    D, count = random_dissimilarities(rng, 10), rng.integers(0, 4, size=10)
    twice = np.repeat(np.arange(10), count)
    expected = additive_constant(D[np.ix_(twice, twice)])
    assert additive_constant(D, count.astype(float)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("factor", [1e150, 1e-150])
def test_units_do_not_matter(rng, factor):
    D = random_dissimilarities(rng)
    assert additive_constant(D * factor) == pytest.approx(additive_constant(D) * factor, rel=1e-9)
