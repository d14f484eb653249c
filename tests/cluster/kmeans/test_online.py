"""Online k-means: the winner takes all."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

import lowdim
from lowdim import KMeans
from lowdim.cluster.kmeans.online import learn
from tests.cluster.kmeans.examples import groups

# ---- golden values -------------------------------------------------------------------------------


def test_three_winner_take_all_clusters_of_iris_separate_setosa(rng):
    X, species = load_iris(return_X_y=True)
    model = KMeans(3, random_state=0)
    for _ in range(5):  # in a random order, as the online algorithm asks for
        model.partial_fit(X[rng.permutation(150)])
    label = model.predict(X)
    assert len(set(label[species == 0])) == 1
    assert not set(label[species == 0]) & set(label[species != 0])


# ---- the derivation ------------------------------------------------------------------------------


def test_online_centers_are_the_means_of_the_rows_they_won(rng):
    X = rng.normal(size=(300, 3))
    centers, counts = 3.0 * rng.normal(size=(4, 3)), np.zeros(4)
    start = centers.copy()
    label, _ = learn(X, np.ones(300), centers, counts, -1.0)
    for j in range(4):
        mean = X[label == j].mean(axis=0) if (label == j).any() else start[j]
        np.testing.assert_allclose(centers[j], mean, atol=1e-12)
    np.testing.assert_array_equal(counts, np.bincount(label, minlength=4))


def test_the_winner_moves_by_the_gain_and_the_others_stay():
    model = KMeans(2, init=[[0.0], [10.0]], gain=0.25)
    model.partial_fit([[4.0], [8.0]])
    np.testing.assert_allclose(model.cluster_centers_, [[1.0], [9.5]], rtol=1e-15)
    np.testing.assert_array_equal(model.labels_, [0, 1])
    assert model.inertia_ == pytest.approx(16.0 + 4.0)


def test_falling_gains_forget_early_rows(rng):
    X = rng.normal(size=(50, 2))
    model = KMeans(1, init=[[5.0, 5.0]], gain="decreasing").partial_fit(X)
    center = np.array([5.0, 5.0])
    for t, x in enumerate(X, start=1):
        center += t**-0.6 * (x - center)
    np.testing.assert_allclose(model.cluster_centers_[0], center, rtol=1e-12)
    mean = KMeans(1, init=[[5.0, 5.0]], gain="harmonic").partial_fit(X)
    np.testing.assert_allclose(mean.cluster_centers_[0], X.mean(axis=0), rtol=1e-12)


# ---- two roads, one result -----------------------------------------------------------------------


def test_batches_do_not_matter_to_the_online_algorithm(rng):
    X, _ = groups(rng, n=200)
    whole = KMeans(4, init=X[:4]).partial_fit(X)
    parts = KMeans(4, init=X[:4])
    for part in np.split(X, [3, 50, 51]):
        parts.partial_fit(part)
    np.testing.assert_allclose(parts.cluster_centers_, whole.cluster_centers_, atol=1e-12)
    np.testing.assert_array_equal(parts.counts_, whole.counts_)
    streamed = KMeans(4, init=X[:4]).partial_fit(lowdim.stream(lambda: iter(np.split(X, 4))))
    np.testing.assert_allclose(streamed.cluster_centers_, whole.cluster_centers_, atol=1e-12)


def test_online_centers_of_float32_sparse_and_huge_rows_agree(rng):
    X, _ = groups(rng, n=200)
    reference = KMeans(4, init=X[:4]).partial_fit(X)
    single = KMeans(4, init=X[:4]).partial_fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32
    np.testing.assert_allclose(single.cluster_centers_, reference.cluster_centers_, atol=1e-4)
    sparse = KMeans(4, init=X[:4]).partial_fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.cluster_centers_, reference.cluster_centers_, atol=1e-12)
    huge = KMeans(4, init=X[:4] * 1e160).partial_fit(X * 1e160)
    np.testing.assert_allclose(huge.cluster_centers_ / 1e160, reference.cluster_centers_, rtol=1e-9)


def test_online_learning_goes_on_from_a_fit(rng):
    X, _ = groups(rng, n=400)
    model = KMeans(5, random_state=0).fit(X)
    centers = model.cluster_centers_.copy()
    model.partial_fit(X[:1])
    j = model.labels_[0]
    expected = centers[j] + (X[0] - centers[j]) / (np.bincount(KMeans.predict(model, X))[j] + 1)
    np.testing.assert_allclose(model.cluster_centers_[j], expected, atol=1e-2)
    assert model.counts_.sum() == 401
