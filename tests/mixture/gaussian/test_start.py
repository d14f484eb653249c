"""Where a Gaussian mixture starts."""

import numpy as np
import pytest

import lowdim
from lowdim import GaussianMixture
from lowdim.core.opening import as_blocks
from lowdim.linalg.observed import observed_columns
from lowdim.mixture.gaussian import start
from lowdim.mixture.gaussian.units import space_of
from tests.mixture.gaussian.examples import clusters

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def start_from_few_rows(monkeypatch, n):
    monkeypatch.setattr(start, "START_ROWS", n)
    monkeypatch.setattr(start, "START_ROWS_PER_COLUMN", 1)


# ---- two roads, one result -----------------------------------------------------------------------


def test_large_data_start_from_a_part_of_the_rows(rng, monkeypatch):
    start_from_few_rows(monkeypatch, 100)
    X = clusters(rng, n=1000, k=2, apart=20.0)
    part = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=500).fit(X)
    monkeypatch.undo()
    whole = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=500).fit(X)
    assert part.lower_bound_ == pytest.approx(whole.lower_bound_, abs=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_coreset_of_a_start_has_the_moments_of_all_rows(missing, rng):
    X = clusters(rng, n=4000, missing=missing)
    weight = rng.integers(0, 3, size=4000).astype(float)
    rows = as_blocks(X)
    columns = observed_columns(rows, weight)
    space = space_of(columns.mean, columns.std, "full")
    some = start.some_rows(rows, weight, space, rng, 1000)
    Z = np.nan_to_num((X - columns.mean) / columns.std)  # missing values at the mean
    assert some.rows.shape == (1000, 3)
    # no row weighs more than twice the mean: sums of 1000 of size about 1 are good to 6 errors
    assert some.weight.max() <= 2 * weight.sum() / 1000 * (1 + 1e-9)
    assert some.weight.sum() == pytest.approx(weight.sum(), rel=6 / np.sqrt(1000))
    error = 6 * 2 / np.sqrt(1000)
    share, w = some.weight / some.weight.sum(), weight / weight.sum()
    np.testing.assert_allclose(share @ some.rows, w @ Z, atol=error)
    squares = w @ np.square(Z)
    np.testing.assert_allclose(share @ np.square(some.rows), squares, atol=3 * error)


@pytest.mark.parametrize("init", ["kmeans", "k-means++"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("source", ["memory", "stream", "dask"])
def test_a_few_rows_far_away_are_seen_by_the_start(init, missing, source, rng, monkeypatch):
    start_from_few_rows(monkeypatch, 200)
    X = rng.normal(size=(6000, 2))
    X[:12] += 100.0  # a random part of 200 rows would have none of them 2 times in 3
    X[12:][rng.random((5988, 2)) < missing] = np.nan
    rows = X
    if source == "stream":
        rows = lowdim.stream(lambda: iter(np.split(X, [1, 2500])))
    elif source == "dask":
        rows = pytest.importorskip("dask.array").from_array(X, chunks=(2000, 2))
    model = GaussianMixture(2, init_params=init, max_iter=0, random_state=0).fit(rows)
    far = int(np.argmax(model.means_[:, 0]))
    # they hold half of all squares, and so a quarter of the chances: about 50 of 200 rows drawn
    np.testing.assert_allclose(model.means_[far], 100.0, atol=3.0)
    assert model.weights_[far] == pytest.approx(12 / 6000, rel=0.9)


# ---- the door ------------------------------------------------------------------------------------


def test_what_cannot_be_a_start_is_refused(rng):
    X = clusters(rng, n=30)

    def refused(match, **arguments):
        with pytest.raises(ValueError, match=match):
            GaussianMixture(**{"n_components": 3, **arguments}).fit(X)

    refused("n_components=31 is more than the 30 rows", n_components=31)
    refused(r"means_init has shape \(2, 3\); \(3, 3\) is needed", means_init=X[:2])
    refused(r"weights_init has shape \(2,\)", weights_init=[0.5, 0.5])
    refused("weights_init has the sum 1.2", weights_init=[0.4, 0.4, 0.4])
    refused("smallest value -0.5", weights_init=[1.0, 0.5, -0.5])
    refused(r"precisions_init has shape \(3,\); \(3, 3, 3\)", precisions_init=np.ones(3))
    indefinite = np.tile(np.diag([1.0, 1.0, -1.0]), (3, 1, 1))
    refused("precisions_init is not positive definite", precisions_init=indefinite)
    refused("not symmetric", precisions_init=np.tile(np.triu(np.ones((3, 3))), (3, 1, 1)))
    refused("not positive", precisions_init=np.zeros(3), covariance_type="spherical")
    refused("NaN", means_init=np.full((3, 3), np.nan))
    refused("covariance_type", covariance_type="round")
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 rows"):
        GaussianMixture(3).fit(X, sample_weight=[1.0, 1.0] + 28 * [0.0])
    with pytest.raises(ValueError, match="n_samples=0 is too small"):
        GaussianMixture(2, random_state=0).fit(X).sample(0)


@pytest.mark.filterwarnings(
    "ignore::lowdim.mixture.collapse.CollapsedComponentWarning"  # on a single random row
)
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data"])
def test_every_start_reaches_clusters_that_lie_far_apart(init, rng):
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 30.0])
    # with two random rows from one cluster EM needs its time, or another start
    model = GaussianMixture(2, init_params=init, n_init=8, tol=1e-6, max_iter=500, random_state=0)
    model.fit(X)
    assert len(set(model.predict(X[:50]))) == len(set(model.predict(X[50:]))) == 1
    assert model.predict(X[:1]) != model.predict(X[50:51])


def test_random_responsibilities_start_from_nearly_equal_components(rng):
    X = clusters(rng)
    model = GaussianMixture(2, init_params="random", max_iter=0, random_state=0).fit(X)
    error = X.std(axis=0) / np.sqrt(300)  # of a mean; here with about half of the rows' weight
    assert np.all(np.abs(model.means_ - X.mean(axis=0)) < 5 * error)
    assert not np.array_equal(model.means_[0], model.means_[1])
