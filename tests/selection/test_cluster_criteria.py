"""Criteria for a number of clusters, on data where they have a closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import GaussianMixture, KMeans
from lowdim.selection.cluster_criteria import (
    SizedModels,
    _dispersion,
    _sample,
    by_losses,
    entry_losses,
    gap_statistic,
    n_rows,
    row_losses,
)


def models_of(template, name, sizes, seed=0):
    return SizedModels(template, name, np.array(sizes), np.random.default_rng(seed))


def test_models_have_their_size_and_a_seed():
    models = models_of(KMeans(n_init=3), "n_clusters", [2, 5])
    first, second = models.of_size(2), models.of_size(5)
    assert (first.n_clusters, second.n_clusters) == (2, 5)
    assert first.n_init == 3
    assert isinstance(first.random_state, int) and first.random_state != second.random_state
    assert models_of(KMeans(random_state=7), "n_clusters", [2]).of_size(2).random_state == 7


def test_the_dispersion_is_the_scatter_about_means_of_clusters():
    Y = np.array([[0.0], [2.0], [10.0], [14.0]])
    model = KMeans(2, random_state=0).fit(Y)
    assert _dispersion(Y, model) == pytest.approx(2.0 + 8.0)


def test_held_out_rows_of_one_gaussian_have_its_likelihood(rng):
    X = rng.normal(size=(200, 2))
    losses = row_losses(X, models_of(GaussianMixture(), "n_components", [1]), 4, 1000)
    # -log p of a standard normal in two dimensions: log 2 pi + 1; 200 rows have deviation 0.07
    assert losses.shape == (4, 1)
    assert losses.mean() == pytest.approx(np.log(2 * np.pi) + 1, abs=0.4)


def test_one_center_predicts_as_column_means_do(rng):
    X = rng.normal(size=(80, 3))
    losses = entry_losses(X, models_of(KMeans(), "n_clusters", [1]), 3, 1000)
    assert_allclose(losses, 1.0, rtol=1e-6)


def test_the_gap_of_each_reference_has_the_curve_as_its_mean(rng):
    X = rng.normal(size=(60, 2))
    evidence = gap_statistic(X, models_of(KMeans(), "n_clusters", [1, 2]), 3, 1000)
    assert_allclose(evidence.per_repeat.mean(axis=0), evidence.curve)
    spread = evidence.per_repeat.std(axis=0) * np.sqrt(1 + 1 / 3)
    assert_allclose(evidence.errors, spread)


def test_losses_give_the_curve_and_the_fewest_near_the_best():
    evidence = by_losses(np.array([[2.0, 1.0, 1.0], [2.0, 1.2, 1.0], [2.0, 0.8, 1.0]]))
    assert evidence.best == 1
    assert_allclose(evidence.curve, [2.0, 1.0, 1.0])


def test_a_sample_is_of_distinct_rows_in_their_order(rng):
    X = np.arange(40.0)[:, None]
    assert _sample(X, 40, rng) is X
    some = _sample(X, 10, rng)[:, 0]
    assert n_rows(X) == 40
    assert len(some) == 10
    assert_array_equal(some, np.unique(some))
