"""A tree finds what products find, to the bit, also where many distances are equal."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lowdim
from lowdim import config_context
from lowdim.maps.neighbors import search, tree
from lowdim.maps.neighbors.tree import tree_neighbors, tree_pays
from tests.maps.examples import sorted_neighbors

N = 700
TABLES = {
    "a plane": lambda rng: rng.normal(size=(N, 2)),
    "a line": lambda rng: np.cumsum(rng.random(N))[:, None],
    "a lattice": lambda rng: np.stack(np.meshgrid(*[np.arange(9.0)] * 3), -1).reshape(-1, 3),
    "heavy tails": lambda rng: rng.standard_cauchy(size=(N, 3)),
    "flags": lambda rng: np.c_[rng.integers(2, size=(N, 2)), rng.normal(size=N)],
    "tiny groups": lambda rng: 1e-9 * rng.normal(size=(N, 4)) + rng.integers(4, size=(N, 1)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 15, 60])
def test_a_tree_and_products_find_the_same(rng, name, k, dtype, monkeypatch):
    X = TABLES[name](rng).astype(dtype)
    monkeypatch.setattr(tree, "FEWEST", (2,) * 6)
    by_tree = lowdim.neighbors(X, k)
    monkeypatch.setattr(tree, "FEWEST", ())
    by_products = lowdim.neighbors(X, k)
    assert_array_equal(by_tree.indices, by_products.indices)
    assert_array_equal(by_tree.distances, by_products.distances)
    assert by_tree.distances.dtype == dtype


def test_all_points_at_one_distance_are_ranked_by_number():
    """The middle of a circle has all others at distance 1."""
    angle = np.arange(8) * np.pi / 4  # with coordinates that are equal to the last bit
    unit = np.round(np.c_[np.cos(angle[::2]), np.sin(angle[::2])])
    X = np.r_[[[0.0, 0.0]], unit, 5.0 * unit + 100.0]
    index, squares = tree_neighbors(X, 1)
    assert index[0, 0] == 1
    assert squares[0, 0] == 1.0


def test_where_all_distances_are_equal_products_find_the_neighbours(rng, monkeypatch):
    """Beside 1e200, the squares of all other differences are 0."""
    X = 1.0 + rng.normal(size=(2000, 2))
    X[5, 0] = 1e200
    assert tree_neighbors(X / 1e200, 15) is None
    by_tree = lowdim.neighbors(X, 15)
    monkeypatch.setattr(search, "tree_pays", lambda n, d, k: False)
    by_products = lowdim.neighbors(X, 15)
    assert_array_equal(by_tree.indices, by_products.indices)
    assert_array_equal(by_tree.distances, by_products.distances)


def test_threads_and_parts_change_no_bit(rng, monkeypatch):
    X = np.round(rng.normal(size=(400, 3)), 1)
    X = np.unique(X, axis=0)
    with config_context(threads=1):
        one = tree_neighbors(X, 9)
    monkeypatch.setattr(tree, "CANDIDATES", 50)
    with config_context(threads=3):
        more = tree_neighbors(X, 9)
    assert_array_equal(one[0], more[0])
    assert_array_equal(one[1], more[1])


def test_the_tree_is_for_many_points_of_few_columns(rng, monkeypatch):
    assert tree_pays(5_000, 2, 15)
    assert tree_pays(5_000, 3, 15)
    assert not tree_pays(200, 2, 15)
    assert not tree_pays(5_000, 5, 15)
    assert not tree_pays(10**7, 30, 15)
    assert not tree_pays(5_000, 2, 4_000)
    used = []
    monkeypatch.setattr(
        search, "tree_neighbors", lambda X, k: (used.append(len(X)), tree_neighbors(X, k))[1]
    )
    X = rng.normal(size=(3_000, 2))
    found = lowdim.neighbors(X, 3)
    assert used == [3_000]
    assert_array_equal(found.indices[:50], sorted_neighbors(X, 3)[0][:50])
    lowdim.neighbors(X, 3, metric="cosine", method="exact")
    assert len(used) == 2  # rows of length 1 are points of the plane, too


def test_rows_with_missing_values_are_found_by_products(rng, monkeypatch):
    monkeypatch.setattr(search, "tree_neighbors", None)
    X = rng.normal(size=(3_000, 2))
    X[::7, 1] = np.nan
    assert (lowdim.neighbors(X, 3).indices >= 0).all()
