"""k-means of rows with missing values: what is missing is as in the center."""

import numpy as np
import pytest

from lowdim import KMeans
from tests.cluster.kmeans.examples import groups, squares

# ---- the derivation ------------------------------------------------------------------------------


def test_distances_over_observed_entries_are_those_to_the_filled_row(rng):
    X, _ = groups(rng, n=50)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = KMeans(3, random_state=0).fit(X)
    np.testing.assert_allclose(
        model.transform(X), np.sqrt(squares(X, model.cluster_centers_)), atol=1e-6
    )
    filled = np.where(np.isnan(X), model.cluster_centers_[model.labels_], X)
    own = np.linalg.norm(filled - model.cluster_centers_[model.labels_], axis=1)
    np.testing.assert_allclose(own, model.transform(X).min(axis=1), atol=1e-6)
    assert model.inertia_ == pytest.approx(np.sum(own**2), rel=1e-9)


# ---- properties ----------------------------------------------------------------------------------


def test_a_row_without_observed_entries_costs_nothing_and_a_column_needs_some(rng):
    X, _ = groups(rng, n=60)
    plain = KMeans(3, init=X[:3]).fit(X)
    model = KMeans(3, init=X[:3]).fit(np.vstack([X, np.full(4, np.nan)]))
    np.testing.assert_allclose(model.cluster_centers_, plain.cluster_centers_, atol=1e-9)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=1e-9)
    with pytest.raises(ValueError, match="no observed value in 1 of 5 columns"):
        KMeans(3).fit(np.column_stack([X, np.full(60, np.nan)]))


# ---- two roads, one result -----------------------------------------------------------------------


def test_few_missing_values_change_little(rng):
    X, label = groups(rng)
    incomplete = X.copy()
    incomplete[rng.random(X.shape) < 0.02] = np.nan
    start = np.stack([X[label == j].mean(axis=0) for j in range(5)])
    whole, other = KMeans(5, init=start).fit(X), KMeans(5, init=start).fit(incomplete)
    # means of 120 rows, of which two or three are unknown in each column, of spread 1
    np.testing.assert_allclose(other.cluster_centers_, whole.cluster_centers_, atol=0.5)
