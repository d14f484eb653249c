"""Seeds: rows that lie far apart."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import kmeans_plusplus

from lowdim import KMeans
from lowdim.cluster.kmeans import seeding
from lowdim.cluster.kmeans.lloyd import lloyd
from lowdim.cluster.kmeans.seeding import part_in_memory, seeds
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from tests.cluster.kmeans.examples import groups, squares

# ---- two roads, one result -----------------------------------------------------------------------


def test_greedy_seeds_cost_no_more_than_those_of_scikit_learn(rng):
    X, _ = groups(rng, n=1000, d=3, k=12, apart=5.0)
    part = seeding.part_in_memory(ArrayBlocks(X), rng)
    cost = {"ours": [], "peer": []}
    for seed in range(20):
        ours = seeding.seeds(part.rows, 12, np.random.default_rng(seed), part.weight)
        peer, _ = kmeans_plusplus(X, 12, random_state=seed)
        cost["ours"].append(squares(X, ours).min(axis=1).sum())
        cost["peer"].append(squares(X, peer).min(axis=1).sum())
    # means of 20 draws each, whose spread is about 15%: four standard errors of a difference
    assert np.mean(cost["ours"]) < 1.2 * np.mean(cost["peer"])


def test_sparse_rows_are_ordered_as_dense_ones(rng):
    X = rng.integers(-2, 3, size=(200, 6)).astype(float) * rng.choice([1.0, 0.5, 1e-200, 1e200], 6)
    X[rng.random(X.shape) < 0.6] = 0.0
    order = seeding._order(X)
    np.testing.assert_array_equal(seeding._order(sp.csr_array(X)), order)
    np.testing.assert_array_equal(seeding._order(sp.csr_array(-X)), seeding._order(-X))
    with_zeros = sp.csr_array(np.where(X == 0.0, 7.0, X))
    with_zeros.data[with_zeros.data == 7.0] = 0.0  # stored, and no other than those that are not
    np.testing.assert_array_equal(seeding._order(with_zeros), order)


# ---- a planted truth -----------------------------------------------------------------------------


def test_seeds_of_many_rows_come_from_a_part_of_them(rng):
    X, label = groups(rng, n=21_000, d=2, k=3, apart=50.0)
    model = KMeans(3, n_init=3, random_state=0).fit(X)
    best = sum(X[label == j].var(axis=0).sum() * np.sum(label == j) for j in range(3))
    assert model.inertia_ <= best * (1 + 1e-9)


def test_seeds_are_apart_and_may_repeat_where_rows_do(rng):
    X = np.repeat([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]], 10, axis=0)
    drawn = seeds(X, 3, rng, np.ones(30))
    assert len(np.unique(drawn, axis=0)) == 3
    assert lloyd(X, 5, rng).inertia == pytest.approx(0.0)


def test_a_part_of_many_rows_starts_the_clusters(rng):
    part = part_in_memory(as_blocks(rng.normal(size=(50, 2))), rng, None, at_most=20)
    assert part.rows.shape == (20, 2)
    assert np.all(np.diff(part.rows[:, 0]) >= 0)
