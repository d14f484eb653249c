"""The centers that k-means starts from."""

import numpy as np
import pytest

from lowdim import KMeans
from tests.cluster.kmeans.examples import groups

# ---- the door ------------------------------------------------------------------------------------


def test_centers_to_start_from_must_fit():
    X = np.zeros((5, 2))
    with pytest.raises(ValueError, match=r"init have shape \(2, 3\).* ask for \(2, 2\)"):
        KMeans(2, init=np.zeros((2, 3))).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2, init=np.full((2, 2), np.nan)).fit(X)
    with pytest.warns(RuntimeWarning, match="n_init=3 is ignored"):
        KMeans(2, init=[[0.0], [1.0]], n_init=3).fit([[0.0], [1.0]])


def test_a_callable_gives_the_centers(rng):
    X, _ = groups(rng)

    def first_rows(X, n_clusters, random_state):
        assert isinstance(random_state, np.random.RandomState)
        return X[:n_clusters]

    given_them = KMeans(5, init=first_rows, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(given_them.labels_, KMeans(5, init=X[:5]).fit(X).labels_)
